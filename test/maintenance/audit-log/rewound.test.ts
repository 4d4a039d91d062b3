/**
 * Who reaches the database without the sealing key and puts it back to an older state, or takes the
 * audit log away, has the heads against them that stand in the data directory.
 */
import assert from "node:assert/strict";
import { createLog } from "../../../src/kernel/log.ts";
import { HeadWatch, startHeadWatch } from "../../../src/maintenance/audit-log/head-watch.ts";
import {
  acceptAtNextLook,
  HEADS_FILE,
  HeadsUnreadable,
  readHeads,
} from "../../../src/maintenance/audit-log/kept-heads.ts";
import { appendAll } from "../../../src/maintenance/audit-log/appender.ts";
import { leavesFrom } from "../../../src/maintenance/audit-log/log-reading.store.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { eventually } from "../../support/eventually.ts";
import {
  AUDIT_LOG_TABLES,
  behindItsBack,
  extra,
  fill,
  logOf,
  photograph,
  verify,
} from "./log-desk.ts";

const silent = createLog("silent", () => {});

function watchOf(desk: TestDesk): HeadWatch {
  return new HeadWatch(desk.app.ctx, desk.config.DATA_DIR, silent);
}

/** A watch that has looked and kept what it saw, as a server has after a minute. */
async function watched(desk: TestDesk): Promise<HeadWatch> {
  const watch = watchOf(desk);
  assert.deepEqual(await watch.look(), []);
  await watch.keep();
  return watch;
}

/** What the file's head says of the audit log to whoever verifies the store. */
async function verdict(desk: TestDesk): Promise<string[]> {
  const kept = (await readHeads(desk.config.DATA_DIR))?.heads
    .find(({ org_id }) => org_id === desk.org_id);
  return (await verify(desk, { kept })).findings.map(({ wrong }) => wrong);
}

testOnEngines(
  "audit log: tables that were rewound to a kept checkpoint are found",
  async (desk) => {
    await fill(desk);
    const putBack = await photograph(desk);
    await fill(desk);
    const watch = await watched(desk);
    await putBack();
    // By the server that runs, by one that starts, and by whoever verifies.
    for (const one of [watch, watchOf(desk)]) {
      const [rewound] = await one.look();
      assert.match(rewound?.why ?? "", /had \d+ entries at .* and now it has \d+/);
    }
    assert.deepEqual(await verdict(desk), ["forked"]);
    // Nor does it help that servers sign what they find, and that the log gets as long again.
    await fill(desk, 20);
    assert.match((await watchOf(desk).look())[0]?.why ?? "", /which don't begin with those/);
    assert.deepEqual(await verdict(desk), ["forked"]);
  },
  { extra },
);

testOnEngines(
  "audit log: an audit log that was taken away whole, or without its rows, is found",
  async (desk) => {
    await fill(desk);
    const putBack = await photograph(desk);
    await watched(desk);
    const all = AUDIT_LOG_TABLES.map((table) => `delete from ${table}`);
    await behindItsBack(desk, ...all);
    assert.match((await watchOf(desk).look())[0]?.why ?? "", /is gone/);
    assert.ok((await verdict(desk)).includes("forked"));
    await putBack();
    assert.deepEqual(await watchOf(desk).look(), []);
    // The rows as if they waited: the next server takes them in once more, in another order.
    await behindItsBack(
      desk,
      ...all.slice(1),
      "update audit_events set leaf_index = null",
      "delete from audit_events where id = (select max(id) from audit_events)",
    );
    await appendAll(desk.app.ctx);
    assert.equal((await watchOf(desk).look()).length, 1);
    assert.ok((await verdict(desk)).includes("forked"));
  },
  { extra },
);

testOnEngines("audit log: a log that goes on is no finding, however far it goes", async (desk) => {
  await fill(desk);
  const watch = await watched(desk);
  await fill(desk, 2400);
  assert.deepEqual(await watch.look(), []);
  const other = await desk.otherOrganisation();
  await appendAll(desk.app.ctx);
  assert.deepEqual(await watch.look(), []);
  await watch.keep();
  const kept = await readHeads(desk.config.DATA_DIR);
  assert.deepEqual(
    kept?.heads.map(({ org_id }) => org_id).toSorted(),
    [
      desk.org_id,
      other.org_id,
    ].toSorted(),
  );
  const { size, checkpoint } = await logOf(desk);
  const own = kept?.heads.find(({ org_id }) => org_id === desk.org_id);
  assert.deepEqual([own?.size, own?.checkpoint], [size, checkpoint]);
  // Another process of this machine has looked earlier, and knows less.
  assert.deepEqual(await watchOf(desk).look(), []);
  assert.deepEqual(await verdict(desk), []);
}, { extra });

testOnEngines("audit log: entries that are gone behind the head are no going on", async (desk) => {
  await fill(desk);
  const watch = await watched(desk);
  await fill(desk);
  const [leaf] = (await leavesFrom(desk.app.ctx.storage.reader, desk.org_id, 0)).slice(-2);
  await behindItsBack(desk, `delete from trail_leaves where leaf_index = ${leaf?.leaf_index}`);
  assert.match((await watch.look())[0]?.why ?? "", /lacks entries that came since/);
}, { extra });

testOnEngines(
  "audit log: a store that is put back is taken as it stands once somebody says so",
  async (desk) => {
    const { ctx } = desk.app;
    await fill(desk);
    const putBack = await photograph(desk);
    await fill(desk);
    const running = await watched(desk);
    await putBack();
    const [rewound] = await running.look();
    assert.ok(rewound);
    const machine = watchOf(desk);
    await machine.look();
    await machine.accept(rewound.known, "put back to Monday");
    await machine.keep();
    assert.deepEqual(await running.look(), [], "the server that runs hears of it");
    assert.deepEqual(await verdict(desk), []);
    const told = await desk.send("GET", "/v1/audit-log?action=audit_log.accepted");
    const [row] = (await told.json()).data;
    assert.equal(row?.detail.reason, "put back to Monday");
    assert.equal(row?.detail.before.size, rewound.known.size);
    // `restore` leaves word for the next start.
    await fill(desk);
    await machine.look();
    await machine.keep();
    await putBack();
    await acceptAtNextLook(desk.config.DATA_DIR, "restored from a.db", new Date().toISOString());
    assert.deepEqual(await watchOf(desk).look(), []);
    assert.deepEqual(await verdict(desk), []);
    assert.equal((await readHeads(desk.config.DATA_DIR))?.accept, undefined);
    await ctx.damages.flush();
  },
  { extra },
);

testOnEngines(
  "audit log: heads that can't be read are told, and none are made in their place",
  async (desk) => {
    await fill(desk);
    await watched(desk);
    const path = `${desk.config.DATA_DIR}/${HEADS_FILE}`;
    for (
      const text of ["", "{", "[]", '{"v":1,"heads":[{"org_id":"a","size":3,"frontier":"00"}]}']
    ) {
      await Deno.writeTextFile(path, text);
      await assert.rejects(watchOf(desk).look(), HeadsUnreadable);
      assert.equal(await Deno.readTextFile(path), text);
    }
  },
  { extra },
);

testOnEngines(
  "audit log: a server keeps each head at its next look, so that a kill leaves a fresh one",
  async (desk) => {
    const running = startHeadWatch(desk.app.ctx, desk.config.DATA_DIR, silent, { lookMs: 5 });
    try {
      for (let n = 1; n < 3; n++) {
        await fill(desk, 7);
        const { size } = await logOf(desk);
        await eventually("the head to be kept", async () => {
          const { heads = [] } = await readHeads(desk.config.DATA_DIR) ?? {};
          return heads.some((head) => head.org_id === desk.org_id && head.size === size);
        });
      }
    } finally {
      await running.stop();
    }
  },
  { extra },
);
