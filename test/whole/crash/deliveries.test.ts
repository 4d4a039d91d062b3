/**
 * A server that is killed amid changes and deliveries tells of each change, and of each object's in
 * their order.
 */
import assert from "node:assert/strict";
import { shortOr } from "../../support/effort.ts";
import { eventually } from "../../support/eventually.ts";
import { smallRequest } from "../../support/key-requests.ts";
import { type ServerProcess, startServerProcess, withFolder } from "../../support/processes.ts";
import { Random } from "../../support/random.ts";
import { type Received, receiver } from "../../support/receiver.ts";

const OBJECTS = 50;
/** Of each object: it is made, then declined and reopened in turns. */
const CHANGES = shortOr(4, 20);
const KILLS = shortOr(2, 5);
const CLIENTS = 8;
const SEED = Number(Deno.env.get("CRASH_SEED") ?? "20260119");

/** The server of the moment: another one after each kill. */
interface Desk {
  server: ServerProcess;
  up: Promise<void>;
}

Deno.test("deliveries: a server killed at any moment tells of every change, each object's in order", async () => {
  await withFolder(async (dataDir) => {
    await using portal = receiver();
    const random = new Random(SEED);
    // Some are refused at first, so that there is something to keep in order.
    const refused = new Set<string>();
    portal.answer = ({ id }) => {
      if (id.endsWith("0") && !refused.has(id)) {
        refused.add(id);
        return 503;
      }
      return 200;
    };
    const environment = { KEYDESK_OUTBOUND: portal.host };
    const start = () => startServerProcess({ dataDir, environment });
    const desk: Desk = { server: await start(), up: Promise.resolve() };
    try {
      const url = portal.url;
      const body = { name: "Portal", url, topics: ["key_request.*"] };
      assert.equal((await desk.server.send("POST", "/v1/channels", { body })).status, 200);
      const ids = await made(desk);
      let done = false;
      const working = work(desk, ids).then(() => void (done = true));
      let kills = 0;
      while (kills < KILLS && !done) {
        await wait(300 + random.below(900));
        await kill(desk, start);
        kills++;
      }
      await working;
      // The rest strikes amid deliveries alone.
      for (; kills < KILLS; kills++) {
        await wait(100 + random.below(300));
        await kill(desk, start);
      }
      const expected = OBJECTS * CHANGES;
      const received = () => firstOfEach(portal.taken);
      await eventually(`${expected} messages`, () => received().length >= expected, 200);
      const messages = received();
      const wrong = ids.filter((id) => !isInOrder(messages, id));
      console.log(
        `seed ${SEED}: kills ${kills}, changes ${expected}, sent ${portal.all.length}, ` +
          `received ${messages.length}, lost ${expected - messages.length}, ` +
          `out of order ${wrong.length}`,
      );
      assert.equal(messages.length, expected);
      assert.deepEqual(wrong, []);
    } finally {
      await desk.server[Symbol.asyncDispose]();
    }
  });
});

async function made({ server }: Desk): Promise<string[]> {
  const ids = [];
  for (let n = 0; n < OBJECTS; n++) {
    const answer = await server.send("POST", "/api/portal/requests", { body: smallRequest() });
    ids.push(answer.body.Message);
  }
  return ids;
}

/** Makes the changes of each object one after the other, those of several objects at once. */
async function work(desk: Desk, ids: readonly string[]): Promise<void> {
  const left = [...ids];
  await Promise.all(Array.from({ length: CLIENTS }, async () => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      for (let n = 1; n < CHANGES; n++) await change(desk, id, n % 2 === 1);
    }
  }));
}

/** Declines or reopens; after a lost answer it looks whether that was done. */
async function change(desk: Desk, id: string, decline: boolean): Promise<void> {
  const path = `/v1/key-requests/${id}`;
  while (true) {
    await desk.up;
    try {
      const word = decline ? "decline" : "reopen";
      const { status } = await desk.server.send("POST", `${path}/${word}`, { body: {} });
      if (status === 200 || status === 409) return;
    } catch {
      // Killed before its answer: a repeat says 409 where it was done.
    }
    await wait(20);
  }
}

async function kill(desk: Desk, start: () => Promise<ServerProcess>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  desk.up = promise;
  desk.server.kill("SIGKILL");
  await desk.server[Symbol.asyncDispose]();
  desk.server = await start();
  resolve();
}

/** Each message when it was taken first: what comes again has its id. */
function firstOfEach(taken: readonly Received[]): Received[] {
  return [...new Map([...taken].reverse().map((one) => [one.id, one])).values()].reverse();
}

/** Made, then declined and reopened in turns: what is lost, doubled or moved breaks that. */
function isInOrder(messages: readonly Received[], id: string): boolean {
  const words = messages.filter(({ json }) => json.data.id === id)
    .map(({ json }) => json.type.slice("key_request.".length));
  return words.length === CHANGES &&
    words.every((word, n) =>
      word === (n === 0 ? "created" : n % 2 === 1 ? "declined" : "reopened")
    );
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
