/** Questions in equal shares: whoever asks without end uses up their own alone. */
import assert from "node:assert/strict";
import { legacyKey } from "../../../../examples/moving/keys.ts";
import { FairTurns } from "../../../../src/features/migration/lazy-migration/fair-turns.ts";
import { keep, learn, testLearning, textOf } from "../../../support/learning.ts";
import { close, openSecond } from "../../../support/verification.ts";

/** Who had their turns, in their order, of questions that came one behind the other. */
async function served(perSecond: number, sources: readonly string[]): Promise<string[]> {
  const turns = new FairTurns(perSecond);
  const order: string[] = [];
  await Promise.all(sources.map(async (source) => {
    const [door = "", network = ""] = source.split(" ");
    if (await turns.take({ gateway: door, network }, 20_000)) order.push(source);
  }));
  return order;
}

const many = (source: string, n: number) => Array.from({ length: n }, () => source);

Deno.test("turns: a network that asks without end leaves another one its own", async () => {
  // The first two have the turns that nobody waited for.
  const order = await served(2, [...many("a 1", 12), ...many("a 2", 4)]);
  assert.deepEqual(order.slice(2, 10), ["a 1", "a 2", "a 1", "a 2", "a 1", "a 2", "a 1", "a 2"]);
});

Deno.test("turns: so does a door with any number of networks", async () => {
  const crowd = Array.from({ length: 8 }, (_, n) => `a ${n}`);
  const order = await served(2, ["c 1", "c 1", ...crowd, ...many("b 1", 3)]);
  assert.deepEqual(order.slice(2, 8).filter((one) => one === "b 1").length, 3);
});

Deno.test("turns: no more than so many wait of one network, and none for longer than it wants", async () => {
  const turns = new FairTurns(1);
  const from = { gateway: "a", network: "1" };
  assert.equal(await turns.take(from, 0), true);
  const waiting = Array.from({ length: 40 }, () => turns.take(from, 100));
  assert.deepEqual(await Promise.all(waiting.slice(32)), many("", 8).map(() => false));
  assert.ok(turns.retryAfterSeconds() > 1);
  assert.ok((await Promise.all(waiting)).filter((had) => had).length <= 1);
  assert.equal(turns.retryAfterSeconds(), 1);
});

testLearning(
  "learning: past the limit 503 with Retry-After, and garbage shuts nobody else out",
  async (learning) => {
    const { desk, door } = learning;
    const key = legacyKey(desk.org_id, textOf(1));
    await keep(door, key);
    await learn(learning, { questions_per_second: 5 });
    const from = async (address: string, presented: string) => {
      const answer = await desk.send("GET", "/v1/forward-auth", {
        headers: {
          "x-keydesk-authorization": `Bearer ${desk.admin}`,
          "x-forwarded-for": address,
          "x-keydesk-gateway": "edge",
          authorization: presented,
        },
        credential: null,
        from: "127.0.0.1",
      });
      await answer.body?.cancel();
      return answer;
    };
    const garbage = Array.from(
      { length: 100 },
      (_, n) => from("192.0.2.7", legacyKey(desk.org_id, textOf(1000 + n))),
    );
    const answers = Promise.all(garbage);
    const known = await from("198.51.100.9", key);
    assert.equal(known.status, 200);
    const statuses = (await answers).map(({ status }) => status);
    assert.deepEqual(new Set(statuses), new Set([401, 503]));
    const late = (await answers).find(({ status }) => status === 503);
    assert.ok(Number(late?.headers.get("retry-after")) >= 1);
    // Nothing of what was not asked is remembered as unknown, by this node or another one.
    const second = await openSecond(desk);
    const question = new Request("http://desk.test/v1/keys/verify", {
      method: "POST",
      headers: { authorization: desk.admin },
      body: JSON.stringify({ key }),
    });
    assert.equal((await (await second.fetch(question)).json()).valid, true);
    await close(second);
  },
  { environment: { KEYDESK_TRUSTED_PROXIES: "127.0.0.1" } },
);
