/** A move that was killed at any statement is carried to its end by the same command, and nothing came twice. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { readConfig } from "../../../src/config.ts";
import { openDesk } from "../../../src/desk.ts";
import { ensureFirstAccessToken } from "../../../src/features/access/first-access-token.ts";
import { chunksOf } from "../../../src/operations/moving/table-stream.ts";
import { openSession } from "../../../src/storage/open-session.ts";
import { transactions } from "../../../src/transactions.ts";
import { type Ended, repository, run, temporaryFolder } from "../../support/command.ts";
import { effort } from "../../support/effort.ts";
import { makeExports, writeExports } from "../../support/original-exports.ts";

const ORG = "5e9d9544a1dcd60001d0ed20";
/** Enough for several batches of a kind. */
const DEVELOPERS = 300;
const KILLS = effort > 1 ? 20 : 3;

/** What is the same however often a run was broken off; times, seals and checksums are not. */
const COMPARED: Readonly<Record<string, readonly string[]>> = {
  plans: ["id", "given_id", "name", "document"],
  developers: ["id", "email_key", "document", "password_hash"],
  key_requests: ["id", "state", "approved", "head", "tail"],
  credentials: ["key_id", "kind", "state", "developer_id", "plans", "expires_at"],
  credential_plans: ["plan_id", "state", "key_id"],
  list_counts: ["list", "level", "bucket", "n"],
  imported_objects: ["kind", "id", "there", "here"],
  import_findings: ["kind", "id", "code", "detail"],
};

Deno.test("moving in: killed at any statement, the same command ends it as if nothing had been", async () => {
  await using folder = await temporaryFolder();
  const exports = join(folder.path, "export");
  await Deno.mkdir(exports);
  await writeExports(exports, makeExports(ORG, DEVELOPERS));
  const empty = join(folder.path, "empty");
  const desk = await openDesk(readConfig({ KEYDESK_DATA_DIR: empty }), {
    writer: { thread: false, transactions },
  });
  await ensureFirstAccessToken(desk, { org_id: ORG }, join(folder.path, "credential"));
  await desk.storage.close();
  const whole = join(folder.path, "whole");
  await copy(empty, whole);
  const first = await moved(whole, exports, 0);
  assert.equal(first.code, 0, first.stderr);
  const expected = await content(whole);
  assert.ok(expected.includes("dev-299@example.org"));
  const statements = Number(first.stdout);
  for (let i = 0; i < KILLS; i++) {
    const at = 1 + Math.floor((i + 0.5) * statements / KILLS);
    const store = join(folder.path, `store-${i}`);
    await copy(empty, store);
    const killed = await moved(store, exports, at);
    assert.equal(killed.code, 137, `${at}: ${killed.stderr}`);
    const ended = await moved(store, exports, 0);
    assert.equal(ended.code, 0, ended.stderr);
    assert.equal(await content(store), expected, `killed at ${at} of ${statements}`);
    await Deno.remove(store, { recursive: true });
  }
});

function moved(store: string, exports: string, at: number): Promise<Ended> {
  const script = join(repository, "test/operations/moving-in/moved-in-and-killed.ts");
  return run([Deno.execPath(), "run", "-A", "--no-prompt", script, store, exports, String(at)]);
}

async function copy(from: string, to: string): Promise<void> {
  await Deno.mkdir(to);
  for await (const { name } of Deno.readDir(from)) {
    await Deno.copyFile(join(from, name), join(to, name));
  }
}

/** The rows that are compared, as one text. */
async function content(store: string): Promise<string> {
  const session = await openSession({ path: join(store, "keydesk.db") });
  try {
    const tables: string[] = [];
    for (const table of await session.tables()) {
      const columns = COMPARED[table.name];
      if (!columns) continue;
      for await (const { rows } of chunksOf(session, table, null)) {
        tables.push(...rows.map((row) => JSON.stringify(columns.map((name) => row[name]))));
      }
    }
    return tables.sort().join("\n");
  } finally {
    await session.close();
  }
}
