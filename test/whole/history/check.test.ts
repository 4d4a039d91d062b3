/**
 * The checker itself: right histories pass, and each kind of lie is found, by hand and in a store
 * that is broken.
 */
import assert from "node:assert/strict";
import {
  type Connection,
  defineTransaction,
  type Storage,
  type Transaction,
} from "../../../src/storage/storage.ts";
import { transactions } from "../../../src/transactions.ts";
import { engines, openTestDesk, type TestDesk } from "../../support/desk.ts";
import { Random } from "../../support/random.ts";
import { blind } from "./broken.ts";
import { check } from "./check.ts";
import { Crowd, type Node } from "./clients.ts";
import { type Answer, type Change, History, type Sight, type Verdict } from "./history.ts";

type Event = Change | Sight | Verdict | Answer;

const create = (begin: number, end: number): Change => ({
  kind: "create",
  id: "r",
  value: "v0",
  outcome: "ok",
  node: 0,
  begin,
  end,
});
const change = (
  kind: Change["kind"],
  begin: number,
  end: number,
  more: Partial<Change> = {},
): Change => ({ kind, id: "r", node: 0, begin, end, outcome: "ok", ...more });
const unknown = (kind: Change["kind"], begin: number, more: Partial<Change> = {}): Change =>
  change(kind, begin, Infinity, { outcome: "unknown", ...more });
const update = (begin: number, end: number, value: string) =>
  change("update", begin, end, { value });
const sight = (begin: number, end: number, value: string | null, approved = false): Sight => ({
  kind: "read",
  id: "r",
  node: 0,
  begin,
  end,
  value,
  approved,
});
const verdict = (begin: number, end: number, said: string): Verdict => ({
  kind: "verify",
  id: "r",
  key: "k",
  begin,
  end,
  verdict: said,
});
const approve = (begin: number, end: number, key = "k") => change("approve", begin, end, { key });

function historyOf(events: readonly Event[]): History {
  const history = new History();
  for (const event of events) {
    if ("outcome" in event) history.changes.push(event);
    else if ("verdict" in event) history.verdicts.push(event);
    else if ("text" in event) history.answers.push(event);
    else history.sights.push(event);
  }
  return history;
}

const right: Record<string, Event[]> = {
  "one after the other": [
    create(0, 1),
    sight(2, 3, "v0"),
    update(4, 5, "v1"),
    sight(6, 7, "v1"),
    approve(8, 9),
    sight(10, 11, "v1", true),
    change("delete", 12, 13),
    sight(14, 15, null),
  ],
  "at the same time either value may be seen": [
    create(0, 1),
    update(2, 9, "v1"),
    sight(3, 4, "v0"),
    sight(5, 6, "v1"),
  ],
  "of two updates at the same time either may be the last": [
    create(0, 1),
    update(2, 9, "v1"),
    update(2, 9, "v2"),
    sight(10, 11, "v1"),
  ],
  "what nobody knows may be seen, later, or never": [
    create(0, 1),
    unknown("update", 2, { value: "v1" }),
    sight(3, 4, "v0"),
    sight(5, 6, "v1"),
    unknown("approve", 7),
    sight(8, 9, "v1"),
    sight(10, 11, "v1", true),
  ],
  "who is refused was overtaken by somebody who does not know it": [
    create(0, 1),
    unknown("approve", 2),
    change("approve", 3, 4, { outcome: "refused" }),
  ],
  "a key opens until its revocation, and may for a second more": [
    create(0, 1),
    approve(2, 3),
    verdict(4, 5, "valid"),
    change("revoke", 10, 20),
    verdict(900, 901, "valid"),
    verdict(1100, 1101, "revoked"),
  ],
  "a key that was rotated may open or not": [
    create(0, 1),
    approve(2, 3),
    change("rotate", 4, 5),
    verdict(6, 7, "valid"),
    verdict(8, 9, "expired"),
  ],
  "a request that was declined is shown to nobody, and not approved": [
    create(0, 1),
    change("decline", 2, 3),
    sight(4, 5, null),
    change("approve", 6, 7, { outcome: "refused" }),
  ],
  "who asks again is answered the same": [{ key: "k", text: "a" }, { key: "k", text: "a" }],
};

const wrong: Record<string, [RegExp, Event[]]> = {
  "two approvals succeed": [/approve succeeded 2 times/, [
    create(0, 1),
    approve(2, 9),
    approve(3, 8, "l"),
  ]],
  "an approval and a decline succeed": [/approved and declined/, [
    create(0, 1),
    approve(2, 9),
    change("decline", 3, 8),
  ]],
  "a declined request is shown": [
    /did not see an acknowledged delete/,
    [create(0, 1), change("decline", 2, 3), sight(4, 5, "v0")],
  ],
  "who asks again is answered otherwise": [/answered otherwise/, [
    { key: "k", text: "a" },
    { key: "k", text: "b" },
  ]],
  "an update is lost": [/had overwritten/, [create(0, 1), update(2, 3, "v1"), sight(4, 5, "v0")]],
  "a read goes back": [
    /older than one that was seen/,
    [create(0, 1), update(2, 9, "v1"), sight(3, 4, "v1"), sight(5, 6, "v0")],
  ],
  "a value from the future": [/nobody had written/, [
    create(0, 1),
    sight(2, 3, "v1"),
    update(4, 5, "v1"),
  ]],
  "an approval is not seen": [
    /did not see an acknowledged approve/,
    [create(0, 1), approve(2, 3), sight(4, 5, "v0", false)],
  ],
  "an approval is seen and gone again": [
    /did not see a approve that was seen/,
    [create(0, 1), unknown("approve", 2), sight(3, 4, "v0", true), sight(5, 6, "v0")],
  ],
  "an approval that nobody asked for": [/nobody had asked/, [
    create(0, 1),
    sight(2, 3, "v0", true),
  ]],
  "a request vanishes": [/a delete that nobody had asked/, [create(0, 1), sight(2, 3, null)]],
  "a deleted request is back": [
    /did not see an acknowledged delete/,
    [create(0, 1), change("delete", 2, 3), sight(4, 5, "v0")],
  ],
  "a refusal without a reason": [
    /nobody had come before/,
    [create(0, 1), change("approve", 2, 3, { outcome: "refused" })],
  ],
  "a revoked key opens": [
    /more than a second after/,
    [create(0, 1), approve(2, 3), change("revoke", 4, 5), verdict(1010, 1011, "valid")],
  ],
  "a key that was handed out does not open": [/is unknown/, [
    create(0, 1),
    approve(2, 3),
    verdict(4, 5, "unknown"),
  ]],
};

for (const [name, events] of Object.entries(right)) {
  Deno.test(`history: right: ${name}`, () => assert.deepEqual(check(historyOf(events)), []));
}

for (const [name, [told, events]] of Object.entries(wrong)) {
  Deno.test(`history: wrong, and found: ${name}`, () => {
    const broken = check(historyOf(events));
    assert.ok(broken.some((text) => told.test(text)), JSON.stringify(broken));
  });
}

Deno.test("history: another node may be behind for as long as is allowed, the same node never", () => {
  const told = (...events: Event[]) => check(historyOf([create(0, 1), ...events]), 5);
  const through = (node: number, of: Sight): Sight => ({ ...of, node });

  assert.deepEqual(told(update(2, 3, "v1"), through(1, sight(7, 9, "v0"))), []);
  assert.equal(told(update(2, 3, "v1"), through(1, sight(9, 10, "v0"))).length, 1);
  assert.equal(told(update(2, 3, "v1"), sight(4, 5, "v0")).length, 1);
  assert.deepEqual(told(change("delete", 2, 3), through(1, sight(7, 9, "v0"))), []);
  assert.equal(told(change("delete", 2, 3), through(1, sight(9, 10, "v0"))).length, 1);
});

/** Runs a transaction to its end and then takes it back; its output is in `outputs`. */
const outputs: unknown[] = [];
const forgotten = (of: Transaction<never, unknown>) =>
  defineTransaction(`test.forgotten.${of.id}`, async (tx, input: never) => {
    outputs.push(await of.run(tx, input));
    throw new TookBack();
  });
class TookBack extends Error {}

const byId = (id: string) => {
  const found = transactions.find((transaction) => transaction.id === id);
  assert.ok(found, id);
  return found;
};
const blindApprove = blind(byId("key-requests.approve"));
const forgottenUpdate = forgotten(byId("key-requests.update"));

const CHANGES = 60;
/** How many questions long a broken store lies. */
const QUESTIONS = 12;

/** Ways to break a store, and what the checker must say of it. */
const broken: Record<string, { told: RegExp; breakIt(storage: Storage): void }> = {
  "an approval without its compare-and-set": {
    told: /approve succeeded \d+ times/,
    breakIt: (storage) => swap(storage, "key-requests.approve", blindApprove),
  },
  "an answer before the commit, which comes a few questions later": {
    told: /had overwritten|older than one/,
    breakIt: (storage) => {
      const commit = storage.commit.bind(storage);
      storage.commit = async (transaction, input) => {
        if (transaction.id !== "key-requests.update") return await commit(transaction, input);
        // as: it takes the same input, as the one that it stands for.
        await commit(forgottenUpdate as never, input).catch(() => {});
        late.push({ questions: QUESTIONS, commit: () => commit(transaction, input) });
        return outputs.pop() as never;
      };
      const late: { questions: number; commit: () => Promise<unknown> }[] = [];
      const asked = () => {
        for (const one of late) one.questions--;
        while (late[0] && late[0].questions < 0) void late.shift()?.commit().catch(() => {});
      };
      storage.reader.row = telling(storage.reader.row.bind(storage.reader), asked);
      storage.reader.rows = telling(storage.reader.rows.bind(storage.reader), asked);
    },
  },
  "an answer to a commit that is never made": {
    told: /had overwritten|older than one/,
    breakIt: (storage) => {
      const commit = storage.commit.bind(storage);
      let turn = 0;
      storage.commit = async (transaction, input) => {
        const isKept = transaction.id !== "key-requests.update" || ++turn % 3 !== 0;
        if (isKept) return await commit(transaction, input);
        await commit(forgottenUpdate as never, input).catch(() => {});
        return outputs.pop() as never;
      };
    },
  },
  "reads that are a few questions old": {
    told: /had overwritten|did not see an acknowledged|older than one/,
    breakIt: ({ reader }) => {
      reader.row = remembering(reader, reader.row.bind(reader));
      reader.rows = remembering(reader, reader.rows.bind(reader));
    },
  },
};

function swap(storage: Storage, id: string, by: Transaction<never, unknown>): void {
  const commit = storage.commit.bind(storage);
  // as: the other one takes and gives the same.
  storage.commit = (transaction, input) =>
    commit(transaction.id === id ? by as unknown as typeof transaction : transaction, input);
}

// deno-lint-ignore no-explicit-any -- two methods of different types are wrapped alike
function remembering<Method extends (...args: any[]) => Promise<unknown>>(
  { dialect }: Connection,
  ask: Method,
): Method {
  const kept = new Map<string, { answer: unknown; questions: number }>();
  // as: it passes on what it was given.
  return (async (statement, params) => {
    const name = `${statement.compile(dialect).sql} ${JSON.stringify(params)}`;
    const known = kept.get(name);
    if (known && known.questions-- > 0) return known.answer;
    const answer = await ask(statement, params);
    kept.set(name, { answer, questions: QUESTIONS });
    return answer;
  }) as Method;
}

/** Tells of each question before it is asked. */
// deno-lint-ignore no-explicit-any -- two methods of different types are wrapped alike
function telling<Method extends (...args: any[]) => Promise<unknown>>(
  ask: Method,
  tell: () => void,
): Method {
  // as: it passes on what it was given.
  return ((...args) => {
    tell();
    return ask(...args);
  }) as Method;
}

/** Eight clients on one desk, until so many changes are acknowledged. */
async function crowded(desk: TestDesk, changes: number): Promise<string[]> {
  const node: Node = async (method, path, body, headers = {}) => {
    const answer = await desk.send(method, path, { body, headers });
    return { status: answer.status, body: await answer.json() };
  };
  const crowd = new Crowd(new History(), [node]);
  await crowd.addPlan();
  const isOver = () => crowd.acknowledged >= changes;
  await Promise.all(Array.from({ length: 8 }, (_, n) => crowd.work(new Random(n + 1), isOver)));
  await crowd.lookAtEverything();
  return check(crowd.history);
}

for (const engine of engines) {
  const options = { sanitizeOps: false, sanitizeResources: false };
  const extra = [blindApprove, forgottenUpdate];
  Deno.test({
    name: `${engine}: history: a store as it is keeps every promise`,
    ...options,
    fn: async () => {
      await using desk = await openTestDesk(engine, { extra });
      assert.deepEqual(await crowded(desk, CHANGES), []);
    },
  });
  for (const [name, { told, breakIt }] of Object.entries(broken)) {
    Deno.test({
      name: `${engine}: history: a broken store is found: ${name}`,
      ...options,
      fn: async () => {
        await using desk = await openTestDesk(engine, { extra });
        breakIt(desk.app.ctx.storage);
        const found: string[] = [];
        for (let round = 0; round < 6 && found.length === 0; round++) {
          found.push(...(await crowded(desk, CHANGES)).filter((text) => told.test(text)));
        }
        assert.ok(found.length > 0, "the checker noticed nothing");
      },
    });
  }
}
