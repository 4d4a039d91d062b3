/** What moves in may have been written by anybody: nothing of it runs where it is shown. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { keydesk, temporaryFolder } from "../support/command.ts";

Deno.test("import: no control character and no markup of an export reaches a terminal or a page", async () => {
  await using folder = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: join(folder.path, "data") };
  assert.equal((await keydesk(["seed"], settings)).code, 0);
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
