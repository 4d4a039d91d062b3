import assert from "node:assert/strict";
import { newSealingKey, parseSealingKeys } from "../../../src/kernel/sealing/sealing-keys.ts";
import { openStorage } from "../../../src/storage/open-storage.ts";
import { readLedger, readLedgerOfFile } from "../../support/ledger.ts";
import { PATIENT_POSTGRES } from "../../support/patient-postgres.ts";
import { sharedPostgres } from "../../support/postgres.ts";
import { type ServerProcess, startServerProcess, withFolder } from "../../support/processes.ts";

const ROUNDS = 3;
const SERVERS = 3;

Deno.test("servers that start at once on an empty folder agree on everything", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    await withFolder(async (folder) => {
      const dataDir = `${folder}/not/there/yet`;
      const servers = await startTogether(Array(SERVERS).fill({ dataDir }));
      try {
        assert.equal(new Set(servers.map((server) => server.credential)).size, 1);
        await assertOneDesk(servers);
        assert.equal((await readLedgerOfFile(`${dataDir}/keydesk.db`)).organisations.length, 1);
        const files = await Array.fromAsync(Deno.readDir(dataDir));
        const names = files.map((file) => file.name).filter((name) => !/^keydesk\.db/.test(name));
        assert.deepEqual(names.sort(), [
          "administrator-credential",
          "sealing-key",
          "trail-heads.json",
        ]);
        for (const name of names) {
          const { mode } = await Deno.stat(`${dataDir}/${name}`);
          assert.equal((mode ?? 0) & 0o777, 0o600, name);
        }
      } finally {
        for (const server of servers) await server[Symbol.asyncDispose]();
      }
    });
  }
});

Deno.test({
  name: "postgres: servers that start at once on an empty database agree on one organisation",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await withFolder(async (dataDir) => {
        const url = await (await sharedPostgres()).createDatabase();
        const sealing = newSealingKey().trim();
        const environment = {
          ...PATIENT_POSTGRES,
          KEYDESK_DATABASE_URL: url,
          KEYDESK_SEALING_KEY: sealing,
          KEYDESK_ADMIN_TOKEN: "administrator-of-the-first-start-test",
        };
        const servers = await startTogether(Array(SERVERS).fill({ dataDir, environment }));
        try {
          await assertOneDesk(servers);
          const writer = { thread: false as const, transactions: [] };
          const storage = await openStorage({ url }, parseSealingKeys(sealing), writer);
          const { organisations } = await readLedger(storage.reader);
          await storage.close();
          assert.equal(organisations.length, 1);
        } finally {
          for (const server of servers) await server[Symbol.asyncDispose]();
        }
      });
    }
  },
});

Deno.test({
  name:
    "postgres: of servers with folders of their own, one writes the credential, and it stays good",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await withFolder(async (folder) => {
        const environment = {
          ...PATIENT_POSTGRES,
          KEYDESK_DATABASE_URL: await (await sharedPostgres()).createDatabase(),
          KEYDESK_SEALING_KEY: newSealingKey().trim(),
        };
        const dirs = Array.from({ length: SERVERS }, (_, n) => `${folder}/${n}`);
        const servers = await startTogether(dirs.map((dataDir) => ({ dataDir, environment })));
        try {
          const credentials = new Set(servers.map((server) => server.credential));
          credentials.delete("");
          assert.equal(credentials.size, 1);
          const headers = { authorization: [...credentials][0] ?? "" };
          for (const server of servers) {
            const list = await server.send("GET", "/api/portal/requests", { headers });
            assert.equal(list.status, 200);
          }
        } finally {
          for (const server of servers) await server[Symbol.asyncDispose]();
        }
      });
    }
  },
});

/** Starts all of them at the same moment; those that came up are stopped when another did not. */
async function startTogether(
  options: Parameters<typeof startServerProcess>[0][],
): Promise<ServerProcess[]> {
  const results = await Promise.allSettled(options.map(startServerProcess));
  const servers = results.flatMap((r) => r.status === "fulfilled" ? [r.value] : []);
  const failed = results.find((r) => r.status === "rejected");
  if (!failed) return servers;
  for (const server of servers) await server[Symbol.asyncDispose]();
  throw failed.reason;
}

/** What one creates all of them show, secrets that were sealed by one are opened by all. */
async function assertOneDesk(servers: readonly ServerProcess[]): Promise<void> {
  const path = "/api/portal/requests";
  for (const [n, server] of servers.entries()) {
    const jwt_secret = `secret-${n}`;
    const body = { by_user: "dev", for_plan: "plan", jwt_secret };
    const created = await server.send("POST", path, { body });
    assert.equal(created.status, 200, JSON.stringify(created.body));
    for (const other of servers) {
      const shown = await other.send("GET", `${path}/${created.body.Message}`);
      assert.equal(shown.status, 200);
      assert.equal(shown.body.jwt_secret, jwt_secret);
    }
  }
}
