/**
 * A developer portal in small: what a portal's server does for a developer, from registration to a
 * call that a gateway lets through. Only `fetch`; runs in Node 22.18 or later, Deno and Bun:
 *
 *   DESK_URL=http://127.0.0.1:3000 DESK_CREDENTIAL=… GATEWAY_URL=http://127.0.0.1:8080 PLAN=… \
 *     node examples/portal-client.ts
 *
 * The credential needs `portal:write`, and `approve` where approving is done here too. The door is
 * a proxy set up as docs/gateways.md says.
 */
import process from "node:process";

/** The desk, as a portal's server calls it. The credential never leaves the server. */
export class Portal {
  readonly #url: string;
  readonly #credential: string;

  constructor(url: string, credential: string) {
    this.#url = url;
    this.#credential = credential;
  }

  /** Registers a developer and gives the id. */
  async register(email: string, password: string, name: string): Promise<string> {
    const body = { email, password, fields: { name } };
    return (await this.#call<Envelope>("POST", "/api/portal/developers", body)).Message;
  }

  /**
   * The developer's id where the password is right, else undefined. `visitor` is the address of the
   * person who types: the desk slows down guesses by it, where this server is among its trusted
   * proxies.
   */
  async logIn(email: string, password: string, visitor: string): Promise<string | undefined> {
    const path = "/api/portal/developers/verify_credentials";
    const response = await this.#send("POST", path, { username: email, password }, {
      "x-forwarded-for": visitor,
    });
    if (response.status === 401) return undefined;
    return (await answerOf<Envelope>(response)).Message;
  }

  /** The plan of this id. */
  async plan(id: string): Promise<Plan> {
    return await this.#call("GET", `/api/portal/policies/${encodeURIComponent(id)}`);
  }

  /** Asks for a key and gives the request's id. */
  async request(developer: string, plan: string, reason: string): Promise<string> {
    const body = { by_user: developer, for_plan: plan, fields: { reason } };
    return (await this.#call<Envelope>("POST", "/api/portal/requests", body)).Message;
  }

  /**
   * Approves a request and gives the key, which is shown this once. The idempotency key makes a
   * repeat safe: when the answer is lost on its way, the same call gets it again.
   */
  async approve(request: string, idempotencyKey: string): Promise<Approval> {
    const path = `/api/portal/requests/approve/${encodeURIComponent(request)}`;
    const headers = { "idempotency-key": idempotencyKey };
    return await answerOf(await this.#send("PUT", path, undefined, headers));
  }

  /** The developer, with keys and subscriptions. */
  async developer(id: string): Promise<Developer> {
    return await this.#call("GET", `/api/portal/developers/${encodeURIComponent(id)}`);
  }

  /** Ends a key. */
  async revoke(developer: string, keyId: string): Promise<void> {
    const path = `/api/portal/developers/${encodeURIComponent(developer)}/keys/${keyId}`;
    await this.#call("DELETE", path);
  }

  async #call<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    return await answerOf(await this.#send(method, path, body));
  }

  async #send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    return await fetch(`${this.#url}${path}`, {
      method,
      headers: { authorization: this.#credential, ...headers },
      ...body === undefined ? {} : { body: JSON.stringify(body) },
    });
  }
}

/** The answer to most changes; `Message` is an id. */
export interface Envelope {
  Status: string;
  Message: string;
}

/** What an approval reveals. */
export interface Approval {
  RawKey: string;
  Password: string;
}

/** The part of a plan that a portal shows. */
export interface Plan {
  id: string;
  name: string;
  rate: number;
  per: number;
}

/** The part of a developer that this portal shows. */
export interface Developer {
  id: string;
  email: string;
  /** Key ids by plan. */
  subscriptions: Record<string, string>;
}

/** What went wrong, as the desk says it. */
export class DeskError extends Error {
  readonly status: number;
  /** Seconds after which another try is worth it; undefined where waiting does not help. */
  readonly retryAfter: number | undefined;

  constructor(response: Response, message: string) {
    super(`${response.status}: ${message}`);
    this.status = response.status;
    const wait = response.headers.get("retry-after");
    this.retryAfter = wait === null ? undefined : Number(wait);
  }
}

async function answerOf<Answer>(response: Response): Promise<Answer> {
  const answer = await response.json();
  if (!response.ok) throw new DeskError(response, answer.Message ?? answer.detail);
  return answer;
}

/** One person's way through the portal; says each step to `say`. */
export async function walkThrough(
  portal: Portal,
  doorUrl: string,
  plan: string,
  say: (line: string) => void,
): Promise<void> {
  const email = `ada-${crypto.randomUUID()}@example.org`;
  const password = crypto.randomUUID();
  const id = await portal.register(email, password, "Ada");
  say(`registered ${email} as ${id}`);

  const wrong = await portal.logIn(email, "a guess", "192.0.2.1");
  say(`a wrong password: ${wrong ?? "refused"}`);
  const developer = await portal.logIn(email, password, "192.0.2.1");
  if (developer === undefined) throw new Error("the right password was refused");
  say(`the right one: ${developer}`);

  const { name, rate, per } = await portal.plan(plan);
  say(`the plan ${name}: ${rate > 0 && per > 0 ? `${rate} calls in ${per} s` : "no limit"}`);

  const call = async (key?: string) => {
    const init = key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } };
    const response = await fetch(`${doorUrl}/`, init);
    await response.body?.cancel();
    return response.status;
  };
  say(`a call without a key: ${await call()}`);

  const request = await portal.request(developer, plan, "to see how it works");
  say(`asked for a key: request ${request}`);
  const { RawKey } = await portal.approve(request, crypto.randomUUID());
  say(`approved; the key begins with ${RawKey.slice(0, 4)}`);
  say(`a call with the key: ${await call(RawKey)}`);

  const { subscriptions } = await portal.developer(developer);
  const keyId = subscriptions[plan];
  if (keyId === undefined) throw new Error("the key is not among the subscriptions");
  await portal.revoke(developer, keyId);
  say(`revoked ${keyId.slice(0, 8)}…`);
  // Every gateway hears of it within a second.
  for (let i = 0; i < 100 && await call(RawKey) === 200; i++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  say(`a call with the revoked key: ${await call(RawKey)}`);
}

const { DESK_URL, DESK_CREDENTIAL, GATEWAY_URL, PLAN } = process.env;
if (DESK_URL && DESK_CREDENTIAL && GATEWAY_URL && PLAN) {
  await walkThrough(new Portal(DESK_URL, DESK_CREDENTIAL), GATEWAY_URL, PLAN, console.log);
}
