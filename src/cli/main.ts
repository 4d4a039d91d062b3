import { Command, CommanderError } from "commander";
import { ConfigInvalid } from "../config.ts";
import { Failure } from "../lib/failure.ts";
import { SchemaTooNew } from "../storage/migrate.ts";
import { version } from "../version.ts";
import { OperatorError, reasonOf } from "./operator-error.ts";
import { addSealingKeyCommand } from "./sealing-key.ts";
import { addSeedCommand } from "./seed.ts";
import { addServeCommand } from "./serve.ts";
import { addTokenCommands } from "./token.ts";

/** Exit codes that scripts can rely on. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, config: 78 } as const;

const program = new Command("keydesk")
  .description("The access desk of an API programme: key requests, approvals, credentials.")
  .version(version, "-V, --version")
  .addHelpText(
    "after",
    `
Examples:
  keydesk serve                              listen on 127.0.0.1:3000, keep everything in ./data
  keydesk seed                               fill an empty store with a demo organisation
  keydesk token create ci --allow portal:write
                                             a credential for a script, printed once
  KEYDESK_DATA_DIR=/var/lib/keydesk keydesk serve

Settings come from the environment (KEYDESK_PORT, KEYDESK_DATABASE_URL, …); \`keydesk serve --help\`
lists them, and every command takes the same. What a command found goes to standard output, all
else to standard error.
Exit codes: 0 done, 1 failed or refused, 2 wrong usage, 78 unusable settings.`,
  )
  .showHelpAfterError("(add --help for what this command takes)")
  .exitOverride();

addServeCommand(program);
addSeedCommand(program);
addTokenCommands(program);
addSealingKeyCommand(program);
program.command("version").description("print the version").action(() => console.log(version));

// Not by setting the code alone: a thread that an error left behind would keep the process alive.
Deno.exit(await run(Deno.args));

async function run(args: string[]): Promise<number> {
  try {
    await program.parseAsync(args, { from: "user" });
    return exitCodes.ok;
  } catch (error) {
    return report(error);
  }
}

/** Says what went wrong on standard error, without a stack where the operator can do something about it. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  if (error instanceof ConfigInvalid) {
    console.error(["keydesk: unusable settings", ...error.message.split("\n")].join("\n  "));
    return exitCodes.config;
  }
  const text = textFor(error);
  if (text === undefined) console.error("keydesk: this should not have happened:", error);
  else console.error(`keydesk: ${text}`);
  return exitCodes.failed;
}

/** What to tell the operator; undefined for a mistake in this program. */
function textFor(error: unknown): string | undefined {
  if (error instanceof OperatorError || error instanceof SchemaTooNew) return error.message;
  if (!(error instanceof Failure) || error.code === "internal") return undefined;
  if (error.code === "unavailable") {
    return `the store does not answer: ${reasonOf(error) ?? "it is busy"}`;
  }
  return [...new Set([error.message, ...error.details])].join("\n");
}
