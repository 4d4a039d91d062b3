import type { z } from "zod";
import type { listedLeak } from "../../../src/features/hygiene/leaks/leaks.operations.ts";
import type { Tone } from "../../parts/pill.tsx";
import { lengthOf } from "../../parts/relative-words.ts";
import { say } from "../../said.ts";

/** A report of something that was found in public. */
export type Leak = z.output<typeof listedLeak> & { id: string };

/** The filters of reports, as they are in the address. */
export const filterNames = ["leaked", "state", "object"] as const;

/** Leads from keys to the reports of leaks, and back. */
export const leakFilter = {
  of: "leaked",
  label: "Leaks",
  options: [
    { value: "", text: "Leaked or not" },
    { value: "yes", text: "Leaked" },
    { value: "reports", text: "Reports of leaks" },
  ],
} as const;

/** How each state is shown; the tabs have the order of the keys 2 to 6. */
export const states: Record<Leak["state"], { tone: Tone; text: string }> = {
  open: { tone: "bad", text: "Open" },
  rotated: { tone: "good", text: "Rotated" },
  revoked: { tone: "good", text: "Revoked" },
  ended: { tone: "quiet", text: "Ended" },
  false_positive: { tone: "quiet", text: "False positive" },
};

/** The kind of object that leaked. */
export const objects: Record<Leak["object"], string> = { key: "Key", access_token: "Access token" };

/** The object's name, else the part of it that may be shown. */
export function calledLeak({ name, mask, id }: Leak): string {
  return name || mask || `…${id.slice(-12)}`;
}

/** The owner: a developer or a person, by name, else by address, else by id. */
export function ownerOf(
  { developer_name, developer_email, developer_id, person_name, person_id }: Leak,
): string {
  return developer_name || developer_email || developer_id || person_name || person_id;
}

/** The finder of a leak. */
export function finderOf({ reported_by }: Leak): string {
  return reported_by === "anybody" ? "by a finder outside" : say`by the ${reported_by}`;
}

const MINUTE_MS = 60_000;

/** How long it has been open, or what it took to settle it; "" if unknown. */
export function timeOf({ state, reported_at, settled_after_seconds }: Leak): string {
  if (state === "open") {
    const age = Date.now() - Date.parse(reported_at);
    return age < MINUTE_MS ? "just now" : `for ${lengthOf(age)}`;
  }
  if (settled_after_seconds === null) return "";
  if (settled_after_seconds === 0) return "before the report";
  const took = settled_after_seconds * 1000;
  return took < MINUTE_MS ? "within a minute" : `after ${lengthOf(took)}`;
}

/** The screen that rotates or revokes it, or marks it as a false positive. */
export function hrefOf({ object, key_id, person_id }: Leak): string {
  const [screen, id] = object === "key" ? ["keys", key_id] : ["settings", person_id];
  return `/${screen}/${encodeURIComponent(id)}`;
}
