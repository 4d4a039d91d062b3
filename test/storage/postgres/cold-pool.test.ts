/** A burst that finds no connection open, on a server that lets clients in one by one. */
import assert from "node:assert/strict";
import { newSealingKey } from "../../../src/kernel/sealing/sealing-keys.ts";
import { openTestDesk } from "../../support/desk.ts";
import { listIds, REQUESTS, smallRequest } from "../../support/key-requests.ts";
import { createMigrated } from "../../support/migrated-stores.ts";
import { slowProxy } from "../../support/slow-proxy.ts";

const BURST = 100;
const ADMISSION_MS = 50;

Deno.test({
  name: "postgres: a burst on a cold pool waits, and opens a few connections at a time",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    const url = new URL(await createMigrated());
    const proxy = slowProxy(Number(url.port), 0, ADMISSION_MS);
    // Goes after the desk, which else waits for its server.
    using _ = { [Symbol.dispose]: () => proxy.stop() };
    url.port = String(proxy.port);
    await using desk = await openTestDesk("sqlite", {
      environment: {
        KEYDESK_DATABASE_URL: url.href,
        KEYDESK_SEALING_KEY: newSealingKey().trim(),
        // Whatever else this machine does.
        KEYDESK_DATABASE_CONNECT_MS: "60000",
        KEYDESK_DATABASE_PATIENCE_MS: "60000",
      },
    });
    const calls = Array.from({ length: BURST }, async () => {
      const { status } = await desk.send("POST", REQUESTS, { body: smallRequest() });
      return status;
    });
    assert.deepEqual(new Set(await Promise.all(calls)), new Set([200]));
    assert.equal((await listIds(desk)).length, BURST);
    // Four, and one that asks whether the server lives.
    assert.ok(proxy.mostWaiting() <= 5, `${proxy.mostWaiting()} at once`);
  },
});
