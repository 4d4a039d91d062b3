import { recordAudit } from "../../changes/audit.ts";
import { defineTransaction } from "../../storage/storage.ts";
import {
  eraseDeniedCalls,
  removeBefore,
} from "../../features/verification/denied-calls/denied-calls.store.ts";
import {
  eraseShadowCalls,
  removeOldDifferences,
  removeOldShadowRows,
} from "../../features/migration/shadow-mode/shadow-calls.store.ts";
import {
  erase,
  type Erasure,
  removeOldUsage,
} from "../../features/verification/usage/usage.store.ts";
import { addPurgeTime, putPurgeTime } from "./purge-time.store.ts";
import { type Cut, cutAuditLog } from "../audit-log/cut-log.transactions.ts";
import {
  type CountedTable,
  endedUntil,
  hourOf,
  leastIdAt,
  type PassingTable,
  type RetainedTable,
} from "./retained.ts";
import { AT_ONCE, countDead, lockOld, removeEnded, removeRows } from "./retention.store.ts";

/** Removes some of what has ended by itself; gives how many rows. It is worth no audit row. */
export const purgeEnded = defineTransaction(
  "retention.purge-ended",
  async (tx, input: { table: PassingTable; now: number }) =>
    await removeEnded(tx, input.table, endedUntil(input.table, input.now)),
);

/**
 * Removes some of an organisation's rows from before a day, or exactly the rows named, and says so
 * in its audit log. Of that itself goes a first stretch, up to `cutTo` where it is given. Gives how
 * many went.
 */
export const purgeOld = defineTransaction(
  "retention.purge-old",
  async (
    tx,
    input: {
      table: RetainedTable;
      org_id: string;
      before: string;
      ids?: readonly string[];
      cutTo?: number;
      by: string;
      now: number;
    },
  ) => {
    const { table, org_id, before, by, now } = input;
    const isExported = input.ids !== undefined || input.cutTo !== undefined;
    let rows = 0;
    let went = 0;
    let cut: Cut | undefined;
    let dead = 0;
    if (table === "audit_events") {
      const range = { before: leastIdAt(before), to: input.cutTo };
      // Rows may be missing behind entries, where an earlier release has purged.
      ({ rows, entries: went, cut } = await cutAuditLog(tx, org_id, range, now));
    } else {
      const ids = input.ids ?? await lockOld(tx, table, org_id, before);
      if (table === "deliveries") dead = await countDead(tx, org_id, ids);
      rows = went = await removeRows(tx, table, org_id, ids);
    }
    if (rows > 0 || cut) {
      await recordAudit(tx, { org_id, user_id: by, token_id: "", now }, {
        action: "retention.purged",
        object: "table",
        object_id: table,
        detail: {
          rows,
          before,
          exported: isExported,
          ...cut ? { cut } : {},
          // No one was notified of these.
          ...dead > 0 ? { dead } : {},
        },
      });
    }
    return went;
  },
);

/**
 * Removes some of the counts from before a day; gives how many rows. Nothing of it is worth an
 * audit row.
 */
export const purgeCounts = defineTransaction(
  "retention.purge-counts",
  async (tx, { table, before }: { table: CountedTable; before: string }) =>
    await removeOldUsage(tx, table, hourOf(before), AT_ONCE),
);

/** Purges the observed decisions of an old gateway. */
export const purgeShadowCalls = defineTransaction(
  "retention.purge-observed",
  async (tx, { before }: { before: string }) =>
    await removeOldShadowRows(tx, hourOf(before), AT_ONCE),
);

/** Purges single differences of an organisation before an id. */
export const purgeDifferences = defineTransaction(
  "retention.purge-differences",
  (tx, place: { org_id: string; before: string }) => removeOldDifferences(tx, place, AT_ONCE),
);

/**
 * Removes some counts of a key that no one can read any more, and its denied calls; returns how
 * many rows of counts, or null if another node does it.
 */
export const purgeErased = defineTransaction(
  "retention.purge-erased",
  async (tx, { org_id, key_id }: Erasure) => {
    const removed = await erase(tx, { org_id, key_id }, AT_ONCE);
    if (removed !== null) {
      await eraseDeniedCalls(tx, { org_id, key_id });
      await eraseShadowCalls(tx, { org_id, key_id });
    }
    return removed;
  },
);

/**
 * Removes some of an organisation's oldest single refusals before an id; gives how many. It is
 * worth no audit row.
 */
export const purgeDeniedCalls = defineTransaction(
  "retention.purge-refusals",
  (tx, { org_id, before }: { org_id: string; before: string }) =>
    removeBefore(tx, org_id, before, REFUSALS_AT_ONCE),
);

/** Refusals of one transaction: rows of one table, and short ones. */
export const REFUSALS_AT_ONCE = 500;

/** Keeps the time by which is purged, in milliseconds since 1970. It is worth no audit row. */
export const keepPurgeTime = defineTransaction(
  "retention.keep-time",
  (tx, { until }: { until: number }) => putPurgeTime(tx, { until }),
);

/** Begins the purge time if the store has none. */
export const beginPurgeTime = defineTransaction(
  "retention.begin-time",
  (tx, { until }: { until: number }) => addPurgeTime(tx, { until }),
);
