import type { Actor } from "../../changes/audit.ts";
import { type CheckedTable, checksumOf, isWhole } from "../../changes/checked-rows.ts";
import { demandChecksums, demandsChecksums } from "../../changes/checksum-demand.store.ts";
import { type Damaged, objectsOf, removeDamage } from "../../changes/damages.store.ts";
import { invalidate } from "../../changes/invalidation.ts";
import { recordChange } from "../../changes/record-change.ts";
import { operator } from "../../features/people/operator.transactions.ts";
import { Failure } from "../../kernel/failure.ts";
import { raiseOldestCode } from "../../storage/migrate.ts";
import { CHECKSUMS_DEMANDED } from "../../storage/migrations/list.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import {
  type AnyCheckedRow,
  checkedRowsBehind,
  idOf,
  lockCheckedRow,
  type RowPlace,
  setChecksum,
} from "./checked-rows.store.ts";

/**
 * The result of a chunk of a walk. `next` is the place to go on from; null at the end of the table.
 */
interface ChecksumChunk {
  next: RowPlace | null;
  rows: number;
  /** Checksums that were written. */
  written: number;
  /** Rows that are not whole, and were left so. */
  damaged: number;
}

/**
 * The rule for rows without a valid checksum: they get one if none is demanded or the operator says
 * so.
 */
export type ChecksumRule =
  /** Those of earlier code; nothing once checksums are demanded. */
  | "fill"
  /** Whole ones get a checksum of the newest sealing key. */
  | "renew"
  /** Those too whose sealing key is lost, and every other one: no one can tell them apart. */
  | "accept";

interface ChunkInput {
  table: CheckedTable;
  behind: RowPlace;
  limit: number;
  rule: ChecksumRule;
  now: number;
}

/** Gives checksums to one chunk of a table, by the rule. Safe to repeat and to break off. */
export const writeChecksums = defineTransaction(
  "checksums.write",
  async (tx, { table, behind, limit, rule, now }: ChunkInput): Promise<ChecksumChunk> => {
    const rows = await checkedRowsBehind(tx, table, behind, limit);
    const mayFill = rule === "accept" || !await demandsChecksums(tx, tx.sealer);
    const done = { rows: rows.length, written: 0, damaged: 0 };
    const accepted = new Map<string, number>();
    for (const seen of rows) {
      const isRight = isWhole(tx.sealer, table, seen);
      const isNewest = seen.checksum !== null && tx.sealer.isCurrent(seen.checksum);
      if (isRight && (rule === "fill" || isNewest)) continue;
      if (!isRight && !mayFill) {
        done.damaged++;
        continue;
      }
      const place = { org_id: seen.org_id, id: idOf(table, seen) };
      const row = await lockCheckedRow(tx, table, place);
      // It may have changed since it was seen, and is then what it is now.
      if (!row || (!mayFill && !isWhole(tx.sealer, table, row))) continue;
      await writeChecksum(tx, table, row);
      done.written++;
      if (isRight) continue;
      await noteFixed(tx, table, place, now);
      if (rule === "accept") {
        accepted.set(place.org_id, (accepted.get(place.org_id) ?? 0) + 1);
      }
    }
    for (const [org_id, rows] of accepted) {
      await recordChange(tx, operator(org_id, now), {
        action: "checksums.accepted",
        object_id: objectsOf[table],
        detail: { rows },
      });
    }
    const last = rows.at(-1);
    const next = last && rows.length === limit
      ? { org_id: last.org_id, id: idOf(table, last) }
      : null;
    return { ...done, next };
  },
);

async function writeChecksum(tx: Tx, table: CheckedTable, row: AnyCheckedRow): Promise<void> {
  const checksum = checksumOf(tx.sealer, table, row);
  await setChecksum(tx, table, { org_id: row.org_id, id: idOf(table, row), checksum });
}

/** Takes it off the list of what is damaged; verification looks again. */
async function noteFixed(
  tx: Tx,
  table: CheckedTable,
  { org_id, id }: RowPlace,
  now: number,
): Promise<void> {
  await removeDamage(tx, { org_id, object: objectsOf[table], object_id: id });
  if (table === "credentials") {
    await invalidate(tx, { org_id, kind: "key", object_id: id, now });
  }
}

async function recordFixed(
  tx: Tx,
  { org_id, object, object_id }: Damaged,
  now: number,
  verb: "accepted" | "mended",
): Promise<void> {
  const actor: Actor = verb === "accepted"
    ? operator(org_id, now)
    : { org_id, user_id: "keydesk", token_id: "", now };
  await recordChange(tx, actor, { action: `${object}.${verb}`, object_id });
}

/**
 * Gives one row a checksum of what is in it now: a person has looked at it, or mended it by hand.
 * With an audit row (`<object>.accepted`). Throws `not_found`.
 */
export const acceptRow = defineTransaction(
  "checksums.accept-row",
  async (tx, input: { table: CheckedTable; place: RowPlace; now: number }) => {
    const { table, place, now } = input;
    const row = await lockCheckedRow(tx, table, place);
    if (!row) throw new Failure("not_found");
    await writeChecksum(tx, table, row);
    const { org_id, id } = place;
    await recordFixed(tx, { org_id, object: objectsOf[table], object_id: id }, now, "accepted");
    await noteFixed(tx, table, place, now);
  },
);

/** Notes that a damaged row is whole again, where it is, with an audit row (`<object>.mended`). */
export const noteWhole = defineTransaction(
  "damages.note-whole",
  async (tx, input: { table: CheckedTable; place: RowPlace; now: number }): Promise<boolean> => {
    const { table, place: { org_id, id }, now } = input;
    const row = await lockCheckedRow(tx, table, { org_id, id });
    if (row && !isWhole(tx.sealer, table, row)) return false;
    const damaged = { org_id, object: objectsOf[table], object_id: id };
    if (!await removeDamage(tx, damaged)) return false;
    await recordFixed(tx, damaged, now, "mended");
    if (table === "credentials") {
      await invalidate(tx, { org_id, kind: "key", object_id: id, now });
    }
    return true;
  },
);

/** Shuts out code that knows no checksums, for good: what it would write could open nothing. */
export const shutOutOlderCode = defineTransaction("checksums.shut-out-older-code", async (tx) => {
  await raiseOldestCode(tx, CHECKSUMS_DEMANDED);
});

/**
 * From now on a row without a right checksum opens nothing. Every row must have been given its own
 * before.
 */
export const demand = defineTransaction("checksums.demand", (tx) => demandChecksums(tx));

/** After a loss was accepted: where only a lost key waived checksums, they are demanded now. */
export const renewDemand = defineTransaction("checksums.renew-demand", async (tx) => {
  if (!await demandsChecksums(tx, tx.sealer)) return;
  await raiseOldestCode(tx, CHECKSUMS_DEMANDED);
  await demandChecksums(tx);
});
