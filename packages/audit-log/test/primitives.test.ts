/** Merkle trees and checkpoints, against the vectors of their specifications. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import {
  keyHash,
  newSigningKey,
  NoCheckpoint,
  parseVerifier,
  readCheckpoint,
  signCheckpoint,
  verifierText,
} from "../checkpoint.ts";
import { Frontier, leafHash } from "../merkle.ts";

/** The entries with which the logs of Certificate Transparency are tested. */
const ENTRIES = [
  "",
  "00",
  "10",
  "2021",
  "3031",
  "40414243",
  "5051525354555657",
  "606162636465666768696a6b6c6d6e6f",
];
/** The roots of the first one, the first two, … of them. */
const ROOTS = [
  "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
  "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
  "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
  "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
  "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
  "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
  "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
  "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
];

Deno.test("merkle: the roots of Certificate Transparency's entries, one after the other", () => {
  const frontier = new Frontier();
  assert.equal(frontier.root(), createHash("sha256").digest("hex"));
  for (const [i, entry] of ENTRIES.entries()) {
    // Each of them is ASCII, so its text has the same bytes.
    const again = new Frontier(frontier.size, frontier.toString());
    for (const one of [frontier, again]) {
      one.add(leafHash(Buffer.from(entry, "hex").toString("latin1")));
      assert.equal(one.root(), ROOTS[i]);
    }
  }
});

Deno.test("merkle: a frontier that is none is refused", () => {
  for (const [size, text] of [[1, ""], [2, "ab"], [3, "00".repeat(32)]] as const) {
    assert.throws(() => new Frontier(size, text), RangeError);
  }
});

Deno.test("merkle: what stands for a leaf's hash and is none gives another root, whatever it is", () => {
  const leaf = leafHash("a");
  const rootOf = (second: string) => {
    const frontier = new Frontier();
    for (const one of [leaf, second, leaf]) frontier.add(one);
    return frontier.root();
  };
  const whole = rootOf(leaf);
  for (const none of ["", "xyz", leaf.slice(2), `${leaf}00`, `${leaf.slice(0, 63)}g`]) {
    assert.notEqual(rootOf(none), whole);
    assert.equal(rootOf(none), rootOf(none));
  }
});

const NAME = "example.com/foo";
const NOTE =
  "This is an example message.\n\n\u2014 example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n";

Deno.test("checkpoint: a key and its hash as C2SP's example has them", () => {
  const text = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k";
  const verifier = parseVerifier(text);
  assert.equal(verifier.name, NAME);
  assert.equal(keyHash(verifier), "530d903a");
  assert.equal(verifierText(verifier), text);
  assert.throws(() => parseVerifier(text.replace("530d", "540d")), NoCheckpoint);
  // The example is a note, and no checkpoint.
  assert.throws(() => readCheckpoint(NOTE, [verifier]), NoCheckpoint);
});

Deno.test("checkpoint: signed by its key it holds, changed it does not", () => {
  const { private_key, public_key } = newSigningKey();
  const head = { origin: "keydesk/o", size: 8, root: ROOTS[7] ?? "" };
  const note = signCheckpoint(head, private_key);
  const verifier = { name: head.origin, public_key };
  assert.match(
    note,
    /^keydesk\/o\n8\nXcnaeacGWamtVZy3Ad7Zoqudgjqt[^\n]*\n\n\u2014 keydesk\/o \S+\n$/,
  );
  assert.deepEqual(readCheckpoint(note, [verifier]), { head, signedBy: verifier });
  assert.equal(readCheckpoint(note.replace("\n8\n", "\n9\n"), [verifier]).signedBy, undefined);
  const other = { name: head.origin, public_key: newSigningKey().public_key };
  assert.equal(readCheckpoint(note, [other]).signedBy, undefined);
  // A witness adds a line of its own; ours counts on.
  const cosigned = `${note}\u2014 witness.example AAAAAAAA\n`;
  assert.deepEqual(readCheckpoint(cosigned, [other, verifier]).signedBy, verifier);
});
