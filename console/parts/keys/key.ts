import type { z } from "zod";
import type { replacement } from "../../../src/features/keys/issued-keys.contract.ts";
import type { key } from "../../../src/features/keys/keys.contract.ts";
import type { PlanFacts } from "../../api/plans.ts";
import type { Tone } from "../pill.tsx";
import { listed } from "../../said.ts";

/** A key as it is shown; never the key itself. */
export type Key = z.output<typeof key>;

/** A fresh credential. It lives in the state of the dialog that asked for it, and nowhere else. */
export type Fresh = z.output<typeof replacement>;

/** A key's id. */
export const keyOf = (row: Key): string => row.key_id;

/** How each state is shown. */
export const states: Record<Key["state"], { tone: Tone; text: string }> = {
  active: { tone: "good", text: "Active" },
  suspended: { tone: "waiting", text: "Suspended" },
  revoked: { tone: "bad", text: "Revoked" },
  expired: { tone: "quiet", text: "Expired" },
};

/** How an active key is shown of which each call is denied, by what its plans are. */
const denied: Record<NonNullable<Key["denied"]>, string> = {
  unknown_plan: "Plan gone",
  plan_inactive: "Plan off",
  wrong_api: "No API",
};

/** Whether it is to open at a gateway that does not know it yet. */
export const isNotThere = ({ state, at_gateways }: Key): boolean =>
  state === "active" && at_gateways.some(({ valid }) => !valid);

/**
 * How the state of a key is shown: it is active where its plans grant something and every gateway
 * knows it.
 */
export const stateView = (row: Key): { tone: Tone; text: string } =>
  row.denied !== null
    ? { tone: "bad", text: denied[row.denied] }
    : isNotThere(row)
    ? { tone: "waiting", text: "Not at the gateway yet" }
    : states[row.state];

/** The kind of a key, in words. */
export const kinds: Record<Key["kind"], string> = {
  token: "API key",
  basic: "User name and password",
  oauth: "OAuth client",
};

/** The plans' auth types that a key of each kind can have. */
export const authTypes: Record<Key["kind"], readonly string[]> = {
  token: ["authToken", ""],
  basic: ["basic"],
  oauth: ["oauth"],
};

/** The key's name, else the part of it that may be shown. */
export const calledKey = ({ name, mask, key_id }: Key): string =>
  name || mask || `…${key_id.slice(-12)}`;

/** The owner of a key: by name, else by address, else by id. */
export const ownerOf = (row: Key): string => row.developer_name || addressOf(row);

/** The address of whose it is, else their id. */
export const addressOf = (row: Key): string => row.developer_email || row.developer_id;

/** The names of its plans. */
export function planNames(row: Key, plans: ReadonlyMap<string, PlanFacts>): string {
  return listed(row.plans.map((id) => plans.get(id)?.name ?? id));
}

/** The possible actions on a key. */
export const can = {
  suspend: ({ state }: Key) => state === "active" || state === "expired",
  resume: ({ state }: Key) => state === "suspended",
  revoke: ({ state }: Key) => state !== "revoked",
  /** By itself; with its developer, where they were deleted. */
  restore: ({ undo }: Key) => undo !== null && !undo.with_developer,
  change: ({ state }: Key) => state !== "revoked",
  rotate: ({ state, replaced_by }: Key) => state === "active" && replaced_by === null,
  reissue: ({ state, replaced_by, key_request_id }: Key) =>
    state === "active" && replaced_by === null && key_request_id !== null,
};
