/**
 * Two processes over one PostgreSQL know of each other: one that is killed, and one that is told to
 * stop.
 */
import assert from "node:assert/strict";
import { newSealingKey } from "../../../src/kernel/sealing/sealing-keys.ts";
import { version } from "../../../src/kernel/version.ts";
import { engines } from "../../support/desk.ts";
import { eventually } from "../../support/eventually.ts";
import { createMigrated } from "../../support/migrated-stores.ts";
import { type ServerProcess, startServerProcess, withFolder } from "../../support/processes.ts";

interface Told {
  name: string;
  version: string;
  state: string;
  last_seen: string;
}

async function others(server: ServerProcess): Promise<Told[]> {
  const { body } = await server.send("GET", "/v1/server");
  const [here, ...rest] = body.nodes;
  assert.equal(here.state, "current");
  return rest;
}

Deno.test({
  name:
    "postgres: two processes know of each other; what ends in order is gone, what is killed stays",
  ignore: !engines.includes("postgres"),
  sanitizeOps: false,
  sanitizeResources: false,
  fn: () =>
    withFolder(async (dataDir) => {
      const environment = {
        KEYDESK_ADMIN_TOKEN: "administrator-of-the-test-of-several-nodes",
        KEYDESK_DATABASE_URL: await createMigrated(),
        KEYDESK_SEALING_KEY: newSealingKey().trim(),
      };
      await using first = await startServerProcess({ dataDir, environment });
      await using killed = await startServerProcess({ dataDir, environment });
      await eventually("the second process", async () => (await others(first)).length === 1);
      const [second] = await others(first);
      assert.equal(second?.version, version);
      assert.ok(second?.name.endsWith(`:${killed.port}`), second?.name);

      killed.kill("SIGKILL");
      await killed.ended;
      await using stopped = await startServerProcess({ dataDir, environment });
      const isListed = async ({ port }: ServerProcess) =>
        (await others(first)).some(({ name }) => name.endsWith(`:${port}`));
      await eventually("the third process", () => isListed(stopped));
      stopped.kill("SIGTERM");
      await stopped.ended;
      assert.equal(await isListed(stopped), false);
      assert.equal(await isListed(killed), true);
    }),
});
