import { defineTransaction } from "../../../storage/storage.ts";
import { resumeTimed } from "../../keys/timed-suspensions.transactions.ts";
import { type RuleRow, setPlace } from "../../hygiene/unused/rules.store.ts";
import {
  actorOfSchedule,
  enterSchedules,
  type Found,
  workOffSchedule,
} from "../../hygiene/unused/work-off.transactions.ts";
import { alertLease } from "./alerts.store.ts";

interface Look {
  org_id: string;
  holder: string;
  /** By the store's clock. */
  now: number;
}

/** Notes unused keys that a look found, and how far it has come. False: another node looks. */
export const noteUnusedKeys = defineTransaction(
  "alerts.note-unused-keys",
  async (
    tx,
    { org_id, holder, now, found, at }: Look & {
      found: Found[];
      at: Pick<RuleRow, "plan" | "place" | "round_at" | "updated_at">;
    },
  ): Promise<boolean> => {
    if (!await alertLease.take(tx, holder, now)) return false;
    await enterSchedules(tx, { org_id, now, found });
    await setPlace(tx, { org_id, ...at });
    return true;
  },
);

/**
 * Does what is due of one unused key: see workOffSchedule. A key in one transaction, so that no one
 * waits for the keys of others. Gives whether it did something; undefined: another node looks.
 */
export const workOffUnusedKey = defineTransaction(
  "alerts.work-off-unused-key",
  async (tx, { org_id, holder, now, key_id }: Look & { key_id: string }): Promise<
    boolean | null
  > => {
    if (!await alertLease.take(tx, holder, now)) return null;
    return await workOffSchedule(tx, { org_id, key_id, now });
  },
);

/** Resumes a key whose suspension is over: see resumeTimed. Null: another node looks. */
export const resumeTimedKey = defineTransaction(
  "alerts.resume-timed-key",
  async (tx, { org_id, holder, now, key_id }: Look & { key_id: string }): Promise<
    boolean | null
  > => {
    if (!await alertLease.take(tx, holder, now)) return null;
    return await resumeTimed(tx, actorOfSchedule(org_id, now), key_id);
  },
  { withoutRoom: true },
);
