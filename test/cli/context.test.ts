/** `keydesk context`, and the server that commands work on. */
import assert from "node:assert/strict";
import { join } from "node:path";
import {
  type Ended,
  keydesk,
  keydeskProcess,
  repository,
  run,
  temporaryFolder,
} from "../support/command.ts";
import { openDoors } from "../support/doors.ts";

const LIST = ["requests", "list", "--limit", "1"];
const ANYWHERE = "https://desk.invalid";

/** A stand-in for the real one: keeps what it is given in a file for each owner. */
const secretTool = (ring: string) =>
  `#!/bin/sh
verb="$1"; [ "$verb" = store ] && shift
owner="${ring}.$(printf '%s' "$3$5" | tr -c 'A-Za-z0-9' _)"
case "$verb" in
  store) cat >"$owner" ;;
  lookup) cat "$owner" 2>/dev/null ;;
  clear) rm "$owner" ;;
esac
`;

/** Refused with one sentence on standard error, and nothing on standard output. */
function assertRefused({ code, stdout, stderr }: Ended, sentence: RegExp, expected = 1): void {
  assert.deepEqual([code, stdout], [expected, ""], stderr);
  assert.match(stderr, sentence);
  assert.equal(stderr.trimEnd().split("\n").length, 1, stderr);
}

Deno.test("contexts: a server is added by name, chosen, listed and removed; no file has its access token", async () => {
  await using desk = await openDoors();
  const { url } = desk.server;
  const file = join(desk.folder, "own", "contexts.json");
  const TOKEN = (await Deno.readTextFile(desk.tokenFile)).trim();
  const env = { KEYDESK_CONTEXTS: file, TOKEN };
  const done = async (...words: string[]) => {
    const ended = await keydesk(words, env);
    assert.equal(ended.code, 0, ended.stderr);
    return ended;
  };
  await done("context", "add", "staging", "--url", url, "--token-env", "TOKEN", "--use");
  await done("context", "add", "prod", "--url", url, "--token-file", desk.tokenFile);
  const text = await Deno.readTextFile(file);
  assert.ok(!text.includes(TOKEN));
  assert.equal((await Deno.stat(file)).mode! & 0o777, 0o600);
  assert.equal((await Deno.stat(join(file, ".."))).mode! & 0o777, 0o700);

  const atCurrent = await done(...LIST);
  assert.equal(atCurrent.stderr, `keydesk: at staging (${url})\n`);
  const atNamed = await done(...LIST, "--context", "prod");
  assert.deepEqual([atNamed.stdout, atNamed.stderr], [atCurrent.stdout, ""]);
  const bySetting = await keydesk(LIST, { ...env, KEYDESK_CONTEXT: "prod" });
  assert.deepEqual([bySetting.stdout, bySetting.stderr], [atCurrent.stdout, ""]);
  const healthy = await done("doctor", "--context", "prod");
  assert.match(healthy.stdout, new RegExp(`answers at ${url}`));
  const reported = await keydesk(["leaks", "report", "--context", "prod"], env, "no key\n");
  assert.equal(reported.stderr, `keydesk: ${url} takes no reports (unknown_path)\n`);

  const listed = await done("context", "list", "--json");
  assert.deepEqual(listed.stdout.trimEnd().split("\n").map((line) => JSON.parse(line)), [
    { name: "prod", url, token: `\${file:${desk.tokenFile}}`, current: false },
    { name: "staging", url, token: "${env:TOKEN}", current: true },
    { name: "local", url: null, token: null, current: false },
  ]);
  const current = async (words: string[] = []) => {
    const { stdout } = await done("context", "show", "--json", ...words);
    return JSON.parse(stdout);
  };
  const by = "keydesk context use";
  assert.deepEqual(await current(), { name: "staging", url, token: "${env:TOKEN}", by });
  await done("context", "use", "prod");
  assert.equal((await current()).name, "prod");
  await done("context", "use", "-");
  assert.equal((await current()).name, "staging");
  await done("context", "use", "local");
  assert.deepEqual(await current(), { name: "local", url: null, token: null, by: null });
  await done("context", "use", "-");
  assert.deepEqual(await current(["prod"]), {
    name: "prod",
    url,
    token: `\${file:${desk.tokenFile}}`,
    current: false,
  });
  const removed = await done("context", "remove", "staging");
  assert.match(
    removed.stderr,
    /^staging is removed\.\nCommands work on the local store from now on/,
  );
  assert.equal((await current()).name, "local");
});

Deno.test("contexts: what is named in the call comes first, and the current context last", async () => {
  await using desk = await openDoors();
  const { url } = desk.server;
  const file = join(desk.folder, "contexts.json");
  const env = { KEYDESK_CONTEXTS: file, TOKEN: (await Deno.readTextFile(desk.tokenFile)).trim() };
  const add = ["context", "add", "here", "--url", url, "--token-env", "TOKEN", "--use"];
  assert.equal((await keydesk(add, env)).code, 0);
  const show = async (settings: Record<string, string>) =>
    JSON.parse((await keydesk(["context", "show", "--json"], { ...env, ...settings })).stdout).by;
  assert.equal(await show({}), "keydesk context use");
  assert.equal(await show({ KEYDESK_URL: ANYWHERE }), "KEYDESK_URL");
  assert.equal(await show({ KEYDESK_CONTEXT: "local" }), "KEYDESK_CONTEXT");
  // The commands of a server's own machine, whatever is in the home directory.
  for (
    const name of [
      "KEYDESK_DATA_DIR",
      "KEYDESK_DATABASE_URL",
      "KEYDESK_DATABASE_URL_FILE",
      "KEYDESK_SEALING_KEY",
      "KEYDESK_SEALING_KEY_FILE",
    ]
  ) assert.equal(await show({ [name]: "x" }), name);
  const local = await keydesk(LIST, { ...env, ...desk.settings });
  assert.deepEqual([local.code, local.stderr], [0, ""]);
  const named = await keydesk([...LIST, "--context", "here"], { ...env, ...desk.settings });
  assert.deepEqual([named.code, named.stderr], [0, ""]);
  const empty = { ...env, KEYDESK_URL: ANYWHERE, KEYDESK_DATA_DIR: join(desk.folder, "empty") };
  const kept = await keydesk([...LIST, "--context", "local"], empty);
  assertRefused(kept, /there is no store in \S+empty /);
  const used = await keydesk(["context", "use", "here"], { ...env, ...desk.settings });
  assert.match(used.stderr, /KEYDESK_DATA_DIR is set here, and comes before it\.\n$/);
  // Neither of two wins in silence.
  const both = /both name the server: one of them is needed/;
  assertRefused(await keydesk([...LIST, "--url", url, "--context", "here"], env), both, 2);
  const settings = { ...env, KEYDESK_URL: url, KEYDESK_CONTEXT: "here" };
  assertRefused(await keydesk(LIST, settings), both, 2);
  // An access token of the settings is another server's; one that is named beside it is not.
  const wrong = { ...env, KEYDESK_TOKEN: "wrong" };
  assert.equal((await keydesk(LIST, wrong)).code, 0);
  const other = join(desk.folder, "other");
  await Deno.writeTextFile(other, "other", { mode: 0o600 });
  const asOther = await keydesk([...LIST, "--context", "here", "--token-file", other], env);
  assertRefused(asOther, /Not authorised by the access token in \S+other /);
});

Deno.test("contexts: what can't be used is refused with the reason, and nothing is changed", async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "contexts.json");
  const env = { KEYDESK_CONTEXTS: file };
  const context = (...words: string[]) => keydesk(["context", ...words], env);
  const add = (name: string, ...words: string[]) => context("add", name, ...words);
  const usual = ["--url", ANYWHERE, "--token-env", "TOKEN"];
  for (const name of ["", "-", "a b", "../x", "x".repeat(64)]) {
    assertRefused(await add(name, ...usual), /a name has up to 63 letters/, 2);
  }
  assertRefused(await add("local", ...usual), /local is the local store, and no context/, 2);
  for (const url of ["https://u:secret@desk.invalid", "ftp://desk.invalid", "desk"]) {
    const ended = await add("a", "--url", url, "--token-env", "TOKEN");
    assertRefused(ended, /--url: expected https:/, 2);
    assert.ok(!ended.stderr.includes("secret"));
  }
  const plain = ["--url", "http://desk.invalid", "--token-env", "TOKEN"];
  assertRefused(await add("a", ...plain), /over plain http everyone on the way/);
  const one = /one of --token-env, --token-file and --keyring is needed/;
  assertRefused(await add("a", "--url", ANYWHERE), one, 2);
  assertRefused(await add("a", ...usual, "--keyring"), one, 2);
  for (const name of ["KEYDESK_TOKEN", "1A", "A,B"]) {
    const ended = await add("a", "--url", ANYWHERE, "--token-env", name);
    assertRefused(ended, /--token-env: expected the name of a variable/, 2);
  }
  const absent = await add("a", "--url", ANYWHERE, "--token-file", join(folder.path, "none"));
  assertRefused(absent, /none: there is no such file/);
  const keyring = await keydesk(
    ["context", "add", "a", "--url", ANYWHERE, "--keyring"],
    env,
    "token\n",
  );
  assertRefused(keyring, /there is no keyring on this machine/);
  await assert.rejects(Deno.stat(file));
  assertRefused(await context("use", "a"), /no context a; keydesk context add makes one/, 2);
  assertRefused(await context("use", "-"), /there is no previous context/);

  assert.equal((await add("a", ...plain, "--insecure-http", "--use")).code, 0);
  assert.equal((await add("b", ...usual)).code, 0);
  assertRefused(await add("a", ...usual), /there is a context a already: --replace/);
  assertRefused(await keydesk([...LIST, "--context", "c"], env), /no context c: there are a, b/, 2);
  assertRefused(await context("remove", "c"), /no context c: there are a, b/, 2);
  assertRefused(
    await keydesk([...LIST, "--context", "b"], env),
    /TOKEN is not in the environment: b has its access token there/,
  );
  assertRefused(await keydesk(["context", "list"], {}), /KEYDESK_CONTEXTS names the file/);
});

Deno.test("contexts: a file that others may read, that is damaged or has an access token is not used", async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "contexts.json");
  const env = { KEYDESK_CONTEXTS: file };
  const good = { contexts: { a: { url: ANYWHERE, token: "${env:T}" } } };
  const refused = async (content: unknown, sentence: RegExp) => {
    const text = typeof content === "string" ? content : JSON.stringify(content);
    await Deno.writeTextFile(file, text, { mode: 0o600 });
    for (const words of [LIST, ["context", "list"], ["context", "use", "a"]]) {
      const ended = await keydesk(words, env);
      assertRefused(ended, sentence);
      assert.ok(!ended.stderr.includes("kda_secret"), ended.stderr);
    }
    assert.equal(await Deno.readTextFile(file), text);
  };
  await refused('{\n "contexts" kda_secret', /contexts\.json is not JSON \(line 2 column 13\)/);
  await refused('{"contexts": kda_secret', /contexts\.json is not JSON\n/);
  await refused("", /contexts\.json is not JSON/);
  await refused([], /contexts\.json: /);
  const withToken = { contexts: { a: { url: ANYWHERE, token: "kda_secret" } } };
  await refused(withToken, /: contexts: a: token: expected \$\{env:NAME\}, .* never the access/);
  const withPassword = { contexts: { a: { url: "https://u:kda_secret@x", token: "${keyring}" } } };
  await refused(withPassword, /: contexts: a: url: expected https:/);
  await refused({ contexts: { a: { ...good.contexts.a, extra: 1 } } }, /Unrecognized key: "extra"/);
  await refused({ contexts: { local: good.contexts.a } }, /contexts: local: /);
  await Deno.writeTextFile(file, JSON.stringify(good));
  await Deno.chmod(file, 0o640);
  const open = await keydesk(LIST, env);
  assertRefused(open, /is open to others than its owner \(mode 640\): chmod 600 \S+contexts\.json/);
  // It is not even read where the call says the server.
  const named = await keydesk([...LIST, "--url", "http://127.0.0.1:1"], {
    ...env,
    KEYDESK_TOKEN: "x",
  });
  assertRefused(named, /can't reach/);
});

Deno.test("contexts: of several that are added at once none is lost", async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "new", "contexts.json");
  const names = Array.from({ length: 8 }, (_, i) => `c${i}`);
  const ended = await Promise.all(
    names.map((name) =>
      keydeskProcess(["context", "add", name, "--url", ANYWHERE, "--token-env", "T"], {
        KEYDESK_CONTEXTS: file,
      })
    ),
  );
  assert.deepEqual(ended.map(({ code }) => code), names.map(() => 0));
  const { contexts } = JSON.parse(await Deno.readTextFile(file));
  assert.deepEqual(Object.keys(contexts).sort(), names);
});

Deno.test("contexts: an access token is kept in the keyring, for its context and server alone", async () => {
  await using desk = await openDoors();
  const { url } = desk.server;
  const file = join(desk.folder, "contexts.json");
  const ring = join(desk.folder, "ring");
  const program = join(desk.folder, "secret-tool");
  await Deno.writeTextFile(program, secretTool(ring), { mode: 0o700 });
  const env = { KEYDESK_CONTEXTS: file, KEYDESK_KEYRING: program };
  const token = await Deno.readTextFile(desk.tokenFile);
  const add = ["context", "add", "ring", "--url", url, "--keyring"];
  const kept = async () =>
    (await Array.fromAsync(Deno.readDir(desk.folder))).filter(({ name }) =>
      name.startsWith("ring.")
    ).length;
  assert.equal((await keydesk(add, env, token)).code, 0);
  assert.ok(!(await Deno.readTextFile(file)).includes(token.trim()));
  assert.equal((await keydesk([...LIST, "--context", "ring"], env)).code, 0);
  // A file that somebody changed sends the access token to no other server.
  const text = await Deno.readTextFile(file);
  await Deno.writeTextFile(file, text.replace(url, "http://127.0.0.1:1"));
  assertRefused(
    await keydesk([...LIST, "--context", "ring"], env),
    /the keyring gives no access token of ring for http:\/\/127\.0\.0\.1:1\n/,
  );
  await Deno.writeTextFile(file, text);
  assertRefused(await keydesk([...add, "--replace"], env, "two words"), /standard input holds no/);
  assert.equal(await kept(), 1);
  const moved = ["context", "add", "ring", "--url", ANYWHERE, "--keyring", "--replace"];
  assert.equal((await keydesk(moved, env, token)).code, 0);
  assert.equal(await kept(), 1);
  assert.equal((await keydesk(["context", "remove", "ring"], env)).code, 0);
  assert.equal(await kept(), 0);
});

Deno.test("contexts: the launcher grants what a context needs, from a home directory without any", async () => {
  await using desk = await openDoors();
  const { url } = desk.server;
  const home = join(desk.folder, "home");
  await Deno.mkdir(join(desk.folder, "bin"));
  await Deno.writeTextFile(
    join(desk.folder, "bin", "secret-tool"),
    secretTool(join(desk.folder, "ring")),
    { mode: 0o700 },
  );
  const token = (await Deno.readTextFile(desk.tokenFile)).trim();
  const env = {
    HOME: home,
    TOKEN: token,
    PATH: `${join(desk.folder, "bin")}:${Deno.env.get("PATH")}`,
    npm_lifecycle_event: "",
  };
  const launcher = join(repository, "bin/keydesk.js");
  const launch = async (words: string[], input?: string) => {
    const ended = await run(["node", launcher, ...words], { env, cwd: desk.folder, input });
    assert.equal(ended.code, 0, ended.stderr);
    return ended;
  };
  const add = (
    name: string,
    ...words: string[]
  ) => ["context", "add", name, "--url", url, ...words];
  await launch(add("env", "--token-env", "TOKEN", "--use"));
  await launch(add("file", "--token-file", desk.tokenFile));
  await launch(add("ring", "--keyring"), token);
  const { stdout, stderr } = await launch(LIST);
  assert.equal(stderr, `keydesk: at env (${url})\n`);
  for (const name of ["file", "ring"]) {
    const named = await launch([...LIST, "--context", name]);
    assert.deepEqual([named.stdout, named.stderr], [stdout, ""]);
  }
  await launch(["context", "remove", "ring"]);
  const file = join(home, ".config", "keydesk", "contexts.json");
  const { current, contexts } = JSON.parse(await Deno.readTextFile(file));
  assert.deepEqual([current, Object.keys(contexts)], ["env", ["env", "file"]]);
});
