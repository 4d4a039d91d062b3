import { type Command, Option } from "commander";
import type { RequestContext } from "../calls/context.ts";
import { permissions } from "../contract/permissions.ts";
import { toTimestamp } from "../kernel/clock.ts";
import type { Finding } from "../maintenance/import/findings.ts";
import {
  type KindSummary,
  type Listener,
  type MovingOptions,
  planMoving,
  runMoving,
  verifyMoving,
} from "../maintenance/import/import.service.ts";
import {
  countedDifferences,
  type Report,
  reportAsHtml,
  reportAsJson,
  type ReportedKind,
  reportOf,
  whyFirst,
} from "../maintenance/import/report.ts";
import { type Source, SourceUnusable } from "../maintenance/import/source.ts";
import { unknownPlansOf } from "../maintenance/import/unknown-plans.store.ts";
import { leftOpen } from "../maintenance/import/user-names.ts";
import { type Form, printValues } from "./forms.ts";
import { addMigrationReportCommand } from "./migration-report.ts";
import { progressOnErr, startProgress } from "./import-progress.ts";
import { refuseOpen, refuseUnknownPlans, reportOrganisations } from "./import-results.ts";
import { openSources, type SourceOptions, textIn, withSources } from "./import-sources.ts";
import { interruption } from "./interruption.ts";
import { withStore } from "./open-store.ts";
import { OperatorError } from "./operator-error.ts";
import { organisationOf, organisationOption } from "./organisation.ts";
import { print } from "./standard-output.ts";
import { printTable, tableLine } from "./table.ts";
import { terminal } from "./terminal.ts";

/** `keydesk import migration-report`, and `keydesk import tyk plan|run|report|verify`. */
export function addImportCommands(program: Command): void {
  const moving = program.command("import").description("move in from another system");
  addMigrationReportCommand(moving);
  const tyk = moving.command("tyk").description(
    "move in from a Tyk dashboard and gateway: ids, states, keys and certificates",
  )
    .addHelpText(
      "after",
      `
The commands write nothing to Tyk. Give the first start of this server the organisation's id of Tyk:
KEYDESK_ORG_ID. docs/migration.md explains a migration from the first plan to the switch-over.

Examples:
  keydesk import tyk plan --files export/
  keydesk import tyk run --files export/ --redis rediss://redis:6379 \\
    --redis-password-file /run/secrets/redis --passphrase-file /run/secrets/certificates
  keydesk import tyk run --dashboard https://dashboard:3000 --dashboard-token-file /run/secrets/user \\
    --gateway https://gateway:8080 --gateway-secret-file /run/secrets/gateway
  keydesk import tyk verify --files export/
  keydesk import tyk report --format html > report.html`,
    );
  withSources(tyk.command("plan"))
    .description(
      "read everything, write nothing: what would come, what can't, and every difference",
    )
    .option("--theirs", "as if objects that were changed in Keydesk were overwritten")
    .action(plan);
  withSources(tyk.command("run"))
    .description(
      "import new and changed objects; after an interruption or later, the same command continues",
    )
    .option("--theirs", "overwrite objects that were changed or deleted in Keydesk since they came")
    .action(run);
  withSources(tyk.command("verify"))
    .description("read both sides and compare them, by counts and digests")
    .action(verify);
  tyk.command("report")
    .description("what the newest run brought, and every difference that is left")
    .addOption(
      new Option("--format <format>", "text shows counts").choices(["text", "json", "html"])
        .default("text"),
    )
    .option(...organisationOption)
    .action(report);
}

/** A plan keeps so many findings; beyond that it counts. */
const MOST_FINDINGS = 100_000;

async function plan(options: SourceOptions & { theirs?: boolean }): Promise<void> {
  await withSource(options, async (ctx, source, reading) => {
    const found: Finding[] = [];
    let more = 0;
    const listener = await listenerOf(source, (finding) => {
      if (found.length < MOST_FINDINGS) found.push(finding);
      else more++;
    });
    const summaries = await planMoving(ctx, source, reading, listener.of);
    listener.end();
    await printFindings(ctx, summaries, () => asAsync(found), options);
    if (more > 0) terminal().err(`and ${more} differences more, which are only counted`);
    terminal().err("Nothing was written.");
    if (listener.of.isOver) throw new OperatorError("interrupted; not everything was read");
    reportOrganisations(ctx, summaries);
  });
}

async function run(options: SourceOptions & { theirs?: boolean }): Promise<void> {
  await withSource(options, async (ctx, source, reading) => {
    const listener = await listenerOf(source, () => {});
    const summaries = await runMoving(ctx, source, reading, listener.of);
    listener.end();
    const { findings } = await reportOf(ctx.storage.reader, ctx.principal.org_id);
    await printFindings(ctx, summaries, findings, options);
    const suspended = summaries.reduce((sum, kind) => sum + kind.suspended, 0);
    if (suspended > 0) {
      const them = suspended === 1
        ? "1 key that came earlier is a user name"
        : `${suspended} keys that came earlier are user names`;
      terminal().err(`${them}, which needed no password in Keydesk: suspended`);
    }
    if (listener.of.isOver) {
      throw new OperatorError("interrupted; what is in stays in, run it again for the rest");
    }
    terminal().err("Each difference is named by `keydesk import tyk report --format json`.");
    reportOrganisations(ctx, summaries);
  });
}

async function verify(options: SourceOptions): Promise<void> {
  await withSource(options, async (ctx, source, reading) => {
    const listener = await listenerOf(source, () => {});
    const sides = await verifyMoving(ctx, source, reading, listener.of);
    listener.end();
    if (listener.of.isOver) throw new OperatorError("interrupted; nothing was compared");
    if (options.form) await printValues([sides], options.form);
    else {
      printTable(
        sides.map((side) => ({
          kind: side.kind,
          there: String(side.there),
          here: String(side.here),
          missing: String(side.missing),
          "changed there": String(side.changed_there),
          "changed here": String(side.changed_here),
          "can't come": String(side.refused),
          "gone there": String(side.gone_there),
          "open by name": String(side.open_by_name.length),
          equal: side.there_sha256 === side.here_sha256 ? "yes" : "no",
        })),
        "nothing",
      );
    }
    const gone = sides.reduce((sum, side) => sum + side.gone_there, 0);
    if (gone > 0) {
      terminal().err(
        `${gone} keys are valid in Keydesk and no longer exist at the gateway; the report names each`,
      );
    }
    reportOrganisations(ctx, sides);
    refuseOpen(await leftOpen(ctx.storage.reader, ctx.principal.org_id), source, sides);
    const behind = sides.filter(({ missing, changed_there }) => missing + changed_there > 0);
    if (behind.length > 0) {
      const names = behind.map(({ kind }) => kind).join(", ");
      throw new OperatorError(`not everything was imported: ${names}. Run the import again`);
    }
    refuseUnknownPlans(await unknownPlansOf(ctx.storage.reader, ctx.principal.org_id));
  });
}

async function report(
  options: { format: "text" | "json" | "html"; organisation?: string },
): Promise<void> {
  await withStore(async (ctx) => {
    const made = await reportOf(ctx.storage.reader, await organisationOf(ctx, options));
    if (made.kinds.length === 0) throw new OperatorError("nothing was moved in yet");
    if (options.format === "text") return await printReport(made);
    const pieces = options.format === "json" ? reportAsJson(made) : reportAsHtml(made);
    for await (const piece of pieces) await print(piece);
  }, { reads: true });
}

async function printFindings(
  ctx: RequestContext,
  summaries: readonly KindSummary[],
  findings: Report["findings"],
  { form }: { form?: Form },
): Promise<void> {
  const kinds: ReportedKind[] = summaries.map((summary) => ({ ...summary }));
  const made = { org_id: ctx.principal.org_id, kinds, findings };
  if (!form) return await printReport(made);
  const { org_id: organisation } = made;
  const differences = await countedDifferences(made);
  await printValues([{ organisation, kinds, differences }], form);
}

async function printReport(made: Report): Promise<void> {
  printTable(
    made.kinds.map((
      { dropped: _, source: _1, sources: _2, passed_over: _3, readable: _4, ...kind },
    ) =>
      Object.fromEntries(Object.entries(kind).map(([name, value]) => [name, String(value ?? "")]))
    ),
    "nothing",
  );
  for (const kind of made.kinds) {
    const why = whyFirst(kind);
    if (why !== undefined) terminal().out(`${kind.kind}: ${why}`);
  }
  const found = await countedDifferences(made);
  if (found.length === 0) return terminal().out("no differences");
  terminal().out("");
  printTable(
    found.map(({ how, count, code, meaning }) => ({ how, count: String(count), code, meaning })),
    "no differences",
  );
  for (const { kind, dropped } of made.kinds) {
    const names = Object.keys(dropped ?? {});
    // Names that the other side chose.
    if (names.length > 0) {
      terminal().out(tableLine([`${kind}: members not kept: ${names.join(", ")}`], []));
    }
  }
}

async function* asAsync(findings: readonly Finding[]): AsyncGenerator<Finding> {
  yield* findings;
}

async function withSource(
  options: SourceOptions & { theirs?: boolean },
  work: (ctx: RequestContext, source: Source, reading: MovingOptions) => Promise<void>,
): Promise<void> {
  const { files, redis, dashboard, gateway } = options;
  if (files.length === 0 && [redis, dashboard, gateway].every((url) => url === undefined)) {
    throw new OperatorError("name a source: --files, --redis, --dashboard, --gateway", {
      exitCode: 2,
    });
  }
  const passphrase = await textIn(options.passphraseFile);
  await withStore(async (ctx) => {
    const org_id = await organisationOf(ctx, options);
    const principal = { org_id, user_id: "operator", token_id: "", permissions };
    const now = ctx.clock.now();
    if (options.murmurUntil !== undefined && options.murmurUntil <= now) {
      throw new OperatorError("--murmur-until: expected a day to come", { exitCode: 2 });
    }
    const source = await openSources(options, passphrase);
    try {
      await work({ ...ctx, principal }, source, {
        theirs: options.theirs ?? false,
        passphrase,
        murmurUntil: options.murmurUntil === undefined ? null : toTimestamp(options.murmurUntil),
      });
    } catch (error) {
      throw error instanceof SourceUnusable ? new OperatorError(error.message) : error;
    } finally {
      await source.close();
    }
  });
}

/** Shows how far it is; Ctrl-C or SIGTERM ends the work after the batch under way. */
async function listenerOf(
  source: Source,
  found: (finding: Finding) => void,
): Promise<{ of: Listener; end(): void }> {
  const interrupt = interruption();
  const progress = await startProgress(source, progressOnErr());
  return {
    of: {
      found,
      read: (kind, n) => progress.read(kind, n),
      get isOver() {
        return interrupt.asked;
      },
    },
    end: () => {
      progress.end();
      interrupt.stop();
    },
  };
}
