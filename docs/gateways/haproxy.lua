-- Asks Keydesk about a call. The action keeps the status of the answer, and what it says of the key, in variables of the
-- call. Without an answer there is no status, or one that the configuration denies with 503.
-- It contains an access token: only root may read it.
--
-- Fill in, or set in the environment; see docs/gateways.md:
--   API_ID              the id of the API in plans
--   DESK_ADDRESS        where Keydesk listens, e.g. 127.0.0.1:3000; an address, not a name
--   DESK_CREDENTIAL     an access token with the permission `verify`
--   GATEWAY_NAME        the gateway's name in Keydesk

local url = "http://" .. os.getenv("DESK_ADDRESS") .. "/v1/forward-auth?api=" .. (os.getenv("API_ID") or "")
local name = os.getenv("GATEWAY_NAME") or ""
local gateway = { name .. ";2" }
local own = { "Bearer " .. os.getenv("DESK_CREDENTIAL") }

-- The variables, and the headers of the answer that they hold.
local kept = {
  ["txn.keydesk_key_id"] = "x-keydesk-key-id",
  ["txn.keydesk_kind"] = "x-keydesk-kind",
  ["txn.keydesk_developer"] = "x-keydesk-developer",
  ["txn.keydesk_plans"] = "x-keydesk-plans",
  ["txn.keydesk_challenge"] = "www-authenticate",
  ["txn.keydesk_retry_after"] = "retry-after",
}

core.register_action("keydesk-" .. name, { "http-req" }, function(txn)
  local sent = { ["x-keydesk-authorization"] = own, ["x-keydesk-gateway"] = gateway, ["x-forwarded-for"] = { txn.f:src() } }
  local presented = txn.http:req_get_headers()["authorization"]
  if presented then
    sent["authorization"] = {}
    for _, value in pairs(presented) do table.insert(sent["authorization"], value) end
  end
  local answer = core.httpclient():get({ url = url, headers = sent, timeout = 2000 })
  if not answer or not answer.status then return end
  txn:set_var("txn.keydesk_status", answer.status)
  for variable, header in pairs(kept) do
    local values = answer.headers and answer.headers[header]
    if values then txn:set_var(variable, values[0]) end
  end
end)
