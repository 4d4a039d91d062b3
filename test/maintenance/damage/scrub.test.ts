/** The scrub finds what nobody asks for, on one node of all, and notes what is mended. */
import assert from "node:assert/strict";
import { acceptRow } from "../../../src/maintenance/damage/checksums.transactions.ts";
import { scrubTurn } from "../../../src/maintenance/damage/scrub.ts";
import { findScrub } from "../../../src/maintenance/damage/scrub.store.ts";
import { statement } from "../../../src/storage/statement.ts";
import { checkedTables } from "../../../src/maintenance/damage/checked-rows.store.ts";
import { writeTable } from "../../../src/maintenance/damage/write-checksums.ts";
import { findings, tamper } from "../../support/damage.ts";
import { testOnEngines } from "../../support/desk.ts";
import { eventually } from "../../support/eventually.ts";
import { movableClock, tracesOf } from "../../support/keys.ts";
import { issueKnown, outcome } from "../../support/verification.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const clock = movableClock();

const damagesSql = statement<Record<never, never>>()((db) =>
  db.selectFrom("damages").select("object_id")
);

testOnEngines(
  "scrub: a round finds what is damaged, one node at a time; what is mended is noted",
  async (desk) => {
    const { ctx } = desk.app;
    const { key_id, RawKey } = await issueKnown(desk);
    const damages = async () =>
      (await ctx.storage.reader.rows(damagesSql, {})).map(({ object_id }) => object_id);
    /** A whole round: three tables, and what is due behind it is not. */
    const round = async () => {
      for (let turn = 0; turn < 3; turn++) await scrubTurn(ctx, "one", DAY_MS);
      await ctx.damages.refresh();
    };
    await round();
    assert.deepEqual(await damages(), []);
    assert.equal((await findScrub(ctx.storage.reader))?.rounds, 1);

    await tamper(desk, `update credentials set state = 'suspended' where key_id = '${key_id}'`);
    await round();
    assert.deepEqual(await damages(), [], "the next round is not due");
    clock.at += DAY_MS;
    // Whoever comes while another node is at it leaves it alone.
    await scrubTurn(ctx, "one", DAY_MS);
    const held = await findScrub(ctx.storage.reader);
    await scrubTurn(ctx, "two", DAY_MS);
    assert.deepEqual(await findScrub(ctx.storage.reader), held);
    // And goes on where it stood once that node is gone.
    clock.at += 60 * 60 * 1000;
    for (let turn = 0; turn < 2; turn++) await scrubTurn(ctx, "two", DAY_MS);
    await ctx.damages.refresh();
    assert.deepEqual(await damages(), [key_id]);
    assert.equal(ctx.damages.found, 1);
    assert.deepEqual(ctx.problems.current().map(({ name }) => name), ["damage_found"]);
    assert.equal(await outcome(desk, RawKey), "damaged");

    await tamper(desk, `update credentials set state = 'active' where key_id = '${key_id}'`);
    clock.at += DAY_MS;
    await round();
    assert.deepEqual(await damages(), []);
    assert.deepEqual(ctx.problems.current(), []);
    const { audit } = await tracesOf(desk, key_id);
    assert.deepEqual(audit.map(([action]) => action).slice(-2), [
      "key.damaged",
      "key.fixed",
    ]);
    await eventually("the key opens again", async () => await outcome(desk, RawKey) === "valid");
  },
  { clock },
);

testOnEngines(
  "what an operator mended by hand is accepted by name, in the audit log",
  async (desk) => {
    const { ctx } = desk.app;
    const { key_id, RawKey } = await issueKnown(desk);
    await tamper(desk, `update credentials set expires_at = '2099-01-01T00:00:00.000Z'`);
    assert.equal(await outcome(desk, RawKey), "damaged");
    await ctx.damages.flush();
    const place = { org_id: desk.org_id, id: key_id };
    await ctx.storage.commit(acceptRow, { table: "credentials", place, now: ctx.clock.now() });
    await eventually("the key opens again", async () => await outcome(desk, RawKey) === "valid");
    await ctx.damages.refresh();
    assert.deepEqual(ctx.problems.current(), []);
    const { audit } = await tracesOf(desk, key_id);
    assert.equal(audit.at(-1)?.[0], "key.accepted");
  },
);

testOnEngines(
  "a new sealing key renews checksums; without the old one nothing is renewed",
  async (desk) => {
    const { ctx } = desk.app;
    const { key_id } = await issueKnown(desk);
    await tamper(desk, `update credentials set plans = '["gold"]' where key_id = '${key_id}'`);
    const first = ctx.sealer.checksum("").split(".")[0];
    assert.equal(first, "1");
    for (const table of checkedTables) {
      const done = await writeTable(ctx, table, "renew");
      // With the newest key already; the damaged one stays so.
      assert.deepEqual([done.written, done.damaged], [0, table === "credentials" ? 1 : 0]);
    }
    const accepted = await writeTable(ctx, "credentials", "accept");
    assert.deepEqual([accepted.written, accepted.damaged], [1, 0]);
    assert.deepEqual(await findings(desk), []);
  },
);
