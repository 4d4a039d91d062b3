/**
 * Heads go out: witnesses sign them where the log goes on, and whoever writes another history,
 * with whatever key, has all of them against them.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import {
  COSIGNATURE,
  readCheckpoint,
  textOfKey,
  verifierText,
} from "../../../packages/audit-log/checkpoint.ts";
import { cosignaturesOf } from "../../../packages/audit-log/cosignature.ts";
import type { OutboundCall } from "../../../src/kernel/outbound/outbound.ts";
import { storeVerifiers } from "../../../src/maintenance/audit-log/verify-store.ts";
import type { Witness } from "../../../src/maintenance/audit-log/witness.ts";
import { Witnessing } from "../../../src/maintenance/audit-log/witnessing.ts";
import { openTestDesk, type TestDesk, testEachEngine } from "../../support/desk.ts";
import { runPageExample } from "../../support/page-example.ts";
import { TestWitness } from "../../support/witness.ts";
import { extra, fill, logOf, photograph } from "./log-desk.ts";

/** A witness of a desk's trail. */
async function witnessOf(desk: TestDesk, name = "witness-1.test") {
  const witness = new TestWitness(name);
  await trust(desk, witness);
  return witness;
}

const originOf = (desk: TestDesk) => `keydesk/${desk.org_id}`;

async function trust(desk: TestDesk, { keys }: TestWitness) {
  const verifiers = await storeVerifiers(desk.app.ctx.storage.reader, desk.org_id);
  keys.set(originOf(desk), verifiers.map(verifierText));
}

/** What sends heads to witnesses of this process. */
function witnessing(desk: TestDesk, others: readonly TestWitness[], sent: OutboundCall[] = []) {
  const outbound = {
    ...desk.app.ctx.outbound,
    send: (call: OutboundCall) => {
      sent.push(call);
      const other = others.find(({ witness }) => call.url === `${witness.url}/add-checkpoint`);
      if (!other) return Promise.reject(new Error("no such host"));
      return Promise.resolve({ ...other.addCheckpoint(String(call.body)), durationMs: 1 });
    },
  };
  return new Witnessing({ ...desk.app.ctx, outbound }, others.map(({ witness }) => witness));
}

const problems = (desk: TestDesk) => desk.app.ctx.problems.current().map(({ name }) => name);

async function cosigned(desk: TestDesk, witnesses: readonly Witness[]): Promise<number[]> {
  const answer = await desk.send("GET", "/v1/audit-log/tiles/checkpoint");
  assert.equal(answer.status, 200);
  const note = await answer.text();
  const { head } = readCheckpoint(note, []);
  const counts = witnesses.map(({ key }) => cosignaturesOf(note, head, key).length);
  return [head.size, ...counts];
}

testEachEngine(
  "witnesses: three sign each head, and what they signed is served",
  async (engine) => {
    await using desk = await openTestDesk(engine, { extra });
    await fill(desk, 5);
    const others = [
      await witnessOf(desk),
      await witnessOf(desk, "witness-2.test"),
      await witnessOf(desk, "witness-3.test"),
    ];
    const witnesses = others.map(({ witness }) => witness);
    const sent: OutboundCall[] = [];
    const heads = witnessing(desk, others, sent);
    for (const n of [0, 1, 300, 7]) {
      if (n > 0) await fill(desk, n);
      await heads.turn();
      const { size } = await logOf(desk);
      assert.deepEqual(await cosigned(desk, witnesses), [size, 1, 1, 1]);
      for (const { known } of others) assert.equal(known.get(originOf(desk))?.size, size);
    }
    // What was signed is not sent again; a process that has just begun asks how far each is.
    const before = sent.length;
    await heads.turn();
    assert.equal(sent.length, before);
    await witnessing(desk, others).turn();
    assert.deepEqual(problems(desk), []);
  },
);

testEachEngine("witnesses: a history written anew is found, whoever signs it", async (engine) => {
  await using desk = await openTestDesk(engine, { extra });
  await fill(desk, 5);
  const other = await witnessOf(desk);
  const putBack = await photograph(desk);
  await fill(desk, 5);
  await witnessing(desk, [other]).turn();
  const { size } = await logOf(desk);
  // Rewound, and then as long again, longer, and signed by the desk's own key each time.
  await putBack();
  await witnessing(desk, [other]).turn();
  assert.deepEqual(problems(desk), ["audit_log_disputed"]);
  await fill(desk, 5);
  assert.equal((await logOf(desk)).size, size);
  await witnessing(desk, [other]).turn();
  assert.deepEqual(problems(desk), ["audit_log_disputed"]);
  await fill(desk, 90);
  await witnessing(desk, [other]).turn();
  assert.deepEqual(problems(desk), ["audit_log_disputed"]);
  assert.equal(other.known.get(originOf(desk))?.size, size);
  // Somebody looked into it, and the witness forgets the log.
  other.known.clear();
  other.keys.clear();
  await witnessing(desk, [other]).turn();
  assert.deepEqual(problems(desk), ["audit_log_unwitnessed"]);
  // It is added anew.
  await trust(desk, other);
  await witnessing(desk, [other]).turn();
  assert.deepEqual(problems(desk), []);
});

testEachEngine("witnesses: one that is away, or takes no key, is told of", async (engine) => {
  await using desk = await openTestDesk(engine, { extra });
  await fill(desk, 5);
  const [one, two] = [await witnessOf(desk), await witnessOf(desk, "witness-2.test")];
  const heads = witnessing(desk, [one]);
  await heads.turn();
  await fill(desk, 1);
  const both = new Witnessing({
    ...desk.app.ctx,
    outbound: {
      ...desk.app.ctx.outbound,
      send: () => Promise.reject(new Error("no connection within 5000 ms")),
    },
  }, [two.witness]);
  await both.turn();
  assert.deepEqual(problems(desk), ["audit_log_unwitnessed"]);
  assert.match(desk.app.ctx.problems.current()[0]?.reason ?? "", /no connection within/);
  await heads.turn();
  assert.deepEqual(problems(desk), []);
  // A key that the witness does not know signs nothing.
  two.keys.set(originOf(desk), []);
  await witnessing(desk, [two]).turn();
  assert.match(desk.app.ctx.problems.current()[0]?.reason ?? "", /none of the keys/);
});

testEachEngine(
  "witnesses: the program of docs/audit-log.md verifies what they signed",
  async (engine) => {
    await using desk = await openTestDesk(engine, { extra });
    await fill(desk, 5);
    const [one, two] = [await witnessOf(desk), await witnessOf(desk, "witness-2.test")];
    await witnessing(desk, [one, two]).turn();
    const note = await (await desk.send("GET", "/v1/audit-log/tiles/checkpoint")).text();
    const folder = desk.config.DATA_DIR;
    const keys = [
      ...(await storeVerifiers(desk.app.ctx.storage.reader, desk.org_id)).map(verifierText),
      ...[one, two].map(({ witness }) => textOfKey(witness.key, COSIGNATURE)),
    ];
    const verdict = async (text: string) => {
      const file = join(folder, "checkpoint");
      await Deno.writeTextFile(file, text);
      const at = { page: "audit-log.md", section: "Checkpoints that go outside", folder };
      const printed = await runPageExample(at, [file, ...keys]);
      return printed.split("\n").map((line) => line.replace(/^\S+ /, ""));
    };
    assert.deepEqual(await verdict(note), ["signed", "signed", "signed", "0"]);
    const none = "did not sign";
    const { size } = await logOf(desk);
    const longer = note.replace(`\n${size}\n`, `\n${size + 1}\n`);
    assert.deepEqual(await verdict(longer), [none, none, none, "1"]);
    const without = `${note.trimEnd().split("\n").slice(0, -1).join("\n")}\n`;
    assert.deepEqual(await verdict(without), ["signed", "signed", none, "1"]);
  },
);
