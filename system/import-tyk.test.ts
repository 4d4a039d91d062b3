/**
 * Moving in from a gateway's Redis, by the launcher and so in its sandbox: keys, OAuth clients,
 * certificates.
 */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { readConfig } from "../src/config.ts";
import { openServer } from "../src/open-server.ts";
import { ensureFirstAccessToken } from "../src/features/people/first-access-token.ts";
import { sha256 } from "../src/kernel/sha256.ts";
import { transactions } from "../src/transactions.ts";
import {
  type Ended,
  repository,
  run,
  startServerProcess,
  temporaryFolder,
} from "../test/support/command.ts";
import { ids, makeExports, originalKey, writeExports } from "../test/support/original-exports.ts";
import { mustRun, startRedis, type TestRedis } from "./support/redis.ts";

const ORG = "5e9d9544a1dcd60001d0ed20";
const PASSPHRASE = "the gateway's own secret";

Deno.test("moving in from Redis: keys with what they have left, clients, certificates with their keys", async () => {
  await using folder = await temporaryFolder();
  await using redis = await startRedis(folder.path);
  const exports = join(folder.path, "export");
  await Deno.mkdir(exports);
  await writeExports(exports, makeExports(ORG, 4));
  const renews = Math.floor(Date.now() / 1000) + 1800;
  const session = {
    org_id: ORG,
    apply_policies: [ids.plan(1)],
    expires: 0,
    quota_max: 10,
    quota_renewal_rate: 3600,
    quota_remaining: 10,
    quota_renews: renews,
    meta_data: {},
    basic_auth_data: { password: "", hash_type: "" },
  };
  const put = (name: string, value: unknown) =>
    redis.command(["set", name], typeof value === "string" ? value : JSON.stringify(value));
  const hash = (n: number) => sha256(originalKey(ORG, n));
  // Seven of ten calls used, ended long ago, and a key that the gateway alone knows, under its
  // plain name.
  await put(`apikey-${hash(0)}`, session);
  await put(`quota-${hash(0)}`, "7");
  await put(`apikey-${hash(1)}`, { ...session, expires: 1 });
  const lonely = originalKey(ORG, 50);
  await put(`apikey-${lonely}`, session);
  await put("apikey-8badf00d", session);
  await put(`apikey-${hash(60)}`, { ...session, org_id: "0".repeat(24) });
  await put("oauth-data.api-1.oauth-clientid.client-two", {
    id: "client-two",
    secret: "secret-of-client-two",
    redirecturi: "https://two.example.org",
    policyid: ids.plan(2),
  });
  await put("oauth-data.api-1.oauth-clientid.client-one", { id: "client-one", secret: "x" });
  await redis.command(["rpush", "apikey-no-text", "x"]);
  const certificate = await makeCertificate(folder.path);
  await put(`cert-raw-${ORG}${certificate.fingerprint}`, certificate.pem);

  const settings = { KEYDESK_DATA_DIR: join(folder.path, "data") };
  await makeStore(settings);
  const passphrase = join(folder.path, "passphrase");
  await Deno.writeTextFile(passphrase, PASSPHRASE);
  const words = (verb: string) => ["import", "tyk", verb, ...sourcesOf(redis, exports, passphrase)];
  const planned = await keydesk(words("plan"), settings);
  assert.equal(planned.code, 0, planned.stderr);
  const before = await redis.command(["info", "commandstats"]);
  await redis.command(["config", "resetstat"]);
  const ran = await keydesk([...words("run"), "--json"], settings);
  assert.equal(ran.code, 0, ran.stderr);
  const { kinds, differences } = JSON.parse(ran.stdout);
  const added = Object.fromEntries(
    kinds.map((one: { kind: string; added: number }) => [one.kind, one.added]),
  );
  const { key, client, certificate: certificates, developer } = added;
  assert.deepEqual([developer, key, client, certificates], [4, 3, 2, 1]);
  assert.deepEqual(
    differences.map(({ code, count }: { code: string; count: number }) => `${code} ${count}`)
      .sort(),
    // A list under a key's name is no session.
    [
      "key_32_bits 1",
      "key_not_in_gateway 2",
      "key_without_owner 2",
      "plain_key 1",
      "unreadable 1",
    ],
  );
  // Nothing but reading, and in small steps.
  const asked = await redis.command(["info", "commandstats"]);
  const commands = [...asked.matchAll(/cmdstat_([a-z|]+):/g)].map(([, name]) => name);
  for (const name of commands) {
    assert.match(String(name), /^(auth|hello|scan|get|select|ping|quit|info|config\|resetstat)$/);
  }
  assert.ok(!/cmdstat_keys:/.test(before + asked));
  await readsWithoutQuotas(redis, folder.path, settings);

  await using server = await startServerProcess(settings);
  const headers = { authorization: ADMIN };
  const verdict = async (key: string) => {
    const body = JSON.stringify({ key, api_id: "api-1" });
    const response = await fetch(`${server.url}/v1/keys/verify`, { method: "POST", headers, body });
    const { valid, reason, quota } = await response.json();
    return [valid, reason ?? quota?.remaining];
  };
  assert.deepEqual(await verdict(originalKey(ORG, 0)), [true, 2]);
  assert.deepEqual(await verdict(originalKey(ORG, 1)), [false, "expired"]);
  assert.deepEqual(await verdict(originalKey(ORG, 2)), [false, "unknown"]);
  assert.deepEqual(await verdict(lonely), [true, 9]);
  // The client of the gateway alone gets its tokens here.
  const token = await fetch(`${server.url}/oauth/token`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa("client-two:secret-of-client-two")}` },
    body: new URLSearchParams({ grant_type: "client_credentials" }),
  });
  assert.equal(token.status, 200, await token.text());
  const listed = await fetch(`${server.url}/api/certs?mode=detailed`, { headers });
  const [one] = (await listed.json()).cert_basics;
  assert.deepEqual([one.id, one.has_private], [ORG + certificate.fingerprint, true]);
  // No plain key, secret or password stands in a file of the store, or was told.
  const told = [planned, ran].map(({ stdout, stderr }) => stdout + stderr);
  for await (const { name } of Deno.readDir(settings.KEYDESK_DATA_DIR)) {
    const bytes = await Deno.readFile(join(settings.KEYDESK_DATA_DIR, name));
    told.push(new TextDecoder("latin1").decode(bytes));
  }
  const secrets = [lonely, atob(lonely), "secret-of-client-two", "a-password-of-redis", PASSPHRASE];
  for (const [i, secret] of [...secrets, certificate.key].entries()) {
    assert.ok(secret.length > 8);
    assert.deepEqual(told.filter((text) => text.includes(secret)).length, 0, `secret ${i}`);
  }
});

Deno.test("moving in from Redis: in plain from another machine, or with a password in the URL, it is not reached", async () => {
  await using folder = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: join(folder.path, "data") };
  await makeStore(settings);
  for (
    const [url, sentence] of [
      ["redis://redis.example:6379", /is reached by rediss:\/\/ alone/],
      ["rediss://:hunter2@redis.example", /--redis-password-file/],
      ["http://redis.example", /expected redis:\/\//],
    ] as const
  ) {
    const { code, stderr } = await keydesk(["import", "tyk", "plan", "--redis", url], settings);
    assert.equal(code, 1);
    assert.match(stderr, sentence);
    assert.ok(!stderr.includes("hunter2"));
  }
});

/** A user who may read keys, and not what is used of quotas: the plan goes on, and says so once. */
async function readsWithoutQuotas(
  { port, ca, command }: TestRedis,
  folder: string,
  settings: Record<string, string>,
): Promise<void> {
  const password = "a-password-of-a-reader";
  const rights = ["~apikey-*", "~oauth-data.*", "~cert-raw-*", "+@read", "+@connection"];
  await command(["acl", "setuser", "reader", "on", `>${password}`, ...rights]);
  const passwordFile = join(folder, "reader-password");
  await Deno.writeTextFile(passwordFile, password);
  const { code, stdout, stderr } = await keydesk([
    "import",
    "tyk",
    "plan",
    "--json",
    "--redis",
    `rediss://localhost:${port}`,
    "--redis-user",
    "reader",
    "--redis-password-file",
    passwordFile,
    "--redis-ca-file",
    ca,
  ], settings);
  assert.equal(code, 0, stderr);
  const { differences } = JSON.parse(stdout);
  const told = differences.filter(({ code }: { code: string }) => code === "quotas_unknown");
  assert.deepEqual(told.map(({ count }: { count: number }) => count), [1]);
}

const ADMIN = "admin-of-a-store-that-is-moved-into";

async function makeStore(settings: { KEYDESK_DATA_DIR: string }): Promise<void> {
  const desk = await openServer(readConfig(settings), { writer: { thread: false, transactions } });
  await ensureFirstAccessToken(desk, { org_id: ORG, token: ADMIN }, "");
  await desk.storage.close();
}

function keydesk(words: readonly string[], env: Record<string, string>): Promise<Ended> {
  return run(["node", join(repository, "bin/keydesk.js"), ...words], { env });
}

function sourcesOf(redis: TestRedis, exports: string, passphrase: string): string[] {
  return [
    "--files",
    exports,
    "--redis",
    `rediss://localhost:${redis.port}`,
    "--redis-password-file",
    redis.passwordFile,
    "--redis-ca-file",
    redis.ca,
    "--passphrase-file",
    passphrase,
  ];
}

/**
 * A certificate as a gateway keeps it: its private key encrypted the old way, under a label of the
 * new one.
 */
async function makeCertificate(folder: string) {
  const at = (name: string) => join(folder, name);
  await mustRun([
    "openssl",
    "req",
    "-x509",
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-days",
    "2",
    "-keyout",
    at("plain.key"),
    "-out",
    at("leaf.crt"),
    "-subj",
    "/CN=leaf.example.org",
  ]);
  await Deno.writeTextFile(at("secret"), PASSPHRASE);
  const encrypted = await mustRun([
    "openssl",
    "rsa",
    "-in",
    at("plain.key"),
    "-aes256",
    "-traditional",
    "-passout",
    `file:${at("secret")}`,
  ]);
  const leaf = await Deno.readTextFile(at("leaf.crt"));
  const der = Buffer.from(leaf.replace(/-----[^-]+-----/g, ""), "base64");
  const digest = await crypto.subtle.digest("SHA-256", der);
  // Of its end: the modulus, with which it begins, stands in the certificate too.
  const key = (await Deno.readTextFile(at("plain.key"))).split("\n").at(-5) ?? "";
  return {
    fingerprint: new Uint8Array(digest).toHex(),
    pem: leaf + encrypted.replaceAll("RSA PRIVATE KEY", "ENCRYPTED PRIVATE KEY"),
    key,
  };
}
