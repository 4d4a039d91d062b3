/** PgBouncer of Debian 12, which keeps no prepared statements in its transaction mode. */
import assert from "node:assert/strict";
import { newSealingKey } from "../../src/kernel/sealing/sealing-keys.ts";
import { keydesk } from "../../test/support/command.ts";
import { startPostgres } from "../../test/support/postgres.ts";
import { startPooler } from "../support/pgbouncer.ts";
import { walkBehindPooler } from "./poolers.ts";

const options = { sanitizeOps: false, sanitizeResources: false };

Deno.test({
  ...options,
  name: "PgBouncer 1.18, transactions: two nodes work behind it, durably, and say what it lacks",
  fn: () => walkBehindPooler({ keeps: false }),
});

Deno.test({
  ...options,
  name: "PgBouncer 1.18: one that takes no parameters is refused, with what to set",
  fn: async () => {
    await using postgres = await startPostgres();
    const url = await postgres.createDatabase();
    await using pooler = await startPooler(url, {
      mode: "session",
      settings: { ignore_startup_parameters: undefined },
    });
    const settings = {
      KEYDESK_DATABASE_URL: pooler.through(url),
      KEYDESK_SEALING_KEY: newSealingKey().trim(),
    };
    const seeded = await keydesk(["seed"], settings);
    assert.equal(seeded.code, 1);
    assert.match(seeded.stderr, /the pooler refuses the parameter .*ignore_startup_parameters = /);
  },
});
