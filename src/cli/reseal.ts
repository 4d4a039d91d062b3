import type { Command } from "commander";
import { sealedTables } from "../sealing/reseal.store.ts";
import { resealChunk, type ResealedChunk } from "../sealing/reseal.transactions.ts";
import type { ServiceContext } from "../context.ts";
import type { SealedTable } from "../sealing/reseal.store.ts";
import { withStore } from "./open-store.ts";

/** Rows of one transaction: short enough for a server beside it not to wait. */
const CHUNK = 200;

/** `keydesk reseal`. */
export function addResealCommand(program: Command): void {
  program.command("reseal")
    .description("seal everything again with the newest sealing key")
    .option("--json", "print the counts as JSON")
    .addHelpText(
      "after",
      `
To change the sealing key: add an entry with a higher version to KEYDESK_SEALING_KEY, or as a line
to the file sealing-key of the data directory (\`keydesk sealing-key\` prints a fresh key; write 2:
instead of 1:), start all servers again with it, then run this. Private keys of certificates,
open claims, developers' and key requests' secrets are sealed anew, in small transactions beside a
running server. It can be broken off and run again. Keep the old entry: answers kept for Idempotency-Key
need it for another 24 hours.`,
    )
    .action(reseal);
}

async function reseal(options: { json?: boolean }): Promise<void> {
  await withStore(async (ctx) => {
    const counts: Record<string, number> = {};
    for (const table of sealedTables) counts[table] = await resealTable(ctx, table);
    if (options.json) return console.log(JSON.stringify(counts));
    console.log(`${counts.certificate_files} private keys of certificates sealed anew`);
    console.log(`${counts.claims} open claims sealed anew`);
    console.log(`${counts.developers} developers sealed anew`);
    console.log(`${counts.key_requests} key requests sealed anew`);
  });
}

async function resealTable(ctx: ServiceContext, table: SealedTable): Promise<number> {
  let total = 0;
  let behind: ResealedChunk["next"] = { org_id: "", id: "" };
  while (behind !== null) {
    const chunk: ResealedChunk = await ctx.storage.commit(resealChunk, {
      table,
      behind,
      limit: CHUNK,
    });
    total += chunk.resealed;
    behind = chunk.next;
  }
  return total;
}
