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

Deno.test("terminal: serve prints a link there whose code signs in, once", async () => {
  await using folder = await temporaryFolder();
  const command = `node '${join(repository, "bin/keydesk.js")}' serve`;
  const child = new Deno.Command("script", {
    args: ["--quiet", "--return", "--command", command, "/dev/null"],
    clearEnv: true,
    env: {
      PATH: Deno.env.get("PATH") ?? "",
      HOME: Deno.env.get("HOME") ?? "",
      KEYDESK_DATA_DIR: folder.path,
      KEYDESK_PORT: "0",
    },
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const keyboard = child.stdin.getWriter();
  const decoder = new TextDecoder();
  let screen = "";
  let code: string | undefined;
  for await (const part of child.stdout) {
    screen += decoder.decode(part, { stream: true });
    const [, url, shown] = /(http:\S+)\/console#code=([A-Za-z0-9]{43})\r\n/.exec(screen) ?? [];
    if (code !== undefined || shown === undefined) continue;
    code = shown;
    const body = JSON.stringify({ code });
    const signIn = async () => {
      const response = await fetch(`${url}/v1/session`, { method: "POST", body });
      await response.body?.cancel();
      return response.status;
    };
    assert.deepEqual([await signIn(), await signIn()], [200, 401]);
    await keyboard.write(new Uint8Array([3]));
  }
  assert.ok(code, screen);
  // The shell between them says that it was Ctrl-C.
  assert.ok([0, 130].includes((await child.status).code), screen);
  keyboard.releaseLock();
  await child.stdin.close().catch(() => {});
  // The link is for eyes, never for the lines of the log.
  const lines = screen.split("\r\n").filter((line) => line.startsWith("{"));
  assert.ok(lines.length > 0 && !lines.join("\n").includes(code));
});
