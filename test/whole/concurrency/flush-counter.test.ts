import assert from "node:assert/strict";
import { readConfig } from "../../../src/config.ts";
import { permissions } from "../../../src/contract/permissions.ts";
import { openServer } from "../../../src/open-server.ts";
import { ensureFirstAccessToken } from "../../../src/features/people/first-access-token.ts";
import { approve } from "../../../src/features/key-requests/key-requests.operations.ts";
import { create } from "../../../src/features/key-requests/key-requests.service.ts";
import { remove } from "../../../src/features/key-requests/key-requests.operations.ts";
import { startWriter } from "../../../src/start-writer.ts";
import { withFolder } from "../../support/processes.ts";

Deno.test("on the writer's thread too, each acknowledged write was in a flushed group before", async () => {
  await withFolder(async (folder) => {
    const config = readConfig({ KEYDESK_DATA_DIR: folder });
    const crashed: Error[] = [];
    const onCrash = (error: Error) => void crashed.push(error);
    const writer = { thread: true as const, start: startWriter, onCrash };
    const ctx = await openServer(config, { writer });
    try {
      const { org_id } = await ensureFirstAccessToken(ctx, {}, `${folder}/credential`);
      const principal = { org_id, user_id: "u", token_id: "t", permissions: [...permissions] };
      const desk = { ...ctx, principal };
      const before = ctx.storage.stats();
      let acknowledged = 0;
      const acknowledge = async <T>(work: Promise<T>): Promise<T> => {
        const result = await work;
        acknowledged++;
        const { commits, flushes } = ctx.storage.stats();
        assert.ok(commits - before.commits >= acknowledged);
        assert.ok(flushes > before.flushes);
        return result;
      };
      await Promise.all(Array.from({ length: 64 }, async (_, n) => {
        for (let turn = 0; turn < 5; turn++) {
          const id = await acknowledge(create(desk, { by_user: `dev-${n}`, for_plan: "plan" }));
          await acknowledge(approve(desk, id, null));
          await assert.rejects(approve(desk, id, null));
          await acknowledge(remove(desk, id));
        }
      }));
      const { commits, flushes } = ctx.storage.stats();
      assert.equal(acknowledged, 64 * 5 * 3);
      assert.equal(commits - before.commits, acknowledged);
      assert.ok(flushes - before.flushes <= acknowledged / 4, `${flushes} flushes`);
      assert.deepEqual(crashed, []);
    } finally {
      await ctx.storage.close();
    }
  });
});
