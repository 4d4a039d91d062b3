/**
 * Stores that an earlier release made: its rows open doors until nothing of it can write any more.
 */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import { demandsChecksums, keyChecks } from "../../../src/changes/checksum-demand.store.ts";
import { newSealingKey, parseSealingKeys } from "../../../src/kernel/sealing/sealing-keys.ts";
import { startWarnings } from "../../../src/cli/start-warnings.ts";
import { scrubTurn } from "../../../src/maintenance/damage/scrub.ts";
import { storeClockBy } from "../../../src/storage/store-clock.ts";
import { checkedTables } from "../../../src/maintenance/damage/checked-rows.store.ts";
import { renewDemand } from "../../../src/maintenance/damage/checksums.transactions.ts";
import { demandAll, writeTable } from "../../../src/maintenance/damage/write-checksums.ts";
import { appliedSteps } from "../../../src/storage/migrate.ts";
import { CHECKSUMS_DEMANDED } from "../../../src/storage/migrations/list.ts";
import { findings, tamper } from "../../support/damage.ts";
import { engines, tampered, type TestDesk, testOnEngines } from "../../support/desk.ts";
import { call, KEYS } from "../../support/keys.ts";
import { BEFORE_CHECKSUMS, OLD_SEALING_KEY, openOldStore } from "../../support/old-stores.ts";
import { ask, issueKnown, outcome, withSecond } from "../../support/verification.ts";

/** What a store keeps of its sealing keys. */
const keptOf = ({ app: { ctx } }: TestDesk) => keyChecks(ctx.storage.reader);

/** What code of the release before wrote and expects there, for the one key in a text. */
function earlierValue(text: string): string {
  return createHmac("sha256", Buffer.from(text.trim().slice(2), "base64"))
    .update("keydesk sealing key check").digest("hex").slice(0, 32);
}

/** The desk's store with other sealing keys at hand. */
function withKeys(desk: TestDesk, text: string): TestDesk {
  return { ...desk, config: { ...desk.config, SEALING_KEY: parseSealingKeys(text) } };
}

const SECOND_KEY = newSealingKey().trim().replace(/^1:/, "2:");
const OTHER_SECOND_KEY = newSealingKey().trim().replace(/^1:/, "2:");

const HOUR_MS = 60 * 60 * 1000;

/** One round of the scrub, without its rests. */
async function scrubOnce(desk: TestDesk, now = desk.app.ctx.clock.now()): Promise<void> {
  const clock = { now: () => now };
  const ctx = { ...desk.app.ctx, clock, storeClock: storeClockBy(clock, clock) };
  for (let turn = 0; turn < 3; turn++) await scrubTurn(ctx, "node", HOUR_MS);
}

/**
 * Where the operator is told that no checksums are demanded: at the start, and to whoever asks the
 * server.
 */
async function toldIn(desk: TestDesk): Promise<string[]> {
  const { config, app: { ctx } } = desk;
  const answer = await desk.send("GET", "/v1/server");
  assert.equal(answer.status, 200);
  const places: Record<string, string[]> = {
    start: await startWarnings(config, ctx.storage.reader, ctx.sealer, ctx.clock.now()),
    server: (await answer.json()).warnings,
  };
  return Object.entries(places)
    .filter(([, told]) => told.some((sentence) => sentence.includes("keydesk check --demand")))
    .map(([place]) => place);
}

const demanded = ({ app: { ctx } }: TestDesk) => demandsChecksums(ctx.storage.reader, ctx.sealer);

for (const engine of engines) {
  const name = BEFORE_CHECKSUMS;
  Deno.test({
    name: `${engine}: upgrade: rows of an earlier release open doors, whatever it writes beside us`,
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => {
      await using old = await openOldStore(name, engine);
      const { desk, keys: [key = ""] } = old;
      const opens = () =>
        withSecond(desk, async (second) => {
          assert.notEqual(await outcome(second, key), "damaged");
        }, desk.app.ctx.clock);
      await opens();
      assert.equal(await demanded(desk), false);
      const [warned] = (await findings(desk)).filter(({ check }) => check === "checksums");
      assert.equal(warned?.result, "warn");
      assert.deepEqual(await toldIn(desk), ["start", "server"]);
      await scrubOnce(desk);
      assert.match((await findings(desk))[0]?.text ?? "", /^0 of \d+ rows/);
      // As the earlier release would: it changes a row and leaves the checksum.
      await tamper(desk, "update credentials set expires_at = '2098-01-01T00:00:00.000Z'");
      await opens();
      assert.equal(await demanded(desk), false, "the schema still serves the earlier release");

      assert.ok(await demandAll(desk.app.ctx) > 0);
      assert.equal(await demanded(desk), true);
      assert.deepEqual(await toldIn(desk), []);
      const steps = await appliedSteps(desk.app.ctx.storage.reader);
      assert.equal(Number(steps.at(-1)?.oldest_code), CHECKSUMS_DEMANDED);
      await opens();
      assert.deepEqual((await findings(desk)).filter(({ check }) => check === "checksums"), []);
      await tamper(desk, "update credentials set expires_at = '2097-01-01T00:00:00.000Z'");
      await withSecond(desk, async (second) => {
        assert.equal(await outcome(second, key), "damaged");
      }, desk.app.ctx.clock);
    },
  });

  Deno.test({
    name:
      `${engine}: upgrade: once the schema serves no earlier release, a round of the scrub demands`,
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => {
      await using old = await openOldStore(name, engine);
      const { desk } = old;
      const now = desk.app.ctx.clock.now();
      await scrubOnce(desk, now);
      assert.equal(await demanded(desk), false);
      // As a step of a later release would.
      await tamper(
        desk,
        `update schema_versions set oldest_code = ${CHECKSUMS_DEMANDED}
        where version = (select max(version) from schema_versions)`,
      );
      await scrubOnce(desk, now + HOUR_MS + 1);
      assert.equal(await demanded(desk), true);
      assert.deepEqual((await findings(desk)).filter(({ check }) => check === "checksums"), []);
    },
  });

  Deno.test({
    name:
      `${engine}: upgrade: what the store keeps of its sealing keys serves earlier code until checksums are demanded`,
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => {
      await using old = await openOldStore(name, engine);
      const { desk, keys: [key = ""] } = old;
      const { clock } = desk.app.ctx;
      const first = { version: 1, check_value: earlierValue(OLD_SEALING_KEY) };
      assert.deepEqual(await keptOf(desk), [first]);
      // A key that is left out by mistake decides nothing.
      await withSecond(withKeys(desk, SECOND_KEY), async () => {}, clock);
      assert.deepEqual(await keptOf(desk), [first]);
      const both = withKeys(desk, `${OLD_SEALING_KEY},${SECOND_KEY}`);
      await withSecond(both, async (second) => {
        assert.notEqual(await outcome(second, key), "damaged");
      }, clock);
      const added = { version: 2, check_value: earlierValue(SECOND_KEY) };
      assert.deepEqual(await keptOf(desk), [first, added]);

      // By a process that does not have the second key: that one's form changes too.
      await demandAll(desk.app.ctx);
      const kept = await keptOf(desk);
      assert.deepEqual(kept.map(({ version }) => version), [1, 2]);
      for (const one of kept) {
        assert.ok(![first, added].some(({ check_value }) => one.check_value === check_value));
      }
      await withSecond(both, async () => {}, clock);
      await withSecond(withKeys(desk, SECOND_KEY), async () => {}, clock);
      assert.deepEqual(await keptOf(desk), kept);
      const wrong = withKeys(desk, `${OLD_SEALING_KEY},${OTHER_SECOND_KEY}`);
      await assert.rejects(withSecond(wrong, async () => {}, clock), /version 2 is not the key/);
      assert.equal(await demanded(desk), true);
    },
  });

  Deno.test({
    name:
      `${engine}: upgrade: what says that none are demanded takes the demand back only where all of it is put back`,
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => {
      await using old = await openOldStore(name, engine);
      const { desk, keys: [key = ""] } = old;
      const { clock } = desk.app.ctx;
      const both = withKeys(desk, `${OLD_SEALING_KEY},${SECOND_KEY}`);
      await withSecond(both, async () => {}, clock);
      const before = earlierValue(OLD_SEALING_KEY);
      await demandAll(desk.app.ctx);
      const putBack = `update sealing_keys set check_value = '${before}' where version = 1`;
      await tamper(desk, putBack, "update credentials set checksum = null");
      await withSecond(both, async (second) => {
        assert.equal(await outcome(second, key), "damaged", "the second key's still demands");
      }, clock);
      // Bytes from before count for the key that they are of: they end with it.
      await tamper(desk, "delete from sealing_keys where version = 2");
      await withSecond(withKeys(desk, SECOND_KEY), async (second) => {
        assert.equal(
          await demandsChecksums(second.app.ctx.storage.reader, second.app.ctx.sealer),
          true,
        );
      }, clock);
    },
  });

  Deno.test({
    name:
      `${engine}: upgrade: where the only key is lost, accepting that demands checksums for good`,
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => {
      await using old = await openOldStore(name, engine);
      const { desk, keys: [key = ""] } = old;
      const { clock } = desk.app.ctx;
      tampered.add(desk.app);
      await withSecond(withKeys(desk, SECOND_KEY), async (second) => {
        const { ctx } = second.app;
        for (const table of checkedTables) await writeTable(ctx, table, "accept");
        await ctx.storage.commit(renewDemand, null);
      }, clock);
      assert.deepEqual((await keptOf(desk)).map(({ version }) => version), [1, 2]);
      const steps = await appliedSteps(desk.app.ctx.storage.reader);
      assert.equal(Number(steps.at(-1)?.oldest_code), CHECKSUMS_DEMANDED);
      assert.equal(await demanded(desk), true, "for whoever finds the lost key, too");
      await withSecond(withKeys(desk, SECOND_KEY), async (second) => {
        assert.notEqual(await outcome(second, key), "damaged");
      }, clock);
      const other = withKeys(desk, OTHER_SECOND_KEY);
      await assert.rejects(withSecond(other, async () => {}, clock), /version 2 is not the key/);
    },
  });
}

testOnEngines(
  "a new store never said that none are demanded: nothing is there to be put back",
  async (desk) => {
    const { RawKey, key_id } = await issueKnown(desk);
    await call(desk, "POST", `${KEYS}/${key_id}/revoke`, { reason: "test" });
    const [kept] = await keptOf(desk);
    const value = kept?.check_value ?? "";
    assert.match(value, /^demanding\.[0-9a-f]{64}$/);
    const tables = ["access_tokens", "credentials", "users"];
    await tamper(
      desk,
      "update credentials set state = 'active'",
      ...tables.map((table) => `update ${table} set checksum = null`),
    );
    const start = () =>
      withSecond(desk, async (second) => {
        const { status } = await ask(second, { key: RawKey });
        assert.equal(status, 401, "not even the administrator is let in");
        await second.app.ctx.damages.flush();
      });
    await start();
    const refused = [
      "delete from sealing_keys",
      `update sealing_keys set check_value = '${value.slice("demanding.".length)}'`,
      `update sealing_keys set check_value = '${earlierValue(OLD_SEALING_KEY)}'`,
    ];
    for (const text of refused) {
      await tamper(desk, text);
      await assert.rejects(start(), /sealed with/, text);
      assert.equal(await demanded(desk), true, text);
      await tamper(
        desk,
        "delete from sealing_keys",
        `insert into sealing_keys (version, check_value) values (1, '${value}')`,
      );
    }
    // As if it were the key of another version that is lost.
    await tamper(desk, "update sealing_keys set version = 7, check_value = 'abcd'");
    await start();
  },
);
