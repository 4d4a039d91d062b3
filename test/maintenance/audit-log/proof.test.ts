/**
 * One row's proof: whoever holds it checks it, the browser by the same code as `keydesk audit
 * verify`.
 */
import assert from "node:assert/strict";
import { type ProofView, resultOn } from "../../../console/screens/audit-log/proof-check.ts";
import { contentOfRow } from "../../../src/contract/audit-proof.ts";
import { contentOf } from "../../../src/changes/audit-content.ts";
import { sha256Bytes } from "../../../src/kernel/sha256.ts";
import { auditPath } from "../../../packages/audit-log/log-tree.ts";
import { BLOCK, type KnownBlocks } from "../../../packages/audit-log/log-tree.ts";
import {
  leafAt,
  leafHashes,
  placedEvent,
} from "../../../src/maintenance/audit-log/inclusion.store.ts";
import { appendAll } from "../../../src/maintenance/audit-log/appender.ts";
import { eraseAuditLog } from "../../../src/maintenance/audit-log/erase.ts";
import { eventLine } from "../../../src/maintenance/audit-log/exported-log.ts";
import { verifyLines } from "../../../src/maintenance/audit-log/verify-file.ts";
import {
  storeVerifiers,
  type VerifyOptions,
} from "../../../src/maintenance/audit-log/verify-store.ts";
import { Frontier, leafHash, parentHash } from "../../../packages/audit-log/merkle.ts";
import { purgeOld } from "../../../src/maintenance/retention/retention.transactions.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { plansOf } from "../../support/query-plans.ts";
import { behindItsBack, extra, fill, logOf, record, rowAt } from "./log-desk.ts";

type Proof = ProofView & { tree_size: number; event: Record<string, unknown> };

async function proofOf(desk: TestDesk, id: string): Promise<Proof> {
  const credential = await desk.token(["audit"]);
  const answer = await desk.send("GET", `/v1/audit-log/${id}/proof`, { credential });
  assert.equal(answer.status, 200);
  return await answer.json();
}

// as: the proof's row is what the list shows.
const shown = (proof: Proof) => proof.event as unknown as Parameters<typeof resultOn>[1];

async function inFile(proof: unknown, options: VerifyOptions = {}) {
  const lines = async function* () {
    yield { line: 1, text: JSON.stringify(proof) };
  };
  const results = await Array.fromAsync(verifyLines(lines(), () => options));
  return results.flatMap(({ findings }) => findings.map(({ wrong }) => wrong));
}

testOnEngines(
  "proof: each row is proved to the signed head, in the browser and as a file",
  async (desk) => {
    await fill(desk, 9);
    const { size } = await logOf(desk);
    const { reader } = desk.app.ctx.storage;
    const verifiers = await storeVerifiers(reader, desk.org_id);
    for (const place of [0, 1, 3, size - 2, size - 1]) {
      const { id } = await rowAt(desk, place);
      const proof = await proofOf(desk, id);
      assert.equal(proof.leaf_index, place);
      assert.equal(proof.tree_size, size);
      const verdict = await resultOn(proof, shown(proof));
      assert.ok(verdict.is === "holds", JSON.stringify(verdict));
      assert.deepEqual([verdict.signature, verdict.isErased], ["good", false]);
      assert.equal(verdict.signedBy, proof.keys[0]);
      assert.deepEqual(await inFile(proof, { verifiers }), []);
    }
  },
  { extra },
);

testOnEngines("proof: whatever is changed in one, it does not hold", async (desk) => {
  await fill(desk);
  const { id } = await rowAt(desk, 3);
  const proof = await proofOf(desk, id);
  const other = await proofOf(desk, (await rowAt(desk, 2)).id);
  const { event } = proof;
  const flipped = (hash = "") => hash.replace(/^./, (one) => one === "0" ? "1" : "0");
  const forged: Record<string, { proof: Partial<Proof>; file: string[] }> = {
    "an actor": {
      proof: { event: { ...event, actor: "else" } as Proof["event"] },
      file: ["changed"],
    },
    "a caller's id": {
      proof: { event: { ...event, caller_request_id: "else" } as Proof["event"] },
      file: ["changed"],
    },
    "a detail": { proof: { event: { ...event, detail: { i: 7 } } }, file: ["changed"] },
    "a personal value": {
      proof: { event: { ...event, personal: { "/name": "John Roe" } } },
      file: ["changed"],
    },
    "a salt": { proof: { event: { ...event, salts: {} } }, file: ["changed"] },
    "no texts at all": { proof: { event: { ...event, personal: 7 } }, file: ["changed"] },
    "an unknown kind": { proof: { kind: "else" }, file: ["changed"] },
    "the log's hash": { proof: { leaf_hash: flipped(proof.leaf_hash) }, file: ["changed"] },
    "another row": { proof: { event: other.event, leaf_hash: other.leaf_hash }, file: ["altered"] },
    "its place": { proof: { leaf_index: 2 }, file: ["altered"] },
    "a place behind the end": { proof: { leaf_index: 1000 }, file: ["altered"] },
    "a hash of the path": {
      proof: { audit_path: [flipped(proof.audit_path[0]), ...proof.audit_path.slice(1)] },
      file: ["altered"],
    },
    "a path that is too short": {
      proof: { audit_path: proof.audit_path.slice(1) },
      file: ["altered"],
    },
    "one that is too long": {
      proof: { audit_path: [...proof.audit_path, proof.leaf_hash] },
      file: ["altered"],
    },
    "no hash": { proof: { audit_path: ["x", ...proof.audit_path.slice(1)] }, file: ["altered"] },
    "the head's size": {
      proof: { checkpoint: proof.checkpoint.replace(/\n\d+\n/, "\n99\n") },
      file: ["altered", "unsigned"],
    },
    "the organisation": { proof: { org_id: "else" }, file: ["altered"] },
    "no head": { proof: { checkpoint: "" }, file: ["altered", "unsigned"] },
    "no key": { proof: { keys: [] }, file: ["unsigned"] },
    "a key that is none": { proof: { keys: ["keydesk/else+1+2"] }, file: ["unsigned"] },
  };
  assert.equal((await resultOn(proof, shown(proof))).is, "holds");
  for (const [what, { proof: changed, file }] of Object.entries(forged)) {
    const one = { ...proof, ...changed };
    const verdict = await resultOn(one, shown(one));
    assert.equal(verdict.is, "fails", what);
    assert.deepEqual(await inFile(one), file, what);
  }
  // The list shows something else than was proved.
  assert.equal((await resultOn(proof, { ...shown(proof), action: "else" })).is, "fails");
  // A head that was noted of the same size, and of another history.
  const since = proof.checkpoint.replace(/\n[^\n]+\n\n/, `\n${btoa("x".repeat(32))}\n\n`);
  assert.deepEqual(await inFile(proof, { since: [since] }), ["forked"]);
}, { extra });

testOnEngines(
  "proof: of a row that was changed in the store it says so, of the others not",
  async (desk) => {
    await fill(desk);
    const { id } = await rowAt(desk, 3);
    const { id: next } = await rowAt(desk, 4);
    await behindItsBack(desk, `update audit_events set actor = 'else' where id = '${id}'`);
    const proof = await proofOf(desk, id);
    assert.equal((await resultOn(proof, shown(proof))).is, "fails");
    assert.deepEqual(await inFile(proof), ["changed"]);
    const whole = await proofOf(desk, next);
    assert.equal((await resultOn(whole, shown(whole))).is, "holds");
    // With its entry, so that both fit: it leads to no head then.
    const row = await rowAt(desk, 3);
    const hash = leafHash(contentOf(row));
    await behindItsBack(
      desk,
      `update trail_leaves set leaf_hash = '${hash}' where event_id = '${id}'`,
    );
    const both = await proofOf(desk, id);
    assert.deepEqual(await inFile(both), ["altered"]);
    assert.equal((await resultOn(both, shown(both))).is, "fails");
  },
  { extra },
);

testOnEngines(
  "proof: it holds where names were erased, behind a cut, and waits for the log",
  async (desk) => {
    const { ctx } = desk.app;
    const { org_id } = desk;
    const now = Date.now();
    const old = now - 40 * 24 * 60 * 60 * 1000;
    await ctx.storage.commit(record, { org_id, n: 13, now: old });
    await fill(desk, 12);
    await eraseAuditLog(ctx, org_id, { person: "Jane Doe 3", before: undefined }, false);
    await appendAll(ctx);
    const erased = (await Array.fromAsync(
      Array.from({ length: (await logOf(desk)).size }, (_, place) => rowAt(desk, place)),
    )).filter(({ erased }) => erased !== "{}").at(-1);
    assert.ok(erased);
    const before = new Date(now - 30 * 24 * 60 * 60 * 1000).toISOString();
    const input = { table: "audit_events" as const, org_id, before, by: "retention", now };
    assert.equal(await ctx.storage.commit(purgeOld, input), 13);
    await appendAll(ctx);
    const { size } = await logOf(desk);
    for (let place = 13; place < size; place++) {
      const { id } = await rowAt(desk, place);
      const proof = await proofOf(desk, id);
      const verdict = await resultOn(proof, shown(proof));
      assert.ok(verdict.is === "holds", `${place}: ${JSON.stringify(verdict)}`);
      assert.equal(verdict.isErased, id === erased.id);
      assert.deepEqual(await inFile(proof), []);
    }
    await ctx.storage.commit(record, { org_id, n: 1, now: now + 5000 });
    const { data: [newest] } = await (await desk.send("GET", "/v1/audit-log?limit=1")).json();
    const waiting = await proofOf(desk, newest.id);
    assert.deepEqual([waiting.kind, waiting.leaf_index, waiting.audit_path], ["waiting", null, []]);
    assert.equal((await resultOn(waiting, shown(waiting))).is, "waiting");
    await appendAll(ctx);
    assert.equal((await proofOf(desk, newest.id)).kind, "written");
  },
  { extra },
);

testOnEngines("proof: with `audit` alone; another organisation's row is none", async (desk) => {
  await fill(desk);
  const { id } = await rowAt(desk, 2);
  const path = `/v1/audit-log/${id}/proof`;
  const { admin } = await desk.otherOrganisation();
  assert.equal((await desk.send("GET", path, { credential: admin })).status, 404);
  assert.equal((await desk.send("GET", `/v1/audit-log/${"0".repeat(24)}/proof`)).status, 404);
  const unable = await desk.token(["portal:read"]);
  assert.equal((await desk.send("GET", path, { credential: unable })).status, 403);
  assert.equal((await desk.send("GET", path, { credential: null })).status, 401);
}, { extra });

Deno.test("sqlite: what a proof reads is found by its place", async () => {
  const asked = await plansOf(async (tx) => {
    await placedEvent(tx, "org", "id");
    await leafAt(tx, "org", 7);
    await leafHashes(tx, { org_id: "org", from: 1024, to: 2048 });
  });
  assert.equal(asked.length, 3);
  for (const { steps } of asked) {
    assert.match(steps.join("\n"), /^SEARCH .*\(org_id=\? AND (id|leaf_index)/);
    assert.ok(!steps.some((step) => /SCAN|TEMP B-TREE/.test(step)), steps.join("\n"));
  }
});

Deno.test("proof: the row's content is what was hashed when it was written, of every kind", async () => {
  const row = {
    org_id: "o",
    id: "i",
    at: "t",
    actor: "a",
    action: "x.y",
    object: "x",
    object_id: "é\u2028",
    token_id: "",
    session: "s",
    request_id: "r",
    client_address: "192.0.2.7",
    caller_request_id: "",
    detail: JSON.stringify({ b: 1, a: [null, 1e21, { "ß": "\ud83d\ude00" }] }),
    personal: JSON.stringify({ "/name": "Jané" }),
    salts: JSON.stringify({ "/name": "0".repeat(32), client_address: "1".repeat(32) }),
    erased: JSON.stringify({ "/email": "a".repeat(64) }),
  };
  const whole = { ...row, salts: JSON.stringify({ ...JSON.parse(row.salts), "": "2".repeat(32) }) };
  const own = { ...row, caller_request_id: "own-1" };
  // What a row from before callers' ids were kept is made of has no member for them.
  assert.ok(!contentOf(row).includes("caller_request_id"));
  assert.ok(contentOf(own).includes('"at":"t","caller_request_id":"own-1","client_address"'));
  for (const one of [row, whole, own]) {
    for (const kind of ["written", "upgrade", "older"] as const) {
      const told = JSON.parse(eventLine(one, 0));
      assert.equal(
        await contentOfRow(told, kind, sha256Bytes),
        contentOf(one, kind === "written" ? undefined : kind),
      );
    }
  }
});

Deno.test("proof: paths are right at every size, read from kept blocks too, and behind any cut", async () => {
  const leaves = Array.from({ length: 3 * BLOCK + 5 }, (_, n) => leafHash(`${n}`));
  const rootOf = (all: readonly string[]) => {
    const frontier = new Frontier();
    for (const leaf of all) frontier.add(leaf);
    return frontier;
  };
  const blocks: KnownBlocks = new Map();
  let read = 0;
  for (const size of [1, 2, 7, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 3, leaves.length]) {
    for (const cut of [0, 1, 5, BLOCK, BLOCK + 3].filter((one) => one < size)) {
      const log = {
        cut_size: cut,
        cut_frontier: rootOf(leaves.slice(0, cut)).toString(),
        hashes: ({ from, to }: { from: number; to: number }) => {
          read += to - from;
          return Promise.resolve(leaves.slice(Math.max(from, cut), to));
        },
        blocks,
      };
      for (const index of [cut, Math.floor((cut + size) / 2), size - 1]) {
        const path = await auditPath(log, index, size);
        let [hash = "", at, last] = [leaves[index], index, size - 1];
        for (const one of path) {
          while (at % 2 === 0 && at === last && at > 0) [at, last] = [at / 2, last / 2];
          hash = at % 2 === 1 ? parentHash(one, hash) : parentHash(hash, one);
          [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
        }
        assert.equal(hash, rootOf(leaves.slice(0, size)).root(), `${index} of ${size}, ${cut} cut`);
      }
    }
  }
  // What is known by blocks is not read again.
  read = 0;
  const hashes = ({ from, to }: { from: number; to: number }) => {
    read += to - from;
    return Promise.resolve(leaves.slice(from, to));
  };
  await auditPath({ cut_size: 0, cut_frontier: "", hashes, blocks }, 3 * BLOCK + 1, leaves.length);
  assert.ok(read < 10, `${read}`);
});

Deno.test("proof: several at once read each block once, and one that can't be read is read again", async () => {
  const leaves = Array.from({ length: 4 * BLOCK }, (_, n) => leafHash(`${n}`));
  const blocks: KnownBlocks = new Map();
  const read: number[] = [];
  let isBroken = true;
  const log = {
    cut_size: 0,
    cut_frontier: "",
    blocks,
    hashes: ({ from, to }: { from: number; to: number }) => {
      if (to - from === BLOCK) read.push(from);
      return isBroken && from === BLOCK
        ? Promise.reject(new Error("no store"))
        : Promise.resolve(leaves.slice(from, to));
    },
  };
  await assert.rejects(auditPath(log, 0, leaves.length), /no store/);
  isBroken = false;
  read.length = 0;
  const paths = await Promise.all([0, 1, 2].map((at) => auditPath(log, at, leaves.length)));
  assert.deepEqual(paths.map((path) => path.slice(10)), Array(3).fill(paths[0]?.slice(10)));
  assert.deepEqual(read.toSorted((a, b) => a - b), [...new Set(read)].toSorted((a, b) => a - b));
});
