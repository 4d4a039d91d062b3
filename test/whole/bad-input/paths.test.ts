import assert from "node:assert/strict";
import { endpoints } from "../../../src/reference/registry.ts";
import { testOnEngines } from "../../support/desk.ts";
import { assertRefused, create } from "./support/refused.ts";
import { minimal } from "./support/samples.ts";

const LIST = "/api/portal/requests";

/** Ids as a path may carry them; none names anything. */
const odd = [
  "..%2f..%2fetc",
  "%2e%2e%2f",
  "a%2fb",
  "%2f",
  "%5c",
  "%00",
  "a%00b",
  "%0d%0aX-A:%20b",
  "%7f",
  "'",
  "''",
  "'%20or%20'1'='1",
  '"',
  "%22",
  "%25",
  "%2500",
  "%252e",
  "a;b",
  "a%3fb",
  "a%23b",
  "%zz",
  "%",
  "%c3",
  "%ff",
  "%ed%a0%80",
  "é",
  "%c3%a9",
  "日本",
  "%f0%9f%98%80",
  "a%20b",
  "+",
  "x".repeat(255),
  "x".repeat(256),
  "x".repeat(300),
  "x".repeat(20_000),
  "*",
  "~",
  "-1",
  "0",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "undefined",
  "null",
  "approve",
];

testOnEngines("bad input: an odd id in the path is an id that does not exist", async (desk) => {
  const id = await create(desk, minimal);
  for (const path of [...odd, `${id}%00`, `${id}%20`, id.toUpperCase(), `%20${id}`]) {
    const one = `${LIST}/${path}`;
    await assertRefused(desk, 404, "GET", one);
    await assertRefused(desk, 404, "UPDATE", one, { body: minimal });
    await assertRefused(desk, 404, "PUT", one, { body: minimal });
    await assertRefused(desk, 404, "DELETE", one);
    // An encoded slash stays inside its part of the path.
    await assertRefused(desk, 404, "PUT", `${LIST}/approve/${path}`);
  }
  assert.equal((await desk.send("GET", `${LIST}/${id}`)).status, 200);
});

testOnEngines(
  "bad input: dots lead to no other endpoint than a resolved path does",
  async (desk) => {
    await create(desk, minimal);
    for (const dots of ["..", "%2e%2e", ".%2e", "%2E."]) {
      // The client resolves these before they are sent: /api/portal/none.
      await assertRefused(desk, 404, "GET", `${LIST}/${dots}/none`);
      await assertRefused(desk, 404, "PUT", `${LIST}/approve/${dots}/${dots}/none`, { body: {} });
    }
  },
);

testOnEngines(
  "bad input: a method that a path does not take is 405 and names those it takes",
  async (desk) => {
    const id = await create(desk, minimal);
    const byPath = new Map<string, string[]>();
    for (const { path, otherPaths = [], method, aliases = [], wholeTree } of endpoints) {
      if (wholeTree) continue;
      for (const one of [path, ...otherPaths]) {
        byPath.set(one, [...byPath.get(one) ?? [], method, ...aliases]);
      }
    }
    const methods = ["GET", "POST", "PUT", "UPDATE", "DELETE", "PATCH", "FOO", "update", "QUERY"];
    for (const [path, taken] of byPath) {
      for (const method of methods.filter((one) => !taken.includes(one))) {
        const body = method === "GET" ? undefined : minimal;
        const url = path.replace("{id}", id);
        await assertRefused(desk, 405, method, url, { body });
        const response = await desk.send(method, url, { body });
        const allowed = (response.headers.get("allow") ?? "").split(", ");
        for (const one of [...taken, "OPTIONS"]) {
          assert.ok(
            allowed.includes(one),
            `${path}: ${one}`,
          );
        }
      }
    }
  },
);

const refusedQueries = [
  "p=1e3",
  "p=x",
  "p=1.5",
  "p=",
  "p=%00",
  "p=0x1",
  "p=1%20",
  "p=--1",
  "p=NaN",
  "approved=TRUE",
  "approved=1",
  "approved=",
  "approved=yes",
  "declined=maybe",
  "declined=true&approved=true",
  "p=%F0%9F%98%80",
  "p=%zz",
];

testOnEngines("bad input: an odd query is refused by its member's name", async (desk) => {
  await create(desk, minimal);
  for (const query of refusedQueries) {
    const { message } = await assertRefused(desk, 400, "GET", `${LIST}?${query}`);
    assert.match(message, /^(p|approved|declined): /);
    assert.ok(!message.includes("NaN") && !message.includes("TRUE"), message);
  }
});

testOnEngines(
  "bad input: a query that nobody knows changes nothing in the answer",
  async (desk) => {
    await create(desk, minimal);
    const plain = await (await desk.send("GET", `${LIST}?p=1`)).text();
    const odd = [
      "p=1&q=2",
      "p=1&__proto__=x",
      "p=1&constructor=x",
      "p=1&%00=1",
      "p=1&&",
      "p=1&=",
      "p=1&P=7",
    ];
    for (const query of [...odd, `p=1&${"a=b&".repeat(2000)}`, "p=1&p=1", "%70=1"]) {
      const response = await desk.send("GET", `${LIST}?${query}`);
      assert.equal(response.status, 200, query.slice(0, 50));
      assert.equal(await response.text(), plain, query.slice(0, 50));
    }
    // A page past the end, however far, and everything, however far below zero.
    const far = await (await desk.send("GET", `${LIST}?p=999999999`)).json();
    assert.deepEqual(far, { Data: [], Pages: 1 });
    const all = await (await desk.send("GET", `${LIST}?p=-999999999`)).json();
    assert.equal(all.Data.length, 1);
  },
);
