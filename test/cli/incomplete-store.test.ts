/**
 * A start where a part of the store is missing is refused, and says what to do; a first start is
 * never in its own way.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { newSealingKey } from "../../src/kernel/sealing/sealing-keys.ts";
import { keydesk, startServerProcess, temporaryFolder } from "../support/command.ts";

/** A data directory with a whole store that nobody uses. */
async function wholeStore() {
  const folder = await temporaryFolder();
  const data = join(folder.path, "data");
  const made = await keydesk(["seed"], { KEYDESK_DATA_DIR: data });
  assert.equal(made.code, 0, made.stderr);
  return {
    ...folder,
    data,
    settings: { KEYDESK_DATA_DIR: data },
    database: join(data, "keydesk.db"),
    key: join(data, "sealing-key"),
    names: async () => (await Array.fromAsync(Deno.readDir(data))).map(({ name }) => name).sort(),
  };
}

type Store = Awaited<ReturnType<typeof wholeStore>>;

/** What may be missing, and what a start then says. */
const losses: Readonly<
  Record<string, { sentence: RegExp; verbs: string[][]; happen(at: Store): Promise<void> }>
> = {
  "the database, with the key still there": {
    sentence: /keydesk\.db is missing, and .*\/sealing-key is there .*keydesk restore.*--new/,
    verbs: [["serve"], ["seed"], ["token", "list"], ["upgrade"], ["backup", "copy.db"]],
    happen: (at) => Deno.remove(at.database),
  },
  "the database and the key, with the first access token still there": {
    sentence: /keydesk\.db is missing, and .*\/administrator-credential is there .*--new/,
    verbs: [["serve"], ["seed"]],
    happen: async (at) => {
      await Deno.remove(at.database);
      await Deno.remove(at.key);
    },
  },
  "the sealing key": {
    sentence:
      /sealing-key is missing .*put the store's sealing key back, or give it as KEYDESK_SEALING_KEY.*--new/,
    verbs: [["serve"], ["seed"], ["token", "list"]],
    happen: (at) => Deno.remove(at.key),
  },
  "everything in the sealing key": {
    sentence:
      /sealing-key holds 0 bytes .*put the store's sealing key back, or give it as KEYDESK_SEALING_KEY.*--new/,
    verbs: [["serve"], ["seed"], ["token", "list"]],
    happen: (at) => Deno.truncate(at.key),
  },
  "the database, and everything in the sealing key": {
    sentence: /keydesk\.db is missing, and .*\/sealing-key is there .*--new/,
    verbs: [["serve"], ["seed"], ["token", "list"]],
    happen: async (at) => {
      await Deno.remove(at.database);
      await Deno.truncate(at.key);
    },
  },
  "everything in the database": {
    sentence: /keydesk\.db holds 0 bytes.*keydesk restore --replace.*--new/,
    verbs: [["serve"], ["seed"], ["token", "list"], ["upgrade"]],
    happen: (at) => Deno.truncate(at.database),
  },
};

for (const [what, { sentence, verbs, happen }] of Object.entries(losses)) {
  Deno.test(`missing: ${what}: refused with what to do, and nothing is made`, async () => {
    await using at = await wholeStore();
    await happen(at);
    const before = await at.names();
    for (const words of verbs) {
      const { code, stdout, stderr } = await keydesk(words, at.settings);
      assert.deepEqual([code, stdout], [78, ""], `${words.join(" ")}: ${stderr}`);
      assert.match(stderr, sentence);
      assert.match(stderr, /^keydesk: [^\n]*\n$/);
    }
    assert.deepEqual(await at.names(), before);
    const { code, stderr, stdout } = await keydesk(["doctor"], at.settings);
    assert.equal(code, 1, stderr);
    assert.match(stdout, /^fail +(database|sealing) /m);
  });

  Deno.test(`missing: ${what}: --new makes an empty store and sets aside what was left`, async () => {
    await using at = await wholeStore();
    await happen(at);
    const left = await Deno.stat(at.database).catch(() => undefined);
    const { code, stderr } = await keydesk(["seed", "--new"], at.settings);
    assert.equal(code, 0, stderr);
    const aside = (await at.names()).filter((name) => /^keydesk\.db\.before-\d+T\d+Z$/.test(name));
    assert.equal(aside.length, left ? 1 : 0);
    if (left) assert.equal((await Deno.stat(join(at.data, aside[0] ?? ""))).ino, left.ino);
    assert.equal((await keydesk(["token", "list"], at.settings)).code, 0);
  });
}

Deno.test("missing: serve --new serves, and a whole store is never set aside", async () => {
  await using at = await wholeStore();
  await Deno.remove(at.database);
  await using server = await startServerProcess(at.settings, { words: ["--new"] });
  assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
  await server.stop();
  const names = await at.names();
  const { code, stderr } = await keydesk(["serve", "--new"], at.settings);
  assert.equal(code, 78);
  assert.match(stderr, /there is a store at .*keydesk\.db: --new makes one only where none is/);
  assert.deepEqual(await at.names(), names);
});

Deno.test("missing: the remedies that are named work: restore, and the key put back", async () => {
  await using at = await wholeStore();
  const copy = join(at.path, "copy.db");
  assert.equal((await keydesk(["backup", copy], at.settings)).code, 0);
  const key = await Deno.readTextFile(at.key);
  await Deno.remove(at.key);
  await Deno.remove(at.database);
  // A log that was left behind is another database's.
  await Deno.writeTextFile(`${at.database}-wal`, "left");
  assert.equal((await keydesk(["serve"], at.settings)).code, 78);
  const restored = await keydesk(["restore", copy], at.settings);
  assert.equal(restored.code, 0, restored.stderr);
  assert.equal((await keydesk(["serve"], at.settings)).code, 78, "the key is still missing");
  await Deno.writeTextFile(at.key, key, { mode: 0o600 });
  const { code, stdout } = await keydesk(["requests", "list", "--json"], at.settings);
  assert.equal(code, 0);
  assert.ok(stdout.includes("issued"));
});

Deno.test("missing: with the key in a setting an empty folder is a first start, one with remains is not", async () => {
  await using folder = await temporaryFolder();
  const settings = {
    KEYDESK_DATA_DIR: folder.path,
    KEYDESK_SEALING_KEY: newSealingKey().trim(),
  };
  assert.equal((await keydesk(["seed"], settings)).code, 0);
  await Deno.remove(`${folder.path}/keydesk.db`);
  const { code, stderr } = await keydesk(["serve"], settings);
  assert.equal(code, 78);
  assert.match(stderr, /keydesk\.db is missing, and .*administrator-credential is there/);
});

/** What a first start leaves, by the moment at which it is killed. */
const leftovers: Readonly<Record<string, (data: string) => Promise<void>>> = {
  "while it makes the database": async (data) => {
    await Deno.writeTextFile(`${data}/keydesk.db.0123456789ab.new`, "half");
    await Deno.writeTextFile(`${data}/keydesk.db.0123456789ab.new-wal`, "half");
  },
  "before it makes the sealing key": async (data) => {
    await keydesk(["upgrade"], { KEYDESK_DATA_DIR: data });
  },
  "before the database knows the sealing key": async (data) => {
    await keydesk(["upgrade"], { KEYDESK_DATA_DIR: data });
    await Deno.writeTextFile(`${data}/sealing-key`, newSealingKey());
  },
};

for (const [when, leave] of Object.entries(leftovers)) {
  Deno.test(`first start: killed ${when}, the next one goes on`, async () => {
    await using folder = await temporaryFolder();
    await leave(folder.path);
    const { code, stderr } = await keydesk(["seed"], { KEYDESK_DATA_DIR: folder.path });
    assert.equal(code, 0, stderr);
  });
}

/** The files of a first start in the order in which they come. */
const moments = [/^keydesk\.db\.\w+\.new$/, /^keydesk\.db$/, /^sealing-key$/, /^administrator-/];

Deno.test("first start: killed as soon as a file is there, the next one goes on", async () => {
  for (const moment of moments) {
    await using folder = await temporaryFolder();
    const settings = { KEYDESK_DATA_DIR: folder.path };
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-prompt", "src/cli/main.ts", "seed"],
      env: settings,
      stdout: "null",
      stderr: "null",
    }).spawn();
    let ended = false;
    const status = child.status.then(() => ended = true);
    while (!ended && !names(folder.path).some((name) => moment.test(name))) {
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    if (!ended) child.kill("SIGKILL");
    await status;
    const { code, stderr } = await keydesk(["token", "create", "x", "--allow", "audit"], settings);
    if (code !== 0) {
      assert.match(stderr, /there is no store in|of a new store the first start|store is empty/);
      const again = await keydesk(["seed"], settings);
      assert.equal(again.code, 0, `${moment}: ${again.stderr}`);
    }
  }
});

function names(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name);
}
