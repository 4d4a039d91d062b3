/**
 * What is set aside for a full disk: when it is given up, what may be written with it, and when it
 * is there again.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { Sealer } from "../../src/kernel/sealing/sealer.ts";
import { newSealingKey, parseSealingKeys } from "../../src/kernel/sealing/sealing-keys.ts";
import {
  PIECE_BYTES,
  RESERVE_BYTES,
  SqliteReserve,
} from "../../src/storage/engines/sqlite-reserve.ts";
import { SqliteWriter } from "../../src/storage/engines/sqlite-writer.ts";
import { migrateStorage } from "../../src/storage/open-storage.ts";
import { defineTransaction } from "../../src/storage/storage.ts";
import { attemptWrite } from "../../src/storage/write-attempt.transactions.ts";
import { limitPages } from "../support/limit-pages.ts";
import { withFolder } from "../support/processes.ts";
import { rawSql } from "./conformance/scratch.ts";

const insert = (bytes: number) =>
  rawSql(`insert into idempotent_answers (org_id, scope, fingerprint, answer, expires_at)
    values ('', hex(randomblob(8)), '', hex(zeroblob(${bytes / 2})), '')`);

const large = defineTransaction("test.large", async (tx) => {
  await tx.change(insert(200_000), {});
  return null;
});
const small = defineTransaction("test.small", async (tx) => {
  await tx.change(insert(100), {});
  return null;
});
const urgent = defineTransaction("test.urgent", async (tx) => {
  await tx.change(insert(100), {});
  return null;
}, { withoutRoom: true });
const urgentAndLarge = defineTransaction("test.urgent-and-large", async (tx) => {
  await tx.change(insert(200_000), {});
  return null;
}, { withoutRoom: true });

type Kind = "large" | "small" | "urgent" | "urgent-and-large" | "attempt";

/**
 * A store with a writer, and what a group of such changes came to: `kept`, or the engine's code.
 */
async function withWriter(
  test: (at: {
    database: string;
    reserve: SqliteReserve;
    limit(pages: number): Promise<void>;
    commit(...kinds: Kind[]): Promise<string[]>;
    lacksRoom(): boolean;
  }) => Promise<void>,
  makesReserve = true,
): Promise<void> {
  await withFolder(async (folder) => {
    const database = join(folder, "keydesk.db");
    await migrateStorage({ path: database });
    const transactions = [large, small, urgent, urgentAndLarge, attemptWrite, limitPages];
    const sealer = new Sealer(parseSealingKeys(newSealingKey().trim()));
    const writer = new SqliteWriter(database, transactions, sealer, makesReserve);
    let n = 0;
    const jobOf = (kind: Kind) => ({
      transaction: kind === "attempt" ? attemptWrite.id : `test.${kind}`,
      input: { position: --n, at: "" },
    });
    try {
      await test({
        database,
        reserve: new SqliteReserve(database),
        limit: async (pages) => {
          const job = { transaction: limitPages.id, input: { pages } };
          await writer.commitGroup([job], () => {});
        },
        commit: async (...kinds) => {
          const { outcomes } = await writer.commitGroup(kinds.map(jobOf), () => {});
          return outcomes.map((one) => one.ok ? "kept" : one.code ?? one.failure.code);
        },
        lacksRoom: () => writer.lacksRoom,
      });
    } finally {
      writer.close();
    }
  });
}

const FULL = "SQLITE_FULL";

Deno.test("reserve: given up at a full disk, to what must not wait and to nothing else", async () => {
  await withWriter(async ({ reserve, limit, commit, lacksRoom }) => {
    assert.equal(reserve.state(), "whole");
    await limit(20);
    assert.deepEqual(await commit("urgent", "large"), ["kept", FULL]);
    assert.equal(reserve.state(), "given up");
    assert.ok(lacksRoom());
    assert.deepEqual(await commit("small", "urgent", "small"), [FULL, "kept", FULL]);
    await limit(0);
    assert.deepEqual(await commit("small"), [FULL], "it is not there again yet");
    assert.deepEqual(await commit("attempt"), ["kept"]);
    assert.equal(reserve.state(), "whole");
    assert.ok(!lacksRoom());
    assert.deepEqual(await commit("small", "large"), ["kept", "kept"]);
  });
});

Deno.test("reserve: a piece is given up when one is needed, the rest kept from what fills the disk", async () => {
  await withWriter(async ({ database, limit, commit }) => {
    const size = async () => (await Deno.stat(`${database}-reserve`)).size;
    await limit(20);
    assert.deepEqual(await commit("large"), [FULL]);
    const afterOne = RESERVE_BYTES - PIECE_BYTES;
    assert.equal(await size(), afterOne);
    assert.deepEqual(await commit("large", "urgent", "urgent"), [FULL, "kept", "kept"]);
    assert.equal(await size(), afterOne, "there was room");
    assert.deepEqual(await commit("urgent-and-large"), [FULL]);
    const last = await size();
    assert.ok(last > 0 && last < PIECE_BYTES, `${last}: all but what a start needs`);
  });
});

Deno.test("reserve: a process without one of its own gives up what a server set aside", async () => {
  await withWriter(async ({ database, reserve, limit, commit }) => {
    assert.equal(reserve.state(), "absent");
    await limit(20);
    assert.deepEqual(await commit("large"), [FULL]);
    assert.deepEqual(await commit("small"), ["kept"], "without a reserve nothing is held back");
    await Deno.writeFile(`${database}-reserve`, new Uint8Array(RESERVE_BYTES));
    assert.deepEqual(await commit("large"), [FULL]);
    assert.equal(reserve.state(), "given up");
    assert.deepEqual(await commit("small", "urgent"), [FULL, "kept"]);
  }, false);
});

Deno.test("reserve: a start finds by it that there was no room, and takes changes again where there is", async () => {
  await withWriter(async ({ database, reserve, commit }) => {
    await Deno.truncate(`${database}-reserve`, 4096);
    const sealer = new Sealer(parseSealingKeys(newSealingKey().trim()));
    const next = new SqliteWriter(database, [], sealer, true);
    assert.ok(!next.lacksRoom);
    next.close();
    assert.equal(reserve.state(), "whole");
    assert.deepEqual(await commit("small"), ["kept"]);
  });
});

Deno.test("reserve: a database behind a link has it beside itself", async () => {
  await withWriter(async ({ database }) => {
    await Deno.symlink(database, `${database}-link`);
    assert.equal(new SqliteReserve(`${database}-link`).state(), "whole");
    const { mode } = await Deno.stat(`${database}-reserve`);
    assert.equal((mode ?? 0) & 0o777, 0o600);
  });
});
