import { Argument, type Command } from "commander";
import { completionTree } from "./completion-tree.ts";
import { bashScript } from "./completion-bash.ts";
import { fishScript } from "./completion-fish.ts";
import { zshScript } from "./completion-zsh.ts";
import { print } from "./standard-output.ts";
import { touching } from "./touched.ts";

/** `keydesk completion bash|zsh|fish`. */
export function addCompletionCommand(program: Command): void {
  touching(program.command("completion"), { needs: "nothing" })
    .addArgument(new Argument("<shell>", "the shell that reads it").choices(Object.keys(scripts)))
    .description("print a script that completes commands, options and their values at Tab")
    .addHelpText(
      "after",
      `
The script has the commands of this release. It calls no server while you type.

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
