/** What a person at a terminal sees; `script` of the base system stands for one. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { beginStore } from "../../test/support/begun-store.ts";
import { asn1Time, made } from "../../test/support/certificates.ts";
import { repository, run, temporaryFolder } from "../../test/support/command.ts";

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

const DAY_MS = 86_400_000;
const RED = "\x1b[31m";
const YELLOW = "\x1b[33m";
const PLAIN = "\x1b[39m";

/** A store with certificates of every standing, and a file of enough others to be watched. */
async function inventory(folder: string) {
  const env = { KEYDESK_DATA_DIR: join(folder, "data") };
  const program = join(repository, "bin/keydesk.js");
  const now = Date.now();
  const ends = { ended: now - 9 * DAY_MS, soon: now + 9 * DAY_MS, later: now + 900 * DAY_MS };
  const pems = Object.entries(ends).map(([cn, to], i) =>
    made({ cn, to: asn1Time(to), serial: `0${i + 1}` })
  );
  await Deno.writeTextFile(join(folder, "few.pem"), pems.join(""));
  const many = Array.from(
    { length: 4000 },
    (_, i) => made({ cn: `c-${i}`, serial: (i + 4096).toString(16).padStart(6, "0") }),
  );
  await Deno.writeTextFile(join(folder, "many.pem"), `${many.join("")}nonsense\n`);
  await Deno.writeTextFile(join(folder, "wrong.pem"), "nonsense");
  const plainly = (...words: string[]) => run(["node", program, ...words], { env });
  await beginStore(env);
  assert.equal((await plainly("certs", "import", join(folder, "few.pem"))).code, 0);
  const atTerminal = async (words: string, more: Record<string, string> = {}) => {
    const command = `node '${program}' ${words}`;
    const shown = await run(["script", "--quiet", "--return", "--command", command, "/dev/null"], {
      env: { ...env, NO_COLOR: "", TERM: "xterm", ...more },
    });
    return shown.stdout.replaceAll("\r\n", "\n");
  };
  return { plainly, atTerminal };
}

Deno.test("terminal: certs list is red for what has ended and yellow for what ends soon, there alone", async () => {
  await using folder = await temporaryFolder();
  const { plainly, atTerminal } = await inventory(folder.path);
  const lines = (await atTerminal("certs list -o wide")).split("\n");
  const [, ended = "", soon = "", later = ""] = lines;
  assert.ok(ended.startsWith(`${RED}ended `) && ended.endsWith(PLAIN), ended);
  assert.ok(soon.startsWith(`${YELLOW}soon `) && soon.endsWith(PLAIN), soon);
  assert.ok(later.startsWith("later "), later);

  const uncoloured = await atTerminal("certs list -o wide", { NO_COLOR: "1" });
  const piped = (await plainly("certs", "list")).stdout;
  assert.equal(uncoloured, piped);
  assert.equal(await atTerminal("certs list | cat"), piped);
  for (const text of [uncoloured, await atTerminal("certs list --json")]) {
    assert.ok(text.includes("soon") && !text.includes("\x1b"), text);
  }
});

Deno.test("terminal: certs import shows a bar that grows and goes away, there alone", async () => {
  await using folder = await temporaryFolder();
  const { plainly, atTerminal } = await inventory(folder.path);
  const many = join(folder.path, "many.pem");
  const shown = await atTerminal(`certs import '${many}' '${join(folder.path, "wrong.pem")}'`);
  const shares = [...shown.matchAll(/\r[█░]{30} (\d+) %/g)].map(([, share]) => Number(share));
  assert.ok(shares.length >= 2, shown);
  assert.deepEqual(shares, [...shares].sort((a, b) => a - b));
  assert.ok(shares.every((share) => share <= 100));
  // Taken away before anything else is said.
  const cleared = shown.replaceAll("\r\x1b[K", "<cleared>");
  assert.match(cleared, /<cleared>\S*wrong\.pem: The file has no line/);
  assert.match(cleared, /<cleared>2 files: 4000 added, 0 known already, 1 refused\n/);
  const again = await plainly("certs", "import", many);
  assert.deepEqual([again.stdout, again.stderr], [
    "1 file: 0 added, 4000 known already, 0 refused\n",
    "",
  ]);
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
