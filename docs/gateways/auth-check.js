// Tyk Gateway asks Keydesk about each call: an auth_check plugin of its JavaScript engine, in ES5.
// config_data of the API definition: keydesk (address), access_token (with the permission verify),
// api_id, gateway (its name in Keydesk), header (of the key, if it is not Authorization), and
// address_header. See docs/original-gateway.md.
var keydesk = new TykJS.TykMiddleware.NewMiddleware({});

keydesk.statusOf = { unknown: 401, revoked: 401, suspended: 401, damaged: 401, expired: 401 };
keydesk.statusOf.address_unknown = keydesk.statusOf.address = 403;
keydesk.statusOf.unknown_plan = keydesk.statusOf.plan_inactive = keydesk.statusOf.wrong_api = 403;
keydesk.statusOf.over_rate = keydesk.statusOf.over_quota = 429;

// What a header presents: a key, raw or after Bearer, or a user name and its password after Basic;
// null: nothing.
keydesk.presentedIn = function (text) {
  var basic = /^\s*basic\s+(\S+)\s*$/i.exec(text);
  if (!basic) {
    var key = text.replace(/^\s*bearer\s+/i, "").replace(/^\s+|\s+$/g, "");
    return key ? { key: key } : null;
  }
  try {
    var pair = /^([^:]+):([\s\S]+)$/.exec(b64dec(basic[1]));
    return pair ? { username: pair[1], password: pair[2] } : null;
  } catch (_error) {
    return null;
  }
};

// The visitor's address, as the last of the proxies before the gateway wrote it; undefined: none
// did.
keydesk.addressIn = function (sent) {
  var line = sent && sent.length ? String(sent[sent.length - 1]) : "";
  var last = line.split(",").pop().replace(/\s+/g, "");
  return /^[0-9A-Fa-f.:]{2,45}$/.test(last) ? last : undefined;
};

// A text as a header of /v1/forward-auth holds it.
keydesk.inHeader = function (text) {
  return text.replace(/[^A-Za-z0-9_.~@:+=-]+/g, encodeURIComponent);
};

// Keydesk's answer; null if there is none that can be relied on: the call is denied.
keydesk.ask = function (config, presented) {
  try {
    presented.api_id = config.api_id;
    var headers = { "Authorization": config.access_token, "Content-Type": "application/json" };
    // Its name at Keydesk, and the version of the definition.
    if (config.gateway) headers["X-Keydesk-Gateway"] = config.gateway;
    var call = { Method: "POST", Domain: config.keydesk, Resource: "/v1/keys/verify", Headers: headers };
    call.Body = JSON.stringify(presented);
    var answer = JSON.parse(TykMakeHttpRequest(JSON.stringify(call)));
    var verdict = answer.Code === 200 ? JSON.parse(answer.Body) : null;
    return verdict && (verdict.valid === true || keydesk.statusOf[verdict.reason]) ? verdict : null;
  } catch (_error) {
    return null;
  }
};

keydesk.NewProcessRequest(function (request, _session, spec) {
  var header = spec.config_data.header || "Authorization";
  var sent = request.Headers[header];
  var presented = keydesk.presentedIn(sent && sent[0] ? String(sent[0]) : "");
  var written = spec.config_data.address_header;
  if (presented && written) presented.address = keydesk.addressIn(request.Headers[written]);
  // Nothing looks at the body, so that nothing copies it.
  request.IgnoreBody = true;
  request.Body = "";
  // No X-Keydesk header comes from a visitor, in whichever form it is written.
  for (var name in request.Headers) if (/^x[-_]keydesk/i.test(name)) request.DeleteHeaders.push(name);
  // The API has no use for the key.
  request.DeleteHeaders.push(header);
  var verdict = presented ? keydesk.ask(spec.config_data, presented) : { valid: false, reason: "no credential" };
  if (verdict === null || verdict.valid !== true) {
    var refused = request.ReturnOverrides;
    refused.ResponseCode = verdict === null ? 503 : presented ? keydesk.statusOf[verdict.reason] : 401;
    refused.ResponseError = verdict === null ? "keys cannot be checked right now" : verdict.reason;
    if (verdict && verdict.retry_after) refused.ResponseHeaders = { "Retry-After": String(verdict.retry_after) };
    return keydesk.ReturnAuthData(request, {});
  }
  request.SetHeaders["X-Keydesk-Developer"] = keydesk.inHeader(verdict.developer_id);
  request.SetHeaders["X-Keydesk-Plans"] = verdict.plans.map(keydesk.inHeader).join(",");
  request.SetHeaders["X-Keydesk-Key-Id"] = verdict.key_id;
  // The gateway shows these as X-RateLimit-*, and counts nothing by them.
  var limit = verdict.quota || verdict.rate || { limit: -1, remaining: 0, reset: null };
  return keydesk.ReturnAuthData(request, {
    token: verdict.key_id,
    expires: verdict.expires_at ? Math.floor(Date.parse(verdict.expires_at) / 1000) : 0,
    org_id: spec.OrgID || "",
    rate: 0,
    per: 0,
    quota_max: limit.limit,
    quota_remaining: limit.remaining,
    quota_renews: typeof limit.reset === "number" ? Math.floor(Date.now() / 1000) + limit.reset : 0,
    access_rights: {},
    meta_data: { developer_id: verdict.developer_id, plans: verdict.plans.join(",") }
  });
});
