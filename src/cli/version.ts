import type { Command } from "commander";
import { version } from "../kernel/version.ts";
import { terminal } from "./terminal.ts";
import { touching } from "./touched.ts";

/** `keydesk version`. */
export function addVersionCommand(program: Command): void {
  touching(program.command("version"), { needs: "nothing" }).description("print the version")
    .action(() => terminal().out(version));
}
