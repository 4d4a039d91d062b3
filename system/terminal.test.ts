/** What a person at a terminal sees; `script` of the base system stands for one. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { repository, run, temporaryFolder } from "../test/support/command.ts";

Deno.test("terminal: the first start shows the credential there, the second does not", async () => {
  await using folder = await temporaryFolder();
  const atTerminal = () =>
    run(["script", "--quiet", "--return", "--command", command, "/dev/null"], {
      env: { KEYDESK_DATA_DIR: folder.path },
    });
  const command = `node '${join(repository, "bin/keydesk.js")}' seed`;
  const first = await atTerminal();
  assert.equal(first.code, 0, first.stdout);
  const credential = await Deno.readTextFile(join(folder.path, "administrator-credential"));
  assert.ok(first.stdout.includes(`  ${credential.trim()}\r\n`), first.stdout);
  const again = await atTerminal();
  assert.equal(again.code, 1);
  assert.ok(!again.stdout.includes(credential.trim()));
});
