import type { Command } from "commander";
import { version } from "../kernel/version.ts";
import { terminal } from "./terminal.ts";

/** `keydesk version`. */
export function addVersionCommand(program: Command): void {
  program.command("version").description("print the version").action(() => terminal().out(version));
}
