import assert from "node:assert/strict";
import {
  createClassicKeyRequest,
  updateKeyRequest,
} from "../../src/features/key-requests/key-requests.operations.ts";
import { fullKeyRequest } from "../../src/features/key-requests/key-requests.example.ts";
import { type Mark, ReadCache } from "../../src/kernel/read-cache.ts";
import { SqliteConnection } from "../../src/storage/engines/sqlite-connection.ts";
import { openTestDesk } from "../support/desk.ts";
import { eventually } from "../support/eventually.ts";

/** Changes that a test tells: each part with the mark of its last change. */
function changesOf(changed: Record<string, number>) {
  return {
    now: 0,
    mark() {
      return { changes: this.now, version: 0 };
    },
    holds: ({ changes }: Mark, parts: readonly string[]) =>
      parts.every((part) => (changed[part] ?? 0) <= changes),
  };
}

Deno.test("read cache: an answer is kept from the second time on, until one of its parts has changed", async () => {
  const cache = new ReadCache();
  const changed: Record<string, number> = {};
  const changes = changesOf(changed);
  let made = 0;
  const get = (moment?: string) =>
    cache.get("a", changes, () => Promise.resolve({ answer: `${++made}`, parts: ["x"] }), moment);
  assert.deepEqual([await get(), await get(), await get(), await get()], ["1", "2", "2", "2"]);
  changed.y = ++changes.now;
  assert.equal(await get(), "2");
  changed.x = ++changes.now;
  assert.deepEqual([await get(), await get()], ["3", "3"]);
  assert.equal(await get("at noon"), "4");
  assert.deepEqual([await get("at one"), await get("at one")], ["5", "5"]);
});

Deno.test("read cache: what changes while an answer is made is not hidden by it", async () => {
  const cache = new ReadCache();
  const changed: Record<string, number> = {};
  const changes = changesOf(changed);
  let stored = "before";
  const get = () =>
    cache.get("a", changes, async () => {
      const answer = await Promise.resolve(stored);
      changed.x = ++changes.now;
      stored = "after";
      return { answer, parts: ["x"] };
    });
  assert.deepEqual([await get(), await get(), await get()], ["before", "after", "after"]);
  assert.equal(changes.now, 3, "made each time");
});

/** Many ask at once for an answer that takes a while to make; `change` happens meanwhile. */
async function askedAtOnce(change: (made: number) => void) {
  const cache = new ReadCache();
  const changed: Record<string, number> = {};
  const changes = changesOf(changed);
  let made = 0;
  const get = (moment?: string) =>
    cache.get("a", changes, async () => {
      const answer = `${++made}`;
      await Promise.resolve();
      change(made);
      return { answer, parts: ["x"] };
    }, moment);
  const tell = () => changed.x = ++changes.now;
  const all = (moment?: string) => Promise.all(Array.from({ length: 20 }, () => get(moment)));
  return { all, tell, cache };
}

Deno.test("read cache: who asks for what is being made waits for it, and takes it unchanged", async () => {
  const { all } = await askedAtOnce(() => {});
  assert.deepEqual(new Set(await all()), new Set(["1"]));
  const [noon, one] = await Promise.all([all("at noon"), all("at one")]);
  assert.deepEqual([new Set(noon), new Set(one)], [new Set(["2"]), new Set(["3"])]);
});

Deno.test("read cache: what has changed by the end of its making is made once more, for all who waited", async () => {
  const asked: Awaited<ReturnType<typeof askedAtOnce>> = await askedAtOnce((made) => {
    if (made === 1) asked.tell();
  });
  const [first, ...others] = await asked.all();
  assert.deepEqual([first, new Set(others)], ["1", new Set(["2"])]);
});

Deno.test("read cache: who waits for what fails, or changes again and again, makes it for themselves", async () => {
  let fails = true;
  const failing = await askedAtOnce(() => {
    if (fails) {
      fails = false;
      throw new Error("away");
    }
  });
  await assert.rejects(failing.all(), /away/);
  const asked: Awaited<ReturnType<typeof askedAtOnce>> = await askedAtOnce(() => asked.tell());
  assert.equal((await asked.all()).length, 20);
  assert.equal(asked.cache.hits, 0);
});

Deno.test("read cache: a store that tells no changes is always asked, and a failure is not kept", async () => {
  const cache = new ReadCache();
  let made = 0;
  for (let i = 0; i < 3; i++) {
    await cache.get("a", undefined, () => Promise.resolve({ answer: `${++made}`, parts: [] }));
  }
  assert.equal(made, 3);
  const changes = changesOf({});
  for (let i = 0; i < 2; i++) {
    await assert.rejects(async () =>
      await cache.get("b", changes, () => Promise.reject(new Error("gone")))
    );
  }
  const here = () => Promise.resolve({ answer: "here", parts: [] });
  assert.equal(await cache.get("b", changes, here), "here");
});

Deno.test("read cache: it holds a bounded length, the newest first", async () => {
  const cache = new ReadCache();
  const big = "x".repeat(1024 * 1024);
  let made = 0;
  const get = (name: string) =>
    cache.get(
      name,
      changesOf({}),
      () => Promise.resolve((made++, { answer: big + name, parts: [] })),
    );
  for (let i = 0; i < 8; i++) await get(`n${i}`);
  for (let i = 0; i < 8; i++) await get(`n${i}`);
  made = 0;
  await get("n7");
  assert.equal(made, 0);
  await get("n0");
  assert.equal(made, 1);
});

Deno.test("read cache: long answers leave room for the others, and what can't be kept ends none", async () => {
  const cache = new ReadCache();
  let made = 0;
  const get = (name: string, length: number) =>
    cache.get(name, changesOf({}), () => {
      made++;
      return Promise.resolve({ answer: { length }, parts: [] });
    });
  const twice = async (name: string, length: number) => [
    await get(name, length),
    await get(name, length),
  ];
  const isKept = async (name: string) => {
    made = 0;
    await get(name, 1000);
    return made === 0;
  };
  for (let i = 0; i < 100; i++) await twice(`page ${i}`, 1000);
  for (let i = 0; i < 20; i++) await twice(`list ${i}`, 1024 * 1024 - 1000);
  for (const name of ["page 0", "page 99", "list 18", "list 19"]) {
    assert.ok(await isKept(name), name);
  }
  assert.ok(!await isKept("list 17"));
  await twice("pieces", Infinity);
  for (const name of ["page 1", "list 19"]) assert.ok(await isKept(name), name);
  assert.ok(!await isKept("pieces"));
});

Deno.test("sqlite: a commit of this server is seen by the very next read", async () => {
  await using desk = await openTestDesk("sqlite");
  const client = desk.client(desk.admin);
  const { Message: id } = await client.call(createClassicKeyRequest, { body: fullKeyRequest });
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
  const { Message: id } = await client.call(createClassicKeyRequest, { body: fullKeyRequest });
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
  const { Message: id } = await client.call(createClassicKeyRequest, { body });
  const reader = await desk.token(["portal:read"]);
  const secretFor = async (credential: string) =>
    (await (await desk.send("GET", `/api/portal/requests/${id}`, { credential })).json())
      .jwt_secret;
  for (let i = 0; i < 2; i++) {
    assert.equal(await secretFor(desk.admin), "sealed-away");
    assert.equal(await secretFor(reader), "");
  }
});
