import type { Damages } from "../../calls/damages.ts";
import { type CheckedTable, isWhole } from "../../changes/checked-rows.ts";
import { demandsChecksums } from "../../changes/checksum-demand.store.ts";
import { listDamages, objectsOf } from "../../changes/damages.store.ts";
import { type Clock, toTimestamp } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { repeatedly } from "../../kernel/repeatedly.ts";
import type { Sealer } from "../../kernel/sealing/sealer.ts";
import { appliedSteps } from "../../storage/migrate.ts";
import { CHECKSUMS_DEMANDED } from "../../storage/migrations/list.ts";
import type { Storage } from "../../storage/storage.ts";
import type { StoreClock } from "../../storage/store-clock.ts";
import {
  type AnyCheckedRow,
  checkedRowsBehind,
  checkedTables,
  idOf,
  type RowPlace,
} from "./checked-rows.store.ts";
import { demand, noteWhole, writeChecksums } from "./checksums.transactions.ts";
import type { ScrubState } from "./scrub.store.ts";
import { keepScrub, leaveScrub, takeScrub } from "./scrub.transactions.ts";

/** The server's part that the scrub needs. */
interface ScrubContext {
  readonly storage: Storage;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly storeClock: StoreClock;
  readonly damages: Damages;
}

/** Rows of one turn. */
const ROWS = 200;
/** How many times as long as a turn took the scrub rests at least. */
const REST_FACTOR = 3;
/** The longest rest: after it a node looks for what others found, too. */
const REST_MS = 60_000;
/** Within this time the first turn begins; nodes that start together spread over it. */
const FIRST_MS = 5000;
/** Rests while no one knows how many turns a round takes. */
const UNKNOWN_REST_MS = 1000;

/** The position of a round. */
interface ScrubPlace {
  table: CheckedTable;
  behind: RowPlace;
  /** Rows of the round before: by it the rests are made. */
  expected: number;
  /** Since its beginning code without checksums can't open the store: its end may demand them. */
  isShut: boolean;
}

/**
 * Looks at every row that has a checksum, a few at a time, in a round of about `roundMs`; on one
 * node of all, which goes on where the last one stood. Damaged rows are reported; while no
 * checksums are demanded it gets one. `roundMs` 0: looks at nothing, and only learns what others
 * found. Once it is stopped another node goes on at once. Never rejects.
 */
export function startScrub(ctx: ScrubContext, roundMs: number): { stop(): Promise<void> } {
  const node = newId(ctx.clock.now());
  let hasTurned = false;
  const turn = async () => {
    let rest = REST_MS;
    try {
      await ctx.damages.refresh();
      if (roundMs > 0) {
        hasTurned = true;
        rest = Math.min(REST_MS, await scrubTurn(ctx, node, roundMs));
      }
    } catch {
      // A store that can't be reached now is asked again at the next turn; calls tell of it.
    }
    return rest;
  };
  const turns = repeatedly(turn, Math.random() * FIRST_MS);
  return {
    stop: async () => {
      await turns.stop();
      // A store that is away hears nothing: then the right ends by itself.
      if (hasTurned) await ctx.storage.commit(leaveScrub, { node }).catch(() => {});
    },
  };
}

/**
 * One turn: gives how long to rest before the next, in milliseconds. Throws `unavailable` and
 * `store_damaged`.
 */
export async function scrubTurn(
  ctx: ScrubContext,
  node: string,
  roundMs: number,
): Promise<number> {
  const { storage, storeClock } = ctx;
  const started = performance.now();
  const state = await storage.commit(takeScrub, { node, now: await storeClock.now() });
  if (!state) return REST_MS;
  const begun = await placeOf(ctx, state, roundMs);
  if (!begun) return REST_MS;
  const { place } = begun;
  const { rows, next } = await lookAt(ctx, place);
  const progress = {
    node,
    now: await storeClock.now(),
    round_at: begun.round_at,
    rows: begun.rows + rows,
    rounds: state.rounds + (next ? 0 : 1),
    place: next ? JSON.stringify({ ...place, ...next }) : "",
  };
  if (!await storage.commit(keepScrub, progress)) return REST_MS;
  if (!next) {
    if (place.isShut) await storage.commit(demand, null);
    return REST_MS;
  }
  const turns = Math.ceil(place.expected / ROWS);
  const pace = turns > 0 ? roundMs / turns : UNKNOWN_REST_MS;
  return Math.max(REST_FACTOR * (performance.now() - started), pace);
}

/** The place to go on from; undefined: the round is over, and the next one is not due. */
async function placeOf(
  { storage, sealer, storeClock }: ScrubContext,
  state: ScrubState,
  roundMs: number,
): Promise<{ place: ScrubPlace; round_at: string; rows: number } | undefined> {
  // as: scrubTurn wrote exactly this.
  const kept = state.place === "" ? undefined : JSON.parse(state.place) as ScrubPlace;
  if (kept) return { place: kept, round_at: state.round_at, rows: state.rows };
  const now = await storeClock.now();
  const isFirst = state.round_at === "";
  if (!isFirst && now < Date.parse(state.round_at) + roundMs) return undefined;
  const isShut = !await demandsChecksums(storage.reader, sealer) &&
    ((await appliedSteps(storage.reader)).at(-1)?.oldest_code ?? 0) >= CHECKSUMS_DEMANDED;
  const place: ScrubPlace = {
    table: checkedTables[0] ?? "users",
    behind: { org_id: "", id: "" },
    expected: state.rows,
    isShut,
  };
  return { place, round_at: toTimestamp(now), rows: 0 };
}

/** Looks at the rows behind a place. `next` null: there are no more. */
async function lookAt(
  ctx: ScrubContext,
  { table, behind }: ScrubPlace,
): Promise<{ rows: number; next: { table: CheckedTable; behind: RowPlace } | null }> {
  const { storage, sealer, clock, damages } = ctx;
  const rows = await checkedRowsBehind(storage.reader, table, behind, ROWS);
  const wrong = rows.filter((row) => !isWhole(sealer, table, row));
  if (wrong.length > 0) {
    if (await demandsChecksums(storage.reader, sealer)) {
      for (const row of wrong) await damages.refuses(table, row, idOf(table, row));
    } else {
      const input = { table, behind, limit: ROWS, rule: "fill", now: clock.now() } as const;
      await storage.commit(writeChecksums, input);
    }
  }
  const last = rows.at(-1);
  const isLast = !last || rows.length < ROWS;
  for (const one of await listDamages(storage.reader)) {
    const place = { org_id: one.org_id, id: one.object_id };
    const isHere = isBehind(place, behind) &&
      (isLast || !isBehind(place, { org_id: last.org_id, id: idOf(table, last) }));
    if (one.object === objectsOf[table] && isHere) await noteIfWhole(ctx, table, place, wrong);
  }
  if (last && rows.length === ROWS) {
    return {
      rows: rows.length,
      next: { table, behind: { org_id: last.org_id, id: idOf(table, last) } },
    };
  }
  const following = checkedTables[checkedTables.indexOf(table) + 1];
  const next = following ? { table: following, behind: { org_id: "", id: "" } } : null;
  return { rows: rows.length, next };
}

function isBehind(one: RowPlace, other: RowPlace): boolean {
  return one.org_id === other.org_id ? one.id > other.id : one.org_id > other.org_id;
}

/**
 * Notes that a row which was known as damaged is whole again, or gone: then nothing is left to be
 * mended.
 */
async function noteIfWhole(
  { storage, clock }: ScrubContext,
  table: CheckedTable,
  place: RowPlace,
  wrong: readonly AnyCheckedRow[],
): Promise<void> {
  if (wrong.some((row) => row.org_id === place.org_id && idOf(table, row) === place.id)) return;
  await storage.commit(noteWhole, { table, place, now: clock.now() });
}
