/** The way back by the command line: from a seeded desk into an empty one. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { keydesk, repository, startServerProcess, temporaryFolder } from "../support/command.ts";
import { eventually } from "../support/eventually.ts";
import { copySeeded } from "../support/seeded-store.ts";
import { newPair } from "../../src/maintenance/archive/age.ts";

Deno.test("export tyk: a seeded desk comes into an empty one, and both digests are the same", async () => {
  await using folder = await temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  const from = { KEYDESK_DATA_DIR: at("from") };
  const to = { KEYDESK_DATA_DIR: at("to") };
  await copySeeded(from.KEYDESK_DATA_DIR);
  const { identity, recipient } = await newPair();
  await Deno.writeTextFile(at("identity"), `# mine\n${identity}\n`);
  const out = at("out");

  const dry = await keydesk(["export", "tyk", "--dry-run", "--with-secrets", "--json"], from);
  assert.equal(dry.code, 0, dry.stderr);
  assert.deepEqual(await names(folder.path), ["from", "identity"]);
  const told = await keydesk(["export", "tyk", "--dry-run"], from);
  assert.match(told.stdout, /^nothing written: \d+ documents, without secrets$/m);
  assert.match(told.stdout, /^Missing:$/m);
  assert.equal((await keydesk(["export", "tyk", out, "--dry-run"], from)).code, 2);
  const refused = await keydesk(["export", "tyk", out, "--with-secrets"], from);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /--passphrase-file or --recipient/);
  const words = ["--with-secrets", "--recipient", recipient, "--json"];
  const made = await keydesk(["export", "tyk", out, ...words], from);
  assert.equal(made.code, 0, made.stderr);
  const { organisation, missing, ...report } = JSON.parse(made.stdout);
  const wouldBe = JSON.parse(dry.stdout);
  assert.equal(wouldBe.documents, report.documents);
  assert.deepEqual(wouldBe.unknown_to_the_original, report.unknown_to_the_original);
  assert.deepEqual(missing, []);
  assert.equal((await keydesk(["export", "tyk", out, ...words], from)).code, 1);

  // The first start of a server makes the empty desk.
  const empty = await startServerProcess({ ...to, KEYDESK_ORG_ID: organisation });
  await empty.stop();
  const source = ["--files", out, "--identity-file", at("identity")];
  const ran = await keydesk(["import", "tyk", "run", ...source], to);
  assert.equal(ran.code, 0, ran.stderr);
  const verified = await keydesk(["import", "tyk", "verify", ...source, "--json"], to);
  assert.equal(verified.code, 0, verified.stderr + verified.stdout);
  const sides: { kind: string; missing: number; changed_here: number }[] = JSON.parse(
    verified.stdout,
  );
  assert.ok(sides.length > 5);
  assert.deepEqual(sides.filter(({ missing, changed_here }) => missing + changed_here > 0), []);
  const digests = await Promise.all(
    [from, to].map((settings) => keydesk(["export", "tyk", "--digest"], settings)),
  );
  assert.equal(digests[0]?.stdout, digests[1]?.stdout);
  assert.match(digests[0]?.stdout ?? "", /^[0-9a-f]{64} {2}\d+ rows$/m);
  const foreign = await keydesk(["export", "tyk", at("x"), "--organisation", "f".repeat(24)], from);
  assert.equal(foreign.code, 1);
  assert.match(foreign.stderr, /no such organisation/);
});

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.test(`export tyk: ${signal} leaves nothing behind`, async () => {
    await using folder = await temporaryFolder();
    const at = (name: string) => join(folder.path, name);
    const env = { KEYDESK_DATA_DIR: at("data") };
    await copySeeded(env.KEYDESK_DATA_DIR);
    await Deno.writeTextFile(at("passphrase"), "correct horse battery");
    // A passphrase takes a second: the folder is there before anything is in it.
    const words = ["export", "tyk", at("out"), "--passphrase-file", at("passphrase")];
    await using child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-prompt", join(repository, "src/cli/main.ts"), ...words],
      env,
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    await eventually(
      "it has begun",
      async () => (await names(folder.path)).includes("out.partial"),
    );
    child.kill(signal);
    const { code, stderr } = await child.output();
    assert.equal(code, 1);
    assert.match(new TextDecoder().decode(stderr), /interrupted; nothing is left/);
    assert.deepEqual(await names(folder.path), ["data", "passphrase"]);
  });
}

async function names(folder: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name).toSorted();
}
