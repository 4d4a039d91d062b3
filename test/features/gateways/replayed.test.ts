/** The stand-in against recorded answers of the real gateway: the same calls, the same answers. */
import assert from "node:assert/strict";
import { Gateway, type Members } from "../../../examples/moving/gateway.ts";
import { atGateway, GATEWAY_SECRET } from "../../../examples/moving/gateway-interface.ts";

/** A call of the real gateway with its answer. */
interface Recorded {
  readonly what: string;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers?: Record<string, string>;
    readonly body?: unknown;
  };
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: unknown;
}

const ORG = "5e9d9544a1dcd60001d0ed20";
/** When they were recorded, in seconds since 1970. */
const RECORDED_AT = 1_795_903_621;
/** What an answer of the API behind it says, which is none of the gateway's. */
const FROM_API = ["Server", "Connection"];

const recordings = async (name: string): Promise<Recorded[]> =>
  JSON.parse(
    await Deno.readTextFile(new URL(`../../recordings/gateway/${name}.json`, import.meta.url)),
  );

/** Replays calls; what got another name here than there is called by it from then on. */
class Replay {
  readonly #names = new Map<string, string>();
  readonly #startedAt = Math.floor(Date.now() / 1000);

  constructor(readonly gateway: Gateway) {}

  async compare({ what, request, status, headers, body }: Recorded): Promise<void> {
    const { method, path } = request;
    const sent = request.body;
    const isText = typeof sent === "string";
    const answer = await atGateway(
      this.gateway,
      new Request(`http://gateway${this.#here(path)}`, {
        method,
        headers: {
          ...secretOf(what, path),
          ...this.#here(request.headers ?? {}),
        },
        ...sent === undefined ? {} : { body: isText ? sent : JSON.stringify(this.#here(sent)) },
      }),
    );
    const told = answer.headers.get("content-type")?.startsWith("application/json")
      ? await answer.json()
      : await answer.text();
    if (method === "POST") this.#note(body, told);
    assert.equal(answer.status, status, what);
    for (const [name, value] of Object.entries(headers)) {
      if (FROM_API.includes(name)) continue;
      const here = alike(answer.headers.get(name) ?? "", this.#startedAt);
      assert.equal(here, alike(value, RECORDED_AT), `${what}: ${name}`);
    }
    const isOfApi = Object.hasOwn(headers, "Server");
    for (const name of ["X-Ratelimit-Limit", "Retry-After", "X-Generator", "Www-Authenticate"]) {
      assert.equal(answer.headers.has(name), Object.hasOwn(headers, name), `${what}: ${name}`);
    }
    if (isOfApi) return;
    assert.deepEqual(alike(told, this.#startedAt), alike(this.#named(body), RECORDED_AT), what);
  }

  /** What was recorded, in the names of this replay. */
  #named<T>(recorded: T): T {
    let text = JSON.stringify(recorded);
    for (const [there, here] of this.#names) text = text.replaceAll(there, here);
    return JSON.parse(text);
  }

  /** And at its time. */
  #here<T>(recorded: T): T {
    const later = this.#startedAt - RECORDED_AT;
    const text = JSON.stringify(this.#named(recorded)).replace(
      /"expires":(\d{10})/g,
      (_, at) => `"expires":${Number(at) + later}`,
    );
    return JSON.parse(text);
  }

  #note(there: unknown, here: unknown): void {
    for (const name of ["key", "key_hash"]) {
      const [one, other] = [Object(there)[name], Object(here)[name]];
      if (typeof one === "string" && typeof other === "string" && one !== "") {
        this.#names.set(one, other);
      }
    }
  }
}

/** Instants as what lies between them and the beginning, to the minute; lists of texts in order. */
function alike(value: unknown, began: number): unknown {
  if (typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value)) return "an instant";
  if (/^\d{10}$/.test(String(value))) return `${Math.round((Number(value) - began) / 60)} minutes`;
  if (Array.isArray(value)) {
    const all = value.map((one) => alike(one, began));
    return all.every((one) => typeof one === "string") ? all.sort() : all;
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, alike(one, began)]),
  );
}

function secretOf(what: string, path: string): Record<string, string> {
  if (!path.startsWith("/tyk/") || what === "no secret") return {};
  return { "x-tyk-authorization": what === "a wrong secret" ? "wrong" : GATEWAY_SECRET };
}

Deno.test("stand-in: it answers as the real gateway did, call by call", async () => {
  const gateway = new Gateway(ORG);
  gateway.showsEmptyPassword = false;
  // The setting that it has where nobody told it otherwise.
  gateway.cachesSessions = true;
  for (const api_id of ["weather", "maps", "basic"]) {
    const use_basic_auth = api_id === "basic";
    gateway.apis.push({ api_id, org_id: ORG, use_oauth2: false, use_basic_auth });
  }
  const replay = new Replay(gateway);
  let calls = 0;
  for (const name of ["policies", "keys", "calls", "other"]) {
    for (const recorded of await recordings(name)) {
      await replay.compare(recorded);
      calls++;
      if (recorded.what === "a key that ends in a second") end(gateway);
    }
    gateway.reload();
  }
  assert.equal(calls, 83);
});

/** The second is over. */
function end(gateway: Gateway): void {
  const newest = gateway.names().at(-1) ?? "";
  const session: Members = gateway.session(newest) ?? {};
  // A replay that is slow has made it when its second was over: such an end is none there.
  session.expires = Math.floor(Date.now() / 1000) - 1;
}
