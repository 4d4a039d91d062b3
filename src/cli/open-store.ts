import { resolve } from "node:path";
import type { ServiceContext } from "../calls/context.ts";
import type { Config } from "../config.ts";
import { locationOf, openServer, type ServerContext } from "../open-server.ts";
import { stepsOf } from "../storage/migrate-session.ts";
import { type AppliedStep, missingSteps, refuseForeign } from "../storage/migrate.ts";
import { SchemaTooOld } from "../storage/schema-errors.ts";
import { migrations } from "../storage/migrations/list.ts";
import { openSession } from "../storage/open-session.ts";
import { holdsSomething, storeProblem } from "../store-folder.ts";
import { SEALING_KEY_FILE, StoreIncomplete } from "../store-files.ts";
import { transactions } from "../transactions.ts";
import { isThere } from "./is-there.ts";
import { configFromEnvironment } from "./environment.ts";
import { openingStore, OperatorError, storePlace } from "./operator-error.ts";

/**
 * Runs a command against the store that the settings name, beside a running server or without one.
 * Throws OperatorError where there is none, and makes nothing then; `mayCreate`: makes it instead,
 * with `fresh` also where a part of one is left; `reads`: what only reads is refused on an earlier
 * schema too, rather than bring it up to date.
 */
export async function withStore<T>(
  work: (ctx: ServerContext & ServiceContext, config: Config) => Promise<T>,
  { mayCreate = false, fresh = false, reads = false } = {},
): Promise<T> {
  const config = configFromEnvironment();
  if (!mayCreate) await refuseWithoutStore(config);
  if (reads) await refuseEarlierSchema(config);
  const ctx = await openingStore(
    config,
    () => openServer(config, { writer: { thread: false, transactions }, fresh }),
  );
  try {
    return await work(ctx, config);
  } finally {
    await ctx.storage.close();
  }
}

/**
 * Throws OperatorError or StoreIncomplete unless the settings name a store that a server or
 * `keydesk seed` has made.
 */
export async function refuseWithoutStore(config: Config): Promise<void> {
  await refuseIncomplete(config);
  const steps = await stepsOfStore(config);
  if (steps === undefined) {
    throw new OperatorError(
      `there is no store in ${storePlace(config)}: start the server once, or run \`keydesk seed\``,
    );
  }
  const file = sealingKeyFile(config);
  if (file !== undefined && !await holdsSomething(file)) {
    throw new OperatorError(
      `${file} is missing, or holds 0 bytes (KEYDESK_DATA_DIR): put the store's sealing key back, or give it as KEYDESK_SEALING_KEY; of a new store the first start of the server makes it`,
    );
  }
}

async function refuseEarlierSchema(config: Config): Promise<void> {
  const steps = await stepsOfStore(config) ?? [];
  refuseForeign(steps);
  // If no start makes the steps, opening reports them.
  if (missingSteps(steps).length === 0 || config.UPGRADE === "off") return;
  throw new SchemaTooOld(
    `the store has schema ${steps.at(-1)?.version ?? 0}, this needs ${
      migrations.at(-1)?.version ?? 0
    }, and what only reads makes no steps: \`keydesk upgrade\` makes them, or the server's next start`,
  );
}

/** Throws StoreIncomplete where a part of the store is missing. */
export async function refuseIncomplete(config: Config): Promise<void> {
  const problem = await openingStore(config, () => storeProblem(config));
  if (problem !== undefined) throw new StoreIncomplete(problem);
}

/**
 * The steps that the store's schema has had; undefined where there is no store. Makes and changes
 * nothing.
 */
async function stepsOfStore(config: Config): Promise<AppliedStep[] | undefined> {
  return await openingStore(config, async () => {
    if (!config.DATABASE_URL && !await isThere(config.databaseFile)) return undefined;
    const session = await openSession(locationOf(config));
    try {
      const steps = await stepsOf(session);
      return steps.length === 0 ? undefined : steps;
    } finally {
      await session.close();
    }
  });
}

/** The file of this store's sealing key; undefined: a setting has it. */
function sealingKeyFile(config: Config): string | undefined {
  return config.SEALING_KEY ? undefined : resolve(config.DATA_DIR, SEALING_KEY_FILE);
}
