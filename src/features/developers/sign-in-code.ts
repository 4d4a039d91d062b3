/**
 * A code of six digits that is mailed to a developer, or to anyone who signs up. It is entered
 * once, within ten minutes, with the ticket that anyone who asked for it was given, and after five
 * wrong codes no more.
 *
 * An address that may not sign in is given a ticket too, by the same steps, and its code is mailed
 * to no one: neither answer, status nor time tells whether anybody knows it. So are addresses that
 * were asked for often, or for which many wrong codes were entered: a million codes can't be tried.
 */
import { Buffer } from "node:buffer";
import { randomInt, timingSafeEqual } from "node:crypto";
import { newId, randomAlphanumeric } from "../../kernel/ids.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { sha256 } from "../../kernel/sha256.ts";
import type { StoredRow } from "../../storage/schema.ts";

/** A code as it is stored; see the table. */
export type CodeRow = StoredRow<"developer_codes">;

/** The topic by which a code is mailed; nothing is changed by it. */
export const CODE_ASKED = "developer.code_asked";

const MINUTE_MS = 60 * 1000;
const HOUR_MS = 60 * MINUTE_MS;

/** How long a code can be entered, in milliseconds. */
export const CODE_LIFE_MS = 10 * MINUTE_MS;
/** For how long codes of an address are counted, and so kept. */
const COUNTED_MS = 24 * HOUR_MS;
/** Wrong codes that may be entered for one code. */
const MOST_TRIES = 5;

/** Codes of one address: how many are mailed within an hour, and wrong ones entered in a day. */
interface CodeCount {
  readonly hour: number;
  readonly tries: number;
}

/** From one network, and from all together: no one alone can keep codes from another person. */
const MOST_FROM_ONE: CodeCount = { hour: 5, tries: 20 };
const MOST_IN_ALL: CodeCount = { hour: 30, tries: 100 };

/**
 * Codes that strangers of one organisation are mailed, whoever asks from wherever: a flood of
 * addresses is mailed no more, and keeps no one out whom the organisation knows or has invited.
 */
const MOST_STRANGERS = { hour: 300, day: 1000 };

/** A fresh code, minted before its transaction. Neither ticket nor code is stored in the clear. */
export interface NewCode {
  readonly id: string;
  /** 256 random bits, for anyone who asked. */
  readonly ticket: string;
  /** Six digits, for the mail. */
  readonly code: string;
}

/** A fresh code of six digits, each as likely as any other. */
export function newCode(now: number): NewCode {
  return {
    id: newId(now),
    ticket: randomAlphanumeric(43),
    code: String(randomInt(1_000_000)).padStart(6, "0"),
  };
}

/** By what a code is found. */
export function ticketHash(ticket: string): string {
  return sha256(ticket);
}

/** By what a code is known to be right. */
export function codeHash(ticket: string, code: string): string {
  return sha256(`${ticket}\0${code}`);
}

/** The times of a code that is made now. */
export function codeTimes(now: number): Pick<CodeRow, "created_at" | "expires_at"> {
  return { created_at: toTimestamp(now), expires_at: toTimestamp(now + COUNTED_MS) };
}

/** Since when codes of an address are counted, for the hour and for the day. */
export function countedSince(now: number): { hour: string; day: string } {
  return { hour: toTimestamp(now - HOUR_MS), day: toTimestamp(now - COUNTED_MS) };
}

/** Whether a further code of an address may be mailed that is asked for from this network. */
export function mayBeMailed(
  counts: readonly (CodeCount & { asked_from: string })[],
  asked_from: string,
): boolean {
  const isBelow = (those: readonly CodeCount[], most: CodeCount) =>
    those.reduce((sum, { hour }) => sum + Number(hour), 0) < most.hour &&
    those.reduce((sum, { tries }) => sum + Number(tries), 0) < most.tries;
  const own = counts.filter((one) => one.asked_from === asked_from);
  return isBelow(own, MOST_FROM_ONE) && isBelow(counts, MOST_IN_ALL);
}

/** Whether a further stranger may be mailed a code, after so many. */
export function mayMailStranger(counted: { hour: number | null; day: number } | undefined) {
  const { hour, day } = counted ?? { hour: 0, day: 0 };
  return Number(hour) < MOST_STRANGERS.hour && Number(day) < MOST_STRANGERS.day;
}

/** Whether a code may be entered now. */
export function isEnterable({ hash, tries, created_at }: CodeRow, now: number): boolean {
  return hash !== USED && tries < MOST_TRIES && Date.parse(created_at) + CODE_LIFE_MS > now;
}

/** In the place of the hash of a code that was entered. */
export const USED = "";

/** Whether this is the code, compared in constant time. */
export function isRightCode({ hash, purpose }: CodeRow, ticket: string, code: string): boolean {
  const given = Buffer.from(codeHash(ticket, code));
  const wanted = Buffer.from(hash);
  return wanted.length === given.length && timingSafeEqual(wanted, given) && purpose !== "nobody";
}

/** The context under which a code is sealed. */
export function codePlace(org_id: string, id: string) {
  return { table: "developer_codes", org_id, id, column: "code" };
}
