/** bin/grants.js: the flags of commands on a server that a word or a context names. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { contextsFile } from "../../bin/contexts.js";
import { grants, verbs } from "../../bin/grants.js";
import { temporaryFolder } from "../support/command.ts";

Deno.test("grants: a verb that names a server reaches it, and no other", () => {
  const known = verbs as Record<string, object>;
  known["try url"] = { needs: "nothing", "--url": "net" };
  try {
    const servers: Record<string, string | undefined> = {
      "http://desk.example.org": "--allow-net=desk.example.org:80",
      "https://desk.example.org/x": "--allow-net=desk.example.org:443",
      "http://[::1]:3000": "--allow-net=[::1]:3000",
      "https://user@desk:8443": "--allow-net=desk:8443",
      "ftp://desk": undefined,
      "desk:3000": undefined,
      "*": undefined,
    };
    for (const [url, expected] of Object.entries(servers)) {
      const flags: string[] = grants(["try", "url", "--url", url], {}, "/srv", "/opt");
      assert.equal(flags.find((flag) => flag.startsWith("--allow-net")), expected, url);
    }
  } finally {
    delete known["try url"];
  }
});

Deno.test("grants: a verb on a server reaches that server and its access token's file, and no store", () => {
  const known = verbs as Record<string, object>;
  known["try it"] = { onServer: true, arguments: "text", "--url": "net", "--token-file": "read" };
  const flags = (env: Record<string, string>, ...words: string[]): string[] =>
    grants(["try", "it", ...words], env, "/srv", "/opt").slice(0, -2);
  try {
    assert.deepEqual(flags({}, "--url=https://desk", "--token-file", "t", "/etc/hosts"), [
      "--allow-net=desk:443",
      "--allow-read=/opt,/srv/t",
    ]);
    const env = { KEYDESK_URL: "http://desk:3000", KEYDESK_TOKEN_FILE: "/run/token" };
    assert.deepEqual(flags(env), ["--allow-net=desk:3000", "--allow-read=/opt,/run/token"]);
    // The file is that server's, and is not read for another one.
    assert.deepEqual(flags(env, "--url", "https://other"), [
      "--allow-net=other:443",
      "--allow-read=/opt",
    ]);
    assert.deepEqual(flags(env, "--url", "https://other", "--url", "http://DESK:3000/x"), [
      "--allow-net=other:443,desk:3000",
      "--allow-read=/opt,/run/token",
    ]);
    assert.deepEqual(flags(env, "--url", "https://other", "--token-file=t"), [
      "--allow-net=other:443",
      "--allow-read=/opt,/srv/t",
    ]);
    // Without a server it is the store; the file is none of its.
    const { KEYDESK_TOKEN_FILE } = env;
    assert.deepEqual(flags({ KEYDESK_TOKEN_FILE }), [
      "--allow-read=/opt,/srv/data",
      "--allow-write=/srv/data",
    ]);
  } finally {
    delete known["try it"];
  }
});

Deno.test("grants: a command on a server gets that server, its token file and the program, nothing else", () => {
  const surroundings = {
    KEYDESK_DATABASE_URL: "postgres://db/x",
    KEYDESK_DATA_DIR: "/var/lib/keydesk",
    KEYDESK_PUBLIC_URL: "https://elsewhere.example",
  };
  const granted = (words: string[], env = {}) =>
    grants(words, { ...surroundings, ...env }, "/srv", "/opt/keydesk");
  const rest = ["--allow-env=KEYDESK_*", "--ignore-env"];
  const verbs = ["requests list", "developers add a@b", "plans list", "keys issue d p", "doctor"];
  for (const verb of verbs) {
    const words = verb.split(" ");
    for (
      const more of [
        ["--url", "https://desk.example", "--token-file", "t"],
        ["--token-file=t", "--url=https://desk.example"],
      ]
    ) {
      assert.deepEqual(granted([...words, ...more]), [
        "--allow-net=desk.example:443",
        "--allow-read=/opt/keydesk,/srv/t",
        ...rest,
      ]);
    }
    const env = { KEYDESK_URL: "http://127.0.0.1:81/a", KEYDESK_TOKEN_FILE: "/run/t" };
    assert.deepEqual(granted(words, env), [
      "--allow-net=127.0.0.1:81",
      "--allow-read=/opt/keydesk,/run/t",
      ...rest,
    ]);
    // What is named comes before what the surroundings say.
    assert.equal(granted([...words, "--url", "http://[::1]"], env)[0], "--allow-net=[::1]:80");
  }
  // What needs no access token reads none.
  assert.deepEqual(
    granted(["leaks", "report"], {
      KEYDESK_URL: "http://127.0.0.1:81",
      KEYDESK_TOKEN_FILE: "/run/t",
    }),
    ["--allow-net=127.0.0.1:81", "--allow-read=/opt/keydesk", ...rest],
  );
  for (const url of ["", "desk", "ftp://desk", "https://a,b", "https://"]) {
    const flags = granted(["plans", "list", `--url=${url}`], { KEYDESK_URL: "" });
    assert.ok(url === "" || flags[0]?.startsWith("--allow-read="), url);
  }
});

Deno.test("grants: a verb reaches the server of its context and that access token, and no others", async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "contexts.json");
  const program = join(folder.path, "secret-tool");
  await Deno.writeTextFile(program, "", { mode: 0o700 });
  const contexts = {
    env: { url: "https://env.example", token: "${env:MY_TOKEN}" },
    file: { url: "http://file.example/x", token: "${file:/run/t}" },
    ring: { url: "https://ring.example", token: "${keyring}" },
    odd: { url: "https://a,b", token: "${env:A,B}" },
    relative: { url: "https://relative.example", token: "${file:t}" },
  };
  await Deno.writeTextFile(file, JSON.stringify({ current: "file", contexts }));
  const env = { KEYDESK_CONTEXTS: file, PATH: `relative:/none:${folder.path}` };
  const granted = (words: string[], more: Record<string, string> = {}): string[] =>
    grants(words, { ...env, ...more }, "/srv", "/opt");
  const settings = "--allow-env=KEYDESK_*";
  const rest = ["--ignore-env", "--allow-sys=uid"];
  const list = ["plans", "list"];
  const ofFile = [
    "--allow-net=file.example:80",
    `--allow-read=/opt,${file},/run/t`,
    settings,
    ...rest,
  ];
  const ofEnv = [
    "--allow-net=env.example:443",
    `--allow-read=/opt,${file}`,
    `${settings},MY_TOKEN`,
    ...rest,
  ];
  assert.deepEqual(granted(list), ofFile);
  assert.deepEqual(granted(["doctor"]), ofFile);
  assert.deepEqual(granted([...list, "--context", "env"]), ofEnv);
  assert.deepEqual(granted(list, { KEYDESK_CONTEXT: "env", KEYDESK_DATA_DIR: "x" }), ofEnv);
  assert.deepEqual(granted([...list, "--context=env"], { KEYDESK_URL: "https://other" }), ofEnv);
  assert.deepEqual(granted([...list, "--context=ring"]), [
    "--allow-net=ring.example:443",
    `--allow-read=/opt,${file}`,
    settings,
    `--allow-run=${program}`,
    ...rest,
  ]);
  const odd = [`--allow-read=/opt,${file}`, settings, ...rest];
  assert.deepEqual(granted([...list, "--context=odd"]), odd);
  assert.deepEqual(granted([...list, "--context=relative"]).slice(1), odd);
  // The local store: it is named, or the settings have it.
  const store = granted([...list, "--context", "local"]);
  assert.deepEqual(store.slice(0, 2), [
    `--allow-read=/opt,${file},/srv/data`,
    "--allow-write=/srv/data",
  ]);
  assert.ok(!granted(list, { KEYDESK_DATA_DIR: "x" }).join().includes("file.example"));
  // Verbs that work on the store alone know no contexts.
  for (const words of [["serve"], ["token", "list"], ["backup", "f"]]) {
    assert.deepEqual(granted(words), grants(words, {}, "/srv", "/opt"));
  }
  const own = [file, `${file}.partial`, `${file}.lock`].join(",");
  assert.deepEqual(granted(["context", "use", "env"]), [
    `--allow-read=/opt,${own}`,
    `--allow-write=${own}`,
    settings,
    ...rest,
  ]);
  assert.deepEqual(granted(["context", "list"]), odd);
  const runs = (...words: string[]) => granted(["context", ...words]).join().includes("allow-run");
  assert.ok(runs("remove", "ring") && runs("add", "x", "--url=https://x", "--keyring"));
  assert.ok(!runs("remove", "env") && !runs("list") && !runs("show", "ring"));
});

Deno.test("grants: contexts are in the home directory unless a setting names their file", async () => {
  await using folder = await temporaryFolder();
  const place = (env: Record<string, string>): string => contextsFile(env, "/srv");
  assert.equal(place({ HOME: "/home/a" }), "/home/a/.config/keydesk/contexts.json");
  const config = { HOME: "/home/a", XDG_CONFIG_HOME: "/etc/a" };
  assert.equal(place(config), "/etc/a/keydesk/contexts.json");
  assert.equal(place({ ...config, XDG_CONFIG_HOME: "a" }), place({ HOME: "/home/a" }));
  assert.equal(place({ ...config, KEYDESK_CONTEXTS: "c.json" }), "/srv/c.json");
  // As of a service without a home directory.
  assert.equal(place({}), "");
  // A link of whoever keeps such files elsewhere stays one.
  const real = join(await Deno.realPath(folder.path), "real.json");
  await Deno.writeTextFile(real, "{}");
  await Deno.symlink(real, join(folder.path, "link.json"));
  assert.equal(place({ KEYDESK_CONTEXTS: join(folder.path, "link.json") }), real);
  // A folder that is not there yet is made.
  const flags: string[] = grants(["context", "use", "-"], { HOME: folder.path }, "/srv", "/opt");
  const made = join(folder.path, ".config", "keydesk");
  assert.ok(flags.some((one) => one.startsWith("--allow-write=") && one.endsWith(`,${made}`)));
});

Deno.test("grants: a server that is named is nothing to commands on the local store", () => {
  const env = { KEYDESK_URL: "https://desk.example", KEYDESK_TOKEN_FILE: "/run/t" };
  for (const words of [["serve"], ["token", "list"], ["keys", "import", "f"], ["backup", "f"]]) {
    assert.deepEqual(
      grants(words, env, "/srv", "/opt/keydesk"),
      grants(words, {}, "/srv", "/opt/keydesk"),
    );
  }
});

Deno.test("grants: doctor on the local store asks the address by which others reach the server", () => {
  const flags = grants(["doctor"], { KEYDESK_PUBLIC_URL: "https://desk.example/x" }, "/srv", "/o");
  assert.equal(flags[0], "--allow-net=127.0.0.1:3000,desk.example:443");
});
