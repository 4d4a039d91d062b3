/** Stores that an earlier release made: its rows open doors until nothing of it can write any more. */
import assert from "node:assert/strict";
import { demandsChecksums } from "../../../src/changes/checksum-demand.store.ts";
import { startWarnings } from "../../../src/cli/start-warnings.ts";
import { scrubTurn } from "../../../src/operations/damage/scrub.ts";
import { demandAll } from "../../../src/operations/damage/write-checksums.ts";
import { appliedSteps } from "../../../src/storage/migrate.ts";
import { CHECKSUMS_DEMANDED } from "../../../src/storage/migrations/list.ts";
import { findings, tamper } from "../../support/damage.ts";
import { engines, type TestDesk } from "../../support/desk.ts";
import { oldStores, openOldStore } from "../../support/old-stores.ts";
import { outcome, withSecond } from "../../support/verification.ts";

const HOUR_MS = 60 * 60 * 1000;

/** One round of the scrub, without its rests. */
async function scrubOnce(desk: TestDesk, now = desk.app.ctx.clock.now()): Promise<void> {
  const ctx = { ...desk.app.ctx, clock: { now: () => now } };
  for (let turn = 0; turn < 3; turn++) await scrubTurn(ctx, "node", HOUR_MS);
}

/** Where the operator is told that no checksums are demanded: at the start, and to whoever asks the server. */
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
  const name = oldStores().at(-1) ?? "";
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
      assert.equal(warned?.verdict, "warn");
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
    name: `${engine}: upgrade: nobody takes the demand back by changing the file`,
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => {
      await using old = await openOldStore(name, engine);
      const { desk } = old;
      await demandAll(desk.app.ctx);
      for (
        const text of [
          "update checksum_demand set demanded = 0",
          "update checksum_demand set demanded = 0, checksum = '1.AAAA'",
          "delete from checksum_demand",
          "insert into checksum_demand (id, demanded, checksum) values (1, 0, null)",
        ]
      ) {
        await tamper(desk, text);
        // A start is when the absence of checksums is acknowledged.
        await withSecond(desk, async () => {}, desk.app.ctx.clock);
        assert.equal(await demanded(desk), true, text);
      }
    },
  });
}
