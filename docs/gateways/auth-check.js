// The original's gateway asks Keydesk about each call: an auth_check plugin of its JavaScript engine, in ES5.
// config_data of the API definition: keydesk (address), access_token (with the permission verify), api_id, and header
// where the key does not stand in Authorization. See docs/original-gateway.md.
var keydesk = new TykJS.TykMiddleware.NewMiddleware({});

keydesk.statusOf = { unknown: 401, revoked: 401, suspended: 401, damaged: 401, expired: 401 };
keydesk.statusOf.unknown_plan = keydesk.statusOf.plan_inactive = keydesk.statusOf.wrong_api = 403;
keydesk.statusOf.over_rate = keydesk.statusOf.over_quota = 429;

// What Keydesk says of the key; null where it says nothing that can be relied on: nobody is let in on a guess.
keydesk.ask = function (config, key) {
  try {
    var body = JSON.stringify({ key: key, api_id: config.api_id });
    var headers = { "Authorization": config.access_token, "Content-Type": "application/json" };
    var call = { Method: "POST", Domain: config.keydesk, Resource: "/v1/keys/verify", Headers: headers, Body: body };
    var answer = JSON.parse(TykMakeHttpRequest(JSON.stringify(call)));
    var verdict = answer.Code === 200 ? JSON.parse(answer.Body) : null;
    return verdict && (verdict.valid === true || keydesk.statusOf[verdict.reason]) ? verdict : null;
  } catch (_error) {
    return null;
  }
};

keydesk.NewProcessRequest(function (request, _session, spec) {
  var sent = request.Headers[spec.config_data.header || "Authorization"];
  var key = (sent && sent[0] ? String(sent[0]) : "").replace(/^\s*bearer\s+/i, "").replace(/^\s+|\s+$/g, "");
  var verdict = key ? keydesk.ask(spec.config_data, key) : { valid: false, reason: "no credential" };
  if (verdict === null || verdict.valid !== true) {
    var refused = request.ReturnOverrides;
    refused.ResponseCode = verdict === null ? 503 : key ? keydesk.statusOf[verdict.reason] : 401;
    refused.ResponseError = verdict === null ? "keys cannot be checked right now" : verdict.reason;
    if (verdict && verdict.retry_after) refused.ResponseHeaders = { "Retry-After": String(verdict.retry_after) };
    return keydesk.ReturnAuthData(request, {});
  }
  return keydesk.ReturnAuthData(request, {
    token: verdict.key_id,
    expires: verdict.expires_at ? Math.floor(Date.parse(verdict.expires_at) / 1000) : 0,
    org_id: spec.OrgID || "",
    rate: 0,
    per: 0,
    quota_max: -1,
    access_rights: {},
    meta_data: { developer_id: verdict.developer_id, plans: verdict.plans.join(",") }
  });
});
