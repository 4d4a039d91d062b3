/** postgres:// URLs as libpq reads them. */
import assert from "node:assert/strict";
import { grants } from "../../../bin/grants.js";
import { readConfig } from "../../../src/config.ts";
import { nameOf, parsePostgresUrl } from "../../../src/storage/engines/postgres-url.ts";

Deno.test("URLs: servers, ports and defaults, and the launcher opens exactly these", () => {
  const servers: Record<string, string[]> = {
    "postgres://u:p@a:1,b,[::1]:3/x": ["a:1", "b:5432", "[::1]:3"],
    "postgresql://db/x": ["db:5432"],
    "postgres:///x": ["localhost:5432"],
    "postgres://": ["localhost:5432"],
    "postgres://[fd00::1]/x": ["[fd00::1]:5432"],
    "postgres:///x?host=a,b&port=1,2": ["a:1", "b:2"],
    "postgres://c:9/x?host=a,b&port=7": ["a:7", "b:7"],
    "postgres://u:p%40%2F%3A@a/x": ["a:5432"],
  };
  for (const [url, expected] of Object.entries(servers)) {
    assert.deepEqual(parsePostgresUrl(url).servers.map(nameOf), expected, url);
    const flags: string[] = grants(["serve"], { KEYDESK_DATABASE_URL: url }, "/", "/opt");
    assert.equal(flags[0], `--allow-net=127.0.0.1:3000,${expected.join(",")}`);
  }
  const [socket] = parsePostgresUrl("postgres://%2Fvar%2Frun/x?port=6000").servers;
  assert.deepEqual(socket, { host: "/var/run", port: 6000 });
});

Deno.test("URLs: user, password and database, in front or among the parameters", () => {
  const read = (url: string) => {
    const { user, password, database } = parsePostgresUrl(url);
    return [user, password, database];
  };
  assert.deepEqual(read("postgres://u:p%40ss%3Aw@a/x"), ["u", "p@ss:w", "x"]);
  assert.deepEqual(read("postgres://u@a/x%20y"), ["u", undefined, "x y"]);
  assert.deepEqual(read("postgres://a"), [undefined, undefined, undefined]);
  assert.deepEqual(read("postgres://u:p@a/x?user=v&password=q%26&dbname=y"), ["v", "q&", "y"]);
  // The last @ ends the password, as people forget to write it as %40.
  assert.deepEqual(read("postgres://u:p@ss@a/x"), ["u", "p@ss", "x"]);
});

Deno.test("URLs: TLS as libpq names it; an authority that is named is looked at", () => {
  const mode = (parameters: string) => parsePostgresUrl(`postgres://a/x?${parameters}`).sslMode;
  assert.equal(mode(""), "disable");
  assert.equal(mode("sslmode=require"), "require");
  assert.equal(mode("sslmode=require&sslrootcert=ca.pem"), "verify-ca");
  assert.equal(mode("sslmode=verify-full"), "verify-full");
  const system = parsePostgresUrl("postgres://a/x?sslmode=verify-full&sslrootcert=system");
  assert.equal(system.rootCertificate, undefined);
  assert.equal(system.sslMode, "verify-full");
});

Deno.test("URLs: what can't be used is refused at the start, and never repeated", () => {
  const refused: Record<string, RegExp> = {
    "mysql://a/x": /expected postgres:/,
    "postgres://u:secret/x@a:b/y": /is no URL/,
    "postgres://u:%zz@a/x": /is no URL/,
    "postgres://a:b:c/x": /is no URL/,
    "postgres://a:70000/x": /ports from 1 to 65535/,
    "postgres://a:0/x": /ports from 1 to 65535/,
    "postgres:///x?host=a,b,c&port=1,2": /one port, or one for each host/,
    "postgres://a/x?sslmode=prefer": /sslmode: expected disable, require, verify-ca, verify-full/,
    "postgres://a/x?sslrootcert=ca.pem": /does nothing without sslmode/,
    "postgres://a/x?sslmode=require&sslcert=a.pem": /belong together/,
    "postgres://a/x?sslmod=verify-full": /no such parameter/,
    "postgres://a/x?target_session_attrs=any": /expected read-write/,
  };
  for (const [url, sentence] of Object.entries(refused)) {
    assert.throws(() => readConfig({ KEYDESK_DATABASE_URL: url }), (error: Error) => {
      assert.match(error.message, sentence, url);
      assert.match(error.message, /^KEYDESK_DATABASE_URL: /);
      assert.ok(!/secret|%zz|70000|prefer/.test(error.message), error.message);
      return true;
    });
  }
});
