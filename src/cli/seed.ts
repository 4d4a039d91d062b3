import { join } from "node:path";
import type { Command } from "commander";
import type { ServiceContext } from "../calls/context.ts";
import type { Config } from "../config.ts";
import { ensureFirstAccessToken } from "../features/people/first-access-token.ts";
import { findFirstOrganisation } from "../features/people/organisations.store.ts";
import type { Demo } from "../maintenance/seed/demo.ts";
import { seedTransaction } from "../maintenance/seed/seed.transactions.ts";
import { FIRST_TOKEN_FILE } from "../store-files.ts";
import { administratorAccess, firstSteps, urlOf } from "./first-steps.ts";
import { type Form, printValues } from "./forms.ts";
import { withStore } from "./open-store.ts";
import { terminal } from "./terminal.ts";

/** `keydesk seed`. */
export function addSeedCommand(program: Command): void {
  program.command("seed")
    .description("fill an empty organisation with a demo")
    .option("--json", "print the counts as JSON")
    .option("--new", "where a part of a store is missing: set the rest aside and make an empty one")
    .addHelpText(
      "after",
      `
The demo: 12 developers, 6 plans (keys, user names, OAuth clients, one without a key), their
catalogue, 50 key requests of the last five weeks (pending, issued and declined), keys issued by hand,
certificates of an authority that expire one after another, two months of calls through a gateway,
those of them that were denied, a leaked key, a paused webhook with a failed delivery, and a developer
portal with two public, documented APIs. The private keys of its certificates are not kept. It is
written completely or not at all, before the first start or beside a running server. An organisation
with requests, plans, a catalogue or certificates is refused (exit code 1), so that a demo never mixes
with real data.

Examples:
  keydesk seed
  KEYDESK_DATA_DIR=/tmp/demo keydesk seed && KEYDESK_DATA_DIR=/tmp/demo keydesk serve`,
    )
    .action(seed);
}

async function seed(options: { form?: Form; new?: boolean }): Promise<void> {
  await withStore(async (ctx, config) => {
    const { org_id, fresh } = await organisation(ctx, config);
    const { makeDemo } = await import("../maintenance/seed/demo.ts");
    const demo = makeDemo(org_id, ctx.clock.now());
    await ctx.storage.commit(seedTransaction, demo);
    const counts = count(demo);
    if (options.form) return await printValues([{ org_id, ...counts }], options.form);
    const { pending, issued, declined } = counts.key_requests;
    terminal().out([
      `${counts.developers} developers`,
      `${counts.plans} plans`,
      `${counts.catalogue_entries} catalogue entries`,
      `${demo.requests.length} key requests: ${pending} pending, ${issued} issued, ${declined} declined`,
      `${demo.keys.length} keys issued by hand`,
      `${counts.certificates} certificates`,
      `${counts.calls.toLocaleString("en")} calls of two months`,
    ].join("\n"));
    const url = urlOf(config.HOST, config.PORT);
    terminal().err([
      "Start the server, or go on with the one that runs: keydesk serve",
      ...firstSteps(await administratorAccess(config, ctx), url, {
        isTerminal: terminal().isErrTerminal,
        fresh,
        // No one may listen there yet.
        link: undefined,
      }),
    ].join("\n"));
  }, { mayCreate: true, fresh: options.new ?? false });
}

/** The organisation of the first start; where there was none yet, this is it. */
async function organisation(
  ctx: ServiceContext,
  config: Config,
): Promise<{ org_id: string; fresh?: string }> {
  const known = await findFirstOrganisation(ctx.storage.reader);
  if (known) return { org_id: known.id };
  const file = join(config.DATA_DIR, FIRST_TOKEN_FILE);
  return await ensureFirstAccessToken(
    ctx,
    { token: config.ADMIN_TOKEN, org_id: config.ORG_ID },
    file,
  );
}

function count(demo: Demo) {
  const inState = (state: string) => demo.requests.filter((one) => one.state === state).length;
  return {
    developers: demo.developers.length,
    plans: demo.plans.length,
    catalogue_entries: demo.catalogue.entries.length,
    key_requests: {
      pending: inState("pending"),
      issued: inState("issued"),
      declined: inState("declined"),
    },
    keys_by_hand: demo.keys.length,
    certificates: demo.certificates.length,
    calls: demo.calls.rows
      .filter(({ table, kind }) => table === "usage_days" && kind === "organisation")
      .reduce((sum, { success }) => sum + success, 0),
  };
}
