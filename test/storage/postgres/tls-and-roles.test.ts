/**
 * TLS with real certificates, and nodes without the right to change the schema, through the
 * launcher's sandbox.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import pg from "pg";
import { grants } from "../../../bin/grants.js";
import { newSealingKey, parseSealingKeys } from "../../../src/kernel/sealing/sealing-keys.ts";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { defaultLimits } from "../../../src/storage/engines/postgres-limits.ts";
import { openStorage } from "../../../src/storage/open-storage.ts";
import { type Ended, repository, run, temporaryFolder } from "../../support/command.ts";
import { openTestDesk } from "../../support/desk.ts";
import { approve, create, smallRequest } from "../../support/key-requests.ts";
import { makeCertificates, startTlsPostgres } from "../../support/postgres-tls.ts";
import { sharedPostgres, startPostgres } from "../../support/postgres.ts";
import { makeKnown, outcome } from "../../support/verification.ts";

const KEY = newSealingKey().trim();
/**
 * What the command below says once it has been let in: it makes no store, and finds an empty one
 * where there is a schema.
 */
const LET_IN = /there is no store in the database|The store is empty/;

/** `keydesk token list` with the permissions that the launcher gives and no others. */
async function sandboxed(url: string, folder: string): Promise<Ended> {
  const env = {
    KEYDESK_DATABASE_URL: url,
    KEYDESK_SEALING_KEY: KEY,
    KEYDESK_DATA_DIR: folder,
  };
  const words = ["token", "list"];
  const flags = grants(words, env, repository, repository);
  const program = join(repository, "src/cli/main.ts");
  return await run(
    [Deno.execPath(), "run", "--no-prompt", "--quiet", ...flags, program, ...words],
    {
      env,
      cwd: repository,
    },
  );
}

Deno.test({
  name: "postgres: each sslmode accepts what it promises and refuses the rest",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    await using folder = await temporaryFolder();
    const made = await makeCertificates(folder.path);
    const ca = made.path("ca.pem");
    await using right = await startTlsPostgres(made, "server");
    await using wrong = await startTlsPostgres(made, "elsewhere");
    const attempts: [typeof right, string, RegExp | null][] = [
      [right, "", /no encryption/],
      [right, "sslmode=disable", /no encryption/],
      [right, "sslmode=require", null],
      [right, `sslmode=verify-full&sslrootcert=${ca}`, null],
      [right, "sslmode=verify-full", /self-signed certificate in certificate chain/],
      [right, `sslmode=verify-ca&sslrootcert=${made.path("other-ca.pem")}`, /certificate/],
      [wrong, "sslmode=require", null],
      [wrong, `sslmode=verify-ca&sslrootcert=${ca}`, null],
      [wrong, `sslmode=require&sslrootcert=${made.path("other-ca.pem")}`, /certificate/],
      [wrong, `sslmode=verify-full&sslrootcert=${ca}`, /does not match certificate/],
    ];
    for (const [server, parameters, refusal] of attempts) {
      const { code, stdout, stderr } = await sandboxed(`${server.url}?${parameters}`, folder.path);
      const told = `${parameters || "nothing"}: ${stdout}${stderr}`;
      assert.equal(code, 1, told);
      assert.match(stderr, refusal ?? LET_IN, told);
      assert.ok(!told.includes(new URL(server.url).password), "the password is told to nobody");
    }
  },
});

Deno.test({
  name: "postgres: a server that wants the node's certificate gets it",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    await using folder = await temporaryFolder();
    const made = await makeCertificates(folder.path);
    await using server = await startTlsPostgres(made, "server", { client: true });
    const checked = `${server.url}?sslmode=verify-full&sslrootcert=${made.path("ca.pem")}`;
    const client = made.path("client");
    const own = `sslcert=${client}.pem&sslkey=${client}.key`;
    assert.match((await sandboxed(checked, folder.path)).stderr, /valid client certificate/);
    assert.match((await sandboxed(`${checked}&${own}`, folder.path)).stderr, LET_IN);
    const missing = await sandboxed(`${checked}&sslcert=/not/there&sslkey=/not/there`, folder.path);
    assert.equal(missing.code, 1);
    assert.match(missing.stderr, /can't open the database at 127\.0\.0\.1:\d+ .*\/not\/there/);
  },
});

Deno.test({
  name: "postgres: nodes with the documented role do everything and can't change the schema",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    await using server = await startPostgres();
    const url = await server.createDatabase();
    const page = await Deno.readTextFile(join(repository, "docs/postgresql.md"));
    const [, documented = ""] = /## Roles[\s\S]*?```sql\n([\s\S]*?)```/.exec(page) ?? [];
    const superuser = new pg.Client({ connectionString: url });
    await superuser.connect();
    // What the page's superuser does; the extension is one that the owner may make.
    await superuser.query(documented);
    await superuser.end();
    const as = (role: string, password: string) => {
      const other = new URL(url);
      other.username = role;
      other.password = password;
      return other.href;
    };
    const owner = as("keydesk_owner", "change me");
    const node = as("keydesk_node", "change me too");
    const key = newSealingKey().trim();
    const keys = parseSealingKeys(key);
    const writer = { thread: false as const, transactions: [] };

    // Nothing is there yet, and the node may not make it.
    const location = { url: node, migrate: "off" as const, limits: defaultLimits };
    await assert.rejects(openStorage(location, keys, writer), /schema 0, .*keydesk upgrade/);
    await (await openStorage({ url: owner }, keys, writer)).close();

    await using desk = await openTestDesk("sqlite", {
      environment: {
        KEYDESK_DATABASE_URL: node,
        KEYDESK_SEALING_KEY: key,
        KEYDESK_UPGRADE: "off",
      },
    });
    await makeKnown(desk, ["plan-weather"]);
    const id = await create(desk, smallRequest());
    const { RawKey } = await approve(desk, id);
    assert.equal(await outcome(desk, RawKey), "valid");
    const path = `/v1/keys/${sha256(RawKey)}/revoke`;
    assert.equal((await desk.send("POST", path, { body: { reason: "x" } })).status, 200);
    const changed = new pg.Client({ connectionString: node });
    await changed.connect();
    await assert.rejects(changed.query("create table mine (id text)"), /permission denied/);
    await assert.rejects(changed.query("drop table credentials"), /must be owner/);
    await assert.rejects(changed.query("alter table credentials add x text"), /must be owner/);
    await changed.end();
    // A node that would migrate says so, instead of serving without.
    await assert.rejects(openStorage({ url: node }, keys, writer), /permission denied/);
  },
});

Deno.test({
  name: "KEYDESK_UPGRADE=off: a store of an earlier or later schema is refused and not touched",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    await using folder = await temporaryFolder();
    const url = await (await sharedPostgres()).createDatabase();
    const keys = parseSealingKeys(newSealingKey().trim());
    const writer = { thread: false as const, transactions: [] };
    for (const place of [{ path: join(folder.path, "keydesk.db") }, { url }]) {
      const off = { ...place, migrate: "off" as const };
      await assert.rejects(
        openStorage(off, keys, writer),
        /the store has schema 0, this needs \d+/,
      );
      await (await openStorage(place, keys, writer)).close();
      await (await openStorage(off, keys, writer)).close();
    }
  },
});
