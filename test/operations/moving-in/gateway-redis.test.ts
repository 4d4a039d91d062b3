/**
 * A Redis that dies, hangs, refuses or holds a part: what is said of it, and that no record's name
 * is in it.
 */
import assert from "node:assert/strict";
import { openGatewayRedis } from "../../../src/operations/moving-in/gateway-redis.ts";
import { SourceUnusable } from "../../../src/operations/moving-in/source.ts";

/** The name of a record holds the key itself where the gateway hashes none. */
const KEY = "a-plain-key-of-somebody";

const bulk = (text: string) => `$${text.length}\r\n${text}\r\n`;
const told = (mode: string) => `%1\r\n${bulk("mode")}${bulk(mode)}`;

/** What it answers to a command by its name; null: it ends the connection, undefined: nothing. */
type Answers = Readonly<Record<string, string | null | undefined>>;

const ALONE: Answers = {
  HELLO: told("standalone"),
  SCAN: `*2\r\n${bulk("0")}*1\r\n${bulk(`apikey-${KEY}`)}`,
};

/** A server that speaks just enough of Redis's protocol. */
async function withServer<T>(answers: Answers, work: (url: string) => Promise<T>): Promise<T> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const served = (async () => {
    for await (const connection of listener) {
      void (async () => {
        using open = connection;
        const bytes = new Uint8Array(4096);
        for (let n = await open.read(bytes); n !== null; n = await open.read(bytes)) {
          const text = new TextDecoder().decode(bytes.subarray(0, n));
          for (const [, name = ""] of text.matchAll(/\*\d+\r\n\$\d+\r\n([A-Za-z]+)\r\n/g)) {
            const answer = answers[name.toUpperCase()];
            if (answer === null) return;
            if (answer !== undefined) await open.write(new TextEncoder().encode(answer));
          }
        }
      })().catch(() => {});
    }
  })();
  try {
    return await work(`redis://127.0.0.1:${listener.addr.port}`);
  } finally {
    listener.close();
    await served;
  }
}

/** What is said while keys are read. */
async function said(answers: Answers, patienceMs?: number): Promise<string> {
  return await withServer(answers, async (url) => {
    try {
      const source = await openGatewayRedis({ url, allowPlain: false }, patienceMs);
      try {
        const found = await Array.fromAsync(source.documents("key"));
        return JSON.stringify(found.map((one) => Object.keys(one)));
      } finally {
        await source.close();
      }
    } catch (error) {
      assert.ok(error instanceof SourceUnusable, String(error));
      return error.message;
    }
  });
}

Deno.test("gateway's Redis: one that dies or hangs in the middle ends the work with what to do", async () => {
  for (const [answers, patience] of [[{ ...ALONE, GET: null }], [ALONE, 100]] as const) {
    const message = await said(answers, patience);
    assert.match(message, /^127\.0\.0\.1:\d+: .+; what came in stays in, run it again$/);
    assert.ok(!message.includes(KEY));
  }
  assert.match(await said({ ...ALONE, SCAN: null }), /run it again$/);
});

Deno.test("gateway's Redis: of a refusal its code is told, since its sentence may repeat a key", async () => {
  const GET = `-ERR unknown command 'GET', with args beginning with: 'apikey-${KEY}'\r\n`;
  const message = await said({ ...ALONE, GET });
  assert.match(message, /Redis refuses to answer \(ERR\)/);
  assert.ok(!message.includes(KEY));
});

Deno.test("gateway's Redis: a part of a cluster is not taken for the whole", async () => {
  assert.match(await said({ ...ALONE, HELLO: told("cluster") }), /is a part of a Redis Cluster/);
  const value = bulk('{"org_id":"o"}');
  assert.equal(await said({ ...ALONE, GET: value }), '[["place","members"]]');
});

Deno.test("gateway's Redis: a database without a record of a gateway is not believed", async () => {
  for (const names of ["*0\r\n", `*1\r\n${bulk("tyk-analytics")}`]) {
    const message = await said({ ...ALONE, SCAN: `*2\r\n${bulk("0")}${names}` });
    assert.match(
      message,
      /database 0 holds no record of a gateway, and what is empty says nothing/,
    );
  }
});
