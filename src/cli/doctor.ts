import type { Command } from "commander";
import { type ServerOptions, withServerOptions } from "./server-options.ts";
import { fail, type Finding } from "./doctor-findings.ts";
import { configFromEnvironment } from "./environment.ts";
import { type Form, printValues } from "./forms.ts";
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
Each line is one result: ok, warn (it works, but you should know), fail (fix this) or skip (not
checked, with the reason). The command changes nothing and takes seconds.

Without --url or a context it checks this machine:
- settings, the sealing key, and the files with their permissions
- schema, database and clock
- plans that do not exist, and imported user names that are valid without a password
- passkeys of another address than KEYDESK_PUBLIC_URL, and people who both file and decide requests
- developer pages with open sign-up at the console's host
- the program that listens at the server's address, and the collector of traces
- whether KEYDESK_PUBLIC_URL passes the method UPDATE on

With one of them it checks a server from here, through every proxy between, and shows its lasting problems.

Exit codes: 0 nothing failed, 1 a check failed.

Examples:
  keydesk doctor
  keydesk doctor --url https://desk.example.org --token-file ~/.keydesk-token`,
    )
    .action(examine);
}

async function examine(options: { form?: Form } & ServerOptions): Promise<void> {
  const findings: Finding[] = [];
  for await (const finding of findingsFor(options)) {
    findings.push(finding);
    const { result, check, text } = finding;
    if (!options.form) await print(`${tableLine([result, check, text], [4, 9])}\n`);
  }
  const failed = findings.filter(({ result }) => result === "fail").length;
  if (options.form) {
    await printValues([{ healthy: failed === 0, checks: findings }], options.form);
  }
  if (failed > 0) throw new OperatorError(`${failed} of ${findings.length} checks failed`);
}

async function* findingsFor(options: ServerOptions): AsyncGenerator<Finding, void, void> {
  try {
    const config = configFromEnvironment();
    const server = await serverOf(options, config);
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
