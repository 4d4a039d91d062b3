/** What a start tells the operator of the settings. */
import assert from "node:assert/strict";
import { startWarnings } from "../../src/cli/start-warnings.ts";
import { readConfig } from "../../src/config.ts";
import { openTestDesk } from "../support/desk.ts";

Deno.test("start: a shared port without the number of its processes is told", async () => {
  await using desk = await openTestDesk("sqlite");
  const { ctx } = desk.app;
  const told = async (settings: Record<string, string>) => {
    const config = { ...desk.config, ...readConfig(settings, "linux") };
    const sentences = await startWarnings(
      config,
      ctx.storage.reader,
      ctx.sealer,
      ctx.clock.now(),
    );
    return sentences.filter((one) => one.includes("KEYDESK_PROCESSES")).length;
  };
  assert.equal(await told({}), 0);
  assert.equal(await told({ KEYDESK_REUSE_PORT: "true" }), 1);
  assert.equal(await told({ KEYDESK_REUSE_PORT: "true", KEYDESK_PROCESSES: "2" }), 0);
});
