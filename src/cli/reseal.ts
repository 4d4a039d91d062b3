import type { Command } from "commander";
import type { ServiceContext } from "../calls/context.ts";
import {
  acceptLoss,
  type LostChunk,
} from "../maintenance/sealing-keys/accept-loss.transactions.ts";
import { type SealedTable, sealedTables } from "../maintenance/sealing-keys/reseal.store.ts";
import {
  resealChunk,
  type ResealedChunk,
} from "../maintenance/sealing-keys/reseal.transactions.ts";
import { checkedTables } from "../maintenance/damage/checked-rows.store.ts";
import { renewDemand } from "../maintenance/damage/checksums.transactions.ts";
import { writeTable } from "../maintenance/damage/write-checksums.ts";
import { type Form, printValues } from "./forms.ts";
import { withStore } from "./open-store.ts";
import { OperatorError } from "./operator-error.ts";
import { terminal } from "./terminal.ts";

/** Rows of one transaction: short enough for a server beside it not to wait. */
const CHUNK = 200;

/** `keydesk reseal`. */
export function addResealCommand(program: Command): void {
  program.command("reseal")
    .description("seal everything again with the newest sealing key")
    .option("--accept-loss", "give up values that no key at hand decrypts; it can't be undone")
    .option("--json", "print the counts as JSON")
    .addHelpText(
      "after",
      `
To change the sealing key: add an entry with a higher version to KEYDESK_SEALING_KEY, or as a line
to the file sealing-key of the data directory (\`keydesk sealing-key\` prints a fresh key; write 2:
instead of 1:), start all servers again with it, then run this. Private keys of certificates,
open one-time links, developers' and key requests' secrets and the key that signs the audit log's checkpoints
are sealed anew, in small transactions beside a running server. It can be interrupted and
run again. Keep the old entry: answers kept for Idempotency-Key need it for another 24 hours.

When a key is lost for good: start with a new one of a higher version alone, then run this with
--accept-loss. Each value that was sealed with the lost key reads empty from then on, with an audit
row (secret.lost): jwt_secret, nonce, sso_key and shown OAuth secrets, private keys of certificates,
open one-time links, the key that signs the audit log's checkpoints (a new one signs from then on, with
another key id). The checksums of keys, access tokens and people are made anew from the
store: run it before the server starts again, which lets no person in until then.
docs/operating.md has the whole drill.`,
    )
    .action(reseal);
}

async function reseal(options: { acceptLoss?: boolean; form?: Form }): Promise<void> {
  await withStore(async (ctx) => {
    const counts: Record<string, number> = {};
    const unreadable: Record<string, number> = {};
    const lost: Record<string, number> = {};
    for (const table of sealedTables) {
      const done = await resealTable(ctx, table);
      counts[table] = done.resealed;
      unreadable[table] = done.unreadable;
    }
    const checksums = await renewChecksums(ctx, options.acceptLoss === true);
    if (options.acceptLoss) {
      for (const table of sealedTables) lost[table] = await giveUp(ctx, table);
    }
    if (options.form) {
      const gone = options.acceptLoss ? { lost } : {};
      await printValues([{ ...counts, checksums, ...gone }], options.form);
    } else {
      terminal().out(`${counts.certificate_files} private keys of certificates sealed anew`);
      terminal().out(`${counts.claims} unused one-time links sealed anew`);
      terminal().out(`${counts.developers} developers sealed anew`);
      terminal().out(`${counts.key_requests} key requests sealed anew`);
      terminal().out(`${counts.trail_keys} keys for checkpoints sealed anew`);
      terminal().out(`${checksums.written} checksums made anew`);
      for (const [table, n] of Object.entries(lost)) terminal().out(`${table}: ${n} given up`);
    }
    const left = Object.values(unreadable).reduce((sum, n) => sum + n, 0);
    if (left > 0 && !options.acceptLoss) {
      const where = Object.entries(unreadable).filter(([, n]) => n > 0)
        .map(([table, n]) => `${n} in ${table}`).join(", ");
      throw new OperatorError(
        `${left} sealed values can't be decrypted with the keys at hand (${where}): bring back the key that sealed them, or give them up with --accept-loss`,
      );
    }
    if (checksums.damaged > 0) {
      throw new OperatorError(
        `${checksums.damaged} keys, access tokens or people are not as they were written, or their sealing key is lost: keydesk check names them`,
      );
    }
  });
}

/** With the newest sealing key; `acceptLoss`: of every row, as it is there now. */
async function renewChecksums(
  ctx: ServiceContext,
  acceptLoss: boolean,
): Promise<{ written: number; damaged: number }> {
  const total = { written: 0, damaged: 0 };
  for (const table of checkedTables) {
    const done = await writeTable(ctx, table, acceptLoss ? "accept" : "renew");
    total.written += done.written;
    total.damaged += done.damaged;
  }
  if (acceptLoss) await ctx.storage.commit(renewDemand, null);
  return total;
}

async function resealTable(
  ctx: ServiceContext,
  table: SealedTable,
): Promise<{ resealed: number; unreadable: number }> {
  const total = { resealed: 0, unreadable: 0 };
  let behind: ResealedChunk["next"] = { org_id: "", id: "" };
  while (behind !== null) {
    const chunk: ResealedChunk = await ctx.storage.commit(resealChunk, {
      table,
      behind,
      limit: CHUNK,
    });
    total.resealed += chunk.resealed;
    total.unreadable += chunk.unreadable;
    behind = chunk.next;
  }
  return total;
}

async function giveUp(ctx: ServiceContext, table: SealedTable): Promise<number> {
  let total = 0;
  let behind: LostChunk["next"] = { org_id: "", id: "" };
  while (behind !== null) {
    const input = { table, behind, limit: CHUNK, now: ctx.clock.now() };
    const chunk: LostChunk = await ctx.storage.commit(acceptLoss, input);
    total += chunk.lost;
    behind = chunk.next;
  }
  return total;
}
