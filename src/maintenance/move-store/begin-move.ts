import { newId } from "../../kernel/ids.ts";
import type { StoreSession, TableShape } from "../../storage/engines/store-session.ts";
import { inOne, migrateSession, stepsOf } from "../../storage/migrate-session.ts";
import {
  type AppliedStep,
  CLOSED_VERSION,
  closedNames,
  missingSteps,
} from "../../storage/migrate.ts";
import { migrations } from "../../storage/migrations/list.ts";
import { inMove, MoveRefused, TAKEN } from "./in-move.ts";
import type { Move } from "./move-store.ts";
import {
  closeStore,
  endedMove,
  isBegun,
  openAgain,
  PROGRESS_TABLE,
  progressTableSql,
  putBegun,
  putClaim,
} from "./moving.store.ts";

/** Tables that belong to a store's schema or to the move, not to its data. */
const NOT_COPIED = ["schema_versions", "schema_lock", "commits", PROGRESS_TABLE];

/**
 * The tables that a migration makes before its transaction begins; if it is broken off there, they
 * have no row of ours.
 */
const BEFORE_SCHEMA = ["schema_versions", "schema_lock"];

/**
 * Begins a move, or goes on with one that was broken off. An empty target is brought to the
 * source's schema and claimed in one transaction, closed until it is whole; only then is the source
 * closed to every release. Throws MoveRefused where the target holds anything else or another move
 * has it, and StoreInUse where a server or another move uses the source; a source that was open is
 * open then.
 */
export async function beginMove(
  source: StoreSession,
  target: StoreSession,
): Promise<{ move: Move; resumed: boolean }> {
  await leavingId(source);
  if (!await isEmpty(target)) await arrivingId(target);
  await source.lockAlone();
  // Read again: before it was held, another move may have closed it.
  const known = await leavingId(source);
  const id = known ?? newId(Date.now());
  const run = newId(Date.now());
  const resumed = await claim(target, id, run);
  const move = { source, target, run, id, tables: await pairs(source, target) };
  if (known === undefined) await closeSource(source, id);
  await confirm(move, known === undefined);
  return { move, resumed };
}

/**
 * Whether the target is whole already and came from this very source: a move that was broken off
 * after its last step.
 */
export async function hasEnded(source: StoreSession, target: StoreSession): Promise<boolean> {
  const id = idOf(await stepsOf(source), closedNames.leaving);
  const tables = await target.tables();
  return id !== undefined && tables.some(({ name }) => name === PROGRESS_TABLE) &&
    await endedMove(target) === id;
}

/** The id of the move for which the source is closed; undefined: it is open. Throws MoveRefused. */
async function leavingId(source: StoreSession): Promise<string | undefined> {
  const steps = await stepsOf(source);
  if (steps.length === 0) throw new MoveRefused("the source holds no store");
  refuseOtherSchema(steps);
  return idOf(steps, closedNames.leaving);
}

/** The id of a move in a store's mark of closing; undefined where it has none of this kind. */
function idOf(steps: readonly AppliedStep[], words: string): string | undefined {
  const mark = steps.find(({ version }) => version === CLOSED_VERSION);
  return mark?.name.startsWith(words) ? mark.name.slice(words.length) : undefined;
}

function refuseOtherSchema(steps: readonly AppliedStep[]): void {
  if (idOf(steps, closedNames.arriving) !== undefined) {
    throw new MoveRefused("the source is itself the target of a move that has not ended");
  }
  const own = steps.filter(({ version }) => version !== CLOSED_VERSION);
  if (missingSteps(own).length > 0) {
    throw new MoveRefused("the source has an older schema: run `keydesk upgrade` on it first");
  }
  if (own.length !== migrations.length) {
    throw new MoveRefused("the source has a newer schema: move it with the release that made it");
  }
}

/** Whether nothing is in a target but what a claim that was broken off may leave. */
async function isEmpty(target: StoreSession): Promise<boolean> {
  const tables = await target.tables();
  return tables.every(({ name }) => BEFORE_SCHEMA.includes(name)) &&
    (await stepsOf(target)).length === 0;
}

/** The id of the move that claimed the target. Throws MoveRefused where none did. */
async function arrivingId(target: StoreSession): Promise<string> {
  const id = idOf(await stepsOf(target), closedNames.arriving);
  if (id !== undefined) return id;
  throw new MoveRefused(
    "the target is not empty: give an empty database, or a file that is not there",
  );
}

/**
 * Makes the target this run's. True where the move had begun to copy into it. A claim whose source
 * was never closed is in no one's way: it was broken off, or finds out by `confirm` that it came
 * too late.
 */
async function claim(target: StoreSession, move: string, run: string): Promise<boolean> {
  if (await isEmpty(target)) {
    await migrateSession(target, migrations, async () => {
      await closeStore(target, `${closedNames.arriving}${move}`);
      await target.exec(progressTableSql(target.dialect));
      await putClaim(target, { move, run, begun: false });
    }, async () => {
      // The previous owner of the lock may have made a store of it.
      if (!await isEmpty(target)) throw new MoveRefused(TAKEN);
    });
    return false;
  }
  return await inOne(target, async () => {
    await arrivingId(target);
    const begun = await isBegun(target);
    if (begun && await arrivingId(target) !== move) {
      throw new MoveRefused(
        "the target was begun by another move: end that one, or empty the target",
      );
    }
    await putClaim(target, { move, run, begun });
    return begun;
  });
}

async function closeSource(source: StoreSession, id: string): Promise<void> {
  await closeStore(source, `${closedNames.leaving}${id}`);
  if (source.dialect === "sqlite") return;
  // Holding a PostgreSQL is a transaction: the mark has to be kept before the copying.
  await source.exec("commit");
  await source.lockAlone();
}

/**
 * From here on no other move can have the target. If another move has it already, a source that
 * this run closed opens.
 */
async function confirm(move: Move, closedNow: boolean): Promise<void> {
  try {
    await inMove(move, () => putBegun(move.target, move.run));
  } catch (error) {
    if (error instanceof MoveRefused && closedNow) {
      await openAgain(move.source);
      if (move.source.dialect === "postgres") await move.source.exec("commit");
    }
    throw error;
  }
}

/** Every table of the data, at both ends. Throws MoveRefused where these differ. */
async function pairs(source: StoreSession, target: StoreSession): Promise<Move["tables"]> {
  const shape = ({ columns, key }: TableShape) =>
    JSON.stringify([columns.map(({ name, type }) => [name, type]).sort(), key]);
  const theirs = (await source.tables()).filter(({ name }) => !NOT_COPIED.includes(name));
  const ours = (await target.tables()).filter(({ name }) => !NOT_COPIED.includes(name));
  const found = theirs.map((from) => ({ from, to: ours.find(({ name }) => name === from.name) }));
  const tables = found.flatMap(({ from, to }) =>
    to && shape(from) === shape(to) && from.key.length > 0 ? [{ from, to }] : []
  );
  if (tables.length !== theirs.length || tables.length !== ours.length) {
    const odd = found.filter((pair) => !tables.some(({ from }) => from === pair.from));
    const more = ours.filter(({ name }) => !theirs.some((from) => from.name === name));
    throw new MoveRefused(
      `source and target differ in their tables: ${
        [
          ...odd.map(({ from, to }) => differenceOf(from, to)),
          ...more.map(({ name }) => `table ${name} is in the target alone`),
        ].join("; ")
      }. Undo by hand what was changed at either end, and run this again`,
    );
  }
  return tables;
}

/** How a table differs at both ends, in words. */
function differenceOf(from: TableShape, to: TableShape | undefined): string {
  if (!to) return `table ${from.name} is in the source alone`;
  const typeIn = (shape: TableShape, column: string) =>
    shape.columns.find(({ name }) => name === column)?.type;
  const names = new Set([...from.columns, ...to.columns].map(({ name }) => name));
  const columns = [...names].flatMap((column) => {
    const [theirs, ours] = [typeIn(from, column), typeIn(to, column)];
    if (theirs === ours) return [];
    if (!theirs || !ours) return `column ${column} is in the ${theirs ? "source" : "target"} alone`;
    return `column ${column} is ${theirs} in the source and ${ours} in the target`;
  });
  const [key, other] = [from.key.join(", ") || "none", to.key.join(", ")];
  if (key !== other) columns.push(`its primary key is ${key} in the source, not ${other}`);
  return `table ${from.name}: ${columns.join(", ")}`;
}
