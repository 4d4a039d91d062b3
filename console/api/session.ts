import type { z } from "zod";
import { Client } from "../../src/client/client.ts";
import type { Permission } from "../../src/contract/permissions.ts";
import type { session as sessionSchema } from "../../src/features/access/sessions.contract.ts";
import { ToldFailure } from "../../src/kernel/failure-told.ts";
import { signal } from "../signal.ts";
import { lost, Unreachable } from "./connection.ts";
import { getSession, signIn, signOut } from "./endpoints.ts";

/** Who is signed in. The token that changes must carry is a part of it, so it lives in memory alone. */
export type Session = z.output<typeof sessionSchema>;

/** `unknown` until the server has said; then the session, or null. */
export const session = signal<Session | null | "unknown">("unknown");

/** Why there is none, for the sign-in's page. */
export const signInNote = signal("");

/** What the person may do. */
export const granted = {
  get value(): readonly Permission[] {
    return session.value === null || session.value === "unknown" ? [] : session.value.permissions;
  },
};

/** True when the session holds a permission; `write` of an area includes its `read`. */
export function may(permission: Permission): boolean {
  const held = granted.value;
  return held.includes(permission) ||
    (permission === "portal:read" && held.includes("portal:write")) ||
    (permission === "certs:read" && held.includes("certs:write"));
}

/** The token for changes; "" without a session. */
export function csrfToken(): string {
  return session.value === null || session.value === "unknown" ? "" : session.value.csrf_token;
}

/** The session opens nothing any more: every screen gives way to the sign-in, which keeps where one was. */
export function ended(): void {
  if (holds > 0) {
    endsLater = true;
    return;
  }
  if (session.value !== null && session.value !== "unknown") {
    signInNote.value = "Your session has ended. Sign in to go on where you were.";
  }
  session.value = null;
}

let holds = 0;
let endsLater = false;

/**
 * While something is shown that can't be shown again the sign-in does not take its place, whatever the server says of
 * the session. Gives what ends that.
 */
export function holdSession(): () => void {
  holds++;
  return () => {
    holds--;
    if (holds > 0 || !endsLater) return;
    endsLater = false;
    ended();
  };
}

/** Asks the server anew who is signed in. True when somebody is. */
export async function renewed(): Promise<boolean> {
  try {
    session.value = await plain.call(getSession, {});
    return true;
  } catch (error) {
    if (error instanceof ToldFailure && error.code !== "unavailable") ended();
    return false;
  }
}

/**
 * At the start: by the code in the address, which leaves it at once, else by the session that the browser has. A code
 * that opens nothing does not end a session that stands.
 */
export async function begin(): Promise<void> {
  const code = takeCode();
  if (code === undefined) {
    await renewed();
    return;
  }
  signingIn = enter({ code });
  try {
    await signingIn;
  } catch {
    await renewed();
    if (session.value === null) {
      signInNote.value =
        "This link signs nobody in: it was used already, or has expired. `keydesk console` prints another.";
    }
  }
}

let signingIn: Promise<void> = Promise.resolve();

/** Resolves when no sign-in by a code is under way: calls wait for it, whatever comes of it. */
export function settled(): Promise<void> {
  return signingIn.catch(() => {});
}

/** Signs in. Throws the server's Failure, or `Unreachable`. */
export async function enter(input: { credential: string } | { code: string }): Promise<void> {
  session.value = await plain.call(signIn, { body: input });
  signInNote.value = "";
}

/** Signs out. The page forgets everything that it read: it is loaded anew. */
export async function leave(): Promise<void> {
  await plain.call(signOut, { headers: { "x-csrf-token": csrfToken() } });
  location.assign("/console");
}

/** The code of `/console#code=…`, once: neither the address bar nor the history keeps it. */
function takeCode(): string | undefined {
  const code = /^#code=(.+)$/.exec(location.hash)?.[1];
  if (location.hash !== "") {
    history.replaceState(history.state, "", location.pathname + location.search);
  }
  return code;
}

// A link that is pasted into the address bar of an open page loads nothing by itself.
addEventListener("hashchange", () => {
  if (location.hash.startsWith("#code=")) void begin();
});

/** Without the hooks of `api`, which build on this module. */
const plain = new Client({
  baseUrl: location.origin,
  fetch: async (request) => {
    try {
      return await fetch(request);
    } catch {
      lost();
      throw new Unreachable();
    }
  },
});
