/**
 * README, pasted from its first line to its last into a copy of the repository that has nothing but
 * its files. In the short form the copy is given what `npm ci` left in this clone, which CI makes
 * fresh; in the long form it installs and builds for itself.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { repository, run, temporaryFolder } from "../test/support/command.ts";
import { effort } from "../test/support/effort.ts";

const INSTALL = effort > 1
  ? "npm ci --prefer-offline --no-audit --no-fund >&2"
  : `cp --archive --link ${repository}node_modules .
mkdir dist
cp --archive ${repository}dist/console ${repository}dist/reference dist`;

Deno.test("readme: each line works as it is pasted, in a fresh clone", async () => {
  await using folder = await temporaryFolder();
  const clone = join(folder.path, "keydesk");
  await copyFiles(clone);
  const readme = await Deno.readTextFile(join(clone, "README.md"));
  const blocks = [...readme.matchAll(/^```([^\n]*)\n(.*?)^```$/gms)];
  assert.deepEqual(blocks.filter(([, kind]) => kind !== "sh"), [], "a block that nobody can paste");
  const port = freePort();
  const lines = blocks.map(([, , block]) => block).join("\n");
  assert.ok(lines.startsWith("npm ci && npm start\n"));
  // The server runs in the first shell and the rest in another; its port may be taken on this
  // machine.
  const here = lines.replaceAll("3000", port).replaceAll("/tmp/", `${folder.path}/`);
  const script = here.replaceAll(/^curl .*$/gm, "$&; echo").replace(
    "npm ci && npm start\n",
    `${INSTALL}
npm start >${folder.path}/log 2>&1 &
server=$!
trap 'kill -- -$server; wait $server' EXIT
until curl -sf http://127.0.0.1:${port}/readyz >/dev/null; do kill -0 $server; sleep 0.2; done
`,
  );
  const ended = await run(
    ["timeout", "-k", "10", "300", "bash", "-c", `set -meo pipefail\n${script}`],
    { cwd: clone, env: { KEYDESK_PORT: port } },
  );
  assert.equal(ended.code, 0, ended.stderr);
  const answers = ended.stdout.split("\n").filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));
  const [plan, request, replaced, verdict, again] = answers;
  assert.equal(plan.Status, "OK");
  assert.match(request.id, /^[0-9a-f]{24}$/);
  assert.equal(replaced.Message, request.id);
  assert.equal(verdict.valid, true);
  assert.equal(again.Status, "Error");
  assert.equal(answers.length, 5);
  assert.match(ended.stdout, new RegExp(`http://localhost:${port}/console`));
  assert.match(ended.stdout, /\bgateway\b.*\bverify\b/);
  const copies = [...Deno.readDirSync(folder.path)].filter(({ name }) => name.endsWith(".db"));
  assert.equal(copies.length, 1);
});

/** The repository's files without what .gitignore names. */
async function copyFiles(target: string, folder = ""): Promise<void> {
  await Deno.mkdir(join(target, folder), { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(join(repository, folder))) {
    if (/^(node_modules|dist|data|\.tmp|\.git|.*\.tgz)$/.test(name)) continue;
    const path = join(folder, name);
    if (isDirectory) await copyFiles(target, path);
    else await Deno.copyFile(join(repository, path), join(target, path));
  }
}

function freePort(): string {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return String(listener.addr.port);
}
