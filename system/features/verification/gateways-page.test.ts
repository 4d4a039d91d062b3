/**
 * docs/gateways.md, followed to the letter: from nothing to a key that opens a door, and one that
 * no longer does.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { repository, run, temporaryFolder } from "../../../test/support/command.ts";

Deno.test("docs: the way from nothing to a gateway works as it is pasted", async () => {
  const page = await Deno.readTextFile(join(repository, "docs/gateways.md"));
  const [, part = ""] = /^## From nothing to a gateway, with nginx\n(.*?)^## /ms.exec(page) ?? [];
  const blocks = [...part.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = ""]) => block);
  assert.equal(blocks.length, 6);
  await using folder = await temporaryFolder();
  const port = freePort();
  // Its packages are those of .ci/run; its ports and folders may be taken on this machine.
  const script = blocks.join("\n").replace(/^apt-get install .*$/m, "set -m")
    .replaceAll("/tmp/", `${folder.path}/`)
    .replaceAll("8080", freePort()).replaceAll("8081", freePort()).replaceAll("9000", freePort())
    .replaceAll("3001", port);
  const ended = await run(["timeout", "-k", "5", "60", "bash", "-c", script], {
    cwd: repository,
  });
  const lines = ended.stdout.trimEnd().split("\n");
  const deleted = '{"Status":"OK","Message":"Data deleted","Meta":null}';
  assert.deepEqual(lines, ["another site", "401", '{"sky":"clear"}', deleted, "401"], ended.stderr);
});

function freePort(): string {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return String(listener.addr.port);
}
