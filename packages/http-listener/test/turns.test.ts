/** One client that sends without end keeps nobody else from being heard. */
import assert from "node:assert/strict";
import { Body } from "../body.ts";
import { Input } from "../input.ts";
import { Turns } from "../turns.ts";

const GET = new TextEncoder().encode("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
/** So much is far more than anybody may take in a row. */
const MUCH = 10_000;

/** A client whose next bytes have always come already: requests, one behind the other. */
function sentAhead(): Pick<Deno.Conn, "read"> {
  let sent = 0;
  return {
    read: (into) => {
      for (let at = 0; at < into.length; at++) into[at] = GET[sent++ % GET.length] ?? 0;
      return Promise.resolve(into.length);
    },
  };
}

/** How often `step` was taken before the first timer had its turn. */
async function inARow(step: () => Promise<unknown>): Promise<number> {
  let isOver = false;
  setTimeout(() => isOver = true, 0);
  let steps = 0;
  while (!isOver && steps < MUCH) {
    await step();
    steps++;
  }
  return steps;
}

Deno.test("turns: requests that were sent ahead, and bodies that never wait, come a few at a time", async () => {
  const input = new Input(sentAhead(), new Turns());
  const heads = await inARow(async () => {
    await input.pause();
    while (input.takeHead() === undefined) await input.fill();
  });
  assert.ok(heads < 20, `${heads} heads in a row`);
  const body = new Body(new Input(sentAhead(), new Turns()), MUCH * 64 * 1024);
  const pieces = await inARow(() => body.pass());
  assert.ok(pieces < 20, `${pieces} pieces in a row`);
});

Deno.test("turns: few of those who wait go on in each, in their order, and all of them in the end", async () => {
  const turns = new Turns();
  const gone: number[] = [];
  const all = Promise.all(
    Array.from({ length: 100 }, async (_, n) => {
      await turns.next();
      gone.push(n);
    }),
  );
  await new Promise((resolve) => setTimeout(resolve, 0));
  assert.ok(gone.length > 0 && gone.length < 50, `${gone.length} in one turn`);
  await all;
  assert.deepEqual(gone, Array.from({ length: 100 }, (_, n) => n));
});

Deno.test("turns: who is waited for, since no more was there than was taken, waits for no turn", async () => {
  const input = new Input(
    { read: (into) => (into.set(GET), Promise.resolve(GET.length)) },
    { next: () => assert.fail("it waits") } as unknown as Turns,
  );
  for (let n = 0; n < 100; n++) {
    assert.equal(input.pause(), undefined);
    await input.fill();
    assert.ok(input.takeHead());
  }
});
