/** The audit log: order, filters, cursors, export, and that it is one organisation's own. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { recordAudit } from "../../../src/changes/audit.ts";
import { toTimestamp } from "../../../src/kernel/clock.ts";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { appendAll } from "../../../src/maintenance/audit-log/appender.ts";
import { statement } from "../../../src/storage/statement.ts";
import { defineTransaction, type Tx } from "../../../src/storage/storage.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { fillPatiently } from "../../support/fill-patiently.ts";
import { approve, create, smallRequest } from "../../support/key-requests.ts";
import { allItems, call, newPerson, testClock } from "../../support/people.ts";

const AUDIT_LOG = "/v1/audit-log";
const clock = testClock();

interface Event {
  id: string;
  at: string;
  actor: string;
  action: string;
  object: string;
  object_id: string;
}

interface Events {
  org_id: string;
  from: number;
  to: number;
  start: number;
}

const timeOf = (n: number, { start }: Events) => start + n * 400;

const atSql = statement<{ org_id: string; at: string }>()((db, p) =>
  db.selectFrom("audit_events").select("id")
    .where("org_id", "=", p.org_id).where("at", "=", p.at).where("token_id", "=", "t")
);

/** Whether the first of these events is there, and so all of them. */
async function isThere(tx: Tx, events: Events): Promise<boolean> {
  const at = toTimestamp(timeOf(events.from, events));
  return (await tx.rows(atSql, { org_id: events.org_id, at })).length > 0;
}

const addEvents = defineTransaction(
  "test.add-events",
  async (tx, input: Events) => {
    if (await isThere(tx, input)) return;
    for (let n = input.from; n < input.to; n++) {
      const now = timeOf(n, input);
      const actor = { org_id: input.org_id, user_id: `user-${n % 3}`, token_id: "t", now };
      const object = n % 2 === 0 ? "even" : "odd";
      const action = n === 7 ? "rare.thing" : `${object}.changed`;
      await recordAudit(tx, actor, { action, object, object_id: `o-${n % 5}`, detail: { n } });
    }
  },
);

/** Events in one transaction: few enough for a slow server to be done before its limits end it. */
const AT_ONCE = 1000;

async function fill(desk: TestDesk, from: number, to: number): Promise<void> {
  const { org_id } = desk;
  const parts: Events[] = [];
  for (let n = from; n < to; n += AT_ONCE) {
    parts.push({ org_id, from: n, to: Math.min(n + AT_ONCE, to), start: clock.at });
  }
  await fillPatiently(desk, addEvents, parts);
}

testOnEngines(
  "activity: tells who did what to what, newest first",
  async (desk) => {
    const { id: person, credential } = await newPerson(desk, ["portal:write", "approve"]);
    clock.at += 1000;
    const id = await create(desk, smallRequest(), { credential });
    clock.at += 1000;
    const { RawKey } = await approve(desk, id);
    const { data } = await call(desk, "GET", `${AUDIT_LOG}?object_id=${id}`);
    const me = await call(desk, "GET", "/v1/me");
    const detail = { key_id: sha256(RawKey), plans: ["plan-weather"], by_user: "dev-ada" };
    const names = { object_name: "", developer_name: "", plan_name: "", token_name: "" };
    const byCall = {
      caller_request_id: "",
      request_id: "",
      token_id: "",
      session: "",
      client_address: "",
    };
    const shown = { id: "", ...byCall, ...names };
    assert.deepEqual(data.map((event: Event) => ({ ...event, ...shown })), [
      {
        ...shown,
        at: new Date(clock.at).toISOString(),
        actor: me.person.id,
        actor_type: "person",
        actor_name: "administrator",
        action: "key_request.approved",
        object: "key_request",
        object_id: id,
        detail,
      },
      {
        ...shown,
        at: new Date(clock.at - 1000).toISOString(),
        actor: person,
        actor_type: "person",
        actor_name: "Grace",
        action: "key_request.created",
        object: "key_request",
        object_id: id,
        detail: { by_user: "dev-ada" },
      },
    ]);
    const all = await allItems(desk, AUDIT_LOG);
    assert.deepEqual(all.map(({ at }) => at), all.map(({ at }) => at).toSorted().reverse());
    assert.deepEqual([all.at(-1)?.actor_name, all.at(-1)?.actor_type], ["operator", "operator"]);
  },
  { clock },
);

testOnEngines(
  "activity: every filter and every pair gives exactly its events, page by page",
  async (desk) => {
    await fill(desk, 0, 60);
    const all: Event[] = await allItems(desk, `${AUDIT_LOG}?limit=100`);
    const at = (ms: number) => new Date(clock.at + ms).toISOString();
    const filters: [query: string, fits: (event: Event) => boolean][] = [
      ["actor=user-1", (event) => event.actor === "user-1"],
      ["object=even", (event) => event.object === "even"],
      ["object_id=o-3", (event) => event.object_id === "o-3"],
      ["action=rare.thing", (event) => event.action === "rare.thing"],
      ["actor=nobody", () => false],
      [`after=${at(4000)}`, (event) => event.at >= at(4000)],
      [`before=${at(4000)}`, (event) => event.at < at(4000)],
      // Shortly after an event: not this one, and not the one before it.
      [`after=${at(4000).replace("Z", "000001Z")}`, (event) => event.at > at(4000)],
      [`before=${at(4000).replace("Z", "000001Z")}`, (event) => event.at <= at(4000)],
      [
        `after=${encodeURIComponent(at(8000 + 3_600_000).replace("Z", "+01:00"))}`,
        (event) => event.at >= at(8000),
      ],
      ["before=1969-01-01T00:00:00Z", () => false],
      ["after=2999-01-01T00:00:00Z", () => false],
    ];
    assert.ok(all.length > 60);
    for (const [one, fitsOne] of filters) {
      for (const [two, fitsTwo] of filters) {
        if (one !== two && one.split("=")[0] === two.split("=")[0]) continue;
        const query = one === two ? one : `${one}&${two}`;
        const expected = all.filter((event) => fitsOne(event) && fitsTwo(event));
        for (const limit of [7, 100]) {
          assert.deepEqual(
            await allItems(desk, `${AUDIT_LOG}?limit=${limit}&${query}`),
            expected,
            query,
          );
        }
      }
    }
  },
  { extra: [addEvents], clock },
);

testOnEngines(
  "activity: stands still while events are added, and links to its next page",
  async (desk) => {
    await fill(desk, 0, 12);
    const response = await desk.send("GET", `${AUDIT_LOG}?limit=5&object=odd`);
    const first = await response.json();
    await fill(desk, 12, 20);
    const link = /^<(.*)>; rel="next"$/.exec(response.headers.get("link") ?? "")?.[1] ?? "";
    const second = await call(desk, "GET", link);
    const seen = [...first.data, ...second.data].map(({ detail }) => detail.n);
    assert.deepEqual(seen, [11, 9, 7, 5, 3, 1]);
  },
  { extra: [addEvents], clock },
);

testOnEngines(
  "activity: a filter that fits nothing looks at a bounded number at a time, and finds all",
  async (desk) => {
    await fill(desk, 0, 12_000);
    const found = await allItems(desk, `${AUDIT_LOG}?action=rare.thing`);
    assert.deepEqual(found.map(({ detail }) => detail.n), [7]);
    const none = await call(desk, "GET", `${AUDIT_LOG}?action=nothing`);
    assert.deepEqual(none, { data: [], next_cursor: null });
    await fill(desk, 12_000, 25_000);
    const page = await call(desk, "GET", `${AUDIT_LOG}?action=rare.thing`);
    assert.deepEqual(page.data, []);
    assert.notEqual(page.next_cursor, null);
    const again = await allItems(desk, `${AUDIT_LOG}?action=rare.thing`);
    assert.deepEqual(again, found);
  },
  { extra: [addEvents], clock },
);

testOnEngines(
  "activity: the export holds what the list holds, one line each",
  async (desk) => {
    await fill(desk, 0, 450);
    for (const query of ["", "?object=odd", "?object_id=o-1&actor=user-2", "?actor=nobody"]) {
      const response = await desk.send("GET", `${AUDIT_LOG}/export${query}`);
      assert.equal(response.headers.get("content-type"), "application/jsonl");
      const lines = (await response.text()).split("\n").filter((line) => line !== "");
      const list = await allItems(desk, `${AUDIT_LOG}${query}`);
      assert.deepEqual(lines.map((line) => JSON.parse(line)), list);
    }
  },
  { extra: [addEvents], clock },
);

testOnEngines(
  "activity: is of one organisation",
  async (desk) => {
    await fill(desk, 0, 3);
    const { admin } = await desk.otherOrganisation();
    const theirs: Event[] = await allItems(desk, AUDIT_LOG, admin);
    assert.deepEqual(theirs.map(({ action }) => action), ["access_token.created"]);
    const exported = await desk.send("GET", `${AUDIT_LOG}/export`, { credential: admin });
    const lines = (await exported.text()).trimEnd().split("\n").map((line) => JSON.parse(line));
    assert.deepEqual(lines.map(({ action }) => action).toSorted(), [
      "access_token.created",
      "audit_log.exported",
    ]);
  },
  { extra: [addEvents], clock },
);

/** Adds an event of this moment, by a process whose id has the same second and sorts anywhere. */
const addOne = defineTransaction(
  "test.add-one",
  async (tx, input: { org_id: string; n: number; now: number }) => {
    const actor = { org_id: input.org_id, user_id: "user", token_id: "t", now: input.now };
    await recordAudit(tx, actor, {
      action: "some.changed",
      object: "some",
      object_id: `some-${input.n % 2}`,
      detail: { n: input.n },
    });
  },
);

const renameSql = statement<{ org_id: string; n: string; id: string }>()((db, p) =>
  db.updateTable("audit_events").set({ id: p.id })
    .where("org_id", "=", p.org_id).where("detail", "=", p.n)
);
/** Gives an event an id as another process would have made it. */
const rename = defineTransaction(
  "test.rename-event",
  async (tx, input: { org_id: string; n: number; id: string }) => {
    await tx.change(renameSql, { ...input, n: `{"n":${input.n}}` });
  },
);

const order = async (desk: TestDesk, query = "") => {
  const events = await allItems(desk, `${AUDIT_LOG}?object=some${query}`);
  return events.map(({ detail }) => detail.n);
};

testOnEngines(
  "activity: is in the order of the audit log's log, whatever the ids of one second say",
  async (desk) => {
    const { org_id, app: { ctx } } = desk;
    const second = Math.floor(clock.at / 1000).toString(16).padStart(8, "0");
    // Of several processes, in the order of their commits: the log takes each in before the next.
    const ids = ["9", "3", "f", "1", "7", "5"];
    for (const [n, digit] of ids.entries()) {
      await ctx.storage.commit(addOne, { org_id, n, now: clock.at + n });
      await ctx.storage.commit(rename, { org_id, n, id: second + digit.repeat(24) });
      await appendAll(ctx);
    }
    const newestFirst = [5, 4, 3, 2, 1, 0];
    for (const limit of [1, 2, 100]) {
      assert.deepEqual(await order(desk, `&limit=${limit}`), newestFirst);
    }
    assert.deepEqual(await order(desk, "&object_id=some-1"), [5, 3, 1]);
    const exported = await desk.send("GET", `${AUDIT_LOG}/export?object=some`);
    const lines = (await exported.text()).trim().split("\n").map((line) => JSON.parse(line));
    assert.deepEqual(lines.map(({ detail }) => detail.n), newestFirst);
    const csv = await desk.send("GET", `${AUDIT_LOG}/export?object=some&format=csv`);
    assert.equal(csv.headers.get("content-type"), "text/csv; charset=utf-8");
    const [head = "", ...rows] = (await csv.text()).trimEnd().split("\r\n");
    assert.match(head, /^at,actor,actor_type,actor_name,action,object,/);
    assert.deepEqual(rows.map((row) => /""n"":(\d)/.exec(row)?.[1]), newestFirst.map(String));
  },
  { extra: [addOne, rename], clock },
);

testOnEngines(
  "activity: what waits for the log stands above by time, and no cursor passes it",
  async (desk) => {
    const { org_id, app: { ctx } } = desk;
    const second = Math.floor(clock.at / 1000).toString(16).padStart(8, "0");
    const add = async (n: number, digit: string) => {
      await ctx.storage.commit(addOne, { org_id, n, now: clock.at + n });
      await ctx.storage.commit(rename, { org_id, n, id: second + digit.repeat(24) });
    };
    for (const [n, digit] of ["8", "7"].entries()) {
      await add(n, digit);
      await appendAll(ctx);
    }
    for (const [n, digit] of ["6", "a", "2", "c"].entries()) await add(n + 2, digit);
    assert.deepEqual(await order(desk), [5, 4, 3, 2, 1, 0]);
    // Each page with what the log has taken in since the one before, and what is new stays above.
    const seen: number[] = [];
    let next = 6;
    for (let cursor: string | null = "";;) {
      const query: string = cursor === "" ? "" : `&cursor=${cursor}`;
      const page: { data: { detail: { n: number } }[]; next_cursor: string | null } = await call(
        desk,
        "GET",
        `${AUDIT_LOG}?object=some&limit=1${query}`,
      );
      seen.push(...page.data.map(({ detail }) => detail.n));
      cursor = page.next_cursor;
      if (cursor === null) break;
      await ctx.storage.commit(addOne, { org_id, n: next, now: clock.at + next });
      next++;
      await appendAll(ctx);
    }
    assert.deepEqual(seen, [5, 4, 3, 2, 1, 0]);
    const old = Buffer.from(JSON.stringify(["audit-log", "", second])).toString("base64url");
    assert.equal((await desk.send("GET", `${AUDIT_LOG}?cursor=${old}`)).status, 400);
  },
  { extra: [addOne, rename], clock },
);
