import { resolve } from "node:path";
import type { Command } from "commander";
import { type Config, readConfig, settingsTable } from "../config.ts";
import { type Log, openLog } from "../lib/log.ts";
import {
  FIRST_CREDENTIAL_FILE,
  openApplication,
  type RunningServer,
  startServer,
} from "../server.ts";

/** `keydesk serve`. */
export function addServeCommand(program: Command): void {
  program.command("serve")
    .description("start the server; SIGTERM or Ctrl-C stops it")
    .addHelpText("after", () => `\nSettings, from the environment:\n${settingsText()}`)
    .action(serve);
}

async function serve(): Promise<void> {
  const config = readConfig(Deno.env.toObject());
  const log = openLog(config.LOG_LEVEL);
  const application = await openApplication(config, {
    log,
    writer: { thread: true, onCrash: (error) => crash(log, error) },
  });
  const server = await startServer(config, application).catch(async (error) => {
    await application.ctx.storage.close();
    throw error;
  });
  announce(config, server, application.first.fresh, log);
  await stopSignal();
  log.logger.info("stopping");
  await server.stop();
  log.logger.info("stopped");
  log.flush();
  // Connections that a client holds open must not keep the process alive.
  Deno.exit(0);
}

/** The writer is gone, so nothing more can be promised: end, and let the supervisor start a fresh process. */
function crash(log: Log, error: Error): void {
  log.logger.fatal({ trace: error.stack }, "the writer thread died");
  log.flush();
  Deno.exit(70);
}

/** Says where the server is and how to call it. The credential itself goes to a terminal only. */
function announce(
  config: Config,
  server: RunningServer,
  fresh: string | undefined,
  log: Log,
): void {
  const { hostname, port } = server.address;
  const host = hostname.includes(":") ? `[${hostname}]` : hostname;
  const url = `http://${host}:${port}`;
  const file = resolve(config.DATA_DIR, FIRST_CREDENTIAL_FILE);
  log.logger.info({ url, pid: Deno.pid }, "listening");
  log.flush();
  const given = config.ADMIN_TOKEN !== undefined;
  const lines = [
    `Keydesk listens on ${url}`,
    given
      ? "The administrator's credential is the one in KEYDESK_ADMIN_TOKEN."
      : `The administrator's credential is in ${file}`,
    ...fresh !== undefined && Deno.stderr.isTerminal() ? [`  ${fresh}`] : [],
    "Try:",
    `  curl -H "Authorization: ${
      given ? "$KEYDESK_ADMIN_TOKEN" : `$(cat '${file}')`
    }" ${url}/api/portal/requests`,
  ];
  console.error(lines.join("\n"));
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      Deno.addSignalListener(signal, () => resolve());
    }
  });
}

function settingsText(): string {
  const rows = settingsTable();
  const width = Math.max(...rows.map((row) => row.name.length));
  return rows.map((row) => {
    const fallback = row.default === "" ? "" : ` (default ${row.default})`;
    return `  ${row.name.padEnd(width)}  ${row.meaning}${fallback}`;
  }).join("\n");
}
