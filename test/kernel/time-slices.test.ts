import assert from "node:assert/strict";
import { TimeSlices } from "../../src/kernel/time-slices.ts";

/** Works for so long without a pause. */
function work(ms: number): void {
  for (const began = performance.now(); performance.now() - began < ms;);
}

for (const way of ["pause", "next"] as const) {
  Deno.test(`time slices: what comes over a socket has its turn between two slices (${way})`, async () => {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const accepted = listener.accept();
    using client = await Deno.connect({ hostname: "127.0.0.1", port: listener.addr.port });
    using server = await accepted;
    let answered = 0;
    let isOver = false;
    const byte = new Uint8Array(1);
    const answering = (async () => {
      while (await server.read(byte) !== null) await server.write(byte);
    })();
    const asking = (async () => {
      for (; !isOver; answered++) {
        await client.write(byte);
        await client.read(byte);
      }
      client.closeWrite();
    })();
    const slices = new TimeSlices();
    for (let n = 0; n < 100; n++) {
      work(5);
      await slices[way]();
    }
    const meanwhile = answered;
    isOver = true;
    await Promise.all([answering, asking]);
    assert.ok(meanwhile >= 10, `${meanwhile} answers beside 100 slices`);
  });
}
