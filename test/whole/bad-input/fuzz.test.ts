import assert from "node:assert/strict";
import type { z } from "zod";
import { envelope, errorEnvelope } from "../../../src/contract/envelope.ts";
import { approval } from "../../../src/features/keys/issued-keys.contract.ts";
import { keyRequest } from "../../../src/features/key-requests/key-requests.contract.ts";
import { keyRequestList } from "../../../src/features/key-requests/key-requests.operations.ts";
import { openTestDesk, type TestDesk } from "../../support/desk.ts";
import { shortOr } from "../../support/effort.ts";
import { Random } from "../../support/random.ts";
import { mutatedBytes } from "./support/mutate.ts";
import { normalised, type Simple, simpleMembersOf } from "./support/normalised.ts";
import { samplesOf } from "./support/samples.ts";
import { assertCountersAgree, storedIds } from "./support/store-checks.ts";

const CASES = shortOr(5_000, 20_000);
const SEED = Number(Deno.env.get("FUZZ_SEED") ?? 1);
/** Cases that run at once: their writes share a flush. */
const AT_ONCE = 64;
/** Requests kept; what comes on top is deleted again. */
const KEPT = 600;

/** Who asks; a single one would carry the keys of every approval in each answer. */
const DEVELOPERS = 500;

const LIST = "/api/portal/requests";

/** A request that was accepted, as the model expects it to be read. */
interface Known {
  simple: Simple;
  issued: boolean;
}

/** Everything that one run knows of its desk. */
interface Run {
  desk: TestDesk;
  random: Random;
  known: Map<string, Known>;
  seen: Map<string, number>;
}

/** One call, decided before it is made, so that the seed alone decides what happens. */
type Case =
  & { kind: "create" | "UPDATE" | "PUT" | "approve" | "delete" | "page" }
  & { id: string; body: Uint8Array<ArrayBuffer> };

Deno.test(`${CASES} changed bodies: each is kept as promised or leaves nothing (seed ${SEED})`, async () => {
  await using desk = await openTestDesk("sqlite");
  const run: Run = { desk, random: new Random(SEED), known: new Map(), seen: new Map() };
  for (let done = 0; done < CASES; done += AT_ONCE) {
    const cases = chooseCases(run);
    const outcomes = await Promise.allSettled(cases.map((one) => play(run, one)));
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome.status === "fulfilled") continue;
      const { kind, body } = cases[index] ?? {};
      const shown = new TextDecoder().decode(body).slice(0, 3000);
      throw new Error(`seed ${SEED}, case ${done + index}: ${kind} ${shown}`, {
        cause: outcome.reason,
      });
    }
    assert.deepEqual(
      (await storedIds(desk)).sort(),
      [...run.known.keys()].sort(),
      `seed ${SEED}: what was refused left a row, after case ${done}`,
    );
  }
  await assertListed(run);
  await assertCountersAgree(desk);
  assertNotVacuous(run.seen);
});

/** A batch in which no request is touched twice, so that its calls may run in any order. */
function chooseCases({ random, known }: Run): Case[] {
  const free = [...known.keys()];
  const cases: Case[] = [];
  for (let i = 0; i < AT_ONCE; i++) {
    const body = mutatedBytes(random, random.pick(samplesOf(random.below(DEVELOPERS))));
    const roll = random.next();
    const id = free.length > 0 ? free.splice(random.below(free.length), 1)[0] ?? "" : "";
    if (id === "" || roll < 0.42) cases.push({ kind: "create", id: "", body });
    else if (roll < 0.54) cases.push({ kind: "UPDATE", id, body });
    else if (roll < 0.66) cases.push({ kind: "PUT", id, body });
    else if (roll < 0.78) cases.push({ kind: "approve", id, body });
    else if (roll < 0.8) cases.push({ kind: "page", id: "", body });
    else if (known.size > KEPT) cases.push({ kind: "delete", id, body });
    else cases.push({ kind: "create", id: "", body });
  }
  return cases;
}

async function play(run: Run, one: Case): Promise<void> {
  const { known } = run;
  switch (one.kind) {
    case "create": {
      const { status, answer } = await call(run, one, "POST", LIST);
      if (status !== 200) return;
      const { Message: id } = envelope.parse(answer);
      await assertReads(run, id, { simple: expected(one), issued: false });
      return;
    }
    case "UPDATE":
    case "PUT": {
      const before = known.get(one.id);
      assert.ok(before);
      const { status, answer } = await call(run, one, one.kind, `${LIST}/${one.id}`);
      if (status !== 200) return await assertReads(run, one.id, before);
      assert.equal(envelope.parse(answer).Message, one.id);
      return await assertReads(run, one.id, { ...before, simple: expected(one, before) });
    }
    case "approve":
      return await playApproval(run, one);
    case "delete": {
      const { status } = await call(run, one, "DELETE", `${LIST}/${one.id}`);
      assert.equal(status, 200);
      known.delete(one.id);
      return;
    }
    case "page": {
      const { status, answer } = await call(
        run,
        one,
        "GET",
        `${LIST}?p=${1 + one.body.length % 30}`,
      );
      assert.equal(status, 200);
      // as: the desk has checked its answer against the contract already.
      assert.ok((answer as z.output<typeof keyRequestList>).Data.length <= 10);
    }
  }
}

async function playApproval(run: Run, one: Case): Promise<void> {
  const before = run.known.get(one.id);
  assert.ok(before);
  const { status, answer } = await call(run, one, "PUT", `${LIST}/approve/${one.id}`);
  if (before.issued) assert.equal(status, 400, "approved twice");
  if (status !== 200) return await assertReads(run, one.id, before);
  assert.notEqual(approval.parse(answer).RawKey, "");
  const simple = { ...before.simple, approved: true };
  await assertReads(run, one.id, { simple, issued: true });
}

/** Makes the call and checks what holds for every answer. */
async function call(run: Run, one: Case, method: string, path: string) {
  const body = method === "GET" || method === "DELETE" ? undefined : one.body;
  const response = await run.desk.send(method, path, { body });
  const { status } = response;
  const answer: unknown = await response.json();
  assert.ok(status < 500, `${status}: ${run.desk.logLines.at(-1)}`);
  assert.equal(response.headers.get("content-type"), "application/json; charset=utf-8");
  if (status !== 200) errorEnvelope.parse(answer);
  const name = `${one.kind} ${status}`;
  run.seen.set(name, (run.seen.get(name) ?? 0) + 1);
  return { status, answer };
}

/** Reads a request back, compares it with the model, and keeps it as known. */
async function assertReads(run: Run, id: string, wanted: Known): Promise<void> {
  const response = await run.desk.send("GET", `${LIST}/${id}`);
  assert.equal(response.status, 200);
  // as: the desk has checked its answer against the contract already.
  const read = await response.json() as z.output<typeof keyRequest>;
  assert.equal(read.id, id);
  assert.equal(read.org_id, run.desk.org_id);
  assert.deepEqual(plain(simpleMembersOf(read, wanted.simple)), plain(wanted.simple));
  const { date_created } = read;
  run.known.set(id, { ...wanted, simple: { ...wanted.simple, date_created } });
}

function expected(one: Case, before?: Known): Simple {
  const text = new TextDecoder().decode(one.body);
  if (!before) return normalised(text, undefined);
  const { date_created, version } = before.simple;
  return normalised(text, {
    date_created: String(date_created),
    version: String(version),
    issued: before.issued,
  });
}

/** Everything that is known comes in one list, newest first, as it was last read. */
async function assertListed({ desk, known }: Run): Promise<void> {
  const response = await desk.send("GET", LIST);
  const { Data, Pages } = keyRequestList.parse(await response.json());
  assert.equal(Pages, 1);
  assert.deepEqual(Data.map((one) => one.id).sort(), [...known.keys()].sort());
  for (const read of Data) {
    const wanted = known.get(read.id);
    assert.ok(wanted);
    assert.deepEqual(plain(simpleMembersOf(read, wanted.simple)), plain(wanted.simple));
  }
  const instants = Data.map((one) => Date.parse(one.date_created));
  assert.deepEqual(instants, [...instants].sort((a, b) => b - a));
}

/** Without prototypes, which JSON does not know. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** A fuzz test in which everything is refused, or nothing, would prove little. */
function assertNotVacuous(seen: ReadonlyMap<string, number>): void {
  const kinds = ["create 200", "create 400", "UPDATE 200", "UPDATE 400", "PUT 200", "PUT 400"];
  for (const name of [...kinds, "approve 200", "approve 400", "delete 200", "page 200"]) {
    const n = seen.get(name) ?? 0;
    assert.ok(n > CASES / 400, `only ${n} of ${name} in ${JSON.stringify([...seen])}`);
  }
}
