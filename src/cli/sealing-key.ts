import type { Command } from "commander";
import { newSealingKey } from "../kernel/sealing/sealing-keys.ts";
import { terminal } from "./terminal.ts";
import { touching } from "./touched.ts";

/** `keydesk sealing-key`. */
export function addSealingKeyCommand(program: Command): void {
  touching(program.command("sealing-key"), { needs: "nothing" })
    .description("print a fresh sealing key for KEYDESK_SEALING_KEY (PostgreSQL needs it)")
    .addHelpText(
      "after",
      `
It encrypts values that must be readable again: JWT secrets, OAuth secrets, answers kept for
Idempotency-Key. On SQLite the first start makes one, in the file sealing-key of the data directory.
Keep it apart from the database's backups. Without it these values are lost.

Example:
  export KEYDESK_SEALING_KEY="$(keydesk sealing-key)"`,
    )
    .action(() => terminal().out(newSealingKey().trim()));
}
