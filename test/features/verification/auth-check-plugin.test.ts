/** docs/gateways/auth-check.js as the original's gateway runs it: in ES5, asking a real server. */
import assert from "node:assert/strict";
import { join } from "node:path";
import ts from "typescript";
import { denialReasons } from "../../../src/contract/denied-calls.ts";
import { newSealingKey } from "../../../src/kernel/sealing/sealing-keys.ts";
import { repository } from "../../support/command.ts";
import {
  type MiniRequest,
  overTheWire,
  problemsOf,
  transpiled,
} from "../../support/gateway-plugin.ts";
import { type Call, grantedKeys, keyThatEnded, offerTokens } from "../../support/granted-keys.ts";
import { type ServerProcess, startServerProcess, withFolder } from "../../support/processes.ts";

const file = join(repository, "docs/gateways/auth-check.js");
const code = await Deno.readTextFile(file);

Deno.test("auth-check: is written in ES5, syntax and library", () => {
  assert.equal(transpiled(code, ts.ScriptTarget.ES5), transpiled(code, ts.ScriptTarget.ESNext));
  const modern = "const f = (x) => `${x?.y}`;";
  assert.notEqual(
    transpiled(modern, ts.ScriptTarget.ES5),
    transpiled(modern, ts.ScriptTarget.ESNext),
  );
  assert.ok(!/,\s*[)\]}]/.test(code), "no comma behind the last of a list");
  assert.deepEqual(problemsOf(code), []);
  assert.equal(problemsOf("new Map();").length, 1);
});

type Session = Record<string, unknown>;
type Process = (
  request: MiniRequest,
  session: Session,
  spec: Record<string, unknown>,
) => { Request: MiniRequest; Session: Session };

/** The names that the gateway gives to a plugin; `answer` replaces the network. */
function loaded(answer: (call: string) => string | undefined = overTheWire): Process {
  let process: Process | undefined;
  class NewMiddleware {
    NewProcessRequest(given: Process) {
      process = given;
    }
    ReturnAuthData(request: MiniRequest, session: Session) {
      return { Request: request, Session: session };
    }
  }
  const given = { TykMiddleware: { NewMiddleware } };
  new Function("TykJS", "TykMakeHttpRequest", "b64dec", code)(given, answer, atob);
  assert.ok(process);
  return process;
}

/** What the gateway makes of a call with these headers. */
function knock(
  process: Process,
  config: Record<string, string>,
  headers: Record<string, string[]>,
) {
  const request: MiniRequest = {
    Headers: headers,
    SetHeaders: {},
    DeleteHeaders: [],
    ReturnOverrides: {},
    Body: "what the visitor sends",
    IgnoreBody: false,
  };
  const { Request, Session } = process(request, {}, { OrgID: "the-org", config_data: config });
  const { Body, IgnoreBody, DeleteHeaders, SetHeaders } = Request;
  assert.deepEqual([Body, IgnoreBody], ["", true], "bodies are not copied");
  const left = Object.entries(headers).filter(([name]) => !DeleteHeaders.includes(name));
  // As the API gets them: what is deleted, before what is set.
  const upstream = {
    ...Object.fromEntries(left.map(([name, [one]]) => [name, one])),
    ...SetHeaders,
  };
  return { ...Request.ReturnOverrides, session: Session, upstream };
}

Deno.test("auth-check: lets in, refuses and fails shut as the documentation says", async () => {
  await withFolder(async (dataDir) => {
    const server = await startServerProcess({ dataDir });
    await using _server = server;
    const process = loaded();
    const config = { keydesk: server.url, access_token: server.credential, api_id: "weather" };
    const plan = await make(server, "/v1/plans", { name: "P", access_rights: rights("weather") });
    const maps = await make(server, "/v1/plans", { name: "Maps", access_rights: rights("maps") });
    const few = await make(server, "/v1/plans", { name: "Few", rate: 1, per: 3600 });
    await make(server, "/v1/developers", { id: "ada", email: "ada@example.org" });
    const issue = (id: string) => make(server, "/v1/developers/ada/keys", { plans: [id] });
    const good = await issue(plan.id);

    for (const sent of [good.RawKey, `Bearer ${good.RawKey}`, `  bEARER  ${good.RawKey} `]) {
      const { session, ResponseCode } = knock(process, config, { Authorization: [sent] });
      assert.equal(ResponseCode, undefined);
      assert.deepEqual(session, {
        token: good.key_id,
        expires: 0,
        org_id: "the-org",
        rate: 0,
        per: 0,
        quota_max: -1,
        quota_remaining: 0,
        quota_renews: 0,
        access_rights: {},
        meta_data: { developer_id: "ada", plans: plan.id },
      });
    }
    // What a visitor says in Keydesk's name reaches no API, and neither does the key.
    const posing = {
      "X-Keydesk-Developer": ["root"],
      "X_keydesk_developer": ["root"],
      "X-Keydesk_plans": ["all"],
      "X-Keydesk-Anything": ["x"],
      "X-Request-Id": ["mine"],
    };
    assert.deepEqual(knock(process, config, { Authorization: [good.RawKey], ...posing }).upstream, {
      "X-Request-Id": "mine",
      "X-Keydesk-Developer": "ada",
      "X-Keydesk-Plans": plan.id,
      "X-Keydesk-Key-Id": good.key_id,
    });
    assert.deepEqual(knock(process, config, posing).upstream, { "X-Request-Id": "mine" });

    const withQuota = { name: "Q", quota_max: 5, quota_renewal_rate: 3600 };
    const counted = await make(server, "/v1/plans", withQuota);
    const before = Math.floor(Date.now() / 1000);
    const { session: told } = knock(process, config, {
      Authorization: [(await issue(counted.id)).RawKey],
    });
    assert.deepEqual([told.quota_max, told.quota_remaining], [5, 4]);
    const renews = Number(told.quota_renews);
    assert.ok(renews > before && renews <= Math.floor(Date.now() / 1000) + 3600, String(renews));

    const basic = await make(server, "/v1/plans", { name: "Basic", auth_type: "basic" });
    const user = await issue(basic.id);
    const asUser = (password: string) =>
      knock(process, config, { Authorization: [`Basic ${btoa(`${user.RawKey}:${password}`)}`] });
    assert.equal(asUser(user.Password).session.token, user.key_id);
    assert.deepEqual([asUser("wrong").ResponseCode, asUser("").ResponseCode], [401, 401]);
    const odd = knock(process, config, { Authorization: ["Basic %%%"] });
    assert.deepEqual([odd.ResponseCode, odd.ResponseError], [401, "no credential"]);

    const elsewhere = { ...config, header: "X-Api-Key" };
    assert.equal(knock(process, elsewhere, { "X-Api-Key": [good.RawKey] }).ResponseCode, undefined);
    assert.equal(knock(process, elsewhere, { Authorization: [good.RawKey] }).ResponseCode, 401);

    const none: Record<string, string[]>[] = [{}, { Authorization: [] }, { Authorization: [" "] }];
    for (const headers of none) {
      assert.equal(knock(process, config, headers).ResponseCode, 401);
    }
    const unknown = knock(process, config, { Authorization: ["nobody's key"] });
    assert.deepEqual([unknown.ResponseCode, unknown.ResponseError], [401, "unknown"]);
    assert.deepEqual(unknown.session, {});
    const wrongApi = knock(process, config, { Authorization: [(await issue(maps.id)).RawKey] });
    assert.deepEqual([wrongApi.ResponseCode, wrongApi.ResponseError], [403, "wrong_api"]);
    const limited = { Authorization: [(await issue(few.id)).RawKey] };
    const passed = knock(process, config, limited);
    assert.equal(passed.ResponseCode, undefined);
    assert.deepEqual([passed.session.quota_max, passed.session.quota_remaining], [1, 0]);
    const over = knock(process, config, limited);
    assert.deepEqual([over.ResponseCode, over.ResponseError], [429, "over_rate"]);
    assert.deepEqual(over.upstream, {});
    assert.match(over.ResponseHeaders?.["Retry-After"] ?? "", /^[1-9]\d*$/);
    await server.send("POST", `/v1/keys/${good.key_id}/revoke`, { body: { reason: "test" } });
    const since = Date.now();
    const call = { Authorization: [good.RawKey] };
    for (let began = since; knock(process, config, call).ResponseCode !== 401;) {
      assert.ok(began - since <= 1000, "a call that begins a second later is refused");
      began = Date.now();
    }
    assert.equal(knock(process, config, call).ResponseError, "revoked");

    const stranger = { ...config, access_token: "wrong" };
    assert.equal(knock(process, stranger, limited).ResponseCode, 503);
    server.kill("SIGKILL");
    await server.ended;
    assert.equal(knock(process, config, limited).ResponseCode, 503);
  });
});

Deno.test("auth-check: goes by every condition of a key", async () => {
  await withFolder(async (dataDir) => {
    const sealingKey = newSealingKey().trim();
    const environment = { KEYDESK_SEALING_KEY: sealingKey };
    await using server = await startServerProcess({ dataDir, environment });
    const call: Call = async (method, path, body) => {
      const answer = await server.send(method, path, { body });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return answer.body;
    };
    const { organisation } = await call("GET", "/v1/me");
    const keys = await grantedKeys(call, {
      api: "weather",
      addresses: ["192.0.2.0/24"],
      expires_at: "2040-01-01T00:00:00Z",
      tokenOf: offerTokens(sealingKey, organisation.id),
    });
    const process = loaded();
    const config = {
      keydesk: server.url,
      access_token: server.credential,
      api_id: "weather",
      address_header: "X-Real-Ip",
    };
    const told = (condition: keyof typeof keys, from?: string) =>
      toldOf(keys[condition].credential.RawKey, from);
    const toldOf = (key: string, from?: string) => {
      const sent = {
        Authorization: [key],
        ...from === undefined ? {} : { "X-Real-Ip": [from] },
      };
      const { ResponseCode, ResponseError } = knock(process, config, sent);
      return ResponseCode === undefined ? "in" : `${ResponseCode} ${ResponseError}`;
    };
    for (const [condition, reason] of [["rate", "over_rate"], ["quota", "over_quota"]] as const) {
      const three = [told(condition), told(condition), told(condition)];
      assert.deepEqual(three, ["in", "in", `429 ${reason}`]);
    }
    assert.equal(told("plan left out"), "403 wrong_api");
    assert.equal(told("plan put in its place"), "in");
    assert.equal(told("addresses", "192.0.2.7"), "in");
    assert.equal(told("addresses", "198.51.100.1"), "403 address");
    assert.equal(told("addresses"), "403 address_unknown");
    assert.equal(told("end"), "in");
    const ended = await keyThatEnded(call, keys.end.plan, (key) => toldOf(key) === "in");
    assert.equal(toldOf(ended), "401 expired");
  });
});

Deno.test("auth-check: every reason has its status, and whatever else comes lets nobody in", () => {
  const config = { keydesk: "http://desk", access_token: "token", api_id: "weather" };
  const codeFor = (answer: string | undefined) =>
    knock(loaded(() => answer), config, { Authorization: ["key"] }).ResponseCode;
  const said = (Body: unknown, Code = 200) => JSON.stringify({ Code, Body: JSON.stringify(Body) });
  const expected = [401, 401, 401, 401, 401, 403, 403, 403, 403, 403, 429, 429];
  const codes = denialReasons.map((reason) => codeFor(said({ valid: false, reason })));
  assert.deepEqual(codes, expected);
  let asked: { address?: string } = {};
  const addressFor = (sent: Record<string, string[]>, address_header?: string) => {
    const answered = loaded((call) => {
      asked = JSON.parse(JSON.parse(call).Body);
      return said({ valid: false, reason: "address" });
    });
    const more: Record<string, string> = address_header === undefined ? {} : { address_header };
    knock(answered, { ...config, ...more }, { Authorization: ["key"], ...sent });
    return asked.address;
  };
  const real = { "X-Real-Ip": ["203.0.113.9, 192.0.2.7"] };
  assert.equal(addressFor(real, "X-Real-Ip"), "192.0.2.7");
  // Several lines are one list, whose end the last proxy wrote.
  const lines = { "X-Real-Ip": ["198.51.100.1", "203.0.113.9, 192.0.2.7"] };
  assert.equal(addressFor(lines, "X-Real-Ip"), "192.0.2.7");
  assert.equal(addressFor(real), undefined);
  assert.equal(addressFor({}, "X-Real-Ip"), undefined);
  assert.equal(addressFor({ "X-Real-Ip": ["office"] }, "X-Real-Ip"), undefined);
  const odd = [
    undefined,
    "",
    "null",
    "no JSON",
    "{}",
    JSON.stringify({ Code: 200, Body: "no JSON" }),
    ...[401, 403, 404, 413, 429, 500, 503, 301, 204].map((code) => said({ valid: true }, code)),
    ...[null, {}, [], "yes", { valid: "true" }, { valid: false }, { valid: false, reason: "new" }]
      .map((body) => said(body)),
  ];
  for (const answer of odd) assert.equal(codeFor(answer), 503, answer ?? "nothing");
});

async function make(server: ServerProcess, path: string, body: unknown) {
  const answer = await server.send("POST", path, { body });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}

function rights(api_id: string) {
  return { [api_id]: { api_id } };
}
