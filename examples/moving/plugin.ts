/**
 * The gateway's JavaScript engine, as far as `docs/gateways/observe.js` needs one: both hooks of
 * that file run around a gateway that decides by itself.
 */
import type { Ask } from "./door.ts";

/** What the plugin is told in the API's definition, but for the API. */
export interface PluginSettings {
  keydesk: string;
  access_token: string;
}

/** A gateway with the plugin, and what Keydesk answered to it. */
export interface Observing {
  ask: Ask;
  readonly told: Told;
}

/** Answers of Keydesk, as the meter counts them. */
export interface Told {
  /** Calls that it decided, and those that the gateway did. */
  here: number;
  there: number;
  /** Of keys that nobody knows at Keydesk. */
  unknown: number;
  /** Calls that the gateway let in and Keydesk would have refused, by reason. */
  differed: Map<string, number>;
  /** It could not tell: nothing is counted of them. */
  unsure: number;
}

type Headers = Record<string, string[]>;

/** A request as a hook sees and changes it. */
interface MiniRequest {
  Headers: Headers;
  SetHeaders: Record<string, string>;
  DeleteHeaders: string[];
  Body: string;
  IgnoreBody: boolean;
  ReturnOverrides: { ResponseCode?: number };
}

type Hook = (request: MiniRequest, session: object, spec: object) => { Request: MiniRequest };

/** Has a gateway ask by the plugin, whose code this is; `gateway` decides. */
export function observing(code: string, settings: PluginSettings, gateway: Ask): Observing {
  const told: Told = { here: 0, there: 0, unknown: 0, differed: new Map(), unsure: 0 };
  const { pre, post } = hooksOf(code);
  const ask: Ask = async (key, api_id) => {
    const verdict: { refusal: string | null } = { refusal: null };
    const heard = (path: string, status: number, body: string) => {
      if (path === "/v1/keys/shadow") verdict.refusal = hearVerdict(told, status, body);
    };
    const config_data = { ...settings, api_id };
    const before = await run(pre, { Authorization: [key] }, config_data, heard);
    const refused = before.ReturnOverrides.ResponseCode;
    if (refused !== undefined) return refused;
    const status = await gateway(key, api_id);
    if (status !== 200) return status;
    await run(post, headersAfter(before), config_data, heard);
    const { refusal } = verdict;
    if (refusal !== null) told.differed.set(refusal, (told.differed.get(refusal) ?? 0) + 1);
    return status;
  };
  return { ask, told };
}

/**
 * Counts a verdict, and gives why Keydesk would refuse but does not decide; null: it opens, or is
 * not compared.
 */
function hearVerdict(told: Told, status: number, body: string): string | null {
  if (status !== 200) {
    told.unsure++;
    return null;
  }
  const { decide, valid, reason, receipt } = JSON.parse(body);
  if (decide) told.here++;
  else if (reason === "unknown") told.unknown++;
  else told.there++;
  return decide || valid || receipt === "" ? null : reason;
}

/** What TykMakeHttpRequest gives, for the hook that runs now. */
let answer: (call: string) => string | undefined = () => undefined;

function hooksOf(code: string): { pre: Hook; post: Hook } {
  const hooks: Hook[] = [];
  class NewMiddleware {
    NewProcessRequest(hook: Hook) {
      hooks.push(hook);
    }
    ReturnData(Request: MiniRequest, SessionMeta: object) {
      return { Request, SessionMeta };
    }
  }
  const load = new Function("TykJS", "TykMakeHttpRequest", "b64dec", code);
  load({ TykMiddleware: { NewMiddleware } }, (call: string) => answer(call), atob);
  const [pre, post] = hooks;
  if (!pre || !post || hooks.length > 2) throw new Error("the plugin has not its two hooks");
  return { pre, post };
}

/**
 * Runs a hook. The engine's calls block, and nothing here may: so where the hook asks for something
 * it runs again, from the beginning, once that is answered.
 */
async function run(
  hook: Hook,
  headers: Headers,
  config_data: object,
  heard: (path: string, status: number, body: string) => void,
): Promise<MiniRequest> {
  const answered = new Map<string, string | undefined>();
  for (;;) {
    let open: string | undefined;
    answer = (call) => {
      if (!answered.has(call)) open ??= call;
      return answered.get(call);
    };
    const { Request } = hook(requestWith(headers), {}, { OrgID: "", config_data });
    if (open === undefined) return Request;
    answered.set(open, await sent(open, heard));
  }
}

/** As the gateway's function sends it; undefined: no answer came. */
async function sent(
  call: string,
  heard: (path: string, status: number, body: string) => void,
): Promise<string | undefined> {
  const { Method: method, Domain, Resource, Headers: headers, Body: body } = JSON.parse(call);
  try {
    const response = await fetch(Domain + Resource, { method, headers, body });
    const text = await response.text();
    heard(Resource, response.status, text);
    return JSON.stringify({ Code: response.status, Body: text });
  } catch {
    heard(Resource, 0, "");
    return undefined;
  }
}

function requestWith(headers: Headers): MiniRequest {
  return {
    Headers: structuredClone(headers),
    SetHeaders: {},
    DeleteHeaders: [],
    Body: "",
    IgnoreBody: false,
    ReturnOverrides: {},
  };
}

/** The headers with which a call goes on behind a hook. */
function headersAfter({ Headers: sent, SetHeaders, DeleteHeaders }: MiniRequest): Headers {
  const left = Object.entries(sent).filter(([name]) => !DeleteHeaders.includes(name));
  const set = Object.entries(SetHeaders).map(([name, text]): [string, string[]] => [name, [text]]);
  return Object.fromEntries([...left, ...set]);
}
