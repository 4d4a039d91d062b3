import type { Command } from "commander";
import { type ServerOptions, withServerOptions } from "./server-options.ts";
import { fail, type Finding } from "./doctor-findings.ts";
import { configFromEnvironment } from "./environment.ts";
import { ConfigInvalid } from "../config.ts";
import { OperatorError } from "./operator-error.ts";
import { serverOf } from "./server-access.ts";
import { print } from "./standard-output.ts";
import { tableLine } from "./table.ts";
import { touching } from "./touched.ts";

/** `keydesk doctor`. */
export function addDoctorCommand(program: Command): void {
  touching(withServerOptions(program.command("doctor")), { listens: true, asksItself: true })
    .description("check that settings, files, store and server are as they should be")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      `
Each line is one verdict: ok, warn (it works, but you should know), fail (mend this), skip (could not
be looked at, and why). It changes nothing, and takes seconds. Without --url it looks at this
machine: settings, files and who may read them, the sealing key, schema and database, the clock,
plans that do not exist, passkeys that KEYDESK_PUBLIC_URL orphans, people who both file and decide, developer's pages at the console's host where everybody signs up, imported
user names that are valid without a password, what listens at the server's address, whether the collector
of traces can be reached, and whether KEYDESK_PUBLIC_URL lets the method UPDATE through. With --url
it looks at a server from here, through every proxy between, and tells what is wrong there and lasts.
Exit codes: 0 nothing failed, 1 something did.

Examples:
  keydesk doctor
  keydesk doctor --url https://desk.example.org --token-file ~/.keydesk-token`,
    )
    .action(examine);
}

async function examine(options: { json?: boolean } & ServerOptions): Promise<void> {
  const findings: Finding[] = [];
  for await (const finding of findingsFor(options)) {
    findings.push(finding);
    const { result, check, text } = finding;
    if (!options.json) await print(`${tableLine([result, check, text], [4, 9])}\n`);
  }
  const failed = findings.filter(({ result }) => result === "fail").length;
  if (options.json) {
    await print(`${JSON.stringify({ healthy: failed === 0, checks: findings })}\n`);
  }
  if (failed > 0) throw new OperatorError(`${failed} of ${findings.length} checks failed`);
}

async function* findingsFor(options: ServerOptions): AsyncGenerator<Finding, void, void> {
  try {
    const config = configFromEnvironment();
    const server = serverOf(options, config);
    if (server === undefined) {
      const { storeFindings } = await import("./doctor-store.ts");
      yield* storeFindings(config);
    } else {
      const { serverFindings } = await import("./doctor-server.ts");
      yield* serverFindings(server);
    }
  } catch (error) {
    if (!(error instanceof ConfigInvalid)) throw error;
    for (const line of error.message.split("\n")) yield fail("settings", line);
  }
}
