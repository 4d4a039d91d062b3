import { Command, CommanderError } from "commander";
import { ConfigInvalid } from "../config.ts";
import { Failure } from "../lib/failure.ts";
import { SchemaTooNew } from "../storage/migrate.ts";
import { version } from "../version.ts";
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
  keydesk seed                               fill a fresh store with a demo organisation
  keydesk token create ci --allow portal:write   a credential for a script, printed once
  KEYDESK_DATA_DIR=/var/lib/keydesk keydesk serve

Settings come from the environment (KEYDESK_PORT, KEYDESK_DATABASE_URL, …): \`keydesk serve --help\` lists them.
Exit codes: 0 done, 1 failed or refused, 2 wrong usage, 78 unusable settings.`,
  )
  .exitOverride();

addServeCommand(program);
addSeedCommand(program);
addTokenCommands(program);
addSealingKeyCommand(program);
program.command("version").description("print the version").action(() => console.log(version));

Deno.exitCode = await run(Deno.args);

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
    console.error(error.message);
    return exitCodes.config;
  }
  if (error instanceof Failure || error instanceof SchemaTooNew) {
    console.error(
      `keydesk: ${[error.message, ...error instanceof Failure ? error.details : []].join("\n")}`,
    );
    return exitCodes.failed;
  }
  if (error instanceof Deno.errors.AddrInUse) {
    console.error(
      "keydesk: the address is taken; choose another with KEYDESK_PORT or KEYDESK_HOST",
    );
    return exitCodes.failed;
  }
  console.error(error);
  return exitCodes.failed;
}
