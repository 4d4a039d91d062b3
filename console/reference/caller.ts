/**
 * The page's caller: the typed access token, else the person who is signed in to the console in
 * this browser, else none. Neither is kept anywhere but in this page's memory.
 */
import { signal } from "../signal.ts";
import type { Call } from "./call.ts";

/** The session, as far as this page needs it. */
interface Session {
  readonly csrf_token: string;
  readonly person: { readonly id: string; readonly name: string };
  readonly organisation: { readonly id: string; readonly name: string };
}

/** The session; null: not signed in, undefined: not known yet. */
export const session = signal<Session | null | undefined>(undefined);

/** The access token that was typed in; empty: none. */
export const token = signal("");

let root = new URL("/", location.href);

/** Begins to follow who is signed in. `from`: the server's address, with a slash at its end. */
export function watchCaller(from: URL): void {
  root = from;
  // A person who signs in or out beside this page comes back to it.
  addEventListener("focus", () => void askWhoIsIn());
  void askWhoIsIn();
}

/** The server's address, with which calls begin, without a slash at its end. */
export function serverAddress(): string {
  return root.href.replace(/\/$/, "");
}

/**
 * Sends a call. With an access token it goes without cookies, so that only the token counts. By
 * session it carries the token against forged calls, read again each time: the session may be
 * another by now. `bySession`: the operation takes one. If another person is signed in by now, the
 * page is loaded again and nothing is sent: the promise stays open.
 */
export async function send(call: Call, bySession: boolean): Promise<Response> {
  const headers = new Headers(call.headers);
  const init: RequestInit = { method: call.method, headers, cache: "no-store" };
  if (call.body !== undefined) init.body = call.body;
  init.credentials = "omit";
  if (token.value !== "") {
    if (call.credential) {
      const { header, before } = call.credential;
      // A token that was pasted with its word keeps it.
      const hasWord = token.value.startsWith(before);
      headers.set(header, hasWord ? token.value : before + token.value);
    }
  } else if (bySession) {
    const before = session.value;
    await askWhoIsIn();
    const now = session.value;
    if (now) {
      if (before && !isSame(before, now)) {
        // Nothing that one person typed is sent as another.
        location.reload();
        await new Promise(() => {});
      }
      init.credentials = "same-origin";
      if (!["GET", "HEAD"].includes(call.method)) headers.set("x-csrf-token", now.csrf_token);
    }
  }
  return await fetch(serverAddress() + call.target, init);
}

function isSame(one: Session, other: Session): boolean {
  return one.person.id === other.person.id && one.organisation.id === other.organisation.id;
}

/** Asking is no use of the session, which would keep it alive. */
async function askWhoIsIn(): Promise<void> {
  try {
    const answer = await fetch(`${serverAddress()}/v1/session`, {
      headers: { "x-keydesk-background": "1" },
    });
    // Read to its end either way, or the connection waits for it.
    const body = await answer.json();
    session.value = answer.ok ? body : null;
  } catch {
    session.value = null;
  }
}
