/**
 * A desk on each release of PostgreSQL that it may run on: the schema by its owner, two nodes by a
 * role without rights to change it, the whole life of keys, and a server that crashes beneath them.
 * In `npm run test:long` alone, since the servers are 200 MB.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import pg from "pg";
import { newSealingKey } from "../../src/kernel/sealing/sealing-keys.ts";
import { sha256 } from "../../src/kernel/sha256.ts";
import { keydesk, repository } from "../../test/support/command.ts";
import { eventually } from "../../test/support/eventually.ts";
import { startPostgres } from "../../test/support/postgres.ts";
import {
  type ServerProcess,
  startServerProcess,
  withFolder,
} from "../../test/support/processes.ts";
import { npmPackages } from "../support/downloads.ts";

const ADMINISTRATOR = "administrator-of-the-releases-of-postgres";
const REQUESTS = "/api/portal/requests";
const NAME = "postgres-versions";

for (const major of [13, 14, 15, 16, 17, 18]) {
  Deno.test({
    name:
      `PostgreSQL ${major}: migrate, two nodes, keys from request to revocation, a crash, doctor`,
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => {
      const packages = await npmPackages(NAME, join(repository, "system/storage", NAME));
      const source = join(packages, `postgres-${major}`);
      await using postgres = await startPostgres({ source, durable: true });
      await withFolder(async (folder) => {
        const url = await postgres.createDatabase();
        const [version] = await sql(url, "show server_version");
        console.log(`PostgreSQL ${version?.server_version}`);
        await walk(postgres, url, folder);
      });
    },
  });
}

async function walk(
  postgres: Awaited<ReturnType<typeof startPostgres>>,
  url: string,
  dataDir: string,
): Promise<void> {
  for (const statement of ROLES) await sql(url, statement);
  const sealing = { KEYDESK_SEALING_KEY: newSealingKey().trim() };
  const as = (user: string) => {
    const own = new URL(url);
    own.username = user;
    own.password = "secret";
    return { ...sealing, KEYDESK_DATABASE_URL: own.href };
  };
  const migrated = await keydesk(["upgrade"], as("keydesk_owner"));
  assert.equal(migrated.code, 0, migrated.stderr);
  const environment = {
    ...as("keydesk_node"),
    KEYDESK_UPGRADE: "off",
    KEYDESK_ADMIN_TOKEN: ADMINISTRATOR,
  };
  await using first = await startServerProcess({ dataDir, environment });
  await using second = await startServerProcess({ dataDir, environment });
  const plan = { _id: "weather", id: "weather", name: "Weather", active: true };
  assert.equal((await first.send("POST", "/api/portal/policies", { body: plan })).status, 200);
  await liveOfAKey(first, second);

  await postgres.kill();
  const away = await first.send("GET", `${REQUESTS}?p=1`);
  assert.equal(away.status, 503);
  await postgres.restart();
  for (const node of [first, second]) {
    await eventually(
      "the server is back",
      async () => (await node.send("GET", `${REQUESTS}?p=1`)).status === 200,
    );
  }
  await liveOfAKey(second, first);
  const { body: { warnings } } = await first.send("GET", "/v1/server");
  assert.deepEqual(warnings, []);
  const found = await first.send("GET", "/v1/key-requests?q=weather");
  assert.equal(found.body.data.length, 2, JSON.stringify(found.body));
  for (const command of ["doctor", "check"]) {
    const { code, stdout, stderr } = await keydesk([command], as("keydesk_node"));
    assert.equal(code, 0, `${command}: ${stdout}${stderr}`);
  }
}

/** From its request to its end; what one node does counts at the other. */
async function liveOfAKey(node: ServerProcess, other: ServerProcess): Promise<void> {
  const body = { by_user: "maria", for_plan: "weather", fields: { why: "Straße, \u{1F511}" } };
  const { Message: id } = await repeated(node, "POST", REQUESTS, body);
  const { RawKey: key } = await repeated(other, "PUT", `${REQUESTS}/approve/${id}`);
  assert.equal(typeof key, "string");
  const isValid = async (at: ServerProcess) =>
    (await at.send("POST", "/v1/keys/verify", { body: { key } })).body.valid;
  const becomes = (valid: boolean, why: string) =>
    eventually(why, async () => await isValid(node) === valid && await isValid(other) === valid);
  const does = async (what: string) => {
    const path = `/v1/keys/${sha256(key)}/${what}`;
    const { status } = await node.send("POST", path, { body: { reason: "a test" } });
    assert.equal(status, 200, what);
  };
  await becomes(true, "it was approved");
  await does("suspend");
  await becomes(false, "it was suspended");
  await does("resume");
  await becomes(true, "it was resumed");
  await does("revoke");
  await becomes(false, "it was revoked");
}

/** As a client does that is told to come back: the same call until it is answered. */
async function repeated(node: ServerProcess, method: string, path: string, body?: unknown) {
  const headers = { "idempotency-key": crypto.randomUUID() };
  let answer = await node.send(method, path, { body, headers });
  await eventually("it is answered", async () => {
    if (answer.status === 503) answer = await node.send(method, path, { body, headers });
    return answer.status !== 503;
  });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}

/** As docs/postgresql.md has them. */
const ROLES = [
  "create extension pg_trgm",
  "create role keydesk_owner login password 'secret'",
  "create role keydesk_node login password 'secret'",
  "revoke all on schema public from public",
  "grant usage, create on schema public to keydesk_owner",
  "grant usage on schema public to keydesk_node",
  `alter default privileges for role keydesk_owner in schema public
    grant select, insert, update, delete on tables to keydesk_node`,
];

async function sql(url: string, statement: string): Promise<Record<string, string>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}
