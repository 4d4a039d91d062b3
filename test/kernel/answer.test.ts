/** Texts that are made piece by piece and sent whole where they are short. */
import assert from "node:assert/strict";
import { isPieces, type Pieces, textIfShort } from "../../src/kernel/answer.ts";

const LONG = "x".repeat(300_000);

/** So many long pieces, numbered; `ended` hears how many were made when nobody wants more. */
async function* made(number: number, ended: (n: number) => void = () => {}): Pieces {
  let n = 0;
  try {
    for (; n < number; n++) yield `${n}${LONG}`;
  } finally {
    ended(n);
  }
}

Deno.test("pieces: a short text is put together, an empty one too", async () => {
  assert.equal(await textIfShort(made(0)), "");
  assert.equal(await textIfShort(made(3)), `0${LONG}1${LONG}2${LONG}`);
});

Deno.test("pieces: of a long text every piece goes out in order, and only some were made before", async () => {
  let count = 0;
  const rest = await textIfShort(async function* (): Pieces {
    for await (const piece of made(20)) {
      count++;
      yield piece;
    }
  }());
  assert.ok(isPieces(rest));
  assert.ok(count < 10, `${count} pieces made`);
  let n = 0;
  for await (const piece of rest) assert.ok(piece === `${n++}${LONG}`);
  assert.equal(n, 20);
});

Deno.test("pieces: whoever leaves a long text ends its making", async () => {
  let ended: number | undefined;
  const rest = await textIfShort(made(20, (n) => ended = n));
  assert.ok(isPieces(rest));
  assert.equal(ended, undefined);
  for await (const _ of rest) break;
  assert.ok(ended !== undefined && ended < 10, `${ended} pieces made`);
});

Deno.test("pieces: what fails at the beginning is thrown before anything is sent", async () => {
  // deno-lint-ignore require-yield -- it fails first
  const failing = async function* (): Pieces {
    await Promise.resolve();
    throw new Error("not readable");
  };
  await assert.rejects(textIfShort(failing()), /not readable/);
});
