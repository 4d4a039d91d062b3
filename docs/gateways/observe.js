// The original's gateway goes on deciding, and Keydesk writes down where it would have decided
// otherwise: two hooks of the gateway's JavaScript engine, in ES5. "pre" names keydeskObserve,
// which asks; "post" names keydeskOpened, which says that the gateway let the call in. config_data
// of the API definition is as for auth-check.js: keydesk (address), access_token (with the
// permission verify), api_id, gateway, header and address_header. See docs/original-gateway.md.
var keydeskObserve = new TykJS.TykMiddleware.NewMiddleware({});
var keydeskOpened = new TykJS.TykMiddleware.NewMiddleware({});

// Carries the receipt from one hook to the other.
keydeskObserve.receipt = "X-Keydesk-Receipt";
keydeskObserve.statusOf = { unknown: 401, revoked: 401, suspended: 401, damaged: 401, expired: 401 };
keydeskObserve.statusOf.address_unknown = keydeskObserve.statusOf.address = 403;
keydeskObserve.statusOf.unknown_plan = keydeskObserve.statusOf.plan_inactive = 403;
keydeskObserve.statusOf.wrong_api = 403;
keydeskObserve.statusOf.over_rate = keydeskObserve.statusOf.over_quota = 429;

// What a header presents: a key, raw or after Bearer, or a user name and its password after Basic;
// null: nothing.
keydeskObserve.presentedIn = function (text) {
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

// The visitor's address, as the last of the proxies before the gateway wrote it; undefined: nobody
// did.
keydeskObserve.addressIn = function (sent) {
  var line = sent && sent.length ? String(sent[sent.length - 1]) : "";
  var last = line.split(",").pop().replace(/\s+/g, "");
  return /^[0-9A-Fa-f.:]{2,45}$/.test(last) ? last : undefined;
};

// What Keydesk answers; null where it says nothing that can be relied on: then the gateway decides
// as it always did.
keydeskObserve.ask = function (config, resource, body) {
  try {
    var headers = { "Authorization": config.access_token, "Content-Type": "application/json" };
    if (config.gateway) headers["X-Keydesk-Gateway"] = config.gateway;
    var call = { Method: "POST", Domain: config.keydesk, Resource: resource, Headers: headers };
    call.Body = JSON.stringify(body);
    var answer = JSON.parse(TykMakeHttpRequest(JSON.stringify(call)));
    return answer.Code === 200 ? JSON.parse(answer.Body) : null;
  } catch (_error) {
    return null;
  }
};

// Nothing looks at the body, so that nothing copies it. What is said in Keydesk's name comes from
// Keydesk alone.
keydeskObserve.clean = function (request) {
  request.IgnoreBody = true;
  request.Body = "";
  for (var name in request.Headers) if (/^x[-_]keydesk/i.test(name)) request.DeleteHeaders.push(name);
};

keydeskObserve.NewProcessRequest(function (request, _session, spec) {
  var config = spec.config_data;
  var sent = request.Headers[config.header || "Authorization"];
  var presented = keydeskObserve.presentedIn(sent && sent[0] ? String(sent[0]) : "");
  keydeskObserve.clean(request);
  // Without a key the gateway refuses by itself.
  if (!presented) return keydeskObserve.ReturnData(request, {});
  presented.api_id = config.api_id;
  if (config.address_header) presented.address = keydeskObserve.addressIn(request.Headers[config.address_header]);
  var verdict = keydeskObserve.ask(config, "/v1/keys/shadow", presented);
  var status = verdict && verdict.decide === true && verdict.valid === false && keydeskObserve.statusOf[verdict.reason];
  if (status) {
    var refused = request.ReturnOverrides;
    refused.ResponseCode = status;
    refused.ResponseError = verdict.reason;
    if (verdict.retry_after) refused.ResponseHeaders = { "Retry-After": String(verdict.retry_after) };
  } else if (verdict && typeof verdict.receipt === "string" && verdict.receipt) {
    request.SetHeaders[keydeskObserve.receipt] = verdict.receipt;
  }
  return keydeskObserve.ReturnData(request, {});
});

keydeskOpened.NewProcessRequest(function (request, _session, spec) {
  var sent = request.Headers[keydeskObserve.receipt];
  keydeskObserve.clean(request);
  if (sent && sent[0]) {
    keydeskObserve.ask(spec.config_data, "/v1/keys/shadow/allowed", { receipt: String(sent[0]) });
  }
  return keydeskOpened.ReturnData(request, {});
});
