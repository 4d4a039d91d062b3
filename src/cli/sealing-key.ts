import type { Command } from "commander";
import { newSealingKey } from "../sealing/sealing-keys.ts";

/** `keydesk sealing-key`. */
export function addSealingKeyCommand(program: Command): void {
  program.command("sealing-key")
    .description("print a fresh sealing key for KEYDESK_SEALING_KEY (PostgreSQL needs it)")
    .action(() => console.log(newSealingKey().trim()));
}
