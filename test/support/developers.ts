/** Developers who sign in at their own pages. */
import assert from "node:assert/strict";
import type { Endpoint } from "../../src/contract/endpoint.ts";
import { codePlace } from "../../src/features/developers/sign-in-code.ts";
import { statement } from "../../src/storage/statement.ts";
import { succeed } from "./companions.ts";
import type { SendInit, TestDesk } from "./desk.ts";

/** Switches the developer's pages on. */
export async function openPages(desk: TestDesk, settings: Record<string, unknown> = {}) {
  await succeed(desk, "PUT", "/v1/developer-pages", { body: { enabled: true, ...settings } });
}

/** Registers a developer whose address is theirs. */
export async function registered(desk: TestDesk, id: string, email = `${id}@example.org`) {
  await succeed(desk, "POST", "/v1/developers", { body: { id, email } });
  return { id, email };
}

const codesSql = statement<Record<never, never>>()((db) =>
  db.selectFrom("developer_codes").select(["org_id", "id", "code", "purpose", "email"])
    .orderBy("created_at", "desc").orderBy("id", "desc")
);

/** The codes that were asked for, newest first, as their mails would tell them. */
export async function codesOf({ app: { ctx } }: TestDesk) {
  const rows = await ctx.storage.reader.rows(codesSql, {});
  return rows.map(({ org_id, id, code, purpose, email }) => ({
    purpose,
    email,
    code: code === null ? "" : ctx.sealer.open(codePlace(org_id, id), code),
  }));
}

/** Calls as a developer, by cookie or token. */
export interface DeveloperClient {
  readonly session: { csrf_token: string; access: string; developer: { id: string } };
  readonly cookie: string;
  send(
    method: string,
    path: string,
    options?: SendInit,
  ): Promise<Response>;
  /** The answer's body; the call must succeed. */
  get<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<T>;
}

/** Signs in by what the body says, and calls by the cookie from then on. */
export async function signIn(
  desk: TestDesk,
  body: unknown,
  host = "desk.test",
): Promise<DeveloperClient> {
  const at = { host };
  const answer = await desk.send("POST", "/v1/my/session", {
    body,
    credential: null,
    headers: at,
  });
  assert.equal(answer.status, 200, await answer.clone().text());
  const session = await answer.json() as DeveloperClient["session"];
  const cookie = /^[^;]+/.exec(answer.headers.get("set-cookie") ?? "")?.[0] ?? "";
  const send: DeveloperClient["send"] = (method, path, { body, headers } = {}) =>
    desk.send(method, path, {
      credential: null,
      headers: { ...at, cookie, "x-csrf-token": session.csrf_token, ...headers },
      ...body === undefined ? {} : { body },
    });
  return {
    session,
    cookie,
    send,
    get: async (method, path, body) => {
      const got = await send(method, path, { body });
      assert.ok(got.ok, `${method} ${path}: ${got.status} ${await got.clone().text()}`);
      return await got.json();
    },
  };
}

/** Signs in by a mailed code. */
export async function signInByCode(
  desk: TestDesk,
  email: string,
  fields?: Record<string, string>,
): Promise<DeveloperClient> {
  const asked = await desk.send("POST", "/v1/my/codes", { body: { email }, credential: null });
  assert.equal(asked.status, 202, await asked.clone().text());
  const { ticket } = await asked.json();
  const [newest] = await codesOf(desk);
  return await signIn(desk, { ticket, code: newest?.code, ...fields ? { fields } : {} });
}

/** Signs in by a link that a portal's back end made. */
export async function signInByLink(
  desk: TestDesk,
  id: string,
  credential = desk.admin,
): Promise<DeveloperClient> {
  const path = `/v1/developers/${id}/sign-in-links`;
  const { token } = await succeed<{ token: string }>(desk, "POST", path, { credential });
  return await signIn(desk, { link: token });
}

/** Sends as whoever may call an endpoint: with an access token, or as a developer. */
export async function anyCaller(desk: TestDesk) {
  await openPages(desk);
  const { email } = await registered(desk, "dev-anybody");
  const developer = await signInByCode(desk, email);
  return (endpoint: Endpoint, target: string, init: SendInit = {}) =>
    endpoint.permission === "developer"
      ? developer.send(endpoint.method, target, init)
      : desk.send(endpoint.method, target, init);
}
