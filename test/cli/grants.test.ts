/** bin/grants.js: which flags follow from the settings and the command line. */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Command } from "commander";
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
