/** bin/grants.js: which flags follow from the settings and the command line. */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Command } from "commander";
import { contextsFile } from "../../bin/contexts.js";
import { collectorOf, grants, verbs } from "../../bin/grants.js";
import { createProgram } from "../../src/cli/program.ts";
import { verbsFileText } from "../../tools/help-file.ts";
import { repository, temporaryFolder } from "../support/command.ts";

Deno.test("grants: the defaults are one address, the data directory and the program", () => {
  assert.deepEqual(grants(["serve"], {}, "/srv", "/opt/keydesk"), [
    "--allow-net=127.0.0.1:3000",
    "--allow-read=/opt/keydesk,/srv/data",
    "--allow-write=/srv/data",
    "--allow-env=KEYDESK_*",
    "--ignore-env",
    "--allow-sys=hostname",
  ]);
});

Deno.test("grants: host, port and data directory follow the settings", () => {
  assert.equal(net({ KEYDESK_HOST: "0.0.0.0", KEYDESK_PORT: "0" }), "0.0.0.0:0");
  assert.equal(net({ KEYDESK_HOST: "::1" }), "[::1]:3000");
  assert.equal(net({ KEYDESK_HOST: "[::]", KEYDESK_PORT: "80" }), "[::]:80");
  assert.equal(list("allow-write", { KEYDESK_DATA_DIR: "../a,b" }), "/a,,b");
});

Deno.test("grants: an unusable host or port is granted nothing, never everything", () => {
  for (const KEYDESK_PORT of ["x", "65536", "-1", "3000,evil:1"]) {
    assert.equal(net({ KEYDESK_PORT }), undefined);
  }
  for (const KEYDESK_HOST of ["a b", "*", "a,b", "a:b", "[", "unix:/x"]) {
    assert.equal(net({ KEYDESK_HOST }), undefined);
  }
});

Deno.test("grants: a server reaches the hosts that KEYDESK_OUTBOUND names, at their ports, and no others", () => {
  const own = "127.0.0.1:3000";
  const reached = (KEYDESK_OUTBOUND: string) => net({ KEYDESK_OUTBOUND });
  assert.equal(
    reached("a.example, b.example:8443"),
    `${own},a.example:443,a.example:80,b.example:8443`,
  );
  assert.equal(
    reached("[2001:db8::1]:9000,2001:db8::2"),
    `${own},[2001:db8::1]:9000,[2001:db8::2]:443,[2001:db8::2]:80`,
  );
  for (
    const entries of ["", ",", "*", "0.0.0.0/0", "::/0", "10.0.0.0/8", "*:443", "a b:1", "a:x"]
  ) {
    assert.equal(reached(entries), own, entries);
  }
  const settings = { KEYDESK_OUTBOUND: "a.example", KEYDESK_OUTBOUND_CA_FILE: "ca.pem" };
  assert.deepEqual(grants(["token", "list"], settings, "/srv", "/opt").slice(0, 2), [
    "--allow-read=/opt,/srv/data,/srv/ca.pem",
    "--allow-write=/srv/data",
  ]);
});

Deno.test("grants: a server reaches the mail server of KEYDESK_SMTP_URL at its port, and no other", () => {
  const own = "127.0.0.1:3000";
  const reached = (KEYDESK_SMTP_URL: string) => net({ KEYDESK_SMTP_URL });
  assert.equal(reached("smtp://u:p@mail.example.org"), `${own},mail.example.org:587`);
  assert.equal(reached("smtps://mail.example.org"), `${own},mail.example.org:465`);
  assert.equal(reached("smtp://[::1]:2525"), `${own},[::1]:2525`);
  for (const url of ["", "http://mail.example.org", "mail.example.org", "smtp://*"]) {
    assert.equal(reached(url), own, url);
  }
});

Deno.test("grants: a server has the folder of its gateways, and the sockets of doors that are in it", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const id = "6b0a5ab793fd03c3c0095d81";
    for (const name of [`${id}.sock`, `${id}.map`, "other.sock", `${id}.sock.1`]) {
      await Deno.writeTextFile(`${folder}/${name}`, "");
    }
    const settings = { KEYDESK_GATEWAY_FOLDER: folder };
    assert.equal(net(settings), `127.0.0.1:3000,unix:${folder}/${id}.sock`);
    assert.equal(list("allow-write", settings), `/srv/data,${folder}`);
    assert.match(list("allow-read", settings) ?? "", new RegExp(`,${folder}$`));
    const other = grants(["seed"], settings, "/srv", "/opt").join(" ");
    assert.ok(!other.includes(folder), other);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  const missing = { KEYDESK_GATEWAY_FOLDER: "doors" };
  assert.equal(net(missing), "127.0.0.1:3000");
  assert.equal(list("allow-write", missing), "/srv/data,/srv/doors");
});

Deno.test("grants: every server of a postgres URL is reached, and nothing of another URL", () => {
  const servers: Record<string, string> = {
    "postgres://u:p@db/x": "db:5432",
    "postgresql://u:p%40a@db.example:6000/x?sslmode=verify-full": "db.example:6000",
    "postgres://u@a:1,b,[::1]:3/x": "a:1,b:5432,[::1]:3",
    "postgres:///x?host=a,b&port=1,2": "a:1,b:2",
    "postgres:///x?host=a,b&port=7": "a:7,b:7",
    "postgres:///x": "localhost:5432",
    "postgres://%2Frun%2Fpg/x": "unix:/run/pg/.s.PGSQL.5432",
    "postgres:///x?host=/run/pg&port=7": "unix:/run/pg/.s.PGSQL.7",
  };
  for (const [url, expected] of Object.entries(servers)) {
    assert.equal(net({ KEYDESK_DATABASE_URL: url }), `127.0.0.1:3000,${expected}`);
  }
  for (const url of ["", "https://db/x", "nonsense", "postgres://%zz%/x", "postgres://a b/x"]) {
    assert.equal(net({ KEYDESK_DATABASE_URL: url }), "127.0.0.1:3000");
  }
});

Deno.test("grants: a socket and the certificate files of the URL can be opened", () => {
  const settings = {
    KEYDESK_DATABASE_URL: "postgres://%2Frun%2Fpg/x?sslrootcert=ca.pem&sslkey=/etc/k.pem",
  };
  const socket = "/run/pg/.s.PGSQL.5432";
  assert.equal(list("allow-read", settings), `/opt,/srv/data,${socket},/srv/ca.pem,/etc/k.pem`);
  assert.equal(list("allow-write", settings), `/srv/data,${socket}`);
});

Deno.test("grants: a file is read or written where its verb does so, and no other word grants anything", () => {
  const files = (...args: string[]) => {
    const flags = grants(args, {}, "/srv", "/opt");
    const list = (name: string) =>
      flags.find((flag: string) => flag.startsWith(`--allow-${name}=`))?.slice(name.length + 9);
    return [list("read"), list("write")];
  };
  const none = ["/opt,/srv/data", "/srv/data"];
  const both = (path: string) => [
    `/opt,/srv/data,${path},${path}.partial`,
    `/srv/data,${path},${path}.partial`,
  ];
  const read = (...paths: string[]) => [["/opt,/srv/data", ...paths].join(","), "/srv/data"];
  assert.deepEqual(
    files("certs", "import", "a.pem", "/b", "--json", "--passphrase-file", "p"),
    read("/srv/a.pem", "/b", "/srv/p"),
  );
  assert.deepEqual(files("certs", "import", "--passphrase-file=p"), read("/srv/p"));
  assert.deepEqual(files("certs", "import", "--", "--x"), read("/srv/--x"));
  assert.deepEqual(files("keys", "import", "k", "--murmur-until", "etc"), read("/srv/k"));
  assert.deepEqual(files("restore", "/mnt/b", "--replace"), read("/mnt/b"));
  assert.deepEqual(files("backup", "/mnt/b"), both("/mnt/b"));
  assert.deepEqual(
    files("certs", "export", "--q", "text", "-q", "t", "-qt", "out"),
    both("/srv/out"),
  );
  assert.deepEqual(files("purge", "--export", "archive"), both("/srv/archive"));
  for (
    const words of [
      ["token", "create", "/etc/hosts", "--allow", "/etc/passwd"],
      ["token", "revoke", "etc"],
      ["keys", "revoke", "/etc/hosts", "--reason", "/etc/hosts"],
      ["certs", "rm", "/etc/hosts"],
      ["certs", "list", "--q", "/etc/hosts"],
      ["export", "audit", "--until", "/etc/hosts"],
      ["purge", "--dry-run", "/etc/hosts"],
      ["seed", "/etc/hosts"],
      ["backup", "--unknown=/etc/hosts"],
      ["backup"],
      ["purge", "--export"],
      ["keys", "import", ""],
    ]
  ) assert.deepEqual(files(...words), none, words.join(" "));
  // Nor what only looks like a word of the table.
  for (
    const words of [["/etc/hosts"], [], ["--help"], ["toString"], ["__proto__", "x"], ["version"]]
  ) {
    assert.deepEqual(files(...words), ["/opt", undefined], words.join(" "));
  }
  for (const option of ["--toString", "--__proto__", "--constructor"]) {
    assert.deepEqual(files("seed", option, "/etc/hosts"), none);
  }
});

Deno.test("grants: a file that declares an organisation opens what its references name, and no more", async () => {
  await using folder = await temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  await Deno.writeTextFile(
    at("a.yaml"),
    "x: ${env:EDGE_SECRET} ${env:*} ${env:A,B} ${file:secrets/one} ${file:/run/two,three} ${other:X}",
  );
  const flags = (...words: string[]) =>
    grants(words, { KEYDESK_URL: "https://d.example.org" }, "/srv", "/opt");
  for (const verb of ["diff", "apply"]) {
    for (const word of [at("a.yaml"), folder.path]) {
      const granted: string[] = flags(verb, word);
      assert.ok(granted.includes("--allow-env=KEYDESK_*,EDGE_SECRET"), granted.join(" "));
      const read = `--allow-read=/opt,${word},${at("secrets/one")},/run/two,,three`;
      assert.ok(granted.includes(read), granted.join(" "));
      assert.ok(!granted.some((one) => one.startsWith("--allow-write")));
    }
    assert.ok(flags(verb, "-").includes("--allow-env=KEYDESK_*"));
  }
  assert.ok(flags("plans", "add", at("a.yaml")).includes("--allow-env=KEYDESK_*"));
});

Deno.test("grants: what the runtime calls unstable is there for a shared port alone", () => {
  const hasFlag = (verb: string, env: Record<string, string>) =>
    grants([verb], env, "/srv", "/opt").includes("--unstable-net");
  assert.equal(hasFlag("serve", { KEYDESK_REUSE_PORT: "true" }), true);
  for (const value of ["false", "", "yes"]) {
    assert.equal(hasFlag("serve", { KEYDESK_REUSE_PORT: value }), false);
  }
  assert.equal(hasFlag("serve", {}), false);
  assert.equal(hasFlag("doctor", { KEYDESK_REUSE_PORT: "true" }), false);
});

Deno.test("grants: only the server listens, and doctor asks whether it does", () => {
  for (const verb of Object.keys(verbs)) {
    const flags: string[] = grants(verb.split(" "), {}, "/srv", "/opt");
    assert.equal(
      flags.includes("--allow-net=127.0.0.1:3000"),
      ["serve", "doctor"].includes(verb),
      verb,
    );
  }
});

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

Deno.test("grants: where traces are on, a server and doctor reach the collector, and others do not", () => {
  const granted = (verb: string, more: Record<string, string>): string => {
    const env = { OTEL_DENO: "true", ...more };
    const flags: string[] = grants([verb], env, "/srv", "/opt");
    const net = flags.find((flag) => flag.startsWith("--allow-net=")) ?? "";
    assert.ok(collectorOf(env) === "" || verb === "backup" || net.endsWith(collectorOf(env)));
    return net.replace("--allow-net=", "").replace("127.0.0.1:3000", "");
  };
  const endpoint = "http://collector:4000/otlp";
  for (const verb of ["serve", "doctor"]) {
    for (
      const [more, expected] of [
        [{}, ",localhost:4318"],
        [{ OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, ",localhost:4317"],
        [{ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, ",collector:4000"],
        [
          {
            OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
            OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://[::1]/v1/traces",
          },
          ",[::1]:443",
        ],
        [{ OTEL_EXPORTER_OTLP_PROTOCOL: "console" }, ""],
        [{ OTEL_SDK_DISABLED: "true" }, ""],
        [{ OTEL_DENO: "" }, ""],
      ] as const
    ) assert.equal(granted(verb, more), expected, JSON.stringify(more));
  }
  assert.equal(granted("backup", { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }), "");
});

Deno.test("grants: bin/verbs.json says what the commands say of themselves", async () => {
  const text = await Deno.readTextFile(join(repository, "bin/verbs.json"));
  assert.ok(text === await verbsFileText(), "it is an older one: npm run generate");
});

Deno.test("grants: every verb has a line with its arguments and each option that takes a value", async () => {
  const expected: Record<string, string[]> = {};
  const walk = (command: Command, name: string) => {
    for (const one of command.commands) walk(one, `${name} ${one.name()}`.trim());
    if (command.commands.length > 0 && command.registeredArguments.length === 0) return;
    const valued = command.options.filter(({ required, optional }) => required || optional);
    expected[name] = [
      ...command.registeredArguments.length > 0 ? ["arguments"] : [],
      ...valued.flatMap(({ short, long }) => [short, long].filter((one) => one !== undefined)),
    ].sort();
  };
  walk(await createProgram(), "");
  const lines = Object.entries<object>(verbs).map(([name, line]) => [
    name,
    Object.keys(line).filter((one) =>
      !["needs", "listens", "calls", "onServer", "asksItself", "contexts"].includes(one)
    ).sort(),
  ]);
  assert.deepEqual(Object.fromEntries(lines), expected);
});

Deno.test("grants: the files of secret settings may be read, and a URL in one is followed", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/url`, "postgres://db:6000/x\n");
    const settings = {
      KEYDESK_DATABASE_URL_FILE: `${folder}/url`,
      KEYDESK_DATABASE_PASSWORD_FILE: "password",
      KEYDESK_ADMIN_TOKEN_FILE: "/run/secrets/token",
      KEYDESK_SEALING_KEY_FILE: "/run/secrets/key",
      KEYDESK_PAGE_SIZE_FILE: "/etc/hosts",
    };
    assert.equal(net(settings), "127.0.0.1:3000,db:6000");
    assert.equal(
      list("allow-read", settings),
      `/opt,/srv/data,/run/secrets/token,${folder}/url,/srv/password,/run/secrets/key`,
    );
    assert.equal(list("allow-write", settings), "/srv/data");
    assert.ok(grants(["version"], settings, "/srv", "/opt").includes("--allow-read=/opt"));
    assert.equal(net({ KEYDESK_DATABASE_URL_FILE: `${folder}/none` }), "127.0.0.1:3000");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("grants: the stores to move are reached, with the sealing key beside them, and no others", () => {
  const words = (...args: string[]) => grants(args, {}, "/srv", "/opt").slice(0, 3);
  const url = "postgres://u@db:6000/x";
  const both = [
    "--allow-net=db:6000",
    "--allow-read=/opt,/mnt/keydesk.db,/mnt/sealing-key",
    "--allow-write=/mnt/keydesk.db",
  ];
  assert.deepEqual(words("move-store", "--from", "sqlite:/mnt/keydesk.db", "--to", url), both);
  assert.deepEqual(words("move-store", "--from=sqlite:/mnt/keydesk.db", `--to=${url}`), both);
  const passwords = ["--from-password-file", "p", "--to-password-file=/run/q"];
  assert.equal(
    words("move-store", ...passwords)[0],
    "--allow-read=/opt,/srv/p,/run/q",
  );
});

function list(name: string, settings: Record<string, string>): string | undefined {
  const start = `--${name}=`;
  const flags: string[] = grants(["serve"], settings, "/srv", "/opt");
  return flags.find((flag) => flag.startsWith(start))?.slice(start.length);
}

function net(settings: Record<string, string>): string | undefined {
  return list("allow-net", settings);
}

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
