import { Client } from "../../src/client/client.ts";
import { ToldFailure } from "../../src/kernel/failure-told.ts";
import { lost, Unreachable } from "./connection.ts";
import { csrfToken, ended, renewed, settled } from "./session.ts";

/**
 * The server as this browser's session may call it. Each call gives what the contract says, or throws a Failure of the
 * server, or `Unreachable`. A 401 ends the session on this page too, so that the sign-in stands there.
 *
 *     const { data } = await api.call(listKeys, { query: { limit: 50 } });
 */
export const api = new Client({ baseUrl: location.origin, fetch: send });

/** What a call gives, with the `ETag` that it came with: what `If-Match` of a change takes. */
export async function withTag<T>(
  call: (api: Client) => Promise<T>,
): Promise<{ value: T; tag: string }> {
  let tag = "";
  const watched = new Client({
    baseUrl: location.origin,
    fetch: async (request) => {
      const response = await send(request);
      tag = response.headers.get("etag") ?? "";
      return response;
    },
  });
  return { value: await call(watched), tag };
}

/** A fresh `Idempotency-Key`: one for each thing that a person decides, the same for its repeats. */
export function decisionKey(): Record<string, string> {
  return { "idempotency-key": randomId() };
}

/** A random text of 32 characters. `crypto.randomUUID` is absent on plain http. */
function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The code of a Failure; undefined for anything else. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof ToldFailure ? error.code : undefined;
}

/** A failure in words for the person at the screen. */
export function wordsOf(error: unknown): string {
  if (error instanceof ToldFailure && error.code !== "internal") {
    return error.code === "access_denied"
      ? "Your access token does not allow this."
      : error.message || "That did not work.";
  }
  if (error instanceof Unreachable) return "The server does not answer. Nothing was changed here.";
  return "Something went wrong. Please try again.";
}

async function send(request: Request): Promise<Response> {
  await settled();
  const isChange = request.method !== "GET";
  // A body is read once, and the token may turn out to be an older session's.
  const again = isChange ? request.clone() : undefined;
  const response = await sendOnce(request);
  if (again && response.headers.get("x-keydesk-error") === "csrf_refused" && await renewed()) {
    return await sendOnce(again);
  }
  if (response.status === 401) ended();
  return response;
}

async function sendOnce(request: Request): Promise<Response> {
  if (request.method !== "GET") request.headers.set("x-csrf-token", csrfToken());
  let response: Response;
  try {
    response = await fetch(request);
  } catch (error) {
    if (request.signal.aborted) throw error;
    lost();
    throw new Unreachable();
  }
  // A gateway's own words, where the server behind it is away.
  if (response.status >= 502 && !response.headers.has("x-keydesk-error")) {
    lost();
    throw new Unreachable();
  }
  return response;
}
