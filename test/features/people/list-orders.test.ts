/**
 * Lists in every order that is offered: whole, both ways, page by page, by an index, and refused
 * where none has it.
 */
import assert from "node:assert/strict";
import { sql } from "kysely";
import { beforeAllKeys, orderedKeys } from "../../../src/features/keys/key-orders.store.ts";
import { developersByEmail } from "../../../src/features/developers/developer-list.store.ts";
import { decidedList } from "../../../src/features/key-requests/decided-requests.store.ts";
import { statement } from "../../../src/storage/statement.ts";
import { type Connection, defineTransaction } from "../../../src/storage/storage.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { allItems, call } from "../../support/people.ts";
import { explaining, testFilled } from "../../support/postgres-plans.ts";
import { plansOfReads } from "../../support/query-plans.ts";
import { testStore } from "../../support/stores.ts";

/** Every third key has no end, and every fifth approval no time, as earlier releases left them. */
const fillOf = (org_id: string, rows: number) => {
  const numbers =
    `with recursive s(n) as (select 1 union all select n + 1 from s where n < ${rows})`;
  const time = "'2026-01-01T00:00:00.' || cast(1000000 + n as text) || 'Z'";
  const id = "cast(1000000 + (n * 7919) % 1000003 as text)";
  return [
    `insert into credentials (org_id, key_id, kind, state, developer_id, request_id, plans, mask,
        attempt_id, issued_at, issued_by, algorithm, expires_at)
      ${numbers} select '${org_id}', ${id}, 'token',
        case n % 4 when 0 then 'suspended' when 1 then 'revoked' else 'active' end,
        'dev', '', '["plan"]', '', '', ${time}, 'user', 'sha256',
        case when n % 3 = 0 then null else '2027-01-01T00:00:00.' || cast(1000000 + n % 50 as text) || 'Z' end
      from s`,
    `insert into developers (org_id, id, email_key, document, date_created, instant, inactive, worded)
      ${numbers} select '${org_id}', ${id},
        case when n % 40 = 0 then '' else 'm' || ${id} || '@example.org' end,
        '{"id":"' || ${id} || '","email":"' || case when n % 40 = 0 then '' else 'm' || ${id} || '@example.org' end ||
        '","inactive":false,"fields":{},"date_created":"2026-01-01T00:00:00Z","last_login_date":"0001-01-01T00:00:00Z"}',
        '', ${time}, case when n % 5 = 0 then 1 else 0 end, 1
      from s`,
    `insert into key_requests (org_id, id, state, approved, by_user, instant, for_plan, head, tail,
        sent_catalogues, issued_at, decided_at)
      ${numbers} select '${org_id}', ${id}, case when n % 2 = 0 then 'issued' else 'declined' end, 1,
        'dev', ${time}, 'plan', '', '', '[]',
        case when n % 2 = 0 and n % 5 > 0 then ${time} end, case when n % 2 = 1 then ${time} end
      from s`,
  ];
};

const fill = defineTransaction("test.fill-orders", async (tx, texts: readonly string[]) => {
  for (const text of texts) {
    const one = statement<Record<never, never>>()((db) => ({
      compile: () => sql.raw(text).compile(db),
    }));
    await tx.change(one, {});
  }
});

type Item = Record<string, string | null>;

const whole = async (desk: TestDesk, path: string): Promise<Item[]> => await allItems(desk, path);

testOnEngines(
  "lists: every order is whole, page by page, both ways, with or without a state",
  async (desk) => {
    await desk.app.ctx.storage.commit(fill, fillOf(desk.org_id, 200));
    const orders: [path: string, sort: string, key: (row: Item) => string][] = [
      ["/v1/keys", "created", (row) => `${row.created} ${row.key_id}`],
      ["/v1/keys", "expires_at", (row) => `${row.expires_at ?? "~"} ${row.created} ${row.key_id}`],
      [
        "/v1/keys?state=active",
        "expires_at",
        (row) => `${row.expires_at ?? "~"} ${row.created} ${row.key_id}`,
      ],
      ["/v1/developers", "email", (row) => `${row.email} ${row.id}`],
      ["/v1/developers?state=inactive", "email", (row) => `${row.email} ${row.id}`],
    ];
    for (const [path, sort, key] of orders) {
      const query = `${path}${path.includes("?") ? "&" : "?"}limit=7`;
      const usual = (await whole(desk, query)).map(key);
      assert.ok(usual.length >= 40, path);
      for (const direction of ["asc", "desc"]) {
        const keys = (await whole(desk, `${query}&sort=${sort}&direction=${direction}`)).map(key);
        assert.deepEqual(keys, direction === "asc" ? usual.toSorted() : usual.toSorted().reverse());
      }
    }
    // A desk asks of every key for the checksum that these lack.
    await desk.app.ctx.storage.commit(fill, ["delete from credentials"]);
  },
  { extra: [fill] },
);

testOnEngines("lists: nobody's cursor of an order makes a fault", async (desk) => {
  await call(desk, "GET", "/v1/keys?sort=expires_at&limit=1");
  const { writeCursor } = await import("../../../src/kernel/cursor.ts");
  for (const sort of ["", "~", "~ ", "a b c"]) {
    const odd = writeCursor("keys expires_at desc", { sort, id: "" });
    await call(desk, "GET", `/v1/keys?sort=expires_at&direction=desc&cursor=${odd}`);
  }
});

const org_id = "org";
/** Places at the beginning, amid those with a value, and amid those without. */
const KEYS = [undefined, "2027-01-01T00:00:00.1000025 2026", "~ 2026-01-01T00:00:00.1000300"];
const DATES = [undefined, "2026-01-01T00:00:00.1000300", ""];

/** Reads a page in every order from each of these places; gives how many rows each read. */
async function readAll(db: Connection): Promise<number[]> {
  const read: number[] = [];
  for (const descending of [false, true]) {
    for (const sort of ["created", "expires_at"] as const) {
      const order = { sort, descending };
      for (const at of sort === "created" ? DATES : KEYS) {
        const place = at === undefined ? beforeAllKeys(order) : { sort: at, id: "1500000" };
        for (const source of orderedKeys(db, org_id, ["active", "suspended"], order)) {
          read.push((await source(place, 21)).rows.length);
        }
      }
    }
    for (const state of ["issued", "declined"] as const) {
      const list = decidedList(db, org_id, { state, descending });
      for (const at of DATES) {
        const place = at === undefined ? list.first : { sort: at, id: "1500000" };
        for (const source of list.sources) read.push((await source(place, 21)).rows.length);
      }
    }
    for (const sort of ["", "m15"]) {
      const page = { place: { sort, id: "" }, limit: 21 };
      const rows = await developersByEmail(db, org_id, { inactive: false, descending }, page);
      read.push(rows.length);
    }
  }
  return read;
}

Deno.test("sqlite: every order comes out of an index, from its place on", async () => {
  await using at = await testStore("sqlite", [fill]);
  const storage = await at.open();
  await storage.commit(fill, fillOf(org_id, 2000));
  const plans = await plansOfReads(storage.reader, readAll);
  assert.ok(plans.length >= 14, `${plans.length}`);
  for (const { sql, plan } of plans) {
    assert.doesNotMatch(plan, /SCAN|TEMP B-TREE|AUTOMATIC/, sql);
    assert.match(
      plan,
      /INDEX (credentials_(newest|ends)|key_requests_by_(issue|decline)|developers_by_email) \(org_id=\?.*(\([a-z_,]+\)|id)[<>]/,
      sql,
    );
  }
});

testFilled(
  "postgres: a page in every order of 20,000 rows reads its own rows",
  [...fillOf(org_id, 20_000), "vacuum analyze"],
  async (reader, client) => {
    // Which of two cheap ways it takes hangs on its sample; what has no index is read whole all the
    // same.
    await client.query("set enable_hashjoin = off; set enable_mergejoin = off");
    const watched = explaining(reader, client, (nodes, text) => {
      const context = `${text}\n${JSON.stringify(nodes)}`;
      for (const node of nodes) {
        assert.doesNotMatch(node["Node Type"], /Seq Scan|Sort/, context);
        const read = (node["Actual Rows"] ?? 0) * (node["Actual Loops"] ?? 1);
        assert.ok(read + (node["Rows Removed by Filter"] ?? 0) <= 21, context);
      }
    });
    assert.ok((await readAll(watched)).some((rows) => rows === 21));
  },
);
