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
It seals what must be readable again: JWT secrets, OAuth secrets, answers kept for Idempotency-Key.
On SQLite the first start makes one by itself, in the file sealing-key of the data directory. Keep
it apart from the database's backups, and don't lose it: without it nothing sealed can be opened.

Example:
  export KEYDESK_SEALING_KEY="$(keydesk sealing-key)"`,
    )
    .action(() => terminal().out(newSealingKey().trim()));
}
