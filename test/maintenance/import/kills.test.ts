/**
 * A move that was killed at any statement is carried to its end by the same command, and nothing
 * came twice.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { writeExports } from "../../../examples/moving/exports.ts";
import { filled, ORG } from "../../../examples/moving/fill.ts";
import { readConfig } from "../../../src/config.ts";
import { locationOf, openServer } from "../../../src/open-server.ts";
import { ensureFirstAccessToken } from "../../../src/features/people/first-access-token.ts";
import { newSealingKey } from "../../../src/kernel/sealing/sealing-keys.ts";
import { SetDigest } from "../../../src/maintenance/import/digests.ts";
import { nobodysId } from "../../../src/features/developers/nobodys-id.ts";
import { chunksOf } from "../../../src/maintenance/move-store/table-stream.ts";
import { openSession } from "../../../src/storage/open-session.ts";
import { transactions } from "../../../src/transactions.ts";
import { type Ended, repository, run, temporaryFolder } from "../../support/command.ts";
import { type Engine, engines } from "../../support/desk.ts";
import { effort } from "../../support/effort.ts";
import { sharedPostgres } from "../../support/postgres.ts";

/** Enough for several batches of a kind. */
const DEVELOPERS = 300;
const KILLS = effort > 1 ? 20 : 2;

/** What is the same however often a run was broken off; times, seals and checksums are not. */
const COMPARED: Readonly<Record<string, readonly string[]>> = {
  plans: ["id", "given_id", "name", "document"],
  portal_documents: ["id", "documentation"],
  certificates: ["fingerprint", "kind", "subject_key"],
  developers: ["id", "email_key", "document", "password_hash"],
  key_requests: ["id", "state", "approved", "head", "tail"],
  credentials: ["key_id", "kind", "state", "developer_id", "plans", "expires_at", "name", "tags"],
  credential_plans: ["plan_id", "state", "key_id"],
  credential_labels: ["kind", "label", "key_id"],
  credential_words: ["word", "key_id"],
  quota_uses: ["key_id", "plan_id", "period", "used"],
  list_counts: ["list", "level"],
  imported_objects: ["kind", "id", "there", "here"],
  import_findings: ["kind", "id", "code", "detail"],
};

interface Moved {
  statements: number;
  verified: Record<string, string | number>[];
}

for (const engine of engines) {
  Deno.test({
    name:
      `moving in: ${engine}: killed at any statement, the same command ends it as if nothing had been`,
    // The shared PostgreSQL outlives the single test.
    sanitizeOps: false,
    sanitizeResources: false,
    fn: () => killed(engine),
  });
}

async function killed(engine: Engine): Promise<void> {
  await using folder = await temporaryFolder();
  const exports = join(folder.path, "export");
  await Deno.mkdir(exports);
  await writeExports(await filled(DEVELOPERS), exports);
  const empty = await emptyStore(engine, folder.path);
  const whole = await copyOf(empty, join(folder.path, "whole"));
  const first = await moved(whole, exports, 0);
  const { statements, verified } = resultOf(first);
  assertClean(verified);
  const expected = await digestsOf(whole);
  assert.deepEqual(Object.keys(expected).sort(), Object.keys(COMPARED).sort());
  for (let i = 0; i < KILLS; i++) {
    const at = 1 + Math.floor((i + 0.5) * statements / KILLS);
    const store = await copyOf(empty, join(folder.path, `store-${i}`));
    const { code, stderr } = await moved(store, exports, at);
    assert.equal(code, 137, `${at}: ${stderr}`);
    const again = resultOf(await moved(store, exports, 0));
    assert.deepEqual(again.verified, verified, `killed at ${at} of ${statements}`);
    assert.deepEqual(await digestsOf(store), expected, `killed at ${at} of ${statements}`);
    await removed(store);
  }
  if (effort > 1) {
    console.log(
      `moving in: ${engine}: ${KILLS} kills over ${statements} statements, each carried to its end: ` +
        `${objects(verified)} objects verified, the same digest of ${
          Object.keys(expected).length
        } tables`,
    );
  }
}

function objects(verified: Moved["verified"]): number {
  return verified.reduce((sum, { there }) => sum + Number(there), 0);
}

/** Everything that can come is here, as it stands there. */
function assertClean(verified: Moved["verified"]): void {
  assert.ok(verified.length >= 8);
  for (const { kind, missing, changed_there, changed_here, gone_there } of verified) {
    assert.deepEqual([missing, changed_there, changed_here, gone_there], [0, 0, 0, 0], `${kind}`);
  }
}

type Settings = Record<string, string>;

async function emptyStore(engine: Engine, folder: string): Promise<Settings> {
  const settings: Settings = { KEYDESK_SEALING_KEY: newSealingKey().trim() };
  if (engine === "sqlite") settings.KEYDESK_DATA_DIR = join(folder, "empty");
  else settings.KEYDESK_DATABASE_URL = await (await sharedPostgres()).createDatabase();
  const desk = await openServer(readConfig(settings), { writer: { thread: false, transactions } });
  await ensureFirstAccessToken(desk, { org_id: ORG }, join(folder, "credential"));
  await desk.storage.close();
  return settings;
}

/** The same store once more; `folder` is where SQLite has it. */
async function copyOf(settings: Settings, folder: string): Promise<Settings> {
  const { KEYDESK_DATA_DIR: from, KEYDESK_DATABASE_URL: url } = settings;
  if (url !== undefined) {
    const copy = await (await sharedPostgres()).createDatabase(url);
    return { ...settings, KEYDESK_DATABASE_URL: copy };
  }
  await Deno.mkdir(folder);
  for await (const { name } of Deno.readDir(from ?? "")) {
    await Deno.copyFile(join(from ?? "", name), join(folder, name));
  }
  return { ...settings, KEYDESK_DATA_DIR: folder };
}

async function removed({ KEYDESK_DATA_DIR: folder, KEYDESK_DATABASE_URL: url }: Settings) {
  if (url !== undefined) await (await sharedPostgres()).dropDatabase(url);
  else await Deno.remove(folder ?? "", { recursive: true });
}

function moved(settings: Settings, exports: string, at: number): Promise<Ended> {
  const script = join(repository, "test/maintenance/import/moved-in-and-killed.ts");
  const words = [Deno.execPath(), "run", "-A", "--no-prompt", script, exports, String(at)];
  return run(words, { env: settings });
}

function resultOf({ code, stdout, stderr }: Ended): Moved {
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

/** How many rows of each table are compared, and a digest of them. */
async function digestsOf(settings: Settings): Promise<Record<string, string>> {
  const session = await openSession(locationOf(readConfig(settings)));
  const digests: Record<string, string> = {};
  try {
    for (const table of await session.tables()) {
      const columns = COMPARED[table.name];
      if (!columns) continue;
      const digest = new SetDigest();
      // PostgreSQL spreads a counter over several rows; what was made while it ran lies in other
      // buckets.
      const counts = new Map<string, number>();
      for await (const { rows } of chunksOf(session, table, null)) {
        for (const row of rows) {
          // Made when the first key without an owner arrived.
          if (table.name === "developers" && row.id === nobodysId(ORG)) continue;
          const text = JSON.stringify(columns.map((name) => row[name]));
          if (table.name !== "list_counts") digest.add(text);
          else counts.set(text, (counts.get(text) ?? 0) + Number(row.n));
        }
      }
      for (const [text, n] of counts) if (n !== 0) digest.add(text, String(n));
      digests[table.name] = `${digest.count} ${digest.sha256}`;
    }
    return digests;
  } finally {
    await session.close();
  }
}
