/** `keydesk token` beside a running server. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { readConfig } from "../../src/config.ts";
import { openServer } from "../../src/open-server.ts";
import { createToken, operator } from "../../src/features/people/operator.transactions.ts";
import { findFirstOrganisation } from "../../src/features/people/organisations.store.ts";
import { newSealingKey } from "../../src/kernel/sealing/sealing-keys.ts";
import { sha256 } from "../../src/kernel/sha256.ts";
import { transactions } from "../../src/transactions.ts";
import { linesOf } from "../support/doors.ts";
import {
  keydesk,
  type ServerProcess,
  startServerProcess,
  temporaryFolder,
} from "../support/command.ts";
import { eventually } from "../support/eventually.ts";
import { copySeeded } from "../support/seeded-store.ts";

Deno.test("token: an access token works at once, is listed without its value, and ends within a second", async () => {
  await using desk = await runningDesk();
  const { settings } = desk;
  const made = await keydesk(["token", "create", "ci", "--allow", "portal:read"], settings);
  assert.equal(made.code, 0);
  const credential = made.stdout.trim();
  assert.match(credential, /^kda_[A-Za-z0-9]{43}_[A-Za-z0-9]{6}$/);
  assert.match(made.stderr, /^Access token [0-9a-f]{24} for "ci"\. It is shown this once:\n$/);
  assert.equal(await desk.get(credential), 200);

  const listed = await keydesk(["token", "list"], settings);
  assert.match(listed.stdout, /^ID +NAME +STATE +CREATED .* PERMISSIONS\n/);
  assert.match(listed.stdout, /ci +active .* portal:read\n/);
  assert.ok(!listed.stdout.includes(credential));

  const id = /Access token ([0-9a-f]{24})/.exec(made.stderr)?.[1] ?? "";
  const revoked = await keydesk(["token", "revoke", id], settings);
  assert.deepEqual([revoked.code, revoked.stdout], [0, ""]);
  const since = performance.now();
  for (let began = since; await desk.get(credential) !== 401; began = performance.now()) {
    assert.ok(began - since <= 1000, "still in force");
  }
  const after = await keydesk(["token", "list", "--json"], settings);
  const row = linesOf(after.stdout).find((one: { id: string }) => one.id === id);
  assert.equal(row.state, "revoked");
});

Deno.test("token: revoking twice, or what does not exist, is refused with exit code 1", async () => {
  await using folder = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: folder.path };
  await copySeeded(settings.KEYDESK_DATA_DIR);
  const made = await keydesk(["token", "create", "x", "--allow", "admin", "--json"], settings);
  const { id } = JSON.parse(made.stdout);
  assert.equal((await keydesk(["token", "revoke", id], settings)).code, 0);
  const second = await keydesk(["token", "create", "y", "--allow", "admin", "--json"], settings);
  const ended = await keydesk(
    ["token", "revoke", JSON.parse(second.stdout).id, "--json"],
    settings,
  );
  assert.deepEqual(JSON.parse(ended.stdout), { id: JSON.parse(second.stdout).id, revoked: true });
  assert.equal(ended.stderr, "");
  for (const gone of [id, "000000000000000000000000"]) {
    const { code, stdout, stderr } = await keydesk(["token", "revoke", gone], settings);
    assert.deepEqual([code, stdout], [1, ""]);
    assert.equal(stderr, "keydesk: There is no such access token in force.\n");
  }
});

Deno.test("token: --json gives what a script needs, and an end where one was asked for", async () => {
  await using folder = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: folder.path };
  await copySeeded(settings.KEYDESK_DATA_DIR);
  const words = ["token", "create", "nightly", "--allow", "portal:write,approve"];
  const before = Date.now();
  const made = await keydesk([...words, "--expires", "30", "--json"], settings);
  const one = JSON.parse(made.stdout);
  assert.deepEqual(Object.keys(one), ["id", "name", "access_token", "expires_at", "addresses"]);
  const days = (Date.parse(one.expires_at) - before) / (24 * 60 * 60 * 1000);
  assert.ok(days >= 30 && days < 30.01, String(days));
  const listed = linesOf((await keydesk(["token", "list", "--json"], settings)).stdout);
  assert.deepEqual(
    listed.map((row: { name: string; permissions: string[] }) => [row.name, row.permissions]).at(
      -1,
    ),
    ["nightly", ["portal:write", "approve"]],
  );
  const endless = JSON.parse((await keydesk([...words, "--json"], settings)).stdout);
  assert.equal(endless.expires_at, null);
});

Deno.test("token: --addresses limits it, and the longest life is kept", async () => {
  await using folder = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: folder.path, KEYDESK_TOKEN_LONGEST_DAYS: "30" };
  await copySeeded(settings.KEYDESK_DATA_DIR);
  const words = ["token", "create", "ci", "--allow", "approve", "--json"];
  const before = Date.now();
  // Nobody's own address is asked for: whoever runs the server can always make another.
  const made = await keydesk([...words, "--addresses", "10.0.0.0/8, ::1"], settings);
  const one = JSON.parse(made.stdout);
  assert.deepEqual(one.addresses, ["10.0.0.0/8", "::1"]);
  const days = (Date.parse(one.expires_at) - before) / (24 * 60 * 60 * 1000);
  assert.ok(days >= 30 && days < 30.01, String(days));
  const longer = await keydesk([...words, "--expires", "31"], settings);
  assert.deepEqual([longer.code, longer.stdout], [2, ""]);
  assert.match(longer.stderr, /--expires: at most 30 days \(KEYDESK_TOKEN_LONGEST_DAYS\)/);
  const wrong = await keydesk([...words, "--addresses", "nowhere"], settings);
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, /addresses\[0\]: expected an address or a network/);
  const lost = await keydesk([...words, "--organisation", "none"], settings);
  assert.deepEqual([lost.code, lost.stderr], [1, "keydesk: There is no such organisation.\n"]);
});

Deno.test("people: suspended on the machine, all of their access tokens stop", async () => {
  await using desk = await runningDesk();
  const { settings } = desk;
  const words = ["token", "create", "ci", "--allow", "portal:read"];
  const credential = (await keydesk(words, settings)).stdout.trim();
  assert.equal(await desk.get(credential), 200);
  const listed = await keydesk(["people", "list", "--json"], settings);
  const { id } = linesOf(listed.stdout).find(({ name }: { name: string }) => name === "ci");
  const suspended = await keydesk(["people", "suspend", id], settings);
  assert.deepEqual([suspended.code, suspended.stderr], [0, "ci is suspended.\n"]);
  await eventually("the access token stops", async () => await desk.get(credential) === 401);
  const again = await keydesk(["people", "suspend", id], settings);
  assert.deepEqual([again.code, again.stderr], [1, "keydesk: This person is suspended already.\n"]);
  assert.match((await keydesk(["people", "list"], settings)).stdout, /ci +suspended/);
  assert.match((await keydesk(["token", "list"], settings)).stdout, /ci +suspended/);
  assert.equal((await keydesk(["people", "resume", id], settings)).code, 0);
  assert.equal(await desk.get(credential), 200);
  assert.equal((await keydesk(["people", "resume", "none"], settings)).code, 1);
});

Deno.test("token: an expired access token opens nothing and is listed as expired", async () => {
  await using desk = await runningDesk();
  const credential = "expired-credential-of-a-test-0123456789";
  const ctx = await openServer(readConfig(desk.settings), {
    writer: { thread: false, transactions },
  });
  const org = await findFirstOrganisation(ctx.storage.reader);
  await ctx.storage.commit(createToken, {
    actor: operator(org?.id ?? "", Date.now()),
    name: "old",
    hash: sha256(credential),
    permissions: "portal:read",
    expires_at: new Date(Date.now() - 1).toISOString(),
  });
  await ctx.storage.close();
  assert.equal(await desk.get(credential), 401);
  const { stdout } = await keydesk(["token", "list"], desk.settings);
  assert.match(stdout, /old +expired .* portal:read\n/);
});

Deno.test("token: each credential may do what it was allowed and no more", async () => {
  await using desk = await runningDesk();
  const allowing = async (words: string) => {
    const made = await keydesk(["token", "create", "part", "--allow", words], desk.settings);
    return made.stdout.trim();
  };
  const [reader, writer, approver, stranger] = await Promise.all([
    allowing("portal:read"),
    allowing("portal:write"),
    allowing("approve"),
    allowing("certs:write,verify"),
  ]);
  const create = (credential: string) =>
    desk.send("POST", "/api/portal/requests", credential, '{"by_user":"u","for_plan":"p"}');
  const created = await create(writer);
  assert.equal(created.status, 200);
  const approve = `/api/portal/requests/approve/${created.Message}`;
  assert.equal((await create(reader)).status, 403);
  assert.equal((await create(approver)).status, 403);
  assert.equal(await desk.get(reader), 200);
  assert.equal(await desk.get(writer), 200);
  assert.equal(await desk.get(approver), 403);
  assert.equal(await desk.get(stranger), 403);
  assert.equal((await desk.send("PUT", approve, reader)).status, 403);
  const denied = await desk.send("PUT", approve, writer);
  assert.equal(denied.status, 403);
  assert.equal(
    denied.Message,
    `access denied: You do not have permission to access  ${approve}`,
  );
  assert.equal((await desk.send("PUT", approve, approver)).status, 200);
});

Deno.test("token: the name of the first credential is kept for it", async () => {
  await using folder = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: folder.path };
  await copySeeded(settings.KEYDESK_DATA_DIR);
  const words = ["token", "create", "administrator", "--allow", "admin"];
  const { code, stderr } = await keydesk(words, settings);
  assert.equal(code, 1);
  assert.match(stderr, /"administrator" is kept for the first one/);
});

Deno.test("token: an empty store says what to do, with exit code 1", async () => {
  await using folder = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: join(folder.path, "new") };
  // A schema without an organisation, and a sealing key.
  assert.equal((await keydesk(["upgrade"], settings)).code, 0);
  await Deno.writeTextFile(join(settings.KEYDESK_DATA_DIR, "sealing-key"), newSealingKey());
  const { code, stdout, stderr } = await keydesk(["token", "list"], settings);
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(stderr, /The store is empty: start the server once, or run `keydesk seed`/);
});

/** A server over a fresh folder, and calls to it. */
async function runningDesk() {
  const folder = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: folder.path };
  const server: ServerProcess = await startServerProcess(settings);
  const send = async (method: string, path: string, authorization: string, body?: string) => {
    const response = await fetch(server.url + path, { method, headers: { authorization }, body });
    const { Message } = await response.json();
    return { status: response.status, Message };
  };
  return {
    settings,
    send,
    get: async (credential: string) =>
      (await send("GET", "/api/portal/requests?p=1", credential)).status,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
