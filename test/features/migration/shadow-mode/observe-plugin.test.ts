/** docs/gateways/observe.js as the original's gateway runs it: in ES5, asking a real server. */
import assert from "node:assert/strict";
import { join } from "node:path";
import ts from "typescript";
import { denialReasons, denialStatus } from "../../../../src/contract/denied-calls.ts";
import { repository } from "../../../support/command.ts";
import { eventually } from "../../../support/eventually.ts";
import {
  type MiniRequest,
  overTheWire,
  problemsOf,
  transpiled,
} from "../../../support/gateway-plugin.ts";
import { startServerProcess, withFolder } from "../../../support/processes.ts";

const code = await Deno.readTextFile(join(repository, "docs/gateways/observe.js"));

Deno.test("observe: is written in ES5, syntax and library", () => {
  assert.equal(transpiled(code, ts.ScriptTarget.ES5), transpiled(code, ts.ScriptTarget.ESNext));
  assert.ok(!/,\s*[)\]}]/.test(code), "no comma behind the last of a list");
  assert.deepEqual(problemsOf(code), []);
});

type Process = (
  request: MiniRequest,
  session: Record<string, unknown>,
  spec: Record<string, unknown>,
) => { Request: MiniRequest };

/** Both hooks, as the gateway loads them; `answer` replaces the network. */
function loaded(answer: (call: string) => string | undefined = overTheWire) {
  const processes: Process[] = [];
  class NewMiddleware {
    NewProcessRequest(given: Process) {
      processes.push(given);
    }
    ReturnData(request: MiniRequest, meta: Record<string, string>) {
      return { Request: request, SessionMeta: meta };
    }
  }
  const given = { TykMiddleware: { NewMiddleware } };
  new Function("TykJS", "TykMakeHttpRequest", "b64dec", code)(given, answer, atob);
  const [pre, post] = processes;
  assert.ok(pre && post && processes.length === 2);
  return { pre, post };
}

type Headers = Record<string, string[]>;

/** What a hook makes of these headers. */
function hook(process: Process, config: Record<string, string>, headers: Headers) {
  const request: MiniRequest = {
    Headers: headers,
    SetHeaders: {},
    DeleteHeaders: [],
    ReturnOverrides: {},
    Body: "what the visitor sends",
    IgnoreBody: false,
  };
  const { Request } = process(request, {}, { OrgID: "the-org", config_data: config });
  assert.deepEqual([Request.Body, Request.IgnoreBody], ["", true], "bodies are not copied");
  const left = Object.entries(headers).filter(([name]) => !Request.DeleteHeaders.includes(name));
  const set = Object.entries(Request.SetHeaders).map(([name, one]) => [name, [one]] as const);
  const after: Headers = Object.fromEntries([...left, ...set]);
  return { ...Request.ReturnOverrides, after };
}

/** A call through a gateway that decides by itself: what it and the API behind it are told. */
function call(
  { pre, post }: ReturnType<typeof loaded>,
  config: Record<string, string>,
  headers: Headers,
  opens: boolean,
) {
  const first = hook(pre, config, headers);
  if (first.ResponseCode !== undefined || !opens) return { ...first, upstream: undefined };
  const last = hook(post, config, first.after);
  assert.equal(last.ResponseCode, undefined);
  return { ...first, upstream: last.after };
}

Deno.test("observe: the gateway decides as ever, and what differs is written down", async () => {
  await withFolder(async (dataDir) => {
    const server = await startServerProcess({ dataDir });
    await using _server = server;
    const send = async (method: string, path: string, body?: unknown) => {
      const answer = await server.send(method, path, { body });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return answer.body;
    };
    const plan = await send("POST", "/v1/plans", { name: "P", access_rights: { weather: {} } });
    await send("POST", "/v1/developers", { id: "ada", email: "ada@example.org" });
    const issue = () => send("POST", "/v1/developers/ada/keys", { plans: [plan.id] });
    const good = await issue();
    const bad = await issue();
    await send("POST", `/v1/keys/${bad.key_id}/revoke`, { reason: "test" });
    const tides = await send("POST", "/v1/plans", { name: "T", access_rights: { tides: {} } });
    const other = await send("POST", "/v1/developers/ada/keys", { plans: [tides.id] });
    const gateway = loaded();
    const config = { keydesk: server.url, access_token: server.credential, api_id: "weather" };
    const forged = { "X-Keydesk-Receipt": ["forged"], "X_keydesk_developer": ["root"] };
    const mine = { "X-Request-Id": ["mine"] };
    const sent = (key: string) => ({ Authorization: [key], ...forged, ...mine });
    // Whatever Keydesk says, the gateway's answer counts; the key is left for its own check.
    for (const key of [good.RawKey, bad.RawKey, other.RawKey, "nobody's key"]) {
      const told = call(gateway, config, sent(key), true);
      assert.deepEqual(told.upstream, { Authorization: [key], ...mine });
      assert.equal(told.ResponseCode, undefined);
    }
    assert.equal(call(gateway, config, sent(good.RawKey), false).ResponseCode, undefined);
    assert.deepEqual(call(gateway, config, { ...forged }, false).after, {});

    const meter = async () => {
      const { now } = await send("GET", "/v1/migration");
      return now;
    };
    await eventually("four calls are counted", async () => (await meter()).at_gateway >= 4);
    assert.deepEqual(await meter(), {
      in_keydesk: 0,
      at_gateway: 4,
      // A key that was revoked a moment ago is none: the gateway may not have heard of it.
      allowed_at_gateway_only: [{ reason: "wrong_api", calls: 1 }],
      denied_at_gateway_only: 1,
      unknown: { calls: 1, opened: 1 },
    });

    // Once its plan is switched, what Keydesk refuses is refused, and the rest is the gateway's.
    await send("PUT", `/v1/plans/${plan.id}/decided`, { decided: "keydesk" });
    const isRefused = () => call(gateway, config, sent(bad.RawKey), true).ResponseCode === 401;
    await eventually("the switch is heeded", isRefused);
    const refused = call(gateway, config, sent(bad.RawKey), true);
    assert.deepEqual([refused.ResponseCode, refused.ResponseError], [401, "revoked"]);
    const let_in = call(gateway, config, sent(good.RawKey), true);
    assert.deepEqual(let_in.upstream, { Authorization: [good.RawKey], ...mine });
    assert.equal(call(gateway, config, sent("nobody's key"), true).ResponseCode, undefined);

    // A desk that is away, or does not know the gateway, changes nothing.
    const stranger = { ...config, access_token: "wrong" };
    assert.equal(call(gateway, stranger, sent(bad.RawKey), true).ResponseCode, undefined);
    server.kill("SIGKILL");
    await server.ended;
    const away = call(gateway, config, sent(bad.RawKey), true);
    assert.deepEqual(away.upstream, { Authorization: [bad.RawKey], ...mine });
  });
});

Deno.test("observe: only a refusal that is decided here is heeded, whatever else comes", () => {
  const config = { keydesk: "http://desk", access_token: "token", api_id: "weather" };
  const codeFor = (answer: string | undefined) =>
    hook(loaded(() => answer).pre, config, { Authorization: ["key"] }).ResponseCode;
  const said = (Body: unknown, Code = 200) => JSON.stringify({ Code, Body: JSON.stringify(Body) });
  for (const reason of denialReasons) {
    const refused = { valid: false, reason, retry_after: 1, receipt: "" };
    assert.equal(codeFor(said({ decide: true, ...refused })), denialStatus[reason]);
    assert.equal(codeFor(said({ decide: false, ...refused })), undefined);
    assert.equal(codeFor(said({ ...refused })), undefined);
    assert.equal(codeFor(said({ decide: true, ...refused }, 503)), undefined);
  }
  const odd = [undefined, "", "null", "no JSON", "{}", said(null), said([]), said("yes")];
  const wrong = [{ decide: "true", valid: false }, { decide: true, valid: false, reason: "new" }];
  for (const answer of [...odd, ...wrong.map((one) => said(one))]) {
    assert.equal(codeFor(answer), undefined, answer ?? "nothing");
  }
});
