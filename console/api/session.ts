import type { z } from "zod";
import { Client } from "../../src/client/client.ts";
import type { Permission } from "../../src/contract/permissions.ts";
import type { assertionInput } from "../../src/features/people/passkeys.contract.ts";
import type { session as sessionSchema } from "../../src/features/people/sessions.contract.ts";
import { PlainFailure } from "../../src/kernel/failure-plain.ts";
import { signal } from "../signal.ts";
import { lost, Unreachable } from "./connection.ts";
import { early, forgetGranted, keepGranted } from "./early.ts";
import { getSession, previewSignIn, signIn, signOut } from "./session-endpoints.ts";

/** The answer of a passkey. */
type Assertion = z.input<typeof assertionInput>;

/**
 * The signed-in person. The token that changes must carry is a part of it, so it lives in memory
 * alone.
 */
export type Session = z.output<typeof sessionSchema>;

/** `unknown` until the server has said; then the session, or null. */
export const session = signal<Session | null | "unknown">("unknown");

/** Why there is none, for the sign-in's page. */
export const signInNote = signal("");

/** The session that is known; undefined: none. */
export function known(): Session | undefined {
  return session.value === null || session.value === "unknown" ? undefined : session.value;
}

/** The person's permissions. */
export const granted = {
  get value(): readonly Permission[] {
    return known()?.permissions ?? [];
  },
};

/** The permissions that work within a scope: none that writes to other people's objects. */
const openWithinScope: readonly Permission[] = ["portal:read", "approve", "revoke"];

/** Whether the person has a scope: they see and decide only what is of some plans. */
export function hasScope(): boolean {
  return Boolean(known()?.scope);
}

/**
 * True when the session holds a permission; `write` of an area includes its `read`, `approve`
 * includes `revoke`, `admin` includes `admin:read`, and `admin:read` with `portal:read` includes
 * `config`. A scope closes most of them.
 */
export function may(permission: Permission): boolean {
  if (hasScope() && !openWithinScope.includes(permission)) return false;
  return isHeld(granted.value, permission);
}

/**
 * As `may`, and true while the session is not known yet: keeps the place of what would move all
 * else if it came later.
 */
export function mayYet(permission: Permission): boolean {
  return session.value === "unknown" || may(permission);
}

/** Whether a list of permissions includes one. */
export function isHeld(held: readonly Permission[], permission: Permission): boolean {
  return held.includes(permission) ||
    (permission === "portal:read" && held.includes("portal:write")) ||
    (permission === "certs:read" && held.includes("certs:write")) ||
    (permission === "revoke" && held.includes("approve")) ||
    (permission === "admin:read" && held.includes("admin")) ||
    (permission === "config" && isHeld(held, "admin:read") && isHeld(held, "portal:read"));
}

/** The token for changes; "" without a session. */
export function csrfToken(): string {
  return known()?.csrf_token ?? "";
}

/**
 * The session opens nothing any more: every screen gives way to the sign-in, which keeps where one
 * was.
 */
export function ended(): void {
  if (holds > 0) {
    endsLater = true;
    return;
  }
  if (known()) signInNote.value = "Your session has expired. Sign in to go on where you were.";
  session.value = null;
  forgetGranted();
}

let holds = 0;
let endsLater = false;

/**
 * While something is shown that can't be shown again the sign-in does not take its place, whatever
 * the server says of the session. Gives what ends that.
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

/**
 * A sign-in that stands over the page, whose calls wait for it: the session is over, or too old for
 * what is asked.
 */
export interface Over {
  readonly reason: "ended" | "fresh";
  /** Ends it. True: the person is signed in, and the calls are sent again. */
  done(isIn: boolean): void;
}

/** The sign-in that stands over the page now; null: none. */
export const over = signal<Over | null>(null);

let asking: Promise<boolean> | undefined;

/**
 * Asks for a sign-in over the page. False where the person would not. Who asks meanwhile gets the
 * same answer.
 */
export function signInOver(reason: Over["reason"]): Promise<boolean> {
  return asking ??= new Promise((resolve) => {
    over.value = {
      reason,
      done: (isIn) => {
        asking = undefined;
        over.value = null;
        if (!isIn && reason === "ended") ended();
        resolve(isIn);
      },
    };
  });
}

/**
 * After a 401: whether the call can be sent again, because the person is signed in once more. Over
 * a change, and over an open dialog, the sign-in stands without taking them away; else it takes the
 * place of the page.
 */
export async function isBack(isChange: boolean): Promise<boolean> {
  if (asking) return await asking;
  const isKept = isChange || (holds === 0 && document.querySelector("dialog[open]") !== null);
  // The one who signed in may have done so in another tab.
  if (known() && isKept) return await isStillIn() || await signInOver("ended");
  ended();
  return false;
}

/** Reads the session again. True if a person is signed in; else the session has ended here too. */
export async function renewed(): Promise<boolean> {
  return await isStillIn((error) => {
    if (error instanceof PlainFailure && error.code !== "unavailable") ended();
  });
}

/** Reads the session without signing out: `failed` gets the error of the reading. */
export async function isStillIn(failed: (error: unknown) => void = () => {}): Promise<boolean> {
  try {
    await take(await plain.call(getSession, {}));
    return true;
  } catch (error) {
    failed(error);
    return false;
  }
}

/**
 * The session from now on. Of another person's nothing on this page is theirs: it is loaded anew,
 * and whatever waits goes with it, unsent.
 */
async function take(next: Session): Promise<void> {
  const before = known();
  if (
    before &&
    (before.person.id !== next.person.id || before.organisation.id !== next.organisation.id)
  ) {
    // The first reads go by this person's permissions.
    keepGranted(next.permissions, next.scope !== null);
    location.assign("/console");
    await new Promise(() => {});
  }
  await readShell();
  session.value = next;
  keepGranted(next.permissions, next.scope !== null);
}

/** Reads the shell: a session is known once it can be shown. Never throws. */
export let readShell: () => Promise<void> = async () => {};

/** Says how. */
export function readShellBy(read: () => Promise<void>): void {
  readShell = read;
}

/**
 * At the start: by the code in the address, which leaves it at once, else by the session that the
 * browser has. A code that opens nothing does not end a session that stands.
 */
export async function begin(): Promise<void> {
  const code = takeCode();
  takeAnswer();
  if (invitation.value !== null || cameBack.value !== null) {
    session.value = null;
    return;
  }
  if (code === undefined) {
    await renewed();
    return;
  }
  signingIn = enterByLink(code);
  try {
    await signingIn;
  } catch {
    await renewed();
    if (session.value === null) {
      signInNote.value =
        "This link does not sign in: it was used already, or has expired. Make another one.";
    }
  }
}

/**
 * The person whom a link would sign in instead of the present one: it waits for a press. Null:
 * none.
 */
export const swap = signal<{ code: string; name: string; organisation: string } | null>(null);

/** At once if no one, or the same person, is signed in: any site can lead to such a link. */
async function enterByLink(code: string): Promise<void> {
  const here = await isStillIn() ? known() : undefined;
  if (here) {
    const { person, organisation } = await plain.call(previewSignIn, { body: { code } });
    if (person.id !== here.person.id || organisation.id !== here.organisation.id) {
      swap.value = { code, name: person.name, organisation: organisation.name };
      return;
    }
  }
  await enter({ code });
}

let signingIn: Promise<void> = Promise.resolve();

/** Resolves when no sign-in by a code is under way: calls wait for it, whatever comes of it. */
export function settled(): Promise<void> {
  return signingIn.catch(() => {});
}

/** Signs in. Throws the server's Failure, or `Unreachable`. */
export async function enter(
  input:
    | { access_token: string; one_time_code?: string }
    | { code: string }
    | { passkey: Assertion },
): Promise<void> {
  await entered(await plain.call(signIn, { body: input }));
}

/** The session that was just made. */
export async function entered(next: Session): Promise<void> {
  await take(next);
  signInNote.value = "";
  over.value?.done(true);
}

/** The text of an invitation's link while its page is shown; null: no invitation was opened. */
export const invitation = signal<string | null>(null);

/** The answer that a browser brought from an identity provider, while it is checked; null: none. */
export const cameBack = signal<{ id: string; answer: string } | null>(null);

/** Signs out. The page forgets everything that it read: it is loaded anew. */
export async function leave(): Promise<void> {
  await left(() => plain.call(signOut, { headers: { "x-csrf-token": csrfToken() } }));
}

/**
 * Runs what ends this session, and loads the page anew. The server has the browser drop what it
 * keeps of this site: how the page looks is put back.
 */
export async function left(end: () => Promise<unknown>): Promise<void> {
  const kept = { ...localStorage };
  await end();
  Object.assign(localStorage, kept);
  forgetGranted();
  location.assign("/console");
}

/**
 * The code of `/console#code=…`, once, as an invitation's text: neither the address bar nor the
 * history keeps them.
 */
function takeCode(): string | undefined {
  const code = /^#code=(.+)$/.exec(location.hash)?.[1];
  invitation.value = /^#invitation=(.+)$/.exec(location.hash)?.[1] ?? null;
  if (location.hash !== "") {
    history.replaceState(history.state, "", location.pathname + location.search);
  }
  return code;
}

/** Takes a provider's answer out of the address at once, too. */
function takeAnswer(): void {
  const id = /^\/console\/from\/(\w+)$/.exec(location.pathname)?.[1];
  if (id === undefined) return;
  cameBack.value = { id, answer: location.search.slice(1) };
  history.replaceState(null, "", "/console");
}

// A link that is pasted into the address bar of an open page loads nothing by itself.
addEventListener("hashchange", () => {
  if (/^#(code|invitation)=/.test(location.hash)) void begin();
});

/** Without the hooks of `api`, which build on this module. */
export const plain: Client = new Client({
  baseUrl: location.origin,
  fetch: async (request) => {
    try {
      return await early(request) ?? await fetch(request);
    } catch {
      lost();
      throw new Unreachable();
    }
  },
});
