import { signal } from "../signal.ts";
import { FIRST } from "./early.ts";
import { keep, kept } from "./kept.ts";
import { known, session } from "./session.ts";

const chosen = signal<"" | "all" | "me">("");

/** Under which name this browser keeps what the person chose to begin with. */
const nameOf = () => `keydesk.turn.${known()?.person.id}`;

/**
 * Whether lists of what waits begin with what waits for the person: where an approval policy has a
 * step of theirs, until they choose to see all.
 */
export function isMineFirst(): boolean {
  const one = known();
  // A person who was signed in most likely still is.
  if (!one) return session.value === "unknown" && Boolean(kept(FIRST));
  return one.in_steps && (chosen.value || kept(nameOf())) !== "all";
}

/** Begins with all from now on, or with what waits for the person; this browser remembers it. */
export function beginWith(first: "all" | "me"): void {
  chosen.value = first;
  keep(nameOf(), first);
  keepFirst(isMineFirst());
}

/** Keeps which of both it is, for the next visit. */
export function keepFirst(isMine: boolean): void {
  keep(FIRST, isMine ? "waits_for=me&" : "");
}
