/** A log's tree as tiles, and the proofs that are made of it. */
import assert from "node:assert/strict";
import { isConsistent } from "../../../test/support/consistency.ts";
import { consistencyProof } from "../log-tree.ts";
import { Frontier, leafHash } from "../merkle.ts";
import { hashesOf, parseTile } from "../tile.ts";

const leaves = Array.from({ length: 70_000 }, (_, n) => leafHash(String(n)));

function rootAt(size: number): string {
  const frontier = new Frontier();
  for (const leaf of leaves.slice(0, size)) frontier.add(leaf);
  return frontier.root();
}

const log = () => ({
  cut_size: 0,
  cut_frontier: "",
  hashes: ({ from, to }: { from: number; to: number }) => Promise.resolve(leaves.slice(from, to)),
  blocks: new Map<number, string>(),
});

Deno.test("tiles: a path names one, and no other text does", () => {
  assert.deepEqual(parseTile("0/000"), { level: 0, index: 0, width: 256 });
  assert.deepEqual(parseTile("1/x001/x234/067"), { level: 1, index: 1_234_067, width: 256 });
  assert.deepEqual(parseTile("0/x001/067.p/112"), { level: 0, index: 1067, width: 112 });
  const none = [
    "",
    "0",
    "0/0",
    "00/000",
    "0/001/002",
    "0/x000/001",
    "0/000.p/256",
    "0/000.p/07",
    "0/000.p/",
    "-1/000",
    "0/000/",
    "a/000",
    "0/x001/x002/x003/x004/x005/006",
  ];
  for (const path of none) assert.equal(parseTile(path), undefined, path);
});

Deno.test("tiles: those of 70,000 entries are what C2SP's example says", async () => {
  const size = leaves.length;
  const tile = async (path: string) => {
    const one = parseTile(path);
    assert.ok(one);
    return await hashesOf(log(), size, one);
  };
  assert.equal((await tile("0/272"))?.length, 8192);
  assert.equal((await tile("0/273.p/112"))?.length, 112 * 32);
  assert.equal(await tile("0/273"), undefined);
  assert.equal(await tile("0/273.p/113"), undefined);
  assert.equal((await tile("1/000"))?.length, 8192);
  assert.equal((await tile("1/001.p/17"))?.length, 17 * 32);
  assert.equal(await tile("1/001.p/18"), undefined);
  const top = await tile("2/000.p/1");
  assert.equal(top?.toHex(), rootAt(65_536));
  assert.equal(await tile("63/000.p/1"), undefined);
  const first = (await tile("1/000"))?.subarray(32, 64).toHex();
  const frontier = new Frontier();
  for (const leaf of leaves.slice(256, 512)) frontier.add(leaf);
  assert.equal(first, frontier.root());
});

Deno.test("consistency: each pair of sizes is proved, and nothing else by that proof", async () => {
  const roots = Array.from({ length: 40 }, (_, n) => rootAt(n + 1));
  for (let later = 1; later <= 40; later++) {
    for (let earlier = 1; earlier <= later; earlier++) {
      const proof = await consistencyProof(log(), earlier, later);
      const [one, two] = [earlier, later].map((size) => ({ size, root: roots[size - 1] ?? "" }));
      assert.ok(one && two);
      assert.ok(isConsistent(one, two, proof), `${earlier} in ${later}`);
      if (earlier === later) continue;
      const root = leafHash("another root");
      assert.ok(!isConsistent({ ...one, root }, two, proof), `${earlier} in ${later}`);
      assert.ok(!isConsistent(one, { ...two, root }, proof), `${earlier} in ${later}`);
      assert.ok(!isConsistent(one, two, proof.slice(1)), "a shorter proof");
      assert.ok(!isConsistent(one, two, [...proof, roots[0] ?? ""]), "a longer proof");
      const swapped = proof.map((hash, n) => n === 0 ? leafHash("else") : hash);
      assert.ok(!isConsistent(one, two, swapped), "another hash");
    }
  }
  for (const [earlier, later] of [[1024, 65_537], [1025, 70_000], [65_536, 70_000], [3, 69_999]]) {
    const [one = 0, two = 0] = [earlier, later];
    const proof = await consistencyProof(log(), one, two);
    const states = [one, two].map((size) => ({ size, root: rootAt(size) }));
    assert.ok(states[0] && states[1] && isConsistent(states[0], states[1], proof));
  }
});
