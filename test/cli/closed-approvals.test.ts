/** Approvals that were to be signed by a passkey are closed: an operator is told of it. */
import assert from "node:assert/strict";
import { startWarnings } from "../../src/cli/start-warnings.ts";
import { migrateSession } from "../../src/storage/migrate-session.ts";
import { migrations } from "../../src/storage/migrations/list.ts";
import { openSession } from "../../src/storage/open-session.ts";
import { keydesk } from "../support/command.ts";
import { testOnEngines } from "../support/desk.ts";
import { closeApprovals, demandSignatures } from "../support/signing.ts";
import { testOnStores } from "../support/unopened-stores.ts";

/** The step since which a release could ask for signatures. */
const STEP = 61;
const CLOSED = /^Approvals are closed in the organisation closed: .*sets it anew/m;

testOnStores(
  "closed approvals: a dry run of the upgrade and doctor name the organisation",
  async ({ settings, location }) => {
    const session = await openSession(location);
    try {
      await migrateSession(session, migrations.filter(({ version }) => version < STEP));
      const older = await keydesk(["upgrade", "--dry-run"], settings);
      assert.deepEqual([older.code, CLOSED.test(older.stderr)], [3, false]);
      await migrateSession(session, migrations.filter(({ version }) => version <= STEP));
      for (const [org_id, signatures] of [["open", 0], ["closed", 1]]) {
        await session.exec(
          `insert into sign_in_rules (org_id, tokens, signatures) values ('${org_id}', 1, ${signatures})`,
        );
      }
      const dry = await keydesk(["upgrade", "--dry-run"], settings);
      assert.equal(dry.code, 3);
      assert.match(dry.stderr, CLOSED);
      assert.doesNotMatch(dry.stderr, /organisation open/);
      await keydesk(["upgrade"], settings);
      const again = await keydesk(["upgrade", "--dry-run"], settings);
      assert.equal(again.code, 0);
      assert.match(again.stderr, CLOSED);
      const { stdout } = await keydesk(["doctor", "--json"], { ...settings, KEYDESK_PORT: "0" });
      const { checks }: { checks: { check: string; result: string; text: string }[] } = JSON.parse(
        stdout,
      );
      const found = checks.filter(({ text }) => CLOSED.test(text));
      assert.deepEqual(found.map(({ result }) => result), ["warn"]);
    } finally {
      await session.close();
    }
  },
);

testOnEngines("closed approvals: each start says so", async (desk) => {
  const { storage: { reader }, sealer, clock } = desk.app.ctx;
  const told = async () =>
    (await startWarnings(desk.config, reader, sealer, clock.now()))
      .filter((one) => one.startsWith("Approvals are closed")).length;
  assert.equal(await told(), 0);
  await closeApprovals(desk);
  assert.equal(await told(), 1);
}, { extra: [demandSignatures] });
