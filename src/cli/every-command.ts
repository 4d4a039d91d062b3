import { Argument, type Command } from "commander";
import { addAlertsCommands } from "./alerts.ts";
import { addAuditCommands } from "./audit.ts";
import { addBackupCommand } from "./backup.ts";
import { addCertsCommands } from "./certs.ts";
import { addCheckCommand } from "./check.ts";
import { addConsoleCommand } from "./console.ts";
import { addDelegationCommands } from "./delegation.ts";
import { addDeliveriesCommands } from "./deliveries.ts";
import { addDevelopersCommands } from "./developers.ts";
import { addDoctorCommand } from "./doctor.ts";
import { addDoorsCommands } from "./doors.ts";
import { addGatewaysCommands } from "./gateways.ts";
import { addElevationsCommands } from "./elevations.ts";
import { addExportCommand } from "./export.ts";
import { addImportCommands } from "./import.ts";
import { addJobsCommands } from "./jobs.ts";
import { addKeysCommands } from "./keys.ts";
import { addLeaksCommands } from "./leaks.ts";
import { addMigrateStoreCommand } from "./migrate-store.ts";
import { addMigrateCommand } from "./migrate.ts";
import { addPeopleCommands } from "./people.ts";
import { addPlansCommands } from "./plans.ts";
import { addPoliciesCommands } from "./policies.ts";
import { addProvidersCommands } from "./providers.ts";
import { addPurgeCommand } from "./purge.ts";
import { addRequestsCommands } from "./requests.ts";
import { addResealCommand } from "./reseal.ts";
import { addRestoreCommand } from "./restore.ts";
import { addRolesCommands } from "./roles.ts";
import { addSealingKeyCommand } from "./sealing-key.ts";
import { addSeedCommand } from "./seed.ts";
import { addRefusalsCommand } from "./refusals.ts";
import { addServeCommand } from "./serve.ts";
import { addTargetsCommands } from "./targets.ts";
import { addTokenCommands } from "./token.ts";
import { addVersionCommand } from "./version.ts";
import { completionTree } from "./completion-tree.ts";
import { bashScript } from "./completion-bash.ts";
import { fishScript } from "./completion-fish.ts";
import { zshScript } from "./completion-zsh.ts";
import { print } from "./standard-output.ts";
import { OperatorError } from "./operator-error.ts";

/** `keydesk completion bash|zsh|fish`. */
function addCompletionCommand(program: Command): void {
  program.command("completion")
    .addArgument(new Argument("<shell>", "the shell that reads it").choices(Object.keys(scripts)))
    .description("print a script that completes commands, options and their values at Tab")
    .addHelpText(
      "after",
      `
The script knows the commands of this release and asks nobody while you type.

Examples:
  source <(keydesk completion bash)                           in ~/.bashrc
  source <(keydesk completion zsh)                            in ~/.zshrc, below compinit
  keydesk completion fish >~/.config/fish/completions/keydesk.fish`,
    )
    .action((shell: string) => print(scripts[shell]?.(completionTree(program)) ?? ""));
}

const scripts: Readonly<Record<string, (tree: ReturnType<typeof completionTree>) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/**
 * Each command in the order of the help; for what needs all at once, which one import loads sooner
 * than one for each.
 */
export const EVERY_COMMAND: readonly ((program: Command) => void)[] = [
  addServeCommand,
  addSeedCommand,
  addTokenCommands,
  addRequestsCommands,
  addDevelopersCommands,
  addPlansCommands,
  addPoliciesCommands,
  addDelegationCommands,
  addPeopleCommands,
  addRolesCommands,
  addElevationsCommands,
  addKeysCommands,
  addJobsCommands,
  addImportCommands,
  addLeaksCommands,
  addAlertsCommands,
  addTargetsCommands,
  addDeliveriesCommands,
  addDoorsCommands,
  addGatewaysCommands,
  addRefusalsCommand,
  addProvidersCommands,
  addConsoleCommand,
  addCertsCommands,
  addSealingKeyCommand,
  addResealCommand,
  addExportCommand,
  addAuditCommands,
  addPurgeCommand,
  addMigrateCommand,
  addMigrateStoreCommand,
  addBackupCommand,
  addRestoreCommand,
  addDoctorCommand,
  addCheckCommand,
  addCompletionCommand,
  addVersionCommand,
  addHelpCommand,
];

/** `keydesk help`, of commands below others too. */
function addHelpCommand(program: Command): void {
  program.command("help")
    .argument("[command...]", "such as `requests approve`")
    .description("tell what a command takes")
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
