import { presentAction } from "../../contract/former-names.ts";
import { sha256 } from "../../kernel/sha256.ts";

/**
 * Waiting (it is tried, or another one of its object goes first), delivered, given up, or skipped:
 * its subject was over before.
 */
export type DeliveryState = "waiting" | "delivered" | "dead" | "skipped";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** How long one try may take, and how long a node has the right to it, by the store's clock. */
export const TRY_MS = 10 * SECOND;
export const LEASE_MS = 30 * SECOND;

/** The first wait after a failed try, the longest one, and how much of a wait is left to chance. */
const FIRST_WAIT_MS = 5 * SECOND;
const LONGEST_WAIT_MS = HOUR;
const JITTER = 0.2;

/** Within this time what waits for a channel that takes messages again is due. */
export const WAKE_MS = 5 * SECOND;
/** Nothing succeeded for so long: then what waits is woken by the first success. */
export const OUTAGE_MS = FIRST_WAIT_MS;

/** After this time of tries a message is given up. */
export const GIVEN_UP_MS = 24 * HOUR;

/** A channel is paused when nothing succeeded for this time, and so many tries failed. */
export const FAILING_MS = 12 * HOUR;
export const FAILED_TRIES = 10;

/**
 * How long an urgent message waits behind another one of its object, at the most; within the hour
 * it is on its way.
 */
export const URGENT_MS = 55 * MINUTE;

/**
 * The id of an event's message for a channel, and of a mail for one recipient; receivers know it by
 * this. Equal inputs give equal ids, whichever node makes them; ids sort by their events, which
 * begin with their second.
 */
export function deliveryId(event_id: string, target_id: string, recipient = ""): string {
  const receiver = recipient === "" ? target_id : `${target_id}.${recipient}`;
  return `${event_id}${sha256(`${event_id}.${receiver}`).slice(0, 16)}`;
}

/** Names a line of a channel. */
export function lineOf({ object_id, recipient }: { object_id: string; recipient: string }): string {
  return `${recipient}\n${object_id}`;
}

/**
 * Whether a message of this topic may overtake others of its object: what takes rights away must
 * get through, and a person sits and waits for a code.
 */
export function isUrgent(topic: string): boolean {
  return /\.(revoked|suspended|deactivated|leaked|code_asked)$/.test(topic);
}

/**
 * Whether a channel wants a topic, as it is stored: a pattern is a topic, or the beginning of some
 * and a star, or a star alone, which represents all that people may want to read. Patterns of
 * earlier code fit the stored name, present ones the present name.
 */
export function wants(patterns: readonly string[], topic: string): boolean {
  const present = presentAction(topic);
  return patterns.some((pattern) => {
    if (pattern === "*") return !FOR_MACHINES.has(topic);
    if (!pattern.endsWith("*")) return pattern === topic || pattern === present;
    const beginning = pattern.slice(0, -1);
    return topic.startsWith(beginning) || present.startsWith(beginning);
  });
}

/** The topics that a channel gets only if it names them. */
const FOR_MACHINES: ReadonlySet<string> = new Set(["trail.head"]);

/**
 * How long is waited after a failed try, in milliseconds: 5 s, then twice as long each time up to
 * an hour, a fifth of it by chance. `random`: from 0 to below 1. An answer may ask for more
 * (`retryAfterMs`), and gets an hour at the most.
 */
export function waitAfter(tries: number, random: number, retryAfterMs: number): number {
  const wait = Math.min(FIRST_WAIT_MS * 2 ** Math.min(tries, 20), LONGEST_WAIT_MS);
  const asked = Math.min(retryAfterMs, LONGEST_WAIT_MS);
  return Math.ceil(Math.max(wait * (1 + JITTER * random), asked));
}

/** Milliseconds that a `Retry-After` asks for, in seconds or as a date; 0 where it says nothing. */
export function retryAfterMs(header: string | null, now: number): number {
  if (header === null) return 0;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * SECOND;
  const at = Date.parse(header);
  return Number.isNaN(at) ? 0 : Math.max(0, at - now);
}
