/** `keydesk diff`, `apply`, `config` and `export config`, on the local store and on its server. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { doors, openDoors } from "../support/doors.ts";
import { runHere } from "../support/terminal.ts";

const PLATFORM = `# Our plans.
plans:
  - name: Gold   # the best
    rate: 10
    per: 1
channels:
  - name: Hook
    url: https://hooks.example.org/\${env:CHANNEL_PATH}
`;

for (const way of doors) {
  Deno.test(`config (${way}): compared, applied as reviewed, adopted and exported`, async () => {
    await using desk = await openDoors();
    const call = desk[way];
    const at = (name: string) => join(desk.folder, name);
    await Deno.writeTextFile(at("plans.yaml"), PLATFORM.split("channels:")[0] ?? "");
    const first = await call("diff", at("plans.yaml"));
    assert.deepEqual([first.code, first.stderr], [2, "keydesk: plans.yaml: 1 to add\n"]);
    assert.match(first.stdout, /^\+ plan Gold\n {4}name: Gold\n {4}rate: 10\n/);
    const { stdout: digest } = await call("diff", at("plans.yaml"), "--format", "digest");
    const unsaid = await call("apply", at("plans.yaml"));
    assert.deepEqual([unsaid.code, unsaid.stdout], [2, ""]);
    const other = await call("apply", at("plans.yaml"), "--expect", "0".repeat(64));
    assert.deepEqual([other.code, /config_differs/.test(other.stderr)], [1, true]);
    const words = ["--expect", digest.trim(), "--revision", "3f9c1e2"];
    const applied = await call("apply", at("plans.yaml"), ...words);
    assert.deepEqual([applied.code, applied.stderr], [0, "Applied plans.yaml: 1 added.\n"]);
    assert.deepEqual(await call("diff", at("plans.yaml")), {
      code: 0,
      stdout: "Nothing would change.\n",
      stderr: "",
    });
    assert.equal((await call("plans", "edit", "Gold", "--set", "rate=25")).code, 0);
    assert.match((await call("config", "managed")).stdout, /plans +plans\.yaml .*rate +Gold/);
    const adopted = await call("config", "adopt", at("plans.yaml"));
    assert.match(adopted.stderr, /^Changed .*plans\.yaml;/);
    const text = await Deno.readTextFile(at("plans.yaml"));
    assert.match(text, /^# Our plans\.\nplans:\n {2}- name: Gold *# the best\n {4}rate: 25\n/);
    const exported = await call("export", "config", "--only", "plans");
    assert.match(
      exported.stdout,
      /^# yaml-language-server: \$schema=http\S+\/v1\/config\/schema\n/,
    );
    await Deno.writeTextFile(at("plans.yaml"), exported.stdout);
    assert.equal((await call("diff", at("plans.yaml"))).code, 0);
    assert.match(
      (await call("config", "rule", "refuse")).stderr,
      way === "local" ? /are refused/ : /./,
    );
  });
}

Deno.test("config: files, a folder and standard input are joined, and mistakes have their place", async () => {
  await using desk = await openDoors();
  const at = (name: string) => join(desk.folder, "all", name);
  await Deno.mkdir(at(""), { recursive: true });
  await Deno.writeTextFile(at("a.yaml"), "plans: [{ name: A }]\n---\nplans: [{ name: B }]\n");
  await Deno.writeTextFile(at("b.json"), '{ "plans": [{ "name": "C" }] }');
  await Deno.writeTextFile(at("README.md"), "no: yaml: at all");
  const settings = { ...desk.settings };
  const run = (words: string[], input = "", more = {}) =>
    runHere(words, { ...settings, ...more }, input);
  assert.match((await run(["diff", at("")])).stderr, /^keydesk: all: 3 to add\n$/);
  const both = await run(["diff", at("b.json"), "-", "--name", "x"], "plans:\n  - name: D\n");
  assert.match(both.stderr, /^keydesk: x: 2 to add\n$/);
  assert.match((await run(["diff", "-"], "plans: []")).stderr, /say by --name/);
  for (
    const [text, says] of [
      ["plans: [{ name: A, name: B }]", /^keydesk: -:1:20: /],
      ["plans: [A", /^keydesk: -:\d+:\d+: /],
      ["- plans", /expected members such as plans/],
      ["plans: [{ name: A, rats: 1 }]", /"plans\[0\]\.rats"; did you mean "rate"/],
      ["branding: {}\n---\nbranding: {}\n", /branding is declared in another file too/],
      [
        "branding: { name: '${env:NOT_THERE}' }",
        /\$\{env:NOT_THERE\}: the environment has no NOT_THERE/,
      ],
      ["branding: { name: '${env:KEYDESK_SEALING_KEY}' }", /is a secret of Keydesk itself/],
      ["branding: { name: '${file:not-there}' }", /\$\{file:not-there\}: there is no such file/],
      ["a: &a [x, x]\nb: &b [*a, *a, *a, *a]\nc: &c [*b, *b, *b, *b]\nd: [*c, *c, *c, *c]\n", /./],
    ] as const
  ) {
    const { code, stderr } = await run(["diff", "-", "--name", "x"], text);
    assert.equal(code, 1, `${text}: ${stderr}`);
    assert.match(stderr, says);
  }
  assert.match((await run(["diff", at("none.yaml")])).stderr, /none\.yaml: there is no such file/);
  await Deno.mkdir(at("empty"));
  assert.match((await run(["diff", at("empty")])).stderr, /there is no file in it/);
  await Deno.writeTextFile(at("broken.json"), '{ "plans": [}');
  assert.match((await run(["diff", at("broken.json")])).stderr, /broken\.json: is no JSON/);
});

Deno.test("config: references are values of the environment, and are printed as they are written", async () => {
  await using desk = await openDoors();
  const path = join(desk.folder, "platform.yaml");
  await Deno.writeTextFile(path, PLATFORM);
  const run = (words: string[], input = "", width?: number) =>
    runHere(words, { ...desk.settings, CHANNEL_PATH: "not-to-be-seen" }, input, width);
  const diff = await run(["diff", path]);
  assert.match(diff.stdout, /url: https:\/\/hooks\.example\.org\/\$\{env:CHANNEL_PATH\}/);
  const markdown = await run(["diff", path, "--format", "markdown"]);
  assert.match(markdown.stdout, /\| \+ channel \*\*Hook\*\* \| name \| {2}\| `Hook` \|/);
  // A person at a terminal is asked.
  const no = await run(["apply", path], "no\n", 100);
  assert.deepEqual([no.code, no.stderr.includes("nothing was applied")], [1, true]);
  const yes = await run(["apply", path], "yes\n", 100);
  assert.deepEqual([yes.code, /Applied platform\.yaml: 2 added\./.test(yes.stderr)], [0, true]);
  assert.equal((await run(["diff", path])).code, 0);
  const all = [diff, markdown, no, yes, await run(["config", "managed", "--json"])];
  assert.ok(!JSON.stringify(all).includes("not-to-be-seen"));
  const { stdout } = await run(["channels", "list", "--json"]);
  assert.ok(stdout.includes("https://hooks.example.org/not-to-be-seen"));
});
