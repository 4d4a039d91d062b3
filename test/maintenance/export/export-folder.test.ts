/**
 * What an export leaves behind: a whole folder or none, of one moment, that others can read too.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { decrypted, openIdentity } from "../../../src/maintenance/archive/age.ts";
import { openExportFiles } from "../../../src/maintenance/import/export-files.ts";
import { SourceUnusable } from "../../../src/maintenance/import/source.ts";
import { temporaryFolder } from "../../support/command.ts";
import { openTestDesk, type TestDesk, testOnEngines } from "../../support/desk.ts";
import { fillStore } from "../../support/fill-store.ts";
import { call } from "../../support/keys.ts";
import { digestOf, exported, freshPair, imported } from "../../support/moving-out.ts";

const PASSPHRASE = "a passphrase of many words";

async function namesIn(path: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of Deno.readDir(path)) names.push(name);
  return names.sort();
}

/** The audit rows of exports. */
async function exportsOf(desk: TestDesk): Promise<unknown[]> {
  const { data } = await call<{ data: { action: string }[] }>(
    desk,
    "GET",
    "/v1/audit-log?limit=100",
  );
  return data.filter(({ action }) => action === "archive.exported");
}

testOnEngines(
  "export: what is there already stays, and what is broken off leaves nothing",
  async (desk) => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "out");
    await call(desk, "POST", "/v1/plans", { name: "One" });
    await Deno.mkdir(`${path}.partial`);
    await assert.rejects(() => exported(desk, path), Deno.errors.AlreadyExists);
    await Deno.remove(`${path}.partial`);
    const { encryption } = await freshPair();
    for (const encrypted of [undefined, encryption]) {
      const breaking = exported(desk, path, {
        ...encrypted ? { encryption: encrypted } : {},
        onDocument: () => {
          throw new Error("broken off");
        },
      });
      await assert.rejects(() => breaking, /broken off/);
      assert.deepEqual(await namesIn(folder.path), []);
    }
    await exported(desk, path);
    assert.deepEqual(await namesIn(folder.path), ["out"]);
    assert.equal((await Deno.stat(path)).mode! & 0o777, 0o700);
    const before = await Deno.readTextFile(join(path, "tyk_policies.json"));
    await assert.rejects(() => exported(desk, path), Deno.errors.AlreadyExists);
    assert.equal(await Deno.readTextFile(join(path, "tyk_policies.json")), before);
    // Each one that began is told of, whatever became of it.
    assert.equal((await exportsOf(desk)).length, 3);
  },
);

testOnEngines("export: it is of one moment, and of one organisation", async (desk) => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "out");
  for (let i = 0; i < 40; i++) {
    await call(desk, "POST", "/v1/developers", { email: `dev-${i}@example.org` });
  }
  const other = await desk.otherOrganisation();
  await call(desk, "POST", "/v1/plans", { name: "Of another" }, { credential: other.admin });
  await call(desk, "POST", "/v1/plans", { name: "Ours" });
  const added: Promise<unknown>[] = [];
  await exported(desk, path, {
    onDocument: (n) => {
      if (n !== 1) return;
      // What sorts behind all that was read so far.
      added.push(call(desk, "POST", "/v1/developers", { email: "late@example.org" }));
    },
  });
  await Promise.all(added);
  const developers = await Deno.readTextFile(join(path, "portal_developers.json"));
  assert.equal(developers.trimEnd().split("\n").length, 40);
  assert.doesNotMatch(developers, /late@/);
  assert.doesNotMatch(await Deno.readTextFile(join(path, "tyk_policies.json")), /Of another/);
  assert.notEqual((await digestOf(desk)).sha256, (await digestOf(desk, other.org_id)).sha256);
});

Deno.test("export: a passphrase opens it, and nothing else does", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "out");
  await using desk = await openTestDesk("sqlite");
  await call(desk, "POST", "/v1/plans", { name: "One" });
  await exported(desk, path, { encryption: { passphrase: PASSPHRASE, effort: 10 } });
  const names = await namesIn(path);
  assert.deepEqual(names.filter((name) => !name.endsWith(".age")), ["export.json"]);
  const locked = await Deno.readFile(join(path, "identity.age"));
  const identities = await openIdentity(locked, PASSPHRASE);
  const file = await Deno.open(join(path, "tyk_policies.json.age"));
  const text = await new Response(await decrypted(file.readable, identities)).text();
  assert.match(text, /"name":"One"/);

  await assert.rejects(() => openExportFiles(path), /name --passphrase-file/);
  await assert.rejects(
    () => openExportFiles(path, { passphrase: "another passphrase" }),
    /does not open it/,
  );
  const { identities: others } = await freshPair();
  const source = await openExportFiles(path, { identities: others });
  const read = async () => {
    for await (const _ of source.documents("plan"));
  };
  await assert.rejects(read, SourceUnusable);
  // Cut short, as by a copy that failed.
  const whole = await Deno.readFile(join(path, "tyk_policies.json.age"));
  await Deno.writeFile(join(path, "tyk_policies.json.age"), whole.subarray(0, whole.length - 1));
  const cut = await openExportFiles(path, { passphrase: PASSPHRASE });
  await assert.rejects(async () => {
    for await (const _ of cut.documents("plan"));
  }, /damaged or cut short/);
});

testOnEngines(
  "export: what the original reads of it moves in as its own documents do",
  async (desk) => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "out");
    const url = "http://desk.test";
    const keys = await fillStore({ url, admin: desk.admin, fetch: desk.app.fetch });
    const { encryption, identities } = await freshPair();
    await exported(desk, path, { encryption });
    // Without our members, and without our file: as the original's own tools would give it back.
    const bare = join(folder.path, "bare");
    await Deno.mkdir(bare);
    for (const name of await namesIn(path)) {
      if (!name.endsWith(".age") || name.startsWith("keydesk")) continue;
      const file = await Deno.open(join(path, name));
      const text = await new Response(await decrypted(file.readable, identities)).text();
      const lines = text.trimEnd().split("\n").map((line) => {
        const { keydesk: _, ...document } = JSON.parse(line);
        return `${JSON.stringify(document)}\n`;
      });
      await Deno.writeTextFile(join(bare, name.replace(/\.age$/, "")), lines.join(""));
    }
    const environment = { KEYDESK_ORG_ID: desk.org_id };
    await using target = await openTestDesk(desk.engine, { environment });
    const { summaries } = await imported(target, bare);
    const added = Object.fromEntries(summaries.map((one) => [one.kind, one.added]));
    const { tables } = await digestOf(desk);
    const rows = Object.fromEntries(tables.map((one) => [one.table, one.rows]));
    assert.equal(added.developer, rows.developers);
    assert.equal(added.certificate, rows.certificates);
    assert.equal(added.request, (rows.key_requests ?? 0) - 1, "all but the declined one");
    assert.equal(added.plan, (rows.plans ?? 0) - 1, "all but the deleted one");
    for (const key of keys) {
      const { valid } = await call<{ valid: boolean }>(target, "POST", "/v1/keys/verify", { key });
      assert.equal(valid, true);
    }
  },
);
