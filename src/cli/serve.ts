import type { Command } from "commander";
import type { ServiceContext } from "../calls/context.ts";
import type { Config } from "../config.ts";
import { settingsTable } from "../settings-table.ts";
import { collectAfterStart } from "../kernel/collect.ts";
import { collectorOf, watchCollector } from "../kernel/collector.ts";
import { type Log, openLog } from "../kernel/log.ts";
import { RuntimeTraces, startTracing } from "../kernel/tracing.ts";
import { FEW_FILES } from "../open-files.ts";
import { openApplication, startServer } from "../server.ts";
import { startWriter } from "../start-writer.ts";
import type { StoreEnd } from "../storage/storage.ts";
import type { WriterThread } from "../storage/engines/sqlite-threaded-writer.ts";
import { configFromEnvironment } from "./environment.ts";
import { administratorAccess, firstSteps, urlOf } from "./first-steps.ts";
import { listening, openingStore, OperatorError, storePlace } from "./operator-error.ts";
import { terminal } from "./terminal.ts";
import { touching } from "./touched.ts";

/** `keydesk serve`. */
export function addServeCommand(program: Command): void {
  touching(program.command("serve"), { listens: true, calls: true })
    .description("start the server; SIGTERM or Ctrl-C stops it")
    .option("--new", "where a part of a store is missing: set the rest aside and make an empty one")
    .addHelpText(
      "after",
      () => `
The first start makes the data directory: the database keydesk.db, the sealing-key, and the
administrator-credential, a file that only you may read. Where the database or the sealing key is
missing later, or the database holds nothing, a start is refused and says what to do. Log lines
(JSON) go to standard output, everything for people to standard error.

Settings, from the environment:
${settingsText()}

Examples:
  keydesk serve
  KEYDESK_PORT=8080 KEYDESK_DATA_DIR=/var/lib/keydesk keydesk serve
  KEYDESK_DATABASE_URL=postgres://keydesk@db/keydesk KEYDESK_SEALING_KEY=1:… keydesk serve`,
    )
    .action((options: { new?: boolean }) => serve(undefined, options.new));
}

/**
 * Serves until a signal stops it, then ends the process. `started`: a writer's thread that is
 * loading already. `fresh`: an empty store is made where a part of one is missing.
 */
export async function serve(started?: WriterThread, fresh = false): Promise<void> {
  const config = configFromEnvironment();
  const log = openLog(config.LOG_LEVEL);
  await tracing();
  const application = await openingStore(config, () =>
    openApplication(config, {
      log,
      fresh,
      onStoreEnd: (end) => endWith(config, log, end),
      writer: {
        thread: true,
        makesReserve: true,
        start: () => started ?? startWriter(),
        onCrash: (error) => crash(log, error),
      },
    }));
  const { ctx, first } = application;
  const server = await listening(config, async () => await startServer(config, application))
    .catch(async (error) => {
      await ctx.storage.close();
      throw error;
    });
  const { stopped, hurried } = stopSignals();
  const url = urlOf(server.address.hostname, server.address.port);
  const { connections, openFiles } = server;
  log.line("info", "listening", { url, pid: Deno.pid, connections, open_files: openFiles });
  if (openFiles < FEW_FILES) log.line("warn", fewFiles(openFiles, connections));
  if (server.metrics) {
    const { hostname, port } = server.metrics;
    log.line("info", "metrics", { url: `${urlOf(hostname, port)}/metrics` });
  }
  log.flush();
  const isTerminal = terminal().isErrTerminal;
  const steps = firstSteps(await administratorAccess(config, ctx), url, {
    isTerminal,
    fresh: first.fresh,
    // Made for a terminal alone: what is not printed could sign no one in.
    link: isTerminal ? await linkFor(ctx, first.org_id, config.PUBLIC_URL, url) : undefined,
  });
  terminal().err([`Keydesk listens on ${url}`, ...steps].join("\n"));
  void warn(config, ctx, log);
  const collector = collectorOf(terminal().environment);
  const collecting = collector === undefined ? undefined : watchCollector(collector, ctx.problems);
  collectAfterStart();
  await stopped;
  if (config.DRAIN_MS > 0) {
    if (config.REUSE_PORT) log.line("info", "draining");
    await server.drain(config.DRAIN_MS, hurried);
  }
  log.line("info", "stopping");
  collecting?.stop();
  await server.stop();
  log.line("info", "stopped", ctx.storage.stats());
  log.flush();
  // Connections that a client holds open must not keep the process alive.
  terminal().exit(0);
}

function fewFiles(openFiles: number, connections: number): string {
  return `this process may open ${openFiles} files, so it takes ${connections} connections at once: ` +
    `raise the limit to ${FEW_FILES} or more (ulimit -n; LimitNOFILE= of systemd)`;
}

/** Throws OperatorError where the runtime would tell a collector what paths and queries hold. */
async function tracing(): Promise<void> {
  try {
    await startTracing();
  } catch (error) {
    if (!(error instanceof RuntimeTraces)) throw error;
    throw new OperatorError(
      "with OTEL_DENO=true and without the launcher set OTEL_DENO_TRACING=false and OTEL_DENO_CONSOLE=ignore too: the runtime's own spans hold paths and queries",
    );
  }
}

/**
 * Warns of settings that make keys invalid or too widely valid, of checksums that are not demanded,
 * and of access tokens that expire soon, once the server serves: no start waits for it, none fails
 * by it. The last is repeated each day.
 */
async function warn(config: Config, ctx: ServiceContext, log: Log): Promise<void> {
  const { dailyWarnings, startWarnings } = await import("./start-warnings.ts");
  const { storage, sealer, clock } = ctx;
  const { reader } = storage;
  const sentences = await startWarnings(config, reader, sealer, clock.now()).catch(() => [
    "Unknown plans of keys could not be looked for; /v1/server lists them.",
  ]);
  for (const sentence of [...storage.warnings ?? [], ...sentences]) log.line("warn", sentence);
  const daily = setInterval(async () => {
    // A store that is away now is asked again tomorrow.
    const warnings = await dailyWarnings(reader, clock.now()).catch(() => []);
    for (const sentence of warnings) log.line("warn", sentence);
  }, DAY_MS);
  Deno.unrefTimer(daily);
}

const DAY_MS = 24 * 60 * 60 * 1000;

async function linkFor(
  ctx: ServiceContext,
  org_id: string,
  publicUrl: string | undefined,
  listening: string,
): Promise<string | undefined> {
  const { consoleUrl, signInLink } = await import("./sign-in-link.ts");
  return await signInLink(ctx, org_id, consoleUrl(publicUrl, listening));
}

/**
 * The writer is gone, so nothing more can be promised: end, and let the supervisor start a fresh
 * process.
 */
function crash(log: Log, error: Error): void {
  log.line("fatal", "the writer thread died", { trace: error.stack });
  log.flush();
  terminal().exit(70);
}

/**
 * The exit codes of a process whose store is no longer at its location, or whose disk did not
 * write.
 */
const ENDS = { lost: 66, untrusted: 74 } as const;
/** So that calls under way are answered, and `/readyz` says 503, before the process ends. */
const LAST_ANSWERS_MS = 250;

/**
 * Nothing more is kept, and no answer says so: end, and let the supervisor start a process that
 * looks at what is there.
 */
function endWith(config: Config, log: Log, { kind, reason }: StoreEnd): void {
  // A database server comes back by itself or is put right; a fresh process would make a store in
  // an empty database.
  if (config.DATABASE_URL) return;
  const sentence = kind === "lost"
    ? `the store in ${
      storePlace(config)
    } is lost: ${reason}. Every change that was answered as done stood in it`
    : `the disk of the store in ${
      storePlace(config)
    } fails: ${reason}. Every change that was answered as done had reached it`;
  log.line("fatal", sentence);
  log.flush();
  terminal().err(`keydesk: ${sentence}`);
  setTimeout(() => terminal().exit(ENDS[kind]), LAST_ANSWERS_MS);
}

/** A launcher that hands signals on, and anyone who signals a whole group, make two of one. */
const SAME_SIGNAL_MS = 500;

/** `stopped` resolves with the first signal that stops a server, `hurried` with the next. */
function stopSignals(): { stopped: Promise<void>; hurried: Promise<void> } {
  const stopped = Promise.withResolvers<void>();
  const hurried = Promise.withResolvers<void>();
  let first: number | undefined;
  const heed = () => {
    first ??= performance.now();
    if (performance.now() - first > SAME_SIGNAL_MS) hurried.resolve();
    stopped.resolve();
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) Deno.addSignalListener(signal, heed);
  return { stopped: stopped.promise, hurried: hurried.promise };
}

function settingsText(): string {
  const rows = settingsTable();
  const width = Math.max(...rows.map((row) => row.name.length));
  return rows.map((row) => {
    const fallback = row.default === "" ? "" : ` (default ${row.default})`;
    return `  ${row.name.padEnd(width)}  ${row.meaning}${fallback}`;
  }).join("\n");
}
