import { Client } from "../../src/client/client.ts";
import { PlainFailure } from "../../src/kernel/failure-plain.ts";
import { lost, Unreachable } from "./connection.ts";
import { early } from "./early.ts";
import { csrfToken, isBack, renewed, settled, signInOver } from "./session.ts";

/**
 * The server as this browser's session may call it. Each call gives what the contract says, or
 * throws a Failure of the server, or `Unreachable`. Where the server asks for a sign-in, the call
 * waits for it and is sent again.
 *
 *     const { data } = await api.call(listKeys, { query: { limit: 50 } });
 */
export const api = new Client({ baseUrl: location.origin, fetch: send });

/** The answer of a call with its `ETag`, which `If-Match` of a change takes. */
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

/** The server, for calls that end as soon as `signal` is aborted. */
export function stoppable(signal: AbortSignal): Client {
  return new Client({
    baseUrl: location.origin,
    fetch: (request) => send(new Request(request, { signal })),
  });
}

/**
 * A fresh `Idempotency-Key`: one for each thing that a person decides, the same for its repeats.
 */
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
  return error instanceof PlainFailure ? error.code : undefined;
}

/** A failure in words for the person at the screen. */
export function wordsOf(error: unknown): string {
  if (error instanceof PlainFailure && error.code !== "internal") {
    return error.code === "access_denied"
      ? "Your access token does not allow this."
      : error.message || "That did not work.";
  }
  if (error instanceof Unreachable) return "The server does not answer. Nothing was changed.";
  return "Something went wrong. Try again in a moment.";
}

async function send(request: Request): Promise<Response> {
  await settled();
  for (let round = 0, next = request;; round++) {
    // A body is read once.
    const again = next.clone();
    const response = await sendOnce(next);
    if (round === ROUNDS || !await isWorthAgain(response, request.method !== "GET")) {
      return response;
    }
    next = again;
  }
}

/** How often a call is sent again: its token may be old, its session over, and then too old. */
const ROUNDS = 3;

/** Whether a refused call may pass now. */
async function isWorthAgain({ status, headers }: Response, isChange: boolean): Promise<boolean> {
  if (status === 401) return await isBack(isChange);
  const code = headers.get("x-keydesk-error");
  // The token was that of an older session.
  if (code === "csrf_refused") return await renewed();
  return code === "fresh_sign_in_required" && await signInOver("fresh");
}

/**
 * A call this long after the user last touched the page is the page's own, and keeps no session
 * alive. So a session's last use is no later than this after the last touch; it spans the round of
 * the page's own calls.
 */
const BACKGROUND_MS = 10_000;

let touchedAt = Date.now();
for (const type of ["keydown", "pointerdown", "wheel"]) {
  globalThis.addEventListener?.(type, () => touchedAt = Date.now(), { passive: true });
}

async function sendOnce(request: Request): Promise<Response> {
  if (request.method !== "GET") request.headers.set("x-csrf-token", csrfToken());
  if (Date.now() - touchedAt > BACKGROUND_MS) request.headers.set("x-keydesk-background", "true");
  let response: Response;
  try {
    response = await early(request) ?? await fetch(request);
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
