/** Settings as the command line takes them from the environment. */
import assert from "node:assert/strict";
import { ConfigInvalid, readConfig } from "../../src/config.ts";
import { openServer } from "../../src/open-server.ts";
import { newAccessToken } from "../../src/features/people/access-token.ts";
import { newSealingKey } from "../../src/kernel/sealing/sealing-keys.ts";
import { settingsTable } from "../../src/settings-table.ts";
import { parsePostgresUrl } from "../../src/storage/engines/postgres-url.ts";
import { keydesk, temporaryFolder } from "../support/command.ts";
import { copySeeded } from "../support/seeded-store.ts";

const number = (from: number, to: number) => `expected a whole number from ${from} to ${to}`;

const absent = {
  values: ["/not/there", "/proc/self/mem"],
  sentence: "the file is not there, or can't be read",
};

/** Setting, values that must be refused, and what is said; undefined where every text is usable. */
const refused: Record<string, { values: string[]; sentence: string } | undefined> = {
  HOST: undefined,
  PORT: { values: ["x", "-1", "65536", "1.5", "3000 "], sentence: number(0, 65535) },
  REUSE_PORT: { values: ["yes", "1"], sentence: "expected true or false" },
  PROCESSES: { values: ["0", "65", "two"], sentence: number(1, 64) },
  METRICS: { values: ["true", "ON"], sentence: "expected on or off" },
  METRICS_PORT: { values: ["x", "-1", "65536"], sentence: number(0, 65535) },
  METRICS_HOST: undefined,
  DATA_DIR: undefined,
  DATABASE_URL: {
    values: ["mysql://h/d", "localhost:5432", "/tmp/x"],
    sentence: "expected postgres://…",
  },
  DATABASE_URL_FILE: absent,
  DATABASE_PASSWORD: undefined,
  DATABASE_PASSWORD_FILE: absent,
  DATABASE_POOL: { values: ["0", "1001", "many"], sentence: number(1, 1000) },
  DATABASE_CONNECT_MS: { values: ["99", "60001", "2s"], sentence: number(100, 60_000) },
  DATABASE_STATEMENT_MS: { values: ["99", "600001", "2s"], sentence: number(100, 600_000) },
  DATABASE_LOCK_MS: { values: ["99", "600001", "2s"], sentence: number(100, 600_000) },
  DATABASE_IDLE_MS: { values: ["99", "600001", "2s"], sentence: number(100, 600_000) },
  DATABASE_PATIENCE_MS: { values: ["99", "60001", "2s"], sentence: number(100, 60_000) },
  UPGRADE: { values: ["on", "OFF"], sentence: "expected auto or off" },
  ADMIN_TOKEN: { values: ["short", "x".repeat(31)], sentence: "expected at least 32 characters" },
  ADMIN_TOKEN_FILE: absent,
  ORG_ID: {
    values: ["default", "5E9D9544A1DCD60001D0ED20", "5e9d9544"],
    sentence: "expected 24 lower-case hexadecimal digits",
  },
  TOKEN_LONGEST_DAYS: { values: ["-1", "36501", "1y"], sentence: number(0, 36500) },
  SEALING_KEY: {
    values: ["secret", "1:abc", "1:"],
    sentence: "expected entries of the form 1:<base64 of 32 bytes>",
  },
  SEALING_KEY_FILE: absent,
  PAGE_SIZE: { values: ["0", "1001", "ten"], sentence: number(1, 1000) },
  REFERENCES: { values: ["lax", "OPEN"], sentence: "expected open or strict" },
  UNKNOWN_PLAN: { values: ["open", "true"], sentence: "expected refuse or allow" },
  DECLINED: { values: ["show", "Hidden"], sentence: "expected hidden or shown" },
  V1_UNKNOWN: { values: ["drop", "Warn"], sentence: "expected refuse or warn" },
  KEY_FORMAT: { values: ["base64", "KD"], sentence: "expected legacy or kd" },
  KEY_ENV: {
    values: ["Live", "a_b", "x".repeat(13)],
    sentence: "expected 1 to 12 lower-case letters and digits",
  },
  KEY_HASH: {
    values: ["murmur32", "SHA256"],
    sentence: "expected sha256, murmur128 or murmur64",
  },
  PASSWORD_MIN: { values: ["5", "65", "eight"], sentence: number(6, 64) },
  PASSWORD_BREACHES_FILE: undefined,
  MASK_SECRETS: { values: ["yes", "1"], sentence: "expected true or false" },
  CERTS_FILTER: { values: ["never", "true"], sentence: "expected detailed or always" },
  CERTS_ANSWER: { values: ["strict", "Original"], sentence: "expected full or original" },
  FORWARD_AUTH_HEADER: {
    values: ["x keydesk", "X-Keydesk-Key", "é", "a:b", "x".repeat(65)],
    sentence: "expected a header's name that does not begin with X-Keydesk-",
  },
  VERIFY_MAX_STALE_MS: { values: ["499", "60001", "1s"], sentence: number(500, 60_000) },
  VERIFY_STALE: { values: ["true", "never"], sentence: "expected refuse or allow" },
  METHOD_OVERRIDE: { values: ["1", "UPDATE"], sentence: "expected true or false" },
  CORS_ORIGINS: {
    values: [
      "foo",
      "*",
      "null",
      "portal.example.org",
      "//portal.example.org",
      "https://",
      "https://portal.example.org/",
      "https://portal.example.org/a",
      "https://a b",
      "https://Portal.example.org",
      "https://portal.example.org:443",
      "https://u@p.example",
      "https://portal.example.org:port",
      "https://a,foo",
      "https://a https://b",
    ],
    sentence: "expected origins such as https://portal.example.org, separated by commas: " +
      "scheme://host[:port] in lower case, without a default port, a path or a slash at the end",
  },
  SECURITY_CONTACT: {
    values: [
      "security@example.org",
      "mailto:security",
      "mailto:a@b c",
      "http://example.org",
      "https://",
      "mailto:a@example.org,x",
      "mailto:a@example.org\nExpires: 2099-01-01T00:00:00Z",
    ],
    sentence: "expected mailto:security@example.org or https://…, several separated by commas",
  },
  OUTBOUND: {
    values: [
      "*",
      "*.example.org",
      "https://hooks.example.org",
      "a b",
      "0.0.0.0/0",
      "::/0",
      "10.0.0.0/33",
      "hooks.example.org:0",
      "hooks.example.org:65536",
      "a.example,x/y",
    ],
    sentence: "expected hosts such as hooks.example.org or receiver.example.org:8443, addresses, " +
      "and networks such as 10.1.0.0/16, separated by commas",
  },
  OUTBOUND_CA_FILE: undefined,
  SMTP_URL: {
    values: [
      "mail.example.org",
      "http://mail.example.org",
      "smtp://",
      "smtp://a/b",
      "smtp://a?b",
      "smtp://user@a",
      "smtp://u:%zz@a",
      "smtp://a b",
    ],
    sentence:
      "expected smtp://host[:port] or smtps://host[:port], with user:password@ where needed",
  },
  SMTP_URL_FILE: absent,
  MAIL_FROM: {
    values: ["keys", "a@b, c@d", "Keys <a@b>", "a@b\r\nBcc: c@d"],
    sentence: "expected an e-mail address such as keys@example.org",
  },
  TRUSTED_PROXIES: {
    values: ["proxy", "10.0.0.0/33", "::/129", "10.0.0/8", "10.0.0.1,x", "10.0.0.0/8/8", "::1%1"],
    sentence: "expected addresses or networks such as 10.0.0.0/8, separated by commas",
  },
  AUDIT_ADDRESSES: { values: ["true", "Full", "none"], sentence: "expected full, short or off" },
  GATEWAY_FOLDER: undefined,
  AUDIT_CHECKPOINTS_FILE: undefined,
  AUDIT_STREAM: {
    values: [
      "/var/log/trail.jsonl",
      "file:",
      "file:relative",
      "file:/folder/",
      "file://host/trail.jsonl",
      "syslog://log.example.org",
      "syslog+tls://",
      "syslog+tls://log.example.org/path",
      "syslog+tls://user@log.example.org",
      "syslog+tls://log.example.org:65536",
    ],
    sentence: "expected file:/path or syslog+tls://host[:port]",
  },
  AUDIT_STREAM_CA_FILE: undefined,
  PROVIDER_CLIENT_FILE: undefined,
  AUDIT_STREAM_CLIENT_FILE: undefined,
  AUDIT_WITNESSES: {
    values: [
      "https://witness.example.org",
      "witness.example.org+0123abcd+BA==",
      "ftp://a.example#witness.example/lite+ef01fac8+BJcuFXGh+sxOvUk8FNjCgAxbOcqSXbeuXtOYx96gpu/4",
      "https://a.example#witness.example/lite+ef01fac9+BJcuFXGh+sxOvUk8FNjCgAxbOcqSXbeuXtOYx96gpu/4",
    ],
    sentence: "expected witnesses such as " +
      "https://witness.example.org#witness.example.org+0123abcd+BA…, separated by commas",
  },
  OAUTH_TOKEN_LIFE: { values: ["59", "2592001", "1h"], sentence: number(60, 30 * 24 * 3600) },
  DRAIN_MS: { values: ["-1", "600001", "5s"], sentence: number(0, 600_000) },
  BODY_LIMIT: { values: ["1023", "67108865", "1MB"], sentence: number(1024, 64 * 1024 * 1024) },
  BODY_TIMEOUT: { values: ["0", "601"], sentence: number(1, 600) },
  IDLE_TIMEOUT: { values: ["4", "3601"], sentence: number(5, 3600) },
  PUBLIC_URL: {
    values: [
      "keys.example.org",
      "ftp://example.org",
      "HTTPS://example.org",
      "https://example.org/?a",
      "https://user:pass@example.org",
      "https://user@example.org",
      "https://:pass@example.org",
    ],
    sentence: "expected https://… or http://…, without a user name, a query or a fragment",
  },
  PORTAL_URL: {
    values: ["desk", "ftp://desk", "https://u:p@desk", "https://desk/?a", "https://desk/#a"],
    sentence: "expected https://… or http://…, without a user name, a query or a fragment",
  },
  PENDING_PER_DEVELOPER: { values: ["-1", "1000000000", "many"], sentence: number(0, 999_999_999) },
  PENDING_PER_ORGANISATION: { values: ["-1", "1e6", "all"], sentence: number(0, 999_999_999) },
  REQUEST_BYTES: { values: ["-1", "67108865", "1MB"], sentence: number(0, 64 * 1024 * 1024) },
  SESSION_IDLE_MINUTES: { values: ["-1", "721", "30m"], sentence: number(0, 720) },
  REVOKE_RATE_LIMIT: { values: ["0", "-1", "fifty"], sentence: number(1, 999999999) },
  ONE_TIME_LINK_LIFE: { values: ["59", "2592001", "1d"], sentence: number(60, 2592000) },
  OFFER_DAYS: { values: ["0", "91", "1d"], sentence: number(1, 90) },
  LEAK_REPORTS: { values: ["true", "ON"], sentence: "expected off or on" },
  LEAKED_TOKENS: { values: ["ask", "off"], sentence: "expected notify, suspend or revoke" },
  LEAK_PARTNER_KEYS: {
    values: ["x", "[]", '{"public_keys":[]}', '{"public_keys":[{"key_identifier":"a","key":"b"}]}'],
    sentence: 'expected {"public_keys":[{"key_identifier":…,"key":…}]} with ECDSA keys on P-256',
  },
  LEAK_PARTNER_KEYS_FILE: absent,
  RETAIN_AUDIT_DAYS: { values: ["-1", "36501", "1y"], sentence: number(0, 36500) },
  RETAIN_OUTBOX_DAYS: { values: ["-1", "36501", "for ever"], sentence: number(0, 36500) },
  RETAIN_ONE_TIME_LINKS_DAYS: { values: ["-1", "36501", "1.5"], sentence: number(0, 36500) },
  RETAIN_USE_HOURS_DAYS: { values: ["0", "401", "5w"], sentence: number(1, 400) },
  RETAIN_USE_DAYS: { values: ["0", "3661", "1y"], sentence: number(1, 3660) },
  SCRUB_HOURS: { values: ["-1", "8761", "1d"], sentence: number(0, 8760) },
  URL: {
    values: ["desk", "ftp://desk", "https://u:p@desk", "https://desk/?a", "https://desk/#a"],
    sentence: "expected https://… or http://…, without a user name, a query or a fragment",
  },
  TOKEN_FILE: undefined,
  TOKEN: undefined,
  CONTEXT: undefined,
  CONTEXTS: undefined,
  LOG_LEVEL: {
    values: ["loud", "INFO"],
    sentence: "expected debug, info, warn, error or silent",
  },
};

Deno.test("settings: the list of this test holds every setting", () => {
  const names = settingsTable().map((row) => row.name);
  assert.deepEqual(Object.keys(refused).map((name) => `KEYDESK_${name}`), names);
});

for (const [name, expected] of Object.entries(refused)) {
  if (!expected) continue;
  Deno.test(`settings: KEYDESK_${name} refuses what it can't use and never repeats it`, () => {
    for (const value of expected.values) {
      assert.throws(
        () => readConfig({ [`KEYDESK_${name}`]: value }),
        (error: unknown) => {
          assert.ok(error instanceof ConfigInvalid);
          assert.equal(error.message, `KEYDESK_${name}: ${expected.sentence}`);
          return true;
        },
      );
    }
  });
}

Deno.test("settings: a file of authorities that can't be used stops the start", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/empty.pem`, "");
    const expected = [
      ["absent.pem", /the file is not there, or can't be read$/],
      ["empty.pem", /the file holds no certificate in PEM$/],
    ] as const;
    for (const [file, sentence] of expected) {
      const settings = { KEYDESK_DATA_DIR: `${folder}/data` };
      const config = readConfig({ ...settings, KEYDESK_OUTBOUND_CA_FILE: `${folder}/${file}` });
      const opened = openServer(config, { writer: { thread: false, transactions: [] } });
      await assert.rejects(opened, (error: unknown) => {
        assert.ok(error instanceof ConfigInvalid);
        assert.match(error.message, /^KEYDESK_OUTBOUND_CA_FILE: /);
        assert.match(error.message, sentence);
        return true;
      });
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("settings: an origin is scheme, host and port, as browsers and apps send it", () => {
  const origins = [
    "https://portal.example.org",
    "http://localhost:5173",
    "https://[2001:db8::1]:8443",
    "capacitor://localhost",
    "chrome-extension://abcdefghijklmnop",
  ];
  const config = readConfig({ KEYDESK_CORS_ORIGINS: origins.join(" , ") });
  assert.deepEqual(config.CORS_ORIGINS, origins);
});

Deno.test("settings: a mistyped one names the near one, and one that is near to none names none", () => {
  const near: Record<string, string | undefined> = {
    PROT: "PORT",
    PAGESIZE: "PAGE_SIZE",
    DATADIR: "DATA_DIR",
    DATBASE_URL: "DATABASE_URL",
    CORS_ORIGIN: "CORS_ORIGINS",
    SESSION_IDLE: "SESSION_IDLE_MINUTES",
    RETAIN_AUDIT: "RETAIN_AUDIT_DAYS",
    RETAIN_USE: "RETAIN_USE_HOURS_DAYS or KEYDESK_RETAIN_USE_DAYS",
    RETAIN_USE_HOURS: "RETAIN_USE_HOURS_DAYS",
    RETAIN: undefined,
    port: undefined,
    COLOUR: undefined,
    X: undefined,
  };
  for (const [name, meant] of Object.entries(near)) {
    assert.throws(() => readConfig({ [`KEYDESK_${name}`]: "1" }), {
      message: `KEYDESK_${name}: there is no such setting${
        meant === undefined ? "" : `; is KEYDESK_${meant} meant?`
      }`,
    });
  }
});

const PASSWORD = "p@ss word+ß/&?%";

Deno.test("settings: a secret may stand in a file, without the line end at its end", async () => {
  await using folder = await temporaryFolder();
  const put = async (name: string, text: string) => {
    const path = `${folder.path}/${name}`;
    await Deno.writeTextFile(path, text);
    return path;
  };
  const token = "a-token-of-at-least-32-characters-";
  const config = readConfig({
    KEYDESK_ADMIN_TOKEN_FILE: await put("token", `${token}\n`),
    KEYDESK_DATABASE_URL_FILE: await put("url", "postgres://ada@db/x?sslmode=require\r\n"),
    KEYDESK_DATABASE_PASSWORD_FILE: await put("password", `${PASSWORD}\n`),
    KEYDESK_SEALING_KEY_FILE: await put("key", newSealingKey()),
  });
  assert.equal(config.ADMIN_TOKEN, token);
  assert.equal(config.SEALING_KEY?.keys.size, 1);
  const { user, password, database, sslMode } = parsePostgresUrl(config.DATABASE_URL ?? "");
  assert.deepEqual([user, password, database, sslMode], ["ada", PASSWORD, "x", "require"]);
  // One line end alone: a second one belongs to the text.
  const two = readConfig({ KEYDESK_ADMIN_TOKEN_FILE: await put("two", `${token}\n\n`) });
  assert.equal(two.ADMIN_TOKEN, `${token}\n`);
  for (const name of ["ADMIN_TOKEN", "DATABASE_URL", "DATABASE_PASSWORD", "SEALING_KEY"]) {
    const empty = { [`KEYDESK_${name}_FILE`]: await put("empty", "\n") };
    assert.throws(() => readConfig(empty), new RegExp(`KEYDESK_${name}_FILE: the file is empty`));
    const both = { [`KEYDESK_${name}_FILE`]: await put("one", "x"), [`KEYDESK_${name}`]: "secret" };
    assert.throws(() => readConfig(both), (error: unknown) => {
      assert.ok(error instanceof ConfigInvalid);
      assert.ok(!error.message.includes("secret"));
      const sentence = `KEYDESK_${name}_FILE: KEYDESK_${name} is set too; only one of both may be`;
      return error.message.split("\n").includes(sentence);
    });
  }
});

Deno.test("settings: what is wrong in a file is told by the name that was set, never by its text", async () => {
  await using folder = await temporaryFolder();
  await Deno.writeTextFile(`${folder.path}/token`, "too-short-to-be-safe");
  assert.throws(
    () => readConfig({ KEYDESK_ADMIN_TOKEN_FILE: `${folder.path}/token` }),
    (error: Error) => error.message === "KEYDESK_ADMIN_TOKEN_FILE: expected at least 32 characters",
  );
  assert.throws(
    () => readConfig({ KEYDESK_ADMIN_TOKEN: "too-short-to-be-safe" }),
    (error: Error) => error.message === "KEYDESK_ADMIN_TOKEN: expected at least 32 characters",
  );
  assert.throws(
    () => readConfig({ KEYDESK_SEALING_KEY_FILE: `${folder.path}/token` }),
    (error: Error) =>
      error.message.startsWith("KEYDESK_SEALING_KEY_FILE: ") && !error.message.includes("short"),
  );
});

Deno.test("settings: a database's password stands in one place", () => {
  const key = { KEYDESK_SEALING_KEY: newSealingKey().trim() };
  const url = (text: string) =>
    readConfig({ ...key, KEYDESK_DATABASE_URL: text, KEYDESK_DATABASE_PASSWORD: PASSWORD })
      .DATABASE_URL ?? "";
  for (const text of ["postgres://ada@db/x", "postgres:///x?host=a,b&port=1,2", "postgres://db"]) {
    assert.deepEqual(parsePostgresUrl(url(text)), {
      ...parsePostgresUrl(text),
      password: PASSWORD,
    });
  }
  for (const text of ["postgres://ada:secret@db/x", "postgres://db/x?password=secret"]) {
    assert.throws(
      () => url(text),
      /^Error: KEYDESK_DATABASE_PASSWORD: KEYDESK_DATABASE_URL holds a password too; only one of both may$/,
    );
  }
});

Deno.test("settings: an access token that Keydesk can't have made is refused before anybody waits for it", () => {
  const mistyped = `kda_${"a".repeat(43)}_000000`;
  assert.throws(
    () => readConfig({ KEYDESK_ADMIN_TOKEN: mistyped }),
    /^Error: KEYDESK_ADMIN_TOKEN: begins like an access token of Keydesk, but is none$/,
  );
  const made = newAccessToken();
  assert.equal(readConfig({ KEYDESK_ADMIN_TOKEN: made }).ADMIN_TOKEN, made);
});

Deno.test("settings: an empty value is the same as none", () => {
  const names = settingsTable().map((row) => row.name);
  const empty = readConfig(Object.fromEntries(names.map((name) => [name, ""])));
  assert.deepEqual(empty, readConfig({}));
});

Deno.test("settings: PostgreSQL without a sealing key is refused with what to do", () => {
  assert.throws(
    () => readConfig({ KEYDESK_DATABASE_URL: "postgres://db/keydesk" }),
    /^Error: KEYDESK_SEALING_KEY: must be set .* `keydesk sealing-key`$/,
  );
});

Deno.test("settings: every unusable one is named at once, on standard error, with exit code 78", async () => {
  await using folder = await temporaryFolder();
  const ended = await keydesk(["serve"], {
    KEYDESK_DATA_DIR: folder.path,
    KEYDESK_PORT: "x",
    KEYDESK_ADMIN_TOKEN: "too-short-to-be-safe",
    KEYDESK_COLOUR: "blue",
  });
  assert.equal(ended.code, 78);
  assert.equal(ended.stdout, "");
  assert.deepEqual(ended.stderr.trimEnd().split("\n").sort(), [
    "  KEYDESK_ADMIN_TOKEN: expected at least 32 characters",
    "  KEYDESK_COLOUR: there is no such setting",
    "  KEYDESK_PORT: expected a whole number from 0 to 65535",
    "keydesk: unusable settings",
  ]);
});

Deno.test("settings: other commands refuse them as serve does", async () => {
  for (const words of [["token", "list"], ["seed"]]) {
    const { code, stderr } = await keydesk(words, { KEYDESK_PAGESIZE: "20" });
    assert.equal(code, 78, words.join(" "));
    assert.match(stderr, /KEYDESK_PAGESIZE: there is no such setting/);
  }
});

Deno.test("settings: another sealing key than the store's is refused with exit code 78", async () => {
  await using folder = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: folder.path };
  await copySeeded(settings.KEYDESK_DATA_DIR);
  const file = `${folder.path}/sealing-key`;
  const own = await Deno.readTextFile(file);
  const refusal = (place: string) =>
    `keydesk: unusable settings\n  ${place}: version 1 is not the key that this store was sealed with\n`;
  for (const words of [["serve"], ["token", "list"]]) {
    const KEYDESK_SEALING_KEY = newSealingKey().trim();
    const given = await keydesk(words, { ...settings, KEYDESK_SEALING_KEY });
    assert.deepEqual([given.code, given.stdout], [78, ""], words.join(" "));
    assert.equal(given.stderr, refusal("KEYDESK_SEALING_KEY"));
    await Deno.writeTextFile(file, newSealingKey());
    const found = await keydesk(words, settings);
    assert.deepEqual([found.code, found.stdout], [78, ""], words.join(" "));
    assert.equal(found.stderr, refusal(file));
    // What was refused has changed nothing: the store's own key still opens it.
    await Deno.writeTextFile(file, own);
    const { code, stderr } = await keydesk(["token", "list"], settings);
    assert.equal(code, 0, stderr);
  }
});

Deno.test("settings: a sealing-key file without a key is named, with exit code 78", async () => {
  await using folder = await temporaryFolder();
  assert.equal((await keydesk(["upgrade"], { KEYDESK_DATA_DIR: folder.path })).code, 0);
  await Deno.writeTextFile(`${folder.path}/sealing-key`, "not-a-key\n");
  const { code, stderr } = await keydesk(["token", "list"], { KEYDESK_DATA_DIR: folder.path });
  assert.equal(code, 78);
  assert.match(stderr, /sealing-key holds no usable key: expected entries of the form/);
  assert.ok(!stderr.includes("not-a-key"));
});

Deno.test("settings: a port is shared on Linux alone, and elsewhere that is said before anything is made", () => {
  const shared = { KEYDESK_REUSE_PORT: "true" };
  assert.equal(readConfig(shared, "linux").REUSE_PORT, true);
  for (const os of ["darwin", "windows"] as const) {
    assert.throws(
      () => readConfig(shared, os),
      /^Error: KEYDESK_REUSE_PORT: only Linux shares a port's connections out; give each process a port of its own, behind a proxy$/,
    );
    assert.equal(readConfig({}, os).REUSE_PORT, false);
  }
});
