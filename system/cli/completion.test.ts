/** The completion scripts in real shells: what Tab makes of words that were begun. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { keydesk, run, temporaryFolder } from "../../test/support/command.ts";

/** What is typed, and the words that the command gets then. */
const typed: readonly [keys: string, words: string][] = [
  ["requ\tli\t--st\tpen\t", "requests list --state pending"],
  ["requests list --state=iss\t", "requests list --state=issued"],
  ["keys iss\tdev-ada", "keys issue dev-ada"],
  ["completion z\t", "completion zsh"],
  ["plans list --token-file tok\t--js\t", "plans list --token-file token.txt --json"],
  ["certs import tok\t--pa\ttok\t", "certs import token.txt --passphrase-file token.txt"],
  ["export aud\t", "export audit"],
  ["help requ\tli\t", "help requests list"],
  ["token create x --allow portal:r\t", "token create x --allow portal:read"],
  ["token create x --allow portal:read,appr\t", "token create x --allow portal:read,approve"],
  ["token create x --allow=portal:read,secr\t", "token create x --allow=portal:read,secrets"],
  ["developers list --sta\tin\t", "developers list --state inactive"],
];

/**
 * A terminal with a shell that knows the script, and a command that tells what it was called with.
 */
const shells = {
  bash: {
    start: "bash --noprofile --norc -i",
    before: "bind 'set bell-style none'; source ./keydesk.bash",
  },
  zsh: {
    start: "zsh -f -i",
    before: "unsetopt beep prompt_cr prompt_sp; autoload -U compinit; " +
      "compinit -u -d ./dump; source ./keydesk.zsh",
  },
};

for (const [shell, { start, before }] of Object.entries(shells)) {
  Deno.test(`completion: ${shell} completes commands, options, values and files at Tab`, async () => {
    await using folder = await temporaryFolder();
    await writeScript(shell, folder.path);
    const child = new Deno.Command("script", {
      args: ["--quiet", "--return", "--command", start, "/dev/null"],
      cwd: folder.path,
      clearEnv: true,
      env: { PATH: Deno.env.get("PATH") ?? "", HOME: folder.path, TERM: "dumb", PS1: "ready> " },
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const keyboard = child.stdin.getWriter();
    const type = (text: string) => keyboard.write(new TextEncoder().encode(text));
    let screen = "";
    const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    const until = async (wanted: RegExp) => {
      while (!wanted.test(screen)) {
        const { done, value } = await reader.read();
        if (done) assert.fail(`${shell} ended: ${screen}`);
        screen += value;
      }
    };
    await until(/ready> /);
    await type(`${before}; keydesk() { echo "called <$*>"; }; PS1='now> '\n`);
    await until(/^now> |[\r\n]now> /);
    const got: string[] = [];
    for (const [keys] of typed) {
      screen = "";
      await type(`keydesk ${keys}\n`);
      await until(/called <.*>[\s\S]*now> /);
      got.push(/called <(.*?) ?>/.exec(screen)?.[1] ?? "");
    }
    await type("exit\n");
    while (!(await reader.read()).done);
    await child.status;
    keyboard.releaseLock();
    await child.stdin.close().catch(() => {});
    assert.deepEqual(got, typed.map(([, words]) => words));
  });
}

Deno.test("completion: fish completes commands, options, values and files, with what they mean", async () => {
  await using folder = await temporaryFolder();
  await writeScript("fish", folder.path);
  const complete = async (line: string) => {
    const words = `source ./keydesk.fish; complete -C ${JSON.stringify(line)}`;
    const { code, stdout, stderr } = await run(["fish", "--no-config", "-c", words], {
      cwd: folder.path,
      env: { HOME: folder.path },
    });
    assert.deepEqual([code, stderr], [0, ""]);
    return stdout.trimEnd().split("\n");
  };
  assert.deepEqual(await complete("keydesk requ"), ["requests\tkey requests and their decisions"]);
  const below = await complete("keydesk requests ");
  assert.deepEqual(below.map((line) => line.split("\t")[0]), [
    "approve",
    "assign",
    "decline",
    "list",
    "offer",
    "show",
    "withdraw-offer",
  ]);
  const states = await complete("keydesk requests list --state ");
  assert.deepEqual(states.map((line) => line.split("\t")[0]), ["declined", "issued", "pending"]);
  const words = async (line: string) => (await complete(line)).map((found) => found.split("\t")[0]);
  assert.deepEqual(
    await words("keydesk token create x --allow portal:read,appr"),
    ["portal:read,approve"],
  );
  assert.deepEqual(
    await words("keydesk token create x --allow=portal:read,secr"),
    ["--allow=portal:read,secrets"],
  );
  assert.deepEqual(await words("keydesk export o"), ["outbox"]);
  assert.deepEqual(await complete("keydesk plans list --token-file tok"), ["token.txt"]);
  assert.deepEqual(await complete("keydesk certs import tok"), ["token.txt"]);
  assert.deepEqual(await complete("keydesk requests show tok"), [""]);
  const [option = ""] = await complete("keydesk keys issue --ur");
  assert.match(option, /^--url\twork on this server/);
});

async function writeScript(shell: string, folder: string): Promise<void> {
  const { stdout } = await keydesk(["completion", shell], {});
  await Deno.writeTextFile(join(folder, `keydesk.${shell}`), stdout);
  await Deno.writeTextFile(join(folder, "token.txt"), "");
}
