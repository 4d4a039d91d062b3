import type { Command } from "commander";
/** `keydesk seed`. */
export function addSeedCommand(program: Command): void {
  program.command("seed").action(() => {});
}
