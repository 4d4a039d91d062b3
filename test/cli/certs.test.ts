/** `keydesk certs`, as child processes. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { pkcs12 } from "../../packages/x509/test/support/pkcs12.ts";
import { roots } from "../../packages/x509/test/support/roots.ts";
import { asn1Time, issue, made } from "../support/certificates.ts";
import { linesOf } from "../support/doors.ts";
import { beginStore } from "../support/begun-store.ts";
import { keydesk, temporaryFolder } from "../support/command.ts";
import { startServerHere } from "../support/server-here.ts";

const DAY = 86_400_000;

/** A folder with a store that has its organisation, and a folder for files. */
async function desk() {
  const folder = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: join(folder.path, "data") };
  await beginStore(settings);
  await Deno.mkdir(join(folder.path, "files"));
  const write = async (name: string, content: string | Uint8Array) => {
    const path = join(folder.path, "files", name);
    await Deno.writeFile(
      path,
      typeof content === "string" ? new TextEncoder().encode(content) : content,
    );
    return path;
  };
  return {
    path: folder.path,
    files: join(folder.path, "files"),
    settings,
    write,
    certs: (...words: string[]) => keydesk(["certs", ...words], settings),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

Deno.test("certs import: Mozilla's roots with one command, listed by the server and by the command", async () => {
  await using at = await desk();
  const bundle = await at.write("roots.pem", roots);
  const count = roots.split("-----BEGIN").length - 1;
  const imported = await at.certs("import", bundle);
  assert.deepEqual([imported.code, imported.stderr], [0, ""]);
  assert.equal(imported.stdout, `1 file: ${count} added, 0 known already, 0 refused\n`);
  const again = await at.certs("import", bundle, "--json");
  assert.deepEqual(JSON.parse(again.stdout), {
    files: 1,
    added: 0,
    key_added: 0,
    exists: count,
    refused: 0,
    skipped: 0,
  });
  const listed = await at.certs("list");
  assert.equal(listed.stdout.trimEnd().split("\n").length, count + 1);
  assert.match(listed.stdout, /^SUBJECT +ISSUER +NOT AFTER +DAYS +STATUS +KEY +FINGERPRINT\n/);
  assert.ok(!listed.stdout.includes("\x1b"), "no colour where nobody looks");

  await using server = await startServerHere(at.settings);
  const token = await Deno.readTextFile(join(at.path, "data", "administrator-credential"));
  const response = await fetch(`${server.url}/api/certs?mode=detailed&p=-1`, {
    headers: { authorization: `Bearer ${token.trim()}` },
  });
  const { cert_basics } = await response.json();
  assert.deepEqual(linesOf((await at.certs("list", "--json")).stdout), cert_basics);
});

Deno.test("certs import: a folder of everything, each refusal with file and reason, exit code 1", async () => {
  await using at = await desk();
  const keyed = issue({ subject: { CN: "keyed" }, days: 900 });
  const boxed = issue({ key: keyed.key, subject: { CN: "boxed" }, days: 900 });
  const broken = await at.write("broken.pem", made().replace("MII", "!!!").replace(/M[A-Z]/, "??"));
  await at.write(
    "ended.pem",
    made({ cn: "ended", from: "20100101000000Z", to: "20110101000000Z" }),
  );
  await at.write("keyed.pem", keyed.key + keyed.certificate);
  const box = await at.write("boxed.p12", pkcs12(boxed, "open sesame"));
  const text = await at.write("read.me", "no certificate");
  await at.write(".hidden", "left out");
  await Deno.mkdir(join(at.files, "more"));
  await at.write("more/other.pem", made({ cn: "other", serial: "02" }));

  const first = await at.certs("import", at.files);
  assert.equal(first.code, 1);
  assert.equal(first.stdout, "6 files: 3 added, 0 known already, 3 refused\n");
  const lines = first.stderr.trimEnd().split("\n");
  assert.equal(lines.length, 4, first.stderr);
  assert.equal(lines[0], `${box}: The PKCS#12 file needs its passphrase.`);
  assert.ok(lines[1]?.startsWith(`${broken}:1: The PEM block`), first.stderr);
  assert.ok(lines[2]?.startsWith(`${text}: The file has no line -----BEGIN CERTIFICATE-----`));
  assert.equal(lines[3], "keydesk: 3 refused, see above; all else is kept");

  const secret = await at.write("../secret", "open sesame\n");
  const second = await at.certs("import", box, "--passphrase-file", secret);
  assert.deepEqual([second.code, second.stdout], [
    0,
    "1 file: 1 added, 0 known already, 0 refused\n",
  ]);
  const keys = await at.certs("list", "--with-key", "--json");
  assert.deepEqual(linesOf(keys.stdout).map((item: { subject_cn: string }) => item.subject_cn), [
    "keyed",
    "boxed",
  ]);
  assert.ok(!(first.stderr + second.stdout + keys.stdout).includes("PRIVATE KEY-----"));
});

Deno.test("certs import: what is not there is said, with exit code 1", async () => {
  await using at = await desk();
  const { code, stdout, stderr } = await at.certs("import", join(at.path, "nowhere"));
  assert.deepEqual([code, stdout], [1, ""]);
  assert.equal(stderr, `keydesk: ${join(at.path, "nowhere")}: there is no such file\n`);
});

Deno.test("certs list: --expiring tells what has ended or will soon, the soonest first", async () => {
  await using at = await desk();
  const now = Date.now();
  const ends = { late: 90, soon: 10, ended: -5 };
  for (const [cn, days] of Object.entries(ends)) {
    await at.write(
      `${cn}.pem`,
      made({ cn, to: asn1Time(now + days * DAY), serial: `0${days & 7}` }),
    );
  }
  const never = { from: asn1Time(now + 20 * DAY), to: asn1Time(now + 5 * DAY), serial: "06" };
  await at.write("never.pem", made({ cn: "never", ...never }));
  await at.certs("import", at.files);
  const invalid = (await at.certs("list", "--status", "invalid")).stdout.trimEnd().split("\n");
  assert.equal(invalid.length, 2);
  assert.match(invalid[1] ?? "", /^never .* \d{4}-\d\d-\d\d +- +invalid +no +[0-9a-f]{64}$/);
  const { stdout } = await at.certs("list", "--expiring", "30d");
  const [, ...rows] = stdout.trimEnd().split("\n");
  assert.deepEqual(rows.map((row) => row.split(" ")[0]), ["ended", "soon"]);
  assert.match(rows[0] ?? "", / expired +no +[0-9a-f]{64}$/);
  assert.match(rows[1] ?? "", / (9|10) +expiring /);
  assert.equal(
    (await at.certs("list", "-q", "nothing here")).stderr,
    "There is no certificate that matches.\n",
  );
  assert.equal((await at.certs("list", "--json", "--status", "not_yet_valid")).stdout, "");
  for (const wrong of [["--expiring", "soon"], ["--status", "old"], ["--sort", "x"]]) {
    assert.equal((await at.certs("list", ...wrong)).code, 2);
  }
});

Deno.test("certs export and rm: a file of what matches, and certificates that are gone", async () => {
  await using at = await desk();
  const pem = made({ cn: "alpha" });
  await at.write("a.pem", pem + made({ cn: "beta", serial: "02" }));
  await at.certs("import", at.files);
  const file = join(at.path, "out.pem");
  const exported = await at.certs("export", file, "-q", "alpha");
  assert.deepEqual([exported.code, exported.stdout, exported.stderr], [0, "", ""]);
  assert.equal(await Deno.readTextFile(file), `# alpha\n${pem}`);
  assert.deepEqual((await at.certs("export", "--format", "csv")).stdout.split("\r\n").length, 4);
  const lines = (await at.certs("export", "--format", "jsonl")).stdout.trimEnd().split("\n");
  const [first, second] = lines.map((line) => JSON.parse(line));
  const removed = await at.certs("rm", first.fingerprint, second.id);
  assert.equal(removed.code, 0);
  const again = await at.certs("rm", first.id);
  assert.deepEqual([again.code, again.stdout], [1, ""]);
  assert.match(again.stderr, /there is no such certificate\nkeydesk: 1 of 1 not found\n$/);
  assert.equal((await at.certs("list", "--json")).stdout, "");
});

Deno.test("certs: without a store the operator is told what to do first", async () => {
  await using folder = await temporaryFolder();
  const { code, stderr } = await keydesk(["certs", "list"], { KEYDESK_DATA_DIR: folder.path });
  assert.equal(code, 1);
  assert.match(stderr, /^keydesk: there is no store in .*: start the server once/);
});

Deno.test("reseal: a second key in the file seals everything anew", async () => {
  await using at = await desk();
  const keyed = issue({ subject: { CN: "keyed" }, days: 900 });
  await at.write("keyed.pem", keyed.key + keyed.certificate);
  await at.certs("import", at.files);
  const file = join(at.path, "data", "sealing-key");
  const old = await Deno.readTextFile(file);
  const fresh = (await keydesk(["sealing-key"], {})).stdout.replace(/^1:/, "2:");
  await Deno.writeTextFile(file, `${old.trim()}\n${fresh}`);
  const first = await keydesk(["reseal", "--json"], at.settings);
  assert.equal(JSON.parse(first.stdout).certificate_files, 1, first.stderr);
  const again = await keydesk(["reseal"], at.settings);
  assert.match(again.stdout, /^0 private keys of certificates sealed anew\n/);
});

Deno.test("certs renewal: says what renews one, and takes a person's word; imports take over care", async () => {
  await using at = await desk();
  const idOf = async (name: string) => {
    const listed = linesOf((await at.certs("list", "--json", "--sort", "not_after")).stdout);
    return listed.filter((one) => one.dns_names[0] === name).map((one): string => one.id);
  };
  const days = (n: number, cn: string) =>
    made({ cn, dns: ["a.example"], to: asn1Time(Date.now() + n * DAY) });
  await at.certs("import", await at.write("old.pem", days(20, "old")));
  const [old = ""] = await idOf("a.example");
  {
    await using server = await startServerHere(at.settings);
    const token = await Deno.readTextFile(join(at.path, "data", "administrator-credential"));
    const response = await fetch(`${server.url}/v1/certificates/${old}`, {
      method: "PUT",
      headers: { authorization: `Bearer ${token.trim()}`, "content-type": "application/json" },
      body: JSON.stringify({ owner: "ops@example.org", tags: ["edge"] }),
    });
    assert.equal(response.status, 200, await response.text());
  }
  await at.certs("import", await at.write("fresh.pem", days(90, "fresh")));
  await at.certs("import", await at.write("bare.pem", days(99, "bare")), "--no-take-over");
  const [, fresh = "", bare = ""] = await idOf("a.example");
  const said = (...words: string[]) => at.certs("renewal", old, ...words);
  assert.equal((await said()).stdout, `It is renewed by ${bare}.\n`);
  assert.equal((await said("--not", bare)).stdout, `It is renewed by ${fresh}.\n`);
  assert.equal(
    (await said("--by", fresh)).stdout,
    `It is renewed by ${fresh}. A person said so.\n`,
  );
  const told = await said("--forget", fresh, "--json");
  assert.deepEqual(JSON.parse(told.stdout), { id: old, renewed_by: fresh });
  const refused = await at.certs("renewal", fresh, "--by", old);
  assert.deepEqual([refused.code, refused.stdout], [1, ""]);
  assert.match(refused.stderr, /ends later/);
  assert.equal((await at.certs("renewal", "0".repeat(64))).code, 1);
  await using server = await startServerHere(at.settings);
  const token = await Deno.readTextFile(join(at.path, "data", "administrator-credential"));
  const read = async (id: string) => {
    const headers = { authorization: `Bearer ${token.trim()}` };
    return await (await fetch(`${server.url}/v1/certificates/${id}`, { headers })).json();
  };
  assert.deepEqual((await read(fresh)).tags, ["edge"]);
  assert.deepEqual((await read(bare)).tags, []);
});
