import type { Command } from "commander";
import { resolve } from "node:path";
import type { Config } from "../config.ts";
import { type LosingToken, tokensLosingPlans } from "../features/people/losing-plans.store.ts";
import {
  unknownPlansOfAll,
  unknownPlansOfAllByOneId,
} from "../features/plans/unknown-plans.store.ts";
import type { StoreSession } from "../storage/engines/store-session.ts";
import { migrateSession, stepsOf } from "../storage/migrate-session.ts";
import { type AppliedStep, missingSteps, refuseForeign } from "../storage/migrate.ts";
import { migrations } from "../storage/migrations/list.ts";
import type { Migration } from "../storage/migrations/migration.ts";
import { openSession } from "../storage/open-session.ts";
import { refuseOtherSchema } from "../other-schema.ts";
import { isThere } from "./is-there.ts";
import { configFromEnvironment } from "./environment.ts";
import { type Form, printValues } from "./forms.ts";
import { refuseIncomplete } from "./open-store.ts";
import { openingStore, OperatorError, storePlace } from "./operator-error.ts";
import { closedWarnings, planWarnings } from "./start-warnings.ts";
import { terminal } from "./terminal.ts";

/** Exit code of a dry run that found something to do. */
const STEPS_MISSING = 3;

/** `keydesk upgrade`. */
export function addUpgradeCommand(program: Command): void {
  program.command("upgrade")
    .description("bring the store's schema up to this release, and do nothing else")
    .option(
      "--dry-run",
      "only list what would be done, and plans that do not exist; changes nothing",
    )
    .option("--json", "print the steps, one JSON object a line")
    .addHelpText(
      "after",
      `
A server upgrades its store at its start. Use this command if servers may not change the schema: run it
with a role that may, before the new release starts. All steps are one transaction, under a lock. A
second run changes nothing. docs/upgrading.md has the order.

A dry run also prints, on standard error:
- access tokens whose people would lose a permission that they have used
- plans of active keys that do not exist
- organisations in which approvals are closed after the upgrade

Exit codes: 0 up to date (or done), 1 refused or failed, 3 a dry run found steps to do.

Example:
  KEYDESK_DATABASE_URL=postgres://owner@db/keydesk KEYDESK_SEALING_KEY=… keydesk upgrade --dry-run`,
    )
    .action(migrateStore);
}

async function migrateStore(options: { dryRun?: boolean; form?: Form }): Promise<void> {
  const config = configFromEnvironment();
  const location = config.DATABASE_URL
    ? { url: config.DATABASE_URL }
    : { path: config.databaseFile };
  const done = !options.dryRun;
  await refuseIncomplete(config);
  if (!config.DATABASE_URL && !await isThere(config.databaseFile)) {
    if (!done) return await report(config, migrations, [], options);
    await Deno.mkdir(resolve(config.DATA_DIR), { recursive: true, mode: 0o700 });
  }
  const session = await openingStore(config, () => openSession(location));
  let missing: readonly Migration[];
  let losing: LosingToken[] = [];
  try {
    const found = await stepsOf(session);
    if (found.length === 0 && config.DATABASE_URL) await refuseOtherSchema(config, session);
    const applied = done ? await migrateSession(session) : found;
    refuseForeign(applied);
    missing = missingSteps(applied);
    if (!done) {
      losing = await losingPlans(session, missing);
      await warn(config, session, applied);
    }
  } finally {
    await session.close();
  }
  await report(config, missing, losing, options);
}

/** The step that people hold less after. */
const PLANS_PERMISSION = 13;

async function losingPlans(
  session: StoreSession,
  missing: readonly Migration[],
): Promise<LosingToken[]> {
  const lacks = (step: number) => missing.some(({ version }) => version === step);
  // An empty store has no one.
  if (missing.length === migrations.length || !lacks(PLANS_PERMISSION)) return [];
  return await tokensLosingPlans(session, Date.now());
}

/** No upgrade may shut anything silently. */
async function warn(
  config: Config,
  session: StoreSession,
  applied: readonly AppliedStep[],
): Promise<void> {
  if (applied.length === 0) return;
  const has = (step: number) => applied.some(({ version }) => version === step);
  const sentences = [
    ...await planWarnings(
      config,
      session,
      has(PLAN_IDS) ? unknownPlansOfAll : unknownPlansOfAllByOneId,
    ),
    ...has(SIGNED_APPROVALS) ? await closedWarnings(session) : [],
  ];
  for (const sentence of sentences) terminal().err(sentence);
}

/** The step that gives plans two ids, and the one by which approvals could be signed. */
const PLAN_IDS = 14;
const SIGNED_APPROVALS = 61;

async function report(
  config: Config,
  steps: readonly Migration[],
  losing: readonly LosingToken[],
  { dryRun, form }: { dryRun?: boolean; form?: Form },
): Promise<void> {
  if (form) {
    await printValues(
      steps.map(({ version, name, oldestCode }) => ({
        version,
        name,
        oldest_code: oldestCode,
        ...version === PLANS_PERMISSION && dryRun ? { losing_plans: losing } : {},
      })),
      form,
    );
  } else if (steps.length === 0) {
    terminal().out(`up to date: schema ${migrations.at(-1)?.version ?? 0}`);
  } else {
    for (const { version, name, oldestCode } of steps) {
      terminal().out(
        `${
          dryRun ? "would do" : "done"
        }: step ${version}, ${name}; serves code of schema ${oldestCode} and later`,
      );
    }
    for (const { org_id, id, name, person } of losing) {
      terminal().out(
        `would lose: access token ${id} "${name}" of ${person} in organisation ${org_id} has portal:write, and this person changed plans, catalogue or configuration; that needs the permission plans`,
      );
    }
  }
  if (dryRun && steps.length > 0) {
    const place = storePlace(config);
    const found = steps.length === migrations.length ? `there is no store in ${place}` : place;
    throw new OperatorError(`${found}: ${steps.length} steps to do; nothing was changed`, {
      exitCode: STEPS_MISSING,
    });
  }
}
