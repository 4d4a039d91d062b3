/** `keydesk serve` as a process of its own. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { firstSteps } from "../../src/cli/first-steps.ts";
import { linesOf } from "../support/doors.ts";
import { keydesk, run, startServerProcess, temporaryFolder } from "../support/command.ts";
import { pathWithCurl } from "../support/curl.ts";

Deno.test("serve: the first start makes a closed folder with the key and the access token, mode 0600", async () => {
  await using folder = await temporaryFolder();
  const data = join(folder.path, "deep", "data");
  await using server = await startServerProcess({ KEYDESK_DATA_DIR: data });
  await server.stop();
  assert.equal(await modeOf(data), "700");
  for (const name of ["administrator-credential", "sealing-key"]) {
    assert.equal(await modeOf(join(data, name)), "600", name);
  }
  const names = (await Array.fromAsync(Deno.readDir(data))).map((entry) => entry.name).sort();
  assert.deepEqual(names, [
    "administrator-credential",
    "keydesk.db",
    "keydesk.db-reserve",
    "sealing-key",
    "trail-heads.json",
  ]);
});

Deno.test("serve: the curl line of the banner works when it is pasted into a shell", async () => {
  await using folder = await temporaryFolder();
  // A path that a shell would take apart.
  const data = join(folder.path, "it's $HOME data");
  await using server = await startServerProcess({ KEYDESK_DATA_DIR: data });
  const line = /^ {2}(curl .*)$/m.exec(server.stderr())?.[1] ?? "";
  const PATH = await pathWithCurl(folder.path);
  const answer = await run(["sh", "-c", line], { env: { PATH } });
  assert.equal(answer.stdout, '{"Data":[],"Pages":0}', answer.stderr);
});

Deno.test("serve: with KEYDESK_ADMIN_TOKEN the curl line works where that variable is set", async () => {
  await using folder = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: folder.path, KEYDESK_ADMIN_TOKEN: "a".repeat(32) };
  await using server = await startServerProcess(settings);
  const line = /^ {2}(curl .*)$/m.exec(server.stderr())?.[1] ?? "";
  const PATH = await pathWithCurl(folder.path);
  const { KEYDESK_ADMIN_TOKEN } = settings;
  const answer = await run(["sh", "-c", line], { env: { PATH, KEYDESK_ADMIN_TOKEN } });
  assert.equal(answer.stdout, '{"Data":[],"Pages":0}', answer.stderr);
});

Deno.test("serve: the access token stands in its file and in nothing that is printed", async () => {
  await using folder = await temporaryFolder();
  await using server = await startServerProcess({ KEYDESK_DATA_DIR: folder.path });
  const credential = await credentialOf(folder.path);
  assert.match(credential, /^kda_[A-Za-z0-9]{43}_[A-Za-z0-9]{6}$/);
  assert.equal((await call(server.url, credential)).status, 200);
  const { code, stdout, stderr } = await server.stop();
  assert.equal(code, 0);
  assert.ok(!`${stdout}${stderr}`.includes(credential));
  assert.match(stdout, /"path":"\/api\/portal\/requests"/);
});

Deno.test("serve: a terminal is shown the fresh access token, anything else only its file", () => {
  const access = { sentence: "It is in the file.", shellWord: "$(cat 'file')" };
  const secret = { fresh: "fresh-credential", link: "http://127.0.0.1:1/console#code=one-time" };
  const shown = firstSteps(access, "http://127.0.0.1:1", { ...secret, isTerminal: true });
  assert.ok(shown.includes("  fresh-credential"));
  const hidden = firstSteps(access, "http://127.0.0.1:1", { ...secret, isTerminal: false });
  assert.ok(shown.includes(`  ${secret.link}`));
  assert.ok(!hidden.join("\n").includes("fresh-credential"));
  assert.ok(!hidden.join("\n").includes("one-time"));
});

Deno.test("serve: standard output holds JSON lines and nothing else", async () => {
  await using folder = await temporaryFolder();
  await using server = await startServerProcess({ KEYDESK_DATA_DIR: folder.path });
  await call(server.url, "nobody");
  const { stdout } = await server.stop();
  const lines = stdout.trimEnd().split("\n").map((line) => JSON.parse(line))
    // A busy machine has this one said, too.
    .filter(({ msg }) => msg !== "the event loop was held up");
  assert.deepEqual(lines.map((line) => line.error ?? line.msg), [
    "listening",
    "not_authorised",
    "stopping",
    "audit log checkpoint",
    "stopped",
  ]);
});

Deno.test("serve: a second start keeps the access token and says where it is", async () => {
  await using folder = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: folder.path };
  await using first = await startServerProcess(settings);
  const credential = await credentialOf(folder.path);
  await first.stop();
  await using second = await startServerProcess(settings);
  assert.equal(await credentialOf(folder.path), credential);
  assert.ok(second.stderr().includes(join(folder.path, "administrator-credential")));
  assert.equal((await call(second.url, credential)).status, 200);
});

Deno.test("serve: KEYDESK_ADMIN_TOKEN counts at the first start; another value later is refused", async () => {
  await using folder = await temporaryFolder();
  const given = "given-".repeat(6);
  const settings = { KEYDESK_DATA_DIR: folder.path, KEYDESK_ADMIN_TOKEN: given };
  await using first = await startServerProcess(settings);
  assert.equal((await call(first.url, given)).status, 200);
  assert.match(first.stderr(), /the one in KEYDESK_ADMIN_TOKEN/);
  await first.stop();
  const other = "other-".repeat(6);
  const refused = await keydesk(["serve"], { ...settings, KEYDESK_ADMIN_TOKEN: other });
  assert.deepEqual([refused.code, refused.stdout], [78, ""]);
  assert.match(refused.stderr, /KEYDESK_ADMIN_TOKEN: counts at the first start alone/);
  assert.match(refused.stderr, /`keydesk token create`/);
  assert.ok(!refused.stderr.includes(other));
  // The same value goes on, and so does leaving it out; in a file it is the same setting.
  const file = join(folder.path, "token");
  await Deno.writeTextFile(file, `${given}\n`);
  const named = { KEYDESK_DATA_DIR: folder.path, KEYDESK_ADMIN_TOKEN_FILE: file };
  await using second = await startServerProcess(named);
  assert.equal((await call(second.url, given)).status, 200);
  assert.match(second.stderr(), /the one in KEYDESK_ADMIN_TOKEN_FILE/);
  await second.stop();
  // What the setting gave can be revoked, and no start brings it back.
  const [{ id }] = linesOf(
    (await keydesk(["token", "list", "--json"], { KEYDESK_DATA_DIR: folder.path })).stdout,
  );
  await keydesk(["token", "revoke", id], { KEYDESK_DATA_DIR: folder.path });
  await using third = await startServerProcess(settings);
  assert.equal((await call(third.url, given)).status, 401);
  assert.match(third.stderr(), /in KEYDESK_ADMIN_TOKEN has expired.*`keydesk token create`/);
  // The way back in.
  const words = ["token", "create", "back", "--allow", "admin,portal:read"];
  const made = await keydesk(words, { KEYDESK_DATA_DIR: folder.path });
  assert.equal((await call(third.url, made.stdout.trim())).status, 200);
});

Deno.test("serve: KEYDESK_ADMIN_TOKEN is refused where the first start made an access token itself", async () => {
  await using folder = await temporaryFolder();
  await using first = await startServerProcess({ KEYDESK_DATA_DIR: folder.path });
  const generated = await credentialOf(folder.path);
  await first.stop();
  const settings = { KEYDESK_DATA_DIR: folder.path, KEYDESK_ADMIN_TOKEN: "given-".repeat(6) };
  const refused = await keydesk(["serve"], settings);
  assert.equal(refused.code, 78);
  await using second = await startServerProcess({ ...settings, KEYDESK_ADMIN_TOKEN: generated });
  assert.equal((await call(second.url, generated)).status, 200);
});

Deno.test("serve: KEYDESK_ADMIN_TOKEN on an empty folder writes no access token file", async () => {
  await using folder = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: folder.path, KEYDESK_ADMIN_TOKEN: "x".repeat(32) };
  await using server = await startServerProcess(settings);
  await server.stop();
  await assert.rejects(Deno.stat(join(folder.path, "administrator-credential")));
});

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  Deno.test(`serve: ${signal} ends it with exit code 0`, async () => {
    await using folder = await temporaryFolder();
    await using server = await startServerProcess({ KEYDESK_DATA_DIR: folder.path });
    assert.equal((await server.stop(signal)).code, 0);
  });
}

Deno.test("serve: a second server on the same folder and another port works beside the first", async () => {
  await using folder = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: folder.path };
  await using first = await startServerProcess(settings);
  await using second = await startServerProcess(settings);
  const credential = await credentialOf(folder.path);
  const created = await fetch(`${first.url}/api/portal/requests`, {
    method: "POST",
    headers: { authorization: credential },
    body: '{"by_user":"somebody","for_plan":"something"}',
  });
  const { Message: id } = await created.json();
  const read = await fetch(`${second.url}/api/portal/requests/${id}`, {
    headers: { authorization: credential },
  });
  assert.equal((await read.json()).id, id);
});

Deno.test("serve: a taken address is named, with exit code 1 and no stack", async () => {
  await using folder = await temporaryFolder();
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  const settings = { KEYDESK_DATA_DIR: folder.path, KEYDESK_PORT: String(port) };
  const { code, stdout, stderr } = await keydesk(["serve"], settings);
  listener.close();
  assert.equal(code, 1);
  assert.equal(stdout, "");
  assert.equal(
    stderr,
    `keydesk: can't listen on 127.0.0.1 port ${port} (KEYDESK_HOST, KEYDESK_PORT): ` +
      "the address is in use\n",
  );
});

async function modeOf(path: string): Promise<string> {
  return (((await Deno.stat(path)).mode ?? 0) & 0o777).toString(8);
}

async function credentialOf(data: string): Promise<string> {
  return (await Deno.readTextFile(join(data, "administrator-credential"))).trim();
}

async function call(url: string, credential: string): Promise<{ status: number }> {
  const response = await fetch(`${url}/api/portal/requests?p=1`, {
    headers: { authorization: credential },
  });
  await response.body?.cancel();
  return { status: response.status };
}

Deno.test("serve: KEYDESK_ORG_ID counts at the first start; another value later is refused", async () => {
  await using folder = await temporaryFolder();
  const id = "5e9d9544a1dcd60001d0ed20";
  const settings = { KEYDESK_DATA_DIR: folder.path, KEYDESK_ADMIN_TOKEN: "given-".repeat(6) };
  const named = { ...settings, KEYDESK_ORG_ID: id, KEYDESK_KEY_HASH: "murmur128" };
  await using first = await startServerProcess(named);
  const headers = { authorization: settings.KEYDESK_ADMIN_TOKEN };
  const catalogue = await fetch(`${first.url}/api/portal/catalogue`, { headers });
  assert.equal((await catalogue.json()).org_id, id);
  // Keys begin with it, and say how another gateway hashes them.
  const requests = `${first.url}/api/portal/requests`;
  const body = JSON.stringify({ by_user: "dev-ada", for_plan: "weather" });
  const created = await fetch(requests, { method: "POST", headers, body });
  const { Message } = await created.json();
  const issued = await fetch(`${requests}/approve/${Message}`, { method: "PUT", headers });
  const { RawKey } = await issued.json();
  const { org, h } = JSON.parse(atob(RawKey));
  assert.deepEqual([org, h], [id, "murmur128"]);
  await first.stop();
  const refused = await keydesk(["serve"], { ...named, KEYDESK_ORG_ID: `${id.slice(0, -1)}1` });
  assert.deepEqual([refused.code, refused.stdout], [78, ""]);
  assert.match(refused.stderr, /KEYDESK_ORG_ID: counts at the first start alone/);
  await using second = await startServerProcess(settings);
  await second.stop();
});
