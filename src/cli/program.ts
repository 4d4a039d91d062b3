import { Command, Help, type Option } from "commander";
import { version } from "../kernel/version.ts";
import { withForms } from "./forms.ts";
import { OperatorError } from "./operator-error.ts";
import { terminal } from "./terminal.ts";
import { touching } from "./touched.ts";

/**
 * Commands by the word that calls them, in the order of the help. The modules of a command are
 * loaded when it is called; on a server that is nothing of the store.
 */
const COMMANDS: Readonly<Record<string, () => Promise<(program: Command) => void>>> = {
  serve: async () => (await import("./serve.ts")).addServeCommand,
  seed: async () => (await import("./seed.ts")).addSeedCommand,
  context: async () => (await import("./context.ts")).addContextCommands,
  token: async () => (await import("./token.ts")).addTokenCommands,
  requests: async () => (await import("./requests.ts")).addRequestsCommands,
  developers: async () => (await import("./developers.ts")).addDevelopersCommands,
  apis: async () => (await import("./apis.ts")).addApisCommands,
  plans: async () => (await import("./plans.ts")).addPlansCommands,
  policies: async () => (await import("./policies.ts")).addPoliciesCommands,
  delegation: async () => (await import("./delegation.ts")).addDelegationCommands,
  people: async () => (await import("./people.ts")).addPeopleCommands,
  roles: async () => (await import("./roles.ts")).addRolesCommands,
  access: async () => (await import("./access.ts")).addAccessCommands,
  keys: async () => (await import("./keys.ts")).addKeysCommands,
  jobs: async () => (await import("./jobs.ts")).addJobsCommands,
  import: async () => (await import("./import.ts")).addImportCommands,
  leaks: async () => (await import("./leaks.ts")).addLeaksCommands,
  alerts: async () => (await import("./alerts.ts")).addAlertsCommands,
  channels: async () => (await import("./channels.ts")).addChannelsCommands,
  deliveries: async () => (await import("./deliveries.ts")).addDeliveriesCommands,
  gateways: async () => (await import("./gateways.ts")).addGatewaysCommands,
  logs: async () => (await import("./logs.ts")).addLogsCommands,
  providers: async () => (await import("./providers.ts")).addProvidersCommands,
  diff: async () => (await import("./config.ts")).addDiffCommand,
  apply: async () => (await import("./config.ts")).addApplyCommand,
  config: async () => (await import("./config.ts")).addConfigCommands,
  console: async () => (await import("./console.ts")).addConsoleCommand,
  certs: async () => (await import("./certs.ts")).addCertsCommands,
  "sealing-key": async () => (await import("./sealing-key.ts")).addSealingKeyCommand,
  reseal: async () => (await import("./reseal.ts")).addResealCommand,
  export: async () => (await import("./export.ts")).addExportCommand,
  audit: async () => (await import("./audit.ts")).addAuditCommands,
  purge: async () => (await import("./purge.ts")).addPurgeCommand,
  upgrade: async () => (await import("./upgrade.ts")).addUpgradeCommand,
  "move-store": async () => (await import("./move-store.ts")).addMoveStoreCommand,
  backup: async () => (await import("./backup.ts")).addBackupCommand,
  restore: async () => (await import("./restore.ts")).addRestoreCommand,
  doctor: async () => (await import("./doctor.ts")).addDoctorCommand,
  check: async () => (await import("./check.ts")).addCheckCommand,
  completion: async () => (await import("./completion.ts")).addCompletionCommand,
  version: () => Promise.resolve(addVersionCommand),
  help: () => Promise.resolve(addHelpCommand),
};

/**
 * The command line, as far as words that begin with `first` need it: one command, or all of them
 * where the word names none. Parsing throws a CommanderError for wrong usage, after it has said
 * what was wrong.
 */
export async function createProgram(first = ""): Promise<Command> {
  const program = newProgram();
  const isOne = Object.hasOwn(COMMANDS, first) && !OF_ALL.includes(first);
  const wanted = isOne ? [first] : Object.keys(COMMANDS);
  for (const word of wanted) (await COMMANDS[word]?.())?.(program);
  return withForms(program);
}

/** Commands that tell of all others. */
const OF_ALL: readonly string[] = ["completion", "help"];

function newProgram(): Command {
  return new Command("keydesk")
    .description("Self-hosted developer portal with API-key approvals.")
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

/** `keydesk version`. */
function addVersionCommand(program: Command): void {
  touching(program.command("version"), { needs: "nothing" })
    .description("print the version").action(() => terminal().out(version));
}

/** `keydesk help`, of commands below others too. */
function addHelpCommand(program: Command): void {
  touching(program.command("help"), { needs: "nothing" })
    .argument("[command...]", "such as `requests approve`")
    .description("show what a command takes")
    .addHelpText(
      "after",
      `
Example:
  keydesk help requests approve`,
    )
    .action((words: string[]) => {
      let command = program;
      for (const word of words) {
        const below = command.commands.find((one) => one.name() === word);
        if (below === undefined) {
          throw new OperatorError(
            `there is no command ${
              words.join(" ").replaceAll(/\p{C}/gu, "\ufffd")
            }; keydesk help lists them`,
            { exitCode: 2 },
          );
        }
        command = below;
      }
      command.outputHelp();
    });
}
