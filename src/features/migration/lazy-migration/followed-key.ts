import type { Actor } from "../../../changes/audit.ts";
import type { Tx } from "../../../storage/storage.ts";
import type { ProvisionedRow } from "../../gateways/gateway.ts";
import type { LockedKey } from "../../keys/lock-key.transactions.ts";
import type { PlanRules } from "../../plans/plan.ts";
import type { LazyMigrationRow, MigratedRow } from "./lazy-migration.ts";
import { noteSeen } from "./lazy-migration.store.ts";
import { type SaidThere, seenText, type SeenThere } from "./gateway-answers.ts";

/** A gateway's answer about a key that was migrated from it. */
export interface AskedAnew {
  org_id: string;
  gateway_id: string;
  key_id: string;
  /** The desired state's version there when it was asked; null: there never was one. */
  seen: number | null;
  /** Its previous answer, as stored. */
  before: string;
  said: SaidThere;
  /** The plans here that the session names; those of which none is known are `unknown`. */
  plans: string[];
  unknown: string[];
  /** By which canary the gateway is believed. */
  canary: string;
  /** So many keys would lose access by what it said of all that were asked about together. */
  atOnce: number;
  /** When the question was sent. */
  asked: number;
  now: number;
}

/** The answer with the key's stored data, locked until the transaction ends. */
export interface Asked extends AskedAnew {
  readonly actor: Actor;
  /** The gateway's name, for people to read. */
  readonly at: string;
  readonly locked: LockedKey;
  readonly migrated: MigratedRow;
  readonly lazyMigration: LazyMigrationRow;
  readonly brought: ProvisionedRow | undefined;
  /** The rules of its plans; undefined: an unknown plan. */
  readonly rules: readonly (PlanRules | undefined)[];
}

/** The kept part of an answer. */
export function seenNow(
  { plans, canary }: Pick<AskedAnew, "plans" | "canary">,
  { named, expires, edited, rest }: Exclude<SaidThere, { is: "gone" }>,
): SeenThere {
  return { named, plans, expires, edited, rest, canary };
}

/** Keeps it, where it is not kept already; what is not given stays. */
export async function keepSeen(
  tx: Tx,
  migrated: MigratedRow,
  { seen, ...change }: {
    seen?: SeenThere;
    reported?: string;
    awaits_since?: string | null;
  },
): Promise<void> {
  const after = { ...migrated, ...change, ...seen ? { seen: seenText(seen) } : {} };
  const isSame = KEPT.every((name) => after[name] === migrated[name]);
  if (!isSame) await noteSeen(tx, after);
}

const KEPT = ["seen", "reported", "awaits_since"] as const;
