import { newId } from "../../kernel/ids.ts";
import type { StoreSession, TableShape } from "../../storage/engines/store-session.ts";
import { migrateSession, stepsOf } from "../../storage/migrate-session.ts";
import {
  type AppliedStep,
  CLOSED_VERSION,
  closedNames,
  missingSteps,
} from "../../storage/migrate.ts";
import { migrations } from "../../storage/migrations/list.ts";
import type { Move } from "./move-store.ts";
import { closeStore, PROGRESS_TABLE, progressTableSql } from "./moving.store.ts";

/** Thrown when a move can't begin or go on as asked; the message says why and what to do. */
export class MoveRefused extends Error {}

/** Tables that belong to a store's schema or to the move, not to its data. */
const NOT_COPIED = ["schema_versions", "schema_lock", "commits", PROGRESS_TABLE];

/**
 * Begins a move, or goes on with one that was broken off: closes the source to every release, brings an empty target
 * to the source's schema and closes it too until it is whole. Throws MoveRefused where the target holds anything
 * else, and StoreInUse where a server uses the source.
 */
export async function beginMove(
  source: StoreSession,
  target: StoreSession,
): Promise<{ move: Move; resumed: boolean }> {
  const sourceSteps = await stepsOf(source);
  if (sourceSteps.length === 0) throw new MoveRefused("the source holds no store");
  refuseOtherSchema(sourceSteps);
  const known = idOf(sourceSteps, closedNames.leaving);
  const resumed = await checkTarget(target, known);
  await source.holdAlone();
  const id = known ?? newId(Date.now());
  if (known === undefined) {
    await closeStore(source, `${closedNames.leaving}${id}`);
    if (source.dialect === "postgres") {
      // Holding a PostgreSQL is a transaction: the mark has to be kept before the copying.
      await source.exec("commit");
      await source.holdAlone();
    }
  }
  if (!resumed) await prepare(target, id);
  return { move: { source, target, tables: await pairs(source, target) }, resumed };
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
    throw new MoveRefused("the source has an older schema: run `keydesk migrate` on it first");
  }
  if (own.length !== migrations.length) {
    throw new MoveRefused("the source has a newer schema: move it with the release that made it");
  }
}

/** True where the target was begun by this very move; false where it is empty. */
async function checkTarget(target: StoreSession, id: string | undefined): Promise<boolean> {
  if ((await target.tables()).length === 0) return false;
  const arriving = idOf(await stepsOf(target), closedNames.arriving);
  if (arriving !== undefined && arriving === id) return true;
  throw new MoveRefused(
    arriving === undefined
      ? "the target is not empty: give an empty database, or a file that is not there"
      : "the target was begun by another move: empty it first",
  );
}

async function prepare(target: StoreSession, id: string): Promise<void> {
  await migrateSession(target, migrations, async () => {
    await closeStore(target, `${closedNames.arriving}${id}`);
    await target.exec(progressTableSql(target.dialect).create);
  });
}

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
    throw new MoveRefused(
      `source and target differ in their tables: ${
        odd.map(({ from }) => from.name).join(", ") || "the target has more"
      }`,
    );
  }
  return tables;
}
