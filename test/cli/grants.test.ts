/** bin/grants.js: which flags follow from the settings and the command line. */
import assert from "node:assert/strict";
import { grants } from "../../bin/grants.js";

Deno.test("grants: the defaults are one address, the data directory and the program", () => {
  assert.deepEqual(grants(["serve"], {}, "/srv", "/opt/keydesk"), [
    "--allow-net=127.0.0.1:3000",
    "--allow-read=/srv/data,/opt/keydesk",
    "--allow-write=/srv/data",
    "--allow-env=KEYDESK_*",
    "--ignore-env",
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
  assert.equal(list("allow-read", settings), `/srv/data,/opt,${socket},/srv/ca.pem,/etc/k.pem`);
  assert.equal(list("allow-write", settings), `/srv/data,${socket}`);
});

Deno.test("grants: an existing file among the arguments may be read, one to be made may be written", () => {
  const words = (...args: string[]) => grants(args, {}, "/", "/opt").slice(1, 3);
  const reads = ["--allow-read=/data,/opt,/etc/hosts", "--allow-write=/data"];
  assert.deepEqual(words("certs", "import", "etc/hosts", "/not/there", "--json"), reads);
  assert.deepEqual(words("keys", "import", "--file=/etc/hosts"), reads);
  assert.deepEqual(words("backup", "/mnt/b"), [
    "--allow-read=/data,/opt,/mnt/b,/mnt/b.partial",
    "--allow-write=/data,/mnt/b,/mnt/b.partial",
  ]);
});

Deno.test("grants: the stores to move are reached, with the sealing key beside them, and no others", () => {
  const words = (...args: string[]) => grants(args, {}, "/srv", "/opt").slice(0, 3);
  const url = "postgres://u:p@db:6000/x";
  const both = [
    "--allow-net=127.0.0.1:3000,db:6000",
    "--allow-read=/srv/data,/opt,/mnt/keydesk.db,/mnt/sealing-key",
    "--allow-write=/srv/data,/mnt/keydesk.db",
  ];
  assert.deepEqual(words("migrate-store", "--from", "sqlite:/mnt/keydesk.db", "--to", url), both);
  assert.deepEqual(words("migrate-store", `--to=${url}`, "--from=sqlite:/mnt/keydesk.db"), both);
  assert.deepEqual(words("token", "--to", url, "--from", "sqlite:/mnt/keydesk.db"), [
    "--allow-net=127.0.0.1:3000",
    "--allow-read=/srv/data,/opt",
    "--allow-write=/srv/data",
  ]);
});

Deno.test("grants: a purge may write its export's folder, an export to standard output nothing", () => {
  const words = (...args: string[]) => grants(args, {}, "/srv", "/opt").slice(1, 3);
  assert.deepEqual(words("purge", "--export", "archive"), [
    "--allow-read=/srv/data,/opt,/srv/archive,/srv/archive.partial",
    "--allow-write=/srv/data,/srv/archive,/srv/archive.partial",
  ]);
  const nothing = ["--allow-read=/srv/data,/opt", "--allow-write=/srv/data"];
  assert.deepEqual(words("export", "audit", "--until", "2026-01-01"), nothing);
  assert.deepEqual(words("purge", "--dry-run"), nothing);
  assert.deepEqual(words("restore", "/not/there"), nothing);
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
  for (const url of ["", "desk", "ftp://desk", "https://a,b", "https://"]) {
    const flags = granted(["plans", "list", `--url=${url}`], { KEYDESK_URL: "" });
    assert.ok(url === "" || flags[0]?.startsWith("--allow-read="), url);
  }
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
