import type { z } from "zod";
import type { listedLeak } from "../../../src/features/hygiene/leaks/leaks.operations.ts";
import type { Tone } from "../../parts/pill.tsx";
import { lengthOf } from "../../parts/relative-words.ts";
import { say } from "../../said.ts";

/** A report of something that was found in public. */
export type Leak = z.output<typeof listedLeak> & { id: string };

/** What the list of reports is narrowed by, as it stands in the address. */
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
  not_so: { tone: "quiet", text: "False positive" },
};

/** What leaked. */
export const objects: Record<Leak["object"], string> = { key: "Key", access_token: "Access token" };

/** What it is called: its name, else what may be shown of it. */
export function calledLeak({ name, mask, id }: Leak): string {
  return name || mask || `…${id.slice(-12)}`;
}

/** Whose it is: a developer's or a person's, by name, else by address, else by id. */
export function ownerOf(
  { developer_name, developer_email, developer_id, person_name, person_id }: Leak,
): string {
  return developer_name || developer_email || developer_id || person_name || person_id;
}

/** Who found it. */
export function finderOf({ reported_by }: Leak): string {
  return reported_by === "anybody" ? "by a finder outside" : say`by the ${reported_by}`;
}

const MINUTE_MS = 60_000;

/** How long it has been open, or what it took to settle it; "" where nobody knows. */
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

/** Where it is rotated or revoked, and where a key is said not to have leaked. */
export function hrefOf({ object, key_id, person_id }: Leak): string {
  const [screen, id] = object === "key" ? ["keys", key_id] : ["settings", person_id];
  return `/${screen}/${encodeURIComponent(id)}`;
}
