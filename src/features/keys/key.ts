import { Failure } from "../../kernel/failure.ts";
import type { CredentialState } from "../credentials/credential.ts";
import type { KeyAlgorithm } from "../credentials/murmur.ts";

/** What a key is to those who look at it: its stored state, or `expired` once its time is over. */
export type KeyState = CredentialState | "expired";

/** What decides about a key's state. */
export interface KeyStanding {
  state: CredentialState;
  expires_at: string | null;
  algorithm: KeyAlgorithm;
  use_before: string | null;
}

/** The state at `now`, written as our own times are. A revoked key stays revoked when its time is over too. */
export function stateOf(key: KeyStanding, now: string): KeyState {
  return key.state !== "revoked" && endOf(key) <= now ? "expired" : key.state;
}

/** When a key ends, for an imported one that was never used the day by which it must have been; "~": never. */
function endOf({ expires_at, algorithm, use_before }: KeyStanding): string {
  const ends = [expires_at, algorithm === "sha256" ? null : use_before];
  return ends.reduce<string>((first, end) => end !== null && end < first ? end : first, "~");
}

/** What may be done to a key's state. */
export type StateChange = "suspend" | "resume" | "revoke";

/** The state after a change. Throws `key_revoked`, `key_suspended` or `key_not_suspended` where it can't be. */
export function stateAfter(state: CredentialState, change: StateChange): CredentialState {
  if (state === "revoked") throw new Failure("key_revoked");
  switch (change) {
    case "suspend":
      if (state === "suspended") throw new Failure("key_suspended");
      return "suspended";
    case "resume":
      if (state === "active") throw new Failure("key_not_suspended");
      return "active";
    case "revoke":
      return "revoked";
  }
}

/** Throws the code that says why a key can't be replaced by a fresh one: only what opens something can be. */
export function refuseUnlessAlive(
  key: KeyStanding & { replaced_by: string | null },
  now: string,
): void {
  const state = stateOf(key, now);
  if (state === "revoked") throw new Failure("key_revoked");
  if (key.replaced_by !== null) throw new Failure("key_rotated");
  if (state === "expired") throw new Failure("key_expired");
  if (state === "suspended") throw new Failure("key_suspended");
}
