/** Commands that look for a store where there is none. */
import assert from "node:assert/strict";
import { join } from "node:path";
import pg from "pg";
import { newSealingKey } from "../../src/kernel/sealing/sealing-keys.ts";
import { keydesk, temporaryFolder } from "../support/command.ts";
import { chosenEngines } from "../support/engines.ts";
import { sharedPostgres } from "../support/postgres.ts";

/** Every command that needs a store and makes none. */
const commands: readonly string[][] = [
  ["token", "list"],
  ["token", "create", "ci", "--allow", "admin"],
  ["token", "revoke", "65f0a1b2c3d4e5f601234567"],
  ["keys", "list"],
  ["keys", "revoke", "a", "--reason", "leaked"],
  ["certs", "list"],
  ["certs", "export"],
  ["certs", "rm", "a"],
  ["console"],
  ["export", "audit"],
  ["purge", "--yes"],
  ["reseal"],
];

Deno.test("wrong folder: a command that makes no store names folder and setting, and leaves nothing", async () => {
  await using folder = await temporaryFolder();
  const data = join(folder.path, "not-here");
  for (const words of commands) {
    const { code, stdout, stderr } = await keydesk(words, { KEYDESK_DATA_DIR: data });
    assert.deepEqual([code, stdout], [1, ""], words.join(" "));
    assert.equal(
      stderr,
      `keydesk: there is no store in ${data} (KEYDESK_DATA_DIR): start the server once, or run \`keydesk seed\`\n`,
    );
  }
  const backup = await keydesk(["backup", join(folder.path, "copy.db")], {
    KEYDESK_DATA_DIR: data,
  });
  assert.equal(backup.code, 1);
  assert.deepEqual([...Deno.readDirSync(folder.path)], []);
});

Deno.test({
  name: "wrong database: a command that makes no store leaves an empty database empty",
  ignore: !chosenEngines(["sqlite", "postgres"]).includes("postgres"),
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    await using folder = await temporaryFolder();
    const url = await (await sharedPostgres()).createDatabase();
    const settings = {
      KEYDESK_DATA_DIR: join(folder.path, "not-here"),
      KEYDESK_DATABASE_URL: url,
      KEYDESK_SEALING_KEY: newSealingKey().trim(),
    };
    const { code, stdout, stderr } = await keydesk(["token", "list"], settings);
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(
      stderr,
      /^keydesk: there is no store in the database at .* \(KEYDESK_DATABASE_URL\)/,
    );
    const client = new pg.Client(url);
    await client.connect();
    try {
      const made = await client.query(
        "select relname from pg_class where relnamespace = 'public'::regnamespace",
      );
      assert.deepEqual(made.rows, []);
    } finally {
      await client.end();
    }
    assert.deepEqual([...Deno.readDirSync(folder.path)], []);
  },
});
