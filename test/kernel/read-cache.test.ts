import assert from "node:assert/strict";
import {
  createKeyRequest,
  updateKeyRequest,
} from "../../src/features/key-requests/key-requests.contract.ts";
import { fullKeyRequest } from "../../src/features/key-requests/key-requests.example.ts";
import { ReadCache } from "../../src/kernel/read-cache.ts";
import { SqliteConnection } from "../../src/storage/engines/sqlite-connection.ts";
import { openTestDesk } from "../support/desk.ts";
import { eventually } from "../support/raw-http.ts";

Deno.test("read cache: an answer is given again while the mark is the same, and made anew after", async () => {
  const cache = new ReadCache();
  let mark = 1;
  let made = 0;
  const get = () => cache.get("a", () => mark, () => Promise.resolve(`text ${++made}`));
  assert.equal(await get(), "text 1");
  assert.equal(await get(), "text 1");
  mark = 2;
  assert.equal(await get(), "text 2");
  mark = 1;
  assert.equal(await get(), "text 3");
});

Deno.test("read cache: what changes while an answer is made is not hidden by it", async () => {
  const cache = new ReadCache();
  let mark = 1;
  let stored = "before";
  const get = () =>
    cache.get("a", () => mark, async () => {
      const read = await Promise.resolve(stored);
      [mark, stored] = [2, "after"];
      return read;
    });
  assert.equal(await get(), "before");
  assert.equal(await get(), "after");
});

Deno.test("read cache: a store without marks is always asked, and a failure is not kept", async () => {
  const cache = new ReadCache();
  let made = 0;
  for (let i = 0; i < 2; i++) {
    await cache.get("a", () => undefined, () => Promise.resolve(`${++made}`));
  }
  assert.equal(made, 2);
  await assert.rejects(async () =>
    await cache.get("b", () => 1, () => Promise.reject(new Error("gone")))
  );
  assert.equal(await cache.get("b", () => 1, () => Promise.resolve("here")), "here");
});

Deno.test("read cache: it holds a bounded length, the newest first", async () => {
  const cache = new ReadCache();
  const big = "x".repeat(1024 * 1024);
  let made = 0;
  const get = (name: string) =>
    cache.get(name, () => 1, () => Promise.resolve((made++, big + name)));
  for (let i = 0; i < 8; i++) await get(`n${i}`);
  made = 0;
  await get("n7");
  assert.equal(made, 0);
  await get("n0");
  assert.equal(made, 1);
});

Deno.test("sqlite: a commit of this server is seen by the very next read", async () => {
  await using desk = await openTestDesk("sqlite");
  const client = desk.client(desk.admin);
  const { Message: id } = await client.call(createKeyRequest, { body: fullKeyRequest });
  const read = async () => await (await desk.send("GET", `/api/portal/requests/${id}`)).json();
  for (let i = 0; i < 50; i++) {
    const body = { ...fullKeyRequest, by_user: `developer-${i}` };
    await client.call(updateKeyRequest, { params: { id }, body });
    assert.equal((await read()).by_user, body.by_user);
    assert.equal((await read()).by_user, body.by_user);
  }
});

Deno.test("sqlite: a commit of another connection is seen soon, by an answer that is kept too", async () => {
  await using desk = await openTestDesk("sqlite");
  const client = desk.client(desk.admin);
  const { Message: id } = await client.call(createKeyRequest, { body: fullKeyRequest });
  const read = async () => await (await desk.send("GET", `/api/portal/requests/${id}`)).json();
  assert.equal((await read()).approved, false);
  assert.equal((await read()).approved, false);
  const other = SqliteConnection.openWriter(desk.config.databaseFile);
  other.exec(`update key_requests set approved = 1 where id = '${id}'`);
  other.close();
  await eventually("the change is seen", async () => (await read()).approved === true);
});

Deno.test("sqlite: who may see secrets and who may not are never given each other's answer", async () => {
  await using desk = await openTestDesk("sqlite");
  const client = desk.client(desk.admin);
  const body = { ...fullKeyRequest, jwt_secret: "sealed-away" };
  const { Message: id } = await client.call(createKeyRequest, { body });
  const reader = await desk.token(["portal:read"]);
  const secretFor = async (credential: string) =>
    (await (await desk.send("GET", `/api/portal/requests/${id}`, { credential })).json())
      .jwt_secret;
  for (let i = 0; i < 2; i++) {
    assert.equal(await secretFor(desk.admin), "sealed-away");
    assert.equal(await secretFor(reader), "");
  }
});
