/** What moves in may have been written by anybody: nothing of it runs where it is shown. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { keydesk, temporaryFolder } from "../support/command.ts";
import { copySeeded } from "../support/seeded-store.ts";

Deno.test("import: no control character and no markup of an export reaches a terminal or a page", async () => {
  await using folder = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: join(folder.path, "data") };
  await copySeeded(settings.KEYDESK_DATA_DIR);
  const files = join(folder.path, "export");
  await Deno.mkdir(files);
  const hostile = "\u001b]0;a title\u0007<script>";
  const developer = { _id: "<script>", email: "a@example.org", [hostile]: 1 };
  await Deno.writeTextFile(join(files, "portal_developers.json"), JSON.stringify(developer));
  // Named as members that every object of the language has.
  await Deno.writeTextFile(join(files, "constructor.json"), "{}");
  const ran = await keydesk(["import", "tyk", "run", "--files", files], settings);
  assert.equal(ran.code, 0, ran.stderr);
  assert.match(ran.stdout, /developer: members not kept: .*a title/);
  const page = await keydesk(["import", "tyk", "report", "--format", "html"], settings);
  assert.match(page.stdout, /a title/);
  assert.match(page.stdout, /without constructor\.json/);
  assert.ok(!page.stdout.includes("<script>"));
  // deno-lint-ignore no-control-regex -- these are what is looked for
  const control = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/;
  for (const shown of [ran, page]) assert.doesNotMatch(shown.stdout + shown.stderr, control);
});

Deno.test("import: a desk with another id than what is there ends with what to do", async () => {
  await using folder = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: join(folder.path, "data") };
  await copySeeded(settings.KEYDESK_DATA_DIR);
  const file = join(folder.path, "portal_developers.json");
  const of = (org_id: string) => JSON.stringify({ _id: "a", email: "a@example.org", org_id });
  await Deno.writeTextFile(file, of("5e9d9544a1dcd60001d0ed20"));
  for (const verb of ["plan", "run", "verify"]) {
    const { code, stderr } = await keydesk(["import", "tyk", verb, "--files", file], settings);
    assert.equal(code, 1, verb);
    assert.match(stderr, /nothing of organisation [0-9a-f]{24} is in it/);
    assert.match(stderr, /^developer: none of 1 documents/m);
  }
  // A line that nobody can read is of nobody, and so is one without an id.
  await Deno.writeTextFile(file, `${of("5e9d9544a1dcd60001d0ed20")}\n{"email":\n\n{"fields":{}}\n`);
  for (const verb of ["plan", "run", "verify"]) {
    const { code, stderr } = await keydesk(["import", "tyk", verb, "--files", file], settings);
    assert.equal(code, 1, verb);
    assert.match(
      stderr,
      /nothing of organisation [0-9a-f]{24} is in it, and 1 document of others/,
    );
  }
  // Others share what is read: that is said, and nothing is wrong.
  const shared = join(folder.path, "tyk_policies.json");
  await Deno.writeTextFile(shared, JSON.stringify({ _id: "p", name: "Ours" }));
  const words = ["import", "tyk", "run", "--files", file, "--files", shared];
  const { code, stderr } = await keydesk(words, settings);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /^developer: none of 1 documents/m);
  assert.doesNotMatch(stderr, /is it the one that moves/);
  // Where most are others', it is asked.
  const more = Array.from({ length: 3 }, () => of("5e9d9544a1dcd60001d0ed20")).join("\n");
  await Deno.writeTextFile(file, more);
  for (const verb of ["plan", "run", "verify"]) {
    const asked = await keydesk(["import", "tyk", verb, ...words.slice(3)], settings);
    assert.equal(asked.code, 0, asked.stderr);
    assert.match(
      asked.stderr,
      /^organisation [0-9a-f]{24} has 1 document in it, others have 3: is it the one to import/m,
    );
  }
});

Deno.test("import: verify ends with 1 where keys that came name plans that nobody knows, until they come", async () => {
  await using folder = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: join(folder.path, "data") };
  await copySeeded(settings.KEYDESK_DATA_DIR);
  const files = join(folder.path, "export");
  await Deno.mkdir(files);
  const developer = { _id: "ada", email: "a@example.org", keys: { ["a".repeat(64)]: ["gold"] } };
  await Deno.writeTextFile(join(files, "portal_developers.json"), JSON.stringify(developer));
  const tyk = (verb: string) => keydesk(["import", "tyk", verb, "--files", files], settings);
  assert.equal((await tyk("run")).code, 0);
  const verified = await tyk("verify");
  assert.equal(verified.code, 1, verified.stdout);
  assert.match(verified.stderr, /active keys name plans that do not exist.*: gold \(1\)\. Name/);
  const plan = { _id: "gold", name: "Gold" };
  await Deno.writeTextFile(join(files, "tyk_policies.json"), JSON.stringify(plan));
  assert.equal((await tyk("run")).code, 0);
  const again = await tyk("verify");
  assert.equal(again.code, 0, again.stderr);
});
