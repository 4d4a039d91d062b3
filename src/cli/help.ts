import type { Command } from "commander";
import { OperatorError } from "./operator-error.ts";

/** `keydesk help`, of commands below others too. */
export function addHelpCommand(program: Command): void {
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
