import { Command, Help, type Option } from "commander";
import { version } from "../kernel/version.ts";
import { addAlertsCommands } from "./alerts.ts";
import { addAuditCommands } from "./audit.ts";
import { addBackupCommand } from "./backup.ts";
import { addCertsCommands } from "./certs.ts";
import { addCheckCommand } from "./check.ts";
import { addCompletionCommand } from "./completion.ts";
import { addConsoleCommand } from "./console.ts";
import { addDeliveriesCommands } from "./deliveries.ts";
import { addDevelopersCommands } from "./developers.ts";
import { addDoctorCommand } from "./doctor.ts";
import { addExportCommand } from "./export.ts";
import { addHelpCommand } from "./help.ts";
import { addImportCommands } from "./import.ts";
import { addKeysCommands } from "./keys.ts";
import { addLeaksCommands } from "./leaks.ts";
import { addMigrateStoreCommand } from "./migrate-store.ts";
import { addMigrateCommand } from "./migrate.ts";
import { addPlansCommands } from "./plans.ts";
import { addPeopleCommands } from "./people.ts";
import { addPurgeCommand } from "./purge.ts";
import { addRequestsCommands } from "./requests.ts";
import { addResealCommand } from "./reseal.ts";
import { addRestoreCommand } from "./restore.ts";
import { addSealingKeyCommand } from "./sealing-key.ts";
import { addSeedCommand } from "./seed.ts";
import { addServeCommand } from "./serve.ts";
import { addTargetsCommands } from "./targets.ts";
import { terminal } from "./terminal.ts";
import { addTokenCommands } from "./token.ts";

/**
 * The whole command line. Parsing throws a CommanderError for wrong usage, after it has said what
 * was wrong.
 */
export function createProgram(): Command {
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
                                             an access token for a script, printed once
  keydesk console                            a link that signs your browser in, once
  keydesk requests list --state pending
  keydesk requests approve 65b0c1d2e3f4a5b6c7d8e9f0
                                             decide what waits, here or with --url on a server
  keydesk doctor                             check that everything is as it should be
  keydesk certs import /etc/ssl/certs/ca-certificates.crt
                                             take certificates into the inventory
  KEYDESK_DATA_DIR=/var/lib/keydesk keydesk serve

Settings come from the environment (KEYDESK_PORT, KEYDESK_DATABASE_URL, …); \`keydesk serve --help\`
lists them, and every command takes the same. What a command found goes to standard output, all
else to standard error.
Exit codes: 0 done, 1 failed or refused, 2 wrong usage, 66 the store is not at its place any more,
69 this installation can't run, 70 the writer died, 74 the disk failed, 78 unusable settings.`,
    )
    .showHelpAfterError("(add --help for what this command takes)")
    .configureOutput({
      writeOut: (text) => terminal().out(withoutLineFeed(text)),
      writeErr: (text) => terminal().err(withoutLineFeed(text)),
      getOutHelpWidth: () => terminal().outWidth,
      getErrHelpWidth: () => terminal().errWidth,
    })
    .configureHelp({ optionDescription: describedOption })
    .exitOverride();
  addServeCommand(program);
  addSeedCommand(program);
  addTokenCommands(program);
  addRequestsCommands(program);
  addDevelopersCommands(program);
  addPlansCommands(program);
  addPeopleCommands(program);
  addKeysCommands(program);
  addImportCommands(program);
  addLeaksCommands(program);
  addAlertsCommands(program);
  addTargetsCommands(program);
  addDeliveriesCommands(program);
  addConsoleCommand(program);
  addCertsCommands(program);
  addSealingKeyCommand(program);
  addResealCommand(program);
  addExportCommand(program);
  addAuditCommands(program);
  addPurgeCommand(program);
  addMigrateCommand(program);
  addMigrateStoreCommand(program);
  addBackupCommand(program);
  addRestoreCommand(program);
  addDoctorCommand(program);
  addCheckCommand(program);
  addCompletionCommand(program);
  program.command("version").description("print the version").action(() => terminal().out(version));
  addHelpCommand(program);
  return program;
}

/** As the parser describes an option, and whether the command needs it. */
function describedOption(this: Help, option: Option): string {
  const text = new Help().optionDescription(option);
  return option.mandatory ? `${text} (required)` : text;
}

/** The parser ends each text with one, and a terminal prints lines. */
function withoutLineFeed(text: string): string {
  return text.replace(/\n$/, "");
}
