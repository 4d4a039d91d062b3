/** What the benchmark of both engines asks for. */
import { join } from "node:path";
import { fullKeyRequest } from "../src/features/key-requests/key-requests.example.ts";
import type { Call } from "./compare.ts";
import type { Stores } from "./stores.ts";

const REQUESTS = "/api/portal/requests";

/** What calls need to know of a filled store. */
type Filled = Pick<Stores, "rows" | "list" | "credential">;

/** Single requests and pages; `withWrites`: and creating and approving. */
export async function requestCalls(
  stores: Filled,
  folder: string,
  withWrites: boolean,
): Promise<Call[]> {
  const headers = [`Authorization: ${stores.credential}`];
  const ask = { headers: { authorization: stores.credential } };
  const rows = stores.rows.toLocaleString("en");
  const [first] = (await Deno.readTextFile(stores.list)).split("\n");
  const env = { BENCH_IDS: stores.list, BENCH_PREFIX: `${REQUESTS}/` };
  const script = "bench/wrk/from-list.lua";
  const last = Math.ceil(stores.rows / 10);
  const calls: Call[] = [
    { name: `read one of ${rows}`, path: `${REQUESTS}/${first}`, headers, ask, script, env },
    ...[1, Math.ceil(last / 2), last].map((page) => ({
      name: `page ${page.toLocaleString("en")} of ${rows}`,
      path: `${REQUESTS}?p=${page}`,
      headers,
      ask,
    })),
  ];
  if (!withWrites) return calls;
  const approve = {
    name: "approve",
    path: `${REQUESTS}/approve/`,
    answer: JSON.stringify({ RawKey: "x".repeat(136), Password: "" }),
    env: { ...env, BENCH_PREFIX: `${REQUESTS}/approve/`, BENCH_METHOD: "PUT" },
    headers,
    script,
    once: true,
  };
  return [...calls, await createCall(stores, folder), approve];
}

/**
 * Creating requests of many developers, as in life: each is counted among its developer's, and in
 * this minute.
 */
export async function createCall(stores: Filled, folder: string): Promise<Call> {
  const body = join(folder, "body.json");
  const { date_created: _, ...full } = fullKeyRequest;
  const request = {
    ...full,
    by_user: "developer-{n}",
    portal_developer: { ...fullKeyRequest.portal_developer, id: "developer-{n}", email: "" },
  };
  await Deno.writeTextFile(body, JSON.stringify(request));
  return {
    name: "create (full body)",
    path: REQUESTS,
    headers: [`Authorization: ${stores.credential}`],
    script: "bench/wrk/post.lua",
    env: { BENCH_BODY: body },
    answer: JSON.stringify({ Status: "OK", Message: "0".repeat(24), Meta: null }),
  };
}

/** A key of the list in turn, asked for in both ways. */
export async function verificationCalls(stores: Filled): Promise<Call[]> {
  const [key = ""] = (await Deno.readTextFile(stores.list)).split("\n");
  const env = { BENCH_KEYS: stores.list, BENCH_CREDENTIAL: stores.credential };
  const script = "bench/wrk/keys.lua";
  return [{
    name: "verify",
    path: "/v1/keys/verify",
    script,
    env: { ...env, BENCH_ASKED: "verify" },
    ask: {
      method: "POST",
      headers: { authorization: stores.credential, "content-type": "application/json" },
      body: JSON.stringify({ key, api_id: "weather" }),
    },
  }, {
    name: "forward-auth",
    path: "/v1/forward-auth?api=weather",
    script,
    env: { ...env, BENCH_ASKED: "forward-auth" },
    ask: { headers: { "x-keydesk-authorization": stores.credential, authorization: key } },
  }];
}
