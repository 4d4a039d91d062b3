/**
 * A Redis that dies, hangs, refuses or holds a part: what is said of it, and that no record's name
 * is in it.
 */
import assert from "node:assert/strict";
import { permissions } from "../../../src/contract/permissions.ts";
import { library, openGatewayRedis } from "../../../src/maintenance/import/gateway-redis.ts";
import {
  type MovingOptions,
  runMoving,
  verifyMoving,
} from "../../../src/maintenance/import/import.service.ts";
import { reportOf } from "../../../src/maintenance/import/report.ts";
import { SourceUnusable } from "../../../src/maintenance/import/source.ts";
import { testOnEngines } from "../../support/desk.ts";
import { sessionOf } from "../../support/original-interfaces.ts";

/** The name of a record holds the key itself where the gateway hashes none. */
const KEY = "a-plain-key-of-somebody";

const bulk = (text: string) => `$${text.length}\r\n${text}\r\n`;
const told = (mode: string) => `%1\r\n${bulk("mode")}${bulk(mode)}`;

/**
 * What it answers to a command by its name, and by the first word behind it; null: it ends the
 * connection, undefined: nothing.
 */
type Answer = string | null | undefined;
type Answers = Readonly<Record<string, Answer | ((of: string) => Answer)>>;

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
          const commands = /\*\d+\r\n\$\d+\r\n([A-Za-z]+)\r\n(?:\$\d+\r\n(.*)\r\n)?/g;
          for (const [, name = "", of = ""] of text.matchAll(commands)) {
            const known = answers[name.toUpperCase()];
            const answer = typeof known === "function" ? known(of) : known;
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

testOnEngines(
  "gateway's Redis: a user without rights on quota-* brings the keys, and it is said once that what was used is not known",
  async ({ app: { ctx }, org_id }) => {
    const names = ["a", "b", "c"].map((letter) => letter.repeat(64));
    const value = JSON.stringify(sessionOf(org_id, { apply_policies: ["p"] }));
    const asked: string[] = [];
    let refusal = "-NOPERM No permissions to access a key\r\n";
    // Each name in a step of its own.
    const step = (n: number) =>
      `*2\r\n${bulk(String((n + 1) % 3))}*1\r\n${bulk(`apikey-${names[n]}`)}`;
    const answers: Answers = {
      ...ALONE,
      SCAN: (cursor) => step(Number(cursor)),
      GET: (name) => {
        if (!name.startsWith("quota-")) return bulk(value);
        asked.push(name);
        return refusal;
      },
    };
    const principal = { org_id, user_id: "operator", token_id: "", permissions };
    const options: MovingOptions = { theirs: false, murmurUntil: null, passphrase: undefined };
    const listener = { read: () => {}, found: () => {}, isOver: false };
    const work = async <T>(does: (...words: Parameters<typeof runMoving>) => Promise<T>) =>
      await withServer(answers, async (url) => {
        const source = await openGatewayRedis({ url, allowPlain: false });
        try {
          return await does({ ...ctx, principal }, source, options, listener);
        } finally {
          await source.close();
        }
      });
    const told = async () => {
      const { findings } = await reportOf(ctx.storage.reader, org_id);
      return (await Array.fromAsync(findings())).filter(({ code }) => code === "quotas_unknown")
        .map(({ id }) => id.replace(/:.*/, ""));
    };
    const added = await work(runMoving);
    assert.deepEqual(added.map(({ kind, added }) => `${kind} ${added}`).at(-1), "key 3");
    assert.deepEqual(await told(), ["127.0.0.1"]);
    // What is refused once is not asked for again.
    assert.equal(asked.length, 1);
    const sides = await work(verifyMoving);
    assert.equal(sides.find(({ kind }) => kind === "key")?.refused, 0);
    refusal = "$-1\r\n";
    await work(runMoving);
    assert.deepEqual(await told(), []);
    // Any other refusal ends the work as before.
    refusal = "-ERR no\r\n";
    await assert.rejects(() => work(runMoving), /Redis refuses to answer \(ERR\)/);
  },
);

Deno.test("redis: where the package is not installed its name and the command are told", async () => {
  const absent = () => Promise.reject(new Error("Cannot find package 'redis'"));
  await assert.rejects(library(absent), (error) => {
    assert.ok(error instanceof SourceUnusable);
    assert.match(error.message, /^--redis needs the package redis, .*: npm install redis@6 /);
    return true;
  });
});
