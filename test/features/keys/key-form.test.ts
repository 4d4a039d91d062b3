/** Keys of the form kd_<env>_<random>_<checksum>, and what of a key may be seen. */
import assert from "node:assert/strict";
import { newAttempt } from "../../../src/features/keys/key-kinds.ts";
import { checkKeyForm, kdKey, maskOf } from "../../../src/features/keys/key-form.ts";
import { murmurIdsOf } from "../../../src/features/keys/murmur.ts";
import { sha256 } from "../../../src/kernel/sha256.ts";

const PATTERN = /^kd_[a-z0-9]{1,12}_[0-9A-Za-z]{43}_[0-4][0-9A-Za-z]{5}$/;
const random = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg";

Deno.test("kd: a minted key has the documented form, and no two are alike", () => {
  const keys = Array.from({ length: 500 }, () => newAttempt({ name: "kd", env: "test" }).kdKey);
  assert.equal(new Set(keys).size, 500);
  for (const key of keys) {
    assert.match(key, PATTERN);
    assert.equal(checkKeyForm(key), "well-formed");
  }
});

Deno.test("kd: the checksum is the CRC-32 of what stands before it, as six base62 digits", () => {
  // CRC_OF_SAMPLE was computed by another zlib.
  const key = kdKey("live", random);
  const [, , , checksum = ""] = key.split("_");
  const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  const value = [...checksum].reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0);
  assert.equal(value, CRC_OF_SAMPLE);
});

Deno.test("kd: every single changed, dropped or swapped character is a typo", () => {
  const key = kdKey("live", random);
  for (let at = "kd_live_".length; at < key.length; at++) {
    const other = key[at] === "x" ? "y" : "x";
    assert.equal(checkKeyForm(key.slice(0, at) + other + key.slice(at + 1)), "typo", `${at}`);
    assert.equal(checkKeyForm(key.slice(0, at) + key.slice(at + 1)), "typo", `${at}`);
    const [a, b] = [key[at], key[at + 1]];
    if (b === undefined || a === b) continue;
    assert.equal(checkKeyForm(`${key.slice(0, at)}${b}${a}${key.slice(at + 2)}`), "typo", `${at}`);
  }
  assert.equal(checkKeyForm(key.replace("live", "test")), "typo");
  for (const wrong of [`${key} `, ` ${key}`.trim() + "\n", key + key]) {
    assert.equal(checkKeyForm(wrong), "typo");
  }
});

Deno.test("kd: keys of other forms are none of its business", () => {
  const legacy = btoa(`{"org":"${"a".repeat(24)}","id":"${"b".repeat(32)}","h":"sha256"}`);
  for (
    const other of ["", "kd", "kd_", "kd_LIVE_x", "sk_live_abc", legacy, `x${kdKey("a", random)}`]
  ) {
    assert.equal(checkKeyForm(other), "other", other);
  }
});

/**
 * Keys whose ends a store, a terminal or a mail could not take, or would take for something else.
 */
const oddEnds = [
  "\0\0\0\0",
  "\u001b[2J",
  "=\r\n1",
  "a b c",
  "abc\u{1f600}",
  "\u{1f600}abc",
  "\ud800abc",
  "äöü-",
];

Deno.test("mask: of a key with ends that are no plain characters, it is that of its hash", () => {
  const key_id = sha256("any");
  const ofHash = `${key_id.slice(0, 4)}…${key_id.slice(-4)}`;
  const middle = "0123456789".repeat(3);
  for (const odd of oddEnds) {
    for (const ends of [odd + middle, middle + odd]) {
      assert.equal(maskOf(ends, key_id), ofHash, JSON.stringify(ends));
      assert.equal(maskOf(legacyKey(ends), key_id), ofHash, JSON.stringify(ends));
    }
  }
  assert.equal(maskOf(`!bcd${oddEnds.join("")}wxy~`, ""), "!bcd…wxy~");
});

/** A key of the original's gateway with this identifier inside, whatever that holds. */
function legacyKey(id: string): string {
  const escaped = JSON.stringify(id).replaceAll(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return btoa(`{"org":"${"a".repeat(24)}","id":${escaped},"h":"sha256"}`);
}

Deno.test("mask: shows eight characters that tell keys apart, of a short key only its hash", () => {
  assert.equal(maskOf(kdKey("live", random), ""), "kd_live_0123…defg");
  const legacy = btoa(`{"org":"${"a".repeat(24)}","id":"0123${"b".repeat(24)}4567","h":"sha256"}`);
  assert.equal(maskOf(legacy, ""), "0123…4567");
  assert.equal(maskOf("abcdefghijklmnopqrstuvwxyz", ""), "abcd…wxyz");
  const key_id = sha256("hunter2");
  assert.equal(maskOf("hunter2", key_id), `${key_id.slice(0, 4)}…${key_id.slice(-4)}`);
  assert.equal(maskOf("eyJub3QganNvbg", key_id), `${key_id.slice(0, 4)}…${key_id.slice(-4)}`);
});

Deno.test("murmur: the ids are those of the reference implementation", async () => {
  assert.deepEqual(await murmurIdsOf("hello"), [
    "cbd8a7b341bd9b025b1e906a48ae1d19",
    "cbd8a7b341bd9b02",
  ]);
  // Every length of the last block, and more than one byte a character.
  assert.deepEqual(
    await Promise.all(SAMPLES.map(async ([text]) => (await murmurIdsOf(text))[0])),
    SAMPLES.map(([, id]) => id),
  );
});

/** Texts and their x64-128 hash, computed apart from this code out of the published algorithm. */
const SAMPLES: [text: string, id: string][] = [
  ["", "00000000000000000000000000000000"],
  ["0", "2ac9debed546a3803a8de9e53c875e09"],
  ["01", "649e4eaa7fc1708ee6945110230f2ad6"],
  ["012", "ce68f60d7c353bdb00364cd5936bf18a"],
  ["0123", "0f95757ce7f38254b4c67c9e6f12ab4b"],
  ["01234", "0f04e459497f3fc1eccc6223a28dd613"],
  ["012345", "88c0a92586be0a2781062d6137728244"],
  ["0123456", "13eb9fb82606f7a6b4ebef492fdef34e"],
  ["01234567", "8236039b7387354dc3369387d8964920"],
  ["012345678", "4c1e87519fe738ba72a17af899d597f1"],
  ["0123456789", "3f9652ac3effeb248027a17cf2990b07"],
  ["0123456789a", "4bc3eacd29d386297cb2d9e797da9c92"],
  ["0123456789ab", "66352b8cee9e3ca7a9edf0b381a8fc58"],
  ["0123456789abc", "5eb2f8db4265931e801ce853e61d0ab7"],
  ["0123456789abcd", "07a4a014dd59f71aaaf437854cd22231"],
  ["0123456789abcde", "a62dd5f6c0bf23514fccf50c7c544cf0"],
  ["0123456789abcdef", "4be06d94cf4ad1a787c35b5c63a708da"],
  ["0123456789abcdefg", "8e32612daa45f9de0800f4c206c372ee"],
  ["0123456789abcdefghijklmnopqrstu", "b828780c1a6e05423922739113a7e9b2"],
  ["0123456789abcdefghijklmnopqrstuv", "2f285ccec0edf1f7c405d66374dea50b"],
  ["0123456789abcdefghijklmnopqrstuvw", "e82017bf95741128ddc56eb32bc3a99a"],
  [
    "0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqr",
    "035234864f1931a2e0f25bdf13a51c6a",
  ],
  ["ключ-é-😀", "6295c1cd6d5d8317093f6067d5506a88"],
];

const CRC_OF_SAMPLE = 2724434859;
