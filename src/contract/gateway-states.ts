/** The states of a key at a gateway, as people see them. */
export const provisionedStates = [
  "waiting",
  "late",
  "delivered",
  "stuck",
  "diverged",
  "closing",
  "gone",
] as const;

/** One of them. */
export type ProvisionedState = typeof provisionedStates[number];

/**
 * How a gateway is connected. `checks`: it asks Keydesk about each call. `synced`: keys are written
 * into it. `map`: it goes by a map of hashes of keys.
 */
export const connections = ["checks", "synced", "map"] as const;

/** Products that keys are written into, or that go by a map. */
export const syncedKinds = ["tyk", "haproxy", "agentgateway"] as const;

/** The time after which a waiting change is late. */
export const LATE_MS = 60_000;

/** A gateway that takes longer to open to a key, or to shut, is slow. */
export const SLOW_MS = 5000;

/** The problems of a key at a gateway. */
export const gatewayProblems = ["waiting", "late", "stuck", "diverged", "closing"] as const;

/** One of them. */
export type GatewayProblem = typeof gatewayProblems[number];

/** Reasons for which a gateway checks a key with Keydesk and takes its answer. */
const ASKED: readonly string[] = ["not_a_token", "other_hash", "short_key", "end"];

/**
 * Whether a key is as it should be although it is in no map: the gateway checks it with Keydesk.
 */
export function checksWithKeydesk(kind: string, reason: string): boolean {
  return ASKED.includes(reason) || kind === "hashes" && reason === "conditions";
}

/** Why a key differs that a person took away at the gateway. */
export const GONE_THERE = "it is not there";

/** The prefix of the reason if a key is valid for more at the gateway than in Keydesk. */
export const OPENS_MORE = "opens more there: ";

/**
 * The prefix of a synced state that may stay valid for so many seconds; of a map with the edition
 * from which on the key is not in it.
 */
export const CLOSING = /^closing (\d+|\?)(?:@(\d+))? /;

/** Reasons of a key that is not in its map any more: a proxy may have an earlier map. */
export const READ_LATE = ["not_read", "not_fetched"] as const;

/** The prefix of a synced state that is missing at the gateway. */
export const MISSING = "missing ";

/**
 * Until when a gateway may open to a key that was ended there at `since`: undefined where it does
 * not any more, null where no one can tell.
 */
export function mayOpenUntil(
  { held, since, state }: { held: string; since: string; state: string },
): string | null | undefined {
  const [, seconds] = CLOSING.exec(held) ?? [];
  if (seconds === undefined) return undefined;
  // If it waits for another change, `since` is the time of that one.
  if (seconds === "?" || state === "waiting" || state === "late") return null;
  return new Date(Date.parse(since) + Number(seconds) * 1000).toISOString();
}

/** Whether a key was ended at a gateway, which may go on opening to it. */
export function isClosing({ held, state }: { held: string; state: string }): boolean {
  return CLOSING.test(held) && (state === "gone" || state === "delivered");
}

/**
 * Whether a key opens at a gateway, or may, by what was last brought there, in the form of
 * stateTextOf. `done` 0: nothing was since it lost what it held.
 */
export function isOpenThere(
  { held, done, reason }: { held: string; done: number | bigint | string; reason: string },
): boolean {
  if (CLOSING.test(held)) return true;
  // A key that is not in the file may still be in the memory of its proxy.
  const isTaken = reason === GONE_THERE || reason.startsWith("nothing in its memory");
  return Number(done) > 0 && held.startsWith('{"is":"open"') && !isTaken;
}

/** The formats of a file of hashes: lines for HAProxy, or entries of an agentgateway. */
export const mapForms = ["haproxy", "agentgateway"] as const;

/** One of them. */
export type MapForm = typeof mapForms[number];

/** Everything that a check can find. */
export const findingCodes = [
  "cache_on",
  "quota_in_policies",
  "not_checked",
  "clock_differs",
  "no_policy",
  "policy_differs",
  "no_list",
  "redis_unusable",
] as const;

/** One of them. */
export type FindingCode = typeof findingCodes[number];

/** Questions a second about keys that no one knows: what is usual, and what is the most. */
export const migrationQuestions = { usual: 20, most: 1000 } as const;
