/** `keydesk restore` says what a copy opens again, and the first start ends it again. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { keydesk, startServerProcess, temporaryFolder } from "../support/command.ts";
import { eventually } from "../support/eventually.ts";

const TOKEN = `admin-${"k".repeat(40)}`;

// deno-lint-ignore no-explicit-any -- answers of many shapes
type Answer = any;
type Send = (
  method: string,
  path: string,
  body?: unknown,
  authorization?: string,
) => Promise<{ status: number; answer: Answer }>;

const sendTo = (url: string): Send => async (method, path, body, authorization = TOKEN) => {
  const response = await fetch(url + path, {
    method,
    headers: { authorization },
    ...body === undefined ? {} : { body: JSON.stringify(body) },
  });
  return { status: response.status, answer: await response.json().catch(() => null) };
};

/** A store with a copy of it, from before a key, a token, people and more were ended. */
async function endedAfterCopy(folder: string) {
  const data = join(folder, "data");
  const settings = { KEYDESK_DATA_DIR: data, KEYDESK_ADMIN_TOKEN: TOKEN };
  const copy = join(folder, "copy.db");
  assert.equal((await keydesk(["seed"], settings)).code, 0);
  await using server = await startServerProcess(settings);
  const send = sendTo(server.url);
  const made = async (method: string, path: string, body?: unknown) => {
    const { status, answer } = await send(method, path, body);
    assert.equal(status, 200, `${method} ${path}: ${JSON.stringify(answer)}`);
    return answer;
  };
  await made("POST", "/v1/developers", { id: "dev-r", email: "r@restore.example" });
  const { _id: plan } = await made("POST", "/v1/plans", { name: "Restored" });
  const { _id: off } = await made("POST", "/v1/plans", { name: "Switched off later" });
  const keys = [];
  for (let n = 0; n < 4; n++) {
    keys.push(await made("POST", "/v1/developers/dev-r/keys", { plans: [plan] }));
  }
  const people = [];
  for (const name of ["Mary", "Nell", "Olga"]) {
    const permissions = ["portal:read", "approve"];
    const { id } = await made("POST", "/v1/people", { name, permissions });
    const token = { name: "laptop", deliver: "answer" };
    const { access_token: credential, id: token_id } = await made(
      "POST",
      `/v1/people/${id}/access-tokens`,
      token,
    );
    people.push({ id, credential, token_id, name });
  }
  const { code, stderr } = await keydesk(["backup", copy], settings);
  assert.equal(code, 0, stderr);
  const [revoked, suspended, rotated] = keys;
  const [mary, nell, olga] = people;
  await made("POST", `/v1/keys/${revoked.key_id}/revoke`, { reason: "leaked" });
  await made("POST", `/v1/keys/${suspended.key_id}/suspend`, { reason: "odd" });
  await made("POST", `/v1/keys/${rotated.key_id}/rotate`, { overlap_seconds: 0 });
  await made("DELETE", `/v1/access-tokens/${mary?.token_id}`);
  await made("DELETE", `/v1/people/${nell?.id}`);
  await made("PUT", `/v1/people/${olga?.id}`, { name: "Olga", permissions: ["portal:read"] });
  await made("POST", `/v1/plans/${off}/deactivate`);
  return { settings, data, copy, keys, people };
}

/** What each key answers, and the status of each person's access token. */
async function opened(
  send: Send,
  { keys, people }: Awaited<ReturnType<typeof endedAfterCopy>>,
): Promise<{ keys: string[]; people: number[] }> {
  const verdicts = [];
  for (const { RawKey: key } of keys) {
    const { answer } = await send("POST", "/v1/keys/verify", { key });
    verdicts.push(answer.valid ? "valid" : answer.reason);
  }
  const statuses = [];
  for (const { credential } of people) {
    statuses.push((await send("GET", "/v1/me", undefined, credential)).status);
  }
  return { keys: verdicts, people: statuses };
}

Deno.test("restore: what was ended after the copy is listed and ended again by the first start", async () => {
  await using folder = await temporaryFolder();
  const before = await endedAfterCopy(folder.path);
  const { settings, data, copy, keys, people } = before;
  const done = await keydesk(["restore", copy, "--replace"], settings);
  assert.equal(done.code, 0, done.stderr);
  assert.match(
    done.stderr,
    /Revoked since the copy was made: 3 keys, 2 access tokens, 2 people\. They/,
  );
  for (const { key_id } of keys.slice(0, 3)) assert.match(done.stderr, new RegExp(`key ${key_id}`));
  assert.doesNotMatch(done.stderr, new RegExp(`key ${keys[3].key_id}`));
  assert.match(done.stderr, /Besides these come back as they were then: 1 plans switched off/);
  for (const { name } of people) assert.match(done.stderr, new RegExp(`"(${name}|laptop)"`));
  assert.equal(((await Deno.stat(join(data, "restored.json"))).mode ?? 0) & 0o777, 0o600);
  {
    await using server = await startServerProcess(settings);
    const send = sendTo(server.url);
    assert.deepEqual(await opened(send, before), {
      keys: ["revoked", "suspended", "expired", "valid"],
      people: [401, 401, 200],
    });
    const { status, answer: olga } = await send("GET", `/v1/people/${people[2]?.id}`);
    assert.deepEqual([status, olga.permissions], [200, ["portal:read"]], JSON.stringify(olga));
    const { restored } = (await send("GET", "/v1/server")).answer;
    assert.deepEqual(
      [restored.known, restored.reopened, restored.counts],
      [true, false, { key: 3, "access token": 2, person: 2 }],
    );
    assert.equal(
      (await send("POST", `/v1/keys/${keys[0].key_id}/restore`, { reason: "x" })).status,
      409,
    );
  }
  await assert.rejects(Deno.stat(join(data, "restored.json")), Deno.errors.NotFound);
  // Once more from the same copy: what was ended again is known by then, too.
  const again = await keydesk(["restore", copy, "--replace"], settings);
  assert.match(again.stderr, /3 keys, 2 access tokens, 2 people/);
});

Deno.test("restore: --reopen lets it open again, and says so", async () => {
  await using folder = await temporaryFolder();
  const before = await endedAfterCopy(folder.path);
  const { settings, copy } = before;
  const done = await keydesk(["restore", copy, "--replace", "--reopen"], settings);
  assert.equal(done.code, 0, done.stderr);
  assert.match(done.stderr, /They are valid again \(--reopen\)/);
  await using server = await startServerProcess(settings);
  const send = sendTo(server.url);
  await eventually("all keys and people are let in again", async () => {
    const { keys, people } = await opened(send, before);
    return keys.every((one) => one === "valid") && people.every((one) => one === 200);
  });
  const { restored } = (await send("GET", "/v1/server")).answer;
  assert.deepEqual([restored.known, restored.reopened], [true, true]);
});

Deno.test("restore: without the store it replaces nobody knows it, and that is said", async () => {
  await using folder = await temporaryFolder();
  const before = await endedAfterCopy(folder.path);
  const { settings, data, copy } = before;
  const elsewhere = join(folder.path, "elsewhere");
  await Deno.mkdir(elsewhere);
  await Deno.copyFile(join(data, "sealing-key"), join(elsewhere, "sealing-key"));
  const there = { ...settings, KEYDESK_DATA_DIR: elsewhere };
  const done = await keydesk(["restore", copy], there);
  assert.equal(done.code, 0, done.stderr);
  assert.match(done.stderr, /the revocations.* are unknown.* Home shows this for 7 days/);
  {
    await using server = await startServerProcess(there);
    const send = sendTo(server.url);
    assert.equal((await opened(send, before)).keys[0], "valid", "as the copy has it");
    assert.equal((await send("GET", "/v1/server")).answer.restored.known, false);
  }
  // With the folder of the store that is lost, what was revoked lately is known all the same.
  await Deno.remove(join(data, "keydesk.db"));
  const lost = await keydesk(["restore", copy], settings);
  assert.match(lost.stderr, /the revocations.* are unknown/);
  await using server = await startServerProcess(settings);
  const { keys, people } = await opened(sendTo(server.url), before);
  assert.deepEqual([keys[0], keys[1], people], ["revoked", "valid", [401, 401, 200]]);
});

Deno.test("restore: a store that does not go on from the copy, or is unreadable, tells nothing of it", async () => {
  await using folder = await temporaryFolder();
  const { settings, data, copy } = await endedAfterCopy(folder.path);
  const other = { ...settings, KEYDESK_DATA_DIR: join(folder.path, "other") };
  await Deno.mkdir(other.KEYDESK_DATA_DIR);
  await Deno.copyFile(join(data, "sealing-key"), join(other.KEYDESK_DATA_DIR, "sealing-key"));
  const seeded = await keydesk(["seed"], {
    ...settings,
    KEYDESK_DATA_DIR: join(folder.path, "new"),
  });
  assert.equal(seeded.code, 0, seeded.stderr);
  await Deno.copyFile(join(folder.path, "new", "keydesk.db"), join(data, "keydesk.db"));
  for (const end of ["-wal", "-shm"]) {
    await Deno.remove(join(data, `keydesk.db${end}`)).catch(() => {});
  }
  const foreign = await keydesk(["restore", copy, "--replace"], settings);
  assert.equal(foreign.code, 0, foreign.stderr);
  assert.match(foreign.stderr, /No store is at hand that continues from this copy/);
  const db = new DatabaseSync(join(data, "keydesk.db"));
  db.exec("drop table claims");
  db.close();
  const odd = await keydesk(["restore", copy, "--replace"], settings);
  assert.equal(odd.code, 0, odd.stderr);
  assert.match(odd.stderr, /No store is at hand that continues from this copy/);
});

Deno.test("restore: one that was broken off before the copy took its place changes nothing", async () => {
  await using folder = await temporaryFolder();
  const { settings, data, copy, keys } = await endedAfterCopy(folder.path);
  const restored = await keydesk(["restore", copy, "--replace"], settings);
  assert.equal(restored.code, 0, restored.stderr);
  // The list is of a database that another one has taken the place of since.
  const file = join(data, "restored.json");
  const list = await Deno.readTextFile(file);
  const back = join(folder.path, "back.db");
  await Deno.copyFile(copy, back);
  await Deno.rename(back, join(data, "keydesk.db"));
  await Deno.writeTextFile(file, list);
  await Deno.remove(join(data, "revoked-lately"));
  await using server = await startServerProcess(settings);
  const { answer } = await sendTo(server.url)("POST", "/v1/keys/verify", { key: keys[0].RawKey });
  assert.equal(answer.valid, true);
  await assert.rejects(Deno.stat(file), Deno.errors.NotFound);
});

Deno.test("restore: a list that is not readable keeps the store closed", async () => {
  await using folder = await temporaryFolder();
  const { settings, data, copy } = await endedAfterCopy(folder.path);
  assert.equal((await keydesk(["restore", copy, "--replace"], settings)).code, 0);
  await Deno.writeTextFile(join(data, "restored.json"), "{");
  const { code, stderr } = await keydesk(["token", "list"], settings);
  assert.notEqual(code, 0);
  assert.match(stderr, /restored\.json is not as `keydesk restore` writes it/);
});
