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
} from "../../../src/kernel/checkpoint.ts";
import { cosignaturesOf } from "../../../src/kernel/cosignature.ts";
import type { OutboundCall } from "../../../src/kernel/outbound/outbound.ts";
import { newTrailKey } from "../../../src/operations/trail/trail-key.ts";
import { storeVerifiers } from "../../../src/operations/trail/verify-store.ts";
import { parseWitness, type Witness } from "../../../src/operations/trail/witness.ts";
import { Witnessing } from "../../../src/operations/trail/witnessing.ts";
import { usableKey } from "../../../src/operations/trail/trail-key.ts";
import { keysOf } from "../../../src/operations/trail/trail-log.store.ts";
import { WITNESS, witnessKeyText } from "../../../src/operations/witness/witness-key.ts";
import { forgetLog, witnessLog } from "../../../src/operations/witness/witness.transactions.ts";
import { listWitnessedLogs } from "../../../src/operations/witness/witnessed-logs.store.ts";
import { type Engine, openTestDesk, type TestDesk, testEachEngine } from "../../support/desk.ts";
import { runPageExample } from "../../support/page-example.ts";
import { behindItsBack, extra, fill, logOf, photograph } from "./trail-desk.ts";

/** A desk that witnesses another one's trail. */
async function witnessOf(desk: TestDesk, engine: Engine) {
  const other = await openTestDesk(engine);
  const { storage, sealer, clock } = other.app.ctx;
  const keys = (await storeVerifiers(desk.app.ctx.storage.reader, desk.org_id)).map(verifierText);
  const origin = `keydesk/${desk.org_id}`;
  const newKey = newTrailKey(sealer, WITNESS);
  await storage.commit(witnessLog, { origin, keys, newKey, now: clock.now() });
  const key = usableKey(await keysOf(storage.reader, { org_id: WITNESS }));
  assert.ok(key);
  const url = `http://${key.id}.test/v1/witness`;
  const witness = parseWitness(`${url}#${witnessKeyText(key)}`);
  assert.ok(witness);
  const known = async () =>
    (await listWitnessedLogs(storage.reader)).map(({ origin, size }) => ({
      origin,
      size: Number(size),
    }));
  return { desk: other, witness, origin, known };
}

type Other = Awaited<ReturnType<typeof witnessOf>>;

/** What sends heads to witnesses that are desks of this process. */
function witnessing(desk: TestDesk, others: readonly Other[], sent: OutboundCall[] = []) {
  const outbound = {
    ...desk.app.ctx.outbound,
    send: async (call: OutboundCall) => {
      sent.push(call);
      const other = others.find(({ witness }) => call.url.startsWith(witness.url));
      if (!other) throw new Error("no such host");
      const { pathname } = new URL(call.url);
      const { headers, body } = call;
      const answer = await other.desk.send(call.method, pathname, {
        credential: null,
        headers: { ...headers },
        body,
      });
      return {
        status: answer.status,
        headers: answer.headers,
        body: await answer.text(),
        durationMs: 1,
      };
    },
  };
  return new Witnessing({ ...desk.app.ctx, outbound }, others.map(({ witness }) => witness));
}

const troubles = (desk: TestDesk) => desk.app.ctx.troubles.current().map(({ name }) => name);

async function cosigned(desk: TestDesk, witnesses: readonly Witness[]): Promise<number[]> {
  const answer = await desk.send("GET", "/v1/activity/tiles/checkpoint");
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
      await witnessOf(desk, engine),
      await witnessOf(desk, engine),
      await witnessOf(desk, engine),
    ];
    const witnesses = others.map(({ witness }) => witness);
    const sent: OutboundCall[] = [];
    const heads = witnessing(desk, others, sent);
    for (const n of [0, 1, 300, 7]) {
      if (n > 0) await fill(desk, n);
      await heads.turn();
      const { size } = await logOf(desk);
      assert.deepEqual(await cosigned(desk, witnesses), [size, 1, 1, 1]);
      for (const { known, origin } of others) assert.deepEqual(await known(), [{ origin, size }]);
    }
    // What was signed is not sent again; a process that has just begun asks how far each is.
    const before = sent.length;
    await heads.turn();
    assert.equal(sent.length, before);
    await witnessing(desk, others).turn();
    assert.deepEqual(troubles(desk), []);
    for (const other of others) await other.desk[Symbol.asyncDispose]();
  },
);

testEachEngine("witnesses: a history written anew is found, whoever signs it", async (engine) => {
  await using desk = await openTestDesk(engine, { extra });
  await fill(desk, 5);
  await using other = Object.assign(await witnessOf(desk, engine), {
    [Symbol.asyncDispose]: async () => {},
  });
  const putBack = await photograph(desk);
  await fill(desk, 5);
  await witnessing(desk, [other]).turn();
  const { size } = await logOf(desk);
  // Rewound, and then as long again, longer, and signed by the desk's own key each time.
  await putBack();
  await witnessing(desk, [other]).turn();
  assert.deepEqual(troubles(desk), ["trail_disputed"]);
  await fill(desk, 5);
  assert.equal((await logOf(desk)).size, size);
  await witnessing(desk, [other]).turn();
  assert.deepEqual(troubles(desk), ["trail_disputed"]);
  await fill(desk, 90);
  await witnessing(desk, [other]).turn();
  assert.deepEqual(troubles(desk), ["trail_disputed"]);
  assert.deepEqual(await other.known(), [{ origin: other.origin, size }]);
  assert.deepEqual(troubles(other.desk), ["witnessed_log_forked"]);
  // Somebody looked into it, and the witness begins anew.
  await other.desk.app.ctx.storage.commit(forgetLog, { origin: other.origin });
  await witnessing(desk, [other]).turn();
  assert.deepEqual(troubles(desk), ["trail_unwitnessed"]);
  await other.desk[Symbol.asyncDispose]();
});

testEachEngine("witnesses: one that is away, or takes no key, is told of", async (engine) => {
  await using desk = await openTestDesk(engine, { extra });
  await fill(desk, 5);
  const [one, two] = [await witnessOf(desk, engine), await witnessOf(desk, engine)];
  const away = { ...two, witness: { ...two.witness, url: "http://away.test" } };
  await witnessing(desk, [one, away].slice(0, 1)).turn();
  const outboundOf = [one];
  const heads = witnessing(desk, outboundOf);
  await fill(desk, 1);
  const both = new Witnessing({
    ...desk.app.ctx,
    outbound: {
      ...desk.app.ctx.outbound,
      send: () => Promise.reject(new Error("no connection within 5000 ms")),
    },
  }, [away.witness]);
  await both.turn();
  assert.deepEqual(troubles(desk), ["trail_unwitnessed"]);
  assert.match(desk.app.ctx.troubles.current()[0]?.reason ?? "", /no connection within/);
  await heads.turn();
  assert.deepEqual(troubles(desk), []);
  // A key that the witness does not know signs nothing.
  await behindItsBack(two.desk, "update witnessed_logs set keys = '[]'");
  await witnessing(desk, [two]).turn();
  assert.match(desk.app.ctx.troubles.current()[0]?.reason ?? "", /none of the keys/);
  for (const other of [one, two]) await other.desk[Symbol.asyncDispose]();
});

testEachEngine("witness: of two at once one is second, and odd bodies are told", async (engine) => {
  await using desk = await openTestDesk(engine, { extra });
  await fill(desk, 5);
  const other = await witnessOf(desk, engine);
  const note = (await logOf(desk)).checkpoint;
  const ask = (body: string | Uint8Array) =>
    other.desk.send("POST", "/v1/witness/add-checkpoint", { credential: null, body });
  const answers = await Promise.all(Array.from({ length: 8 }, () => ask(`old 0\n\n${note}`)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [
    200,
    409,
    409,
    409,
    409,
    409,
    409,
    409,
  ]);
  const { size } = await logOf(desk);
  for (const answer of answers) {
    if (answer.status !== 409) continue;
    assert.equal(answer.headers.get("content-type"), "text/x.tlog.size");
    assert.equal(await answer.text(), `${size}\n`);
  }
  // The same once more is signed anew: a witness says that it is still the longest.
  assert.equal((await ask(`old ${size}\n\n${note}`)).status, 200);
  const hash = "A".repeat(43) + "=";
  const odd: Record<string, [string | Uint8Array, number]> = {
    "nothing": ["", 400],
    "no checkpoint": ["old 0\n\n", 400],
    "no size": [`old\n\n${note}`, 400],
    "a size with a zero in front": [`old 07\n\n${note}`, 400],
    "a larger size": [`old ${size + 1}\n\n${note}`, 400],
    "no hash": [`old ${size}\nxyz\n\n${note}`, 400],
    "64 hashes": [`old ${size}\n${`${hash}\n`.repeat(64)}\n${note}`, 400],
    "a proof of the same": [`old ${size}\n${hash}\n\n${note}`, 422],
    "bytes that are no text": [new Uint8Array([0xff, 0, 10, 10]), 400],
    "a body of a megabyte": ["o".repeat(1024 * 1024), 413],
    "a log with a NUL in its name": [`old 0\n\n${note.replaceAll(desk.org_id, "a\0b")}`, 400],
    "another log": [`old 0\n\n${note.replaceAll(desk.org_id, "x")}`, 404],
    "another root": [`old ${size}\n\n${note.replace(/\n.{43}=\n/, `\n${hash}\n`)}`, 403],
    "another size": [`old ${size}\n\n${note.replace(`\n${size}\n`, `\n${size + 1}\n`)}`, 403],
  };
  for (const [what, [body, status]] of Object.entries(odd)) {
    assert.equal((await ask(body)).status, status, what);
  }
  assert.deepEqual(await other.known(), [{ origin: other.origin, size }]);
  await other.desk[Symbol.asyncDispose]();
});

testEachEngine(
  "witnesses: the program of docs/trail.md verifies what they signed",
  async (engine) => {
    await using desk = await openTestDesk(engine, { extra });
    await fill(desk, 5);
    const [one, two] = [await witnessOf(desk, engine), await witnessOf(desk, engine)];
    await witnessing(desk, [one, two]).turn();
    const note = await (await desk.send("GET", "/v1/activity/tiles/checkpoint")).text();
    const folder = desk.config.DATA_DIR;
    const keys = [
      ...(await storeVerifiers(desk.app.ctx.storage.reader, desk.org_id)).map(verifierText),
      ...[one, two].map(({ witness }) => textOfKey(witness.key, COSIGNATURE)),
    ];
    const verdict = async (text: string) => {
      const file = join(folder, "checkpoint");
      await Deno.writeTextFile(file, text);
      const at = { page: "trail.md", section: "Heads that go outside", folder };
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
    for (const other of [one, two]) await other.desk[Symbol.asyncDispose]();
  },
);
