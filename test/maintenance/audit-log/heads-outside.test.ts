/** Heads in a file outside, with which a node begins that has none, and those told to targets. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { createLog } from "../../../src/kernel/log.ts";
import { startHeadNews } from "../../../src/maintenance/audit-log/head-news.ts";
import { HeadWatch, startHeadWatch } from "../../../src/maintenance/audit-log/head-watch.ts";
import { HEADS_FILE } from "../../../src/maintenance/audit-log/kept-heads.ts";
import { readNotedHeads } from "../../../src/maintenance/audit-log/head-watch.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { addTarget, deliver, engineOf, receiver } from "../../support/receiver.ts";
import { extra, fill, logOf, photograph } from "./log-desk.ts";

const silent = createLog("silent", () => {});

const outside = (desk: TestDesk) => join(desk.config.DATA_DIR, "heads.txt");

/** A server that has run, and what it left in the file. */
async function run(desk: TestDesk, headsFile = outside(desk)): Promise<void> {
  await startHeadWatch(desk.app.ctx, desk.config.DATA_DIR, silent, { headsFile }).stop();
}

/** A node with an empty data directory of its own. */
async function freshNode(desk: TestDesk, headsFile = outside(desk)): Promise<HeadWatch> {
  await Deno.remove(join(desk.config.DATA_DIR, HEADS_FILE)).catch(() => {});
  return new HeadWatch(desk.app.ctx, desk.config.DATA_DIR, silent, { headsFile });
}

testOnEngines("heads outside: a node that has none begins with those of the file", async (desk) => {
  await fill(desk);
  const putBack = await photograph(desk);
  await fill(desk);
  await run(desk);
  const { size } = await logOf(desk);
  const { heads: [noted] } = await readNotedHeads(outside(desk));
  assert.equal(noted?.size, size);
  assert.deepEqual(await (await freshNode(desk)).look(), []);
  await putBack();
  const node = await freshNode(desk);
  const [rewound] = await node.look();
  assert.match(rewound?.why ?? "", /had \d+ entries by .*heads\.txt, and now it has fewer/);
  // It goes on being told, also by whoever looks again, and when the log is as long again.
  await node.keep();
  await fill(desk, 20);
  assert.equal((await node.look()).length, 1);
  assert.match((await (await freshNode(desk)).look())[0]?.why ?? "", /now it has others/);
  // Without the file nothing would be known.
  assert.deepEqual(await (await freshNode(desk, `${outside(desk)}.none`)).look(), []);
}, { extra });

testOnEngines(
  "heads outside: heads here that were made to fit are found by the file, until it is accepted",
  async (desk) => {
    await fill(desk);
    const putBack = await photograph(desk);
    await fill(desk);
    await run(desk);
    await putBack();
    // Who writes to the data directory has it fit the older state.
    await Deno.remove(join(desk.config.DATA_DIR, HEADS_FILE));
    await run(desk, `${outside(desk)}.none`);
    const server = () =>
      new HeadWatch(desk.app.ctx, desk.config.DATA_DIR, silent, { headsFile: outside(desk) });
    const watch = server();
    assert.match((await watch.look())[0]?.why ?? "", /by .*heads\.txt, and now it has fewer/);
    await watch.keep();
    assert.equal((await server().look()).length, 1);
    const [rewound] = await server().look();
    assert.ok(rewound);
    // At the machine, by another process.
    await new Promise((done) => setTimeout(done, 2));
    const command = server();
    await command.look();
    await command.accept(rewound.known, "put back to Monday");
    await command.keep();
    assert.deepEqual(await watch.look(), []);
    assert.deepEqual(await server().look(), []);
  },
  { extra },
);

testOnEngines("heads outside: what is accepted is the beginning of what follows", async (desk) => {
  await fill(desk);
  const putBack = await photograph(desk);
  await fill(desk);
  await run(desk);
  await putBack();
  const node = await freshNode(desk);
  const [rewound] = await node.look();
  assert.ok(rewound);
  await node.accept(rewound.known, "put back to Monday");
  assert.deepEqual(await node.look(), []);
  await node.keep();
  await node.note();
  assert.deepEqual(await (await freshNode(desk)).look(), []);
}, { extra });

testOnEngines(
  "heads outside: a file may be lines of a server's log, and may be odd",
  async (desk) => {
    await fill(desk);
    const lines: string[] = [];
    const log = createLog("info", (line) => void lines.push(line));
    await startHeadWatch(desk.app.ctx, desk.config.DATA_DIR, log).stop();
    const file = join(desk.config.DATA_DIR, "server.log");
    await Deno.writeTextFile(file, `${lines.join("\n")}\nkeydesk/x\n7\nnothing\n`);
    const { size } = await logOf(desk);
    const { heads } = await readNotedHeads(file);
    assert.deepEqual(heads.map((head) => [head.origin, head.size]), [[
      `keydesk/${desk.org_id}`,
      size,
    ]]);
    assert.deepEqual(await (await freshNode(desk, file)).look(), []);
  },
  { extra },
);

testOnEngines(
  "heads outside: a target that names the topic is told, once a day and at a stop",
  async (desk) => {
    await using hook = receiver();
    await using channel = receiver();
    await addTarget(desk, hook, { topics: ["audit_log.checkpoint"] });
    await addTarget(desk, channel, { name: "Channel" });
    await fill(desk);
    const engine = engineOf(desk);
    assert.equal(await startHeadNews(desk.app.ctx).stop(), true);
    await deliver(engine);
    const [told] = hook.all.map(({ json }) => json);
    const { size, checkpoint } = await logOf(desk);
    assert.equal(told.type, "audit_log.checkpoint");
    assert.deepEqual(told.data.detail.size, size);
    assert.equal(told.data.detail.checkpoint, checkpoint);
    // Nothing came since.
    assert.equal(await startHeadNews(desk.app.ctx).stop(), false);
    assert.ok(channel.all.every(({ json }) => json.type !== "audit_log.checkpoint"));
  },
  { extra },
);
