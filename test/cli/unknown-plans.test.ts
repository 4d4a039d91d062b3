/** What an operator is told of plans that active keys name and nobody knows. */
import assert from "node:assert/strict";
import { newSealingKey } from "../../src/kernel/sealing/sealing-keys.ts";
import {
  keydesk,
  type ServerProcess,
  startServerProcess,
  temporaryFolder,
} from "../support/command.ts";
import { engines } from "../support/desk.ts";
import { eventually } from "../support/eventually.ts";
import { createMigrated } from "../support/migrated-stores.ts";

const ADMIN = "administrator-of-the-unknown-plan-test";
const KNOWN = "5f1a2b3c4d5e6f7081920002";

async function send(server: ServerProcess, method: string, path: string, body?: unknown) {
  const init = { method, headers: { authorization: ADMIN }, body: JSON.stringify(body) };
  const response = await fetch(`${server.url}${path}`, init);
  const answer = await response.json();
  assert.equal(response.status, 200, JSON.stringify(answer));
  return answer;
}

/** The warnings of its log: they come once it serves, so nothing else says when. */
async function warningsOf(settings: Record<string, string>, expected: number): Promise<string[]> {
  const server = await startServerProcess(settings);
  const warnings = () =>
    server.stdout().split("\n").filter((line) => line.includes('"level":"warn"'))
      .map((line): string => JSON.parse(line).msg)
      // A busy machine warns of itself.
      .filter((msg) => msg !== "the event loop was held up");
  await eventually(`${expected} warnings`, () => warnings().length >= expected);
  await server.stop();
  return warnings();
}

for (const engine of engines) {
  Deno.test({
    name:
      `${engine}: plans that nobody knows are told by a dry run and by each start, known ones not`,
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => {
      await using folder = await temporaryFolder();
      const settings = {
        KEYDESK_DATA_DIR: folder.path,
        KEYDESK_ADMIN_TOKEN: ADMIN,
        ...engine === "postgres"
          ? {
            KEYDESK_DATABASE_URL: await createMigrated(),
            KEYDESK_SEALING_KEY: newSealingKey().trim(),
          }
          : {},
      };
      const server = await startServerProcess(settings);
      await send(server, "POST", "/api/portal/policies", { _id: KNOWN, id: KNOWN, name: "Known" });
      const { Message: id } = await send(server, "POST", "/api/portal/requests", {
        by_user: "dev-ada",
        for_plan: KNOWN,
        apply_policies: [KNOWN, "plan-of-nobody"],
      });
      await send(server, "PUT", `/api/portal/requests/approve/${id}`);
      await server.stop();

      const told =
        'Active keys name plans that do not exist (1): "plan-of-nobody". They open nothing; create such a plan under its id, or give the keys another.';
      const dry = await keydesk(["upgrade", "--dry-run"], settings);
      assert.deepEqual([dry.code, dry.stderr], [0, `${told}\n`]);
      assert.match(dry.stdout, /^up to date: schema \d+\n$/);
      assert.deepEqual(await warningsOf(settings, 1), [told]);

      const allowing = { ...settings, KEYDESK_UNKNOWN_PLAN: "allow" };
      const [allowed, list] = await warningsOf(allowing, 2);
      assert.match(allowed ?? "", /^KEYDESK_UNKNOWN_PLAN=allow: .* opens every API/);
      assert.match(list ?? "", /"plan-of-nobody"\. Without that setting they open nothing;/);
      const again = await keydesk(["upgrade", "--dry-run"], allowing);
      assert.match(again.stderr, /^KEYDESK_UNKNOWN_PLAN=allow: .*\nActive keys name .*\n$/);
    },
  });
}
