/** Passwords of developers: set, checked, never given back. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import process from "node:process";
import {
  greatestForeignCost,
  setPasswordHash,
} from "../../../src/features/developers/developer-accounts.store.ts";
import { isBreached } from "../../../src/kernel/passwords/breached-passwords.ts";
import { Failure } from "../../../src/kernel/failure.ts";
import {
  hashPassword,
  NO_PASSWORD,
  passwordMatches,
} from "../../../src/kernel/passwords/password-hash.ts";
import { Passwords } from "../../../src/kernel/passwords/passwords.ts";
import { statement } from "../../../src/storage/statement.ts";
import { defineTransaction } from "../../../src/storage/storage.ts";
import { assertAnswer, assertFailure } from "../../support/answers.ts";
import { DEVELOPERS, pathTo, readDeveloper, register, succeed } from "../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";

const PASSWORD = "correct horse battery staple";
const SIGN_IN = `${DEVELOPERS}/verify_credentials`;

function signIn(desk: TestDesk, password: string, username = "ada@example.org") {
  return desk.send("POST", SIGN_IN, { body: { username, password } });
}

async function assertSignedIn(response: Response, id: string): Promise<void> {
  await assertAnswer(response, { Status: "OK", Message: id, Meta: null });
}

async function assertRefused(response: Response): Promise<void> {
  assert.equal(response.headers.get("www-authenticate"), null);
  await assertFailure(response, "wrong_credentials");
}

const storedSql = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("developers").select(["password_hash", "document"]).where("org_id", "=", p.org_id)
);
const setOld = defineTransaction(
  "test.set-old-password",
  async (tx, input: { org_id: string; id: string; password_hash: string }) =>
    await setPasswordHash(tx, {
      org_id: input.org_id,
      id: input.id,
      password_hash: input.password_hash,
    }),
);
const auditSql = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("audit_events").select(["action", "detail"]).where("org_id", "=", p.org_id)
    .where("object", "=", "developer")
);

testOnEngines("passwords: the right one gives the developer's id", async (desk) => {
  const id = await register(desk, { password: PASSWORD });
  await assertSignedIn(await signIn(desk, PASSWORD), id);
  await assertSignedIn(await signIn(desk, PASSWORD, " ADA@example.ORG"), id);
  const { last_login_date, password_updated } = await readDeveloper(desk, id);
  for (const time of [last_login_date, password_updated]) assert.match(time, /^20.*Z$/);
});

const TOO_SHORT = "password: String length must be greater than or equal to 8";

/** A password that may be none, and what is said of it. */
const refused: [password: string, reason: string][] = [
  ["short77", TOO_SHORT],
  // Counted as people do: seven characters, of two units each.
  ["\u{1f511}".repeat(7), TOO_SHORT],
  ["x".repeat(129), "password: String length must be less than or equal to 128"],
  ["aaaaaaaa", "password: must not be made of repeated or sequential characters"],
  ["87654321", "password: must not be made of repeated or sequential characters"],
  ["Abcd1234", "password: must not be made of repeated or sequential characters"],
  ["password", "password: must not be one of the commonest"],
  ["PassWord", "password: must not be one of the commonest"],
  // The last of the 3,000 commonest that are long enough.
  ["Greyhoun", "password: must not be one of the commonest"],
  [
    "$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy",
    "password: must be the password itself, not a hash of it",
  ],
];

testOnEngines("passwords: weak ones are refused by each way of setting one", async (desk) => {
  const id = await register(desk, { password: PASSWORD });
  for (const [password, reason] of refused) {
    const ways = [
      await desk.send("POST", DEVELOPERS, { body: { email: "bob@example.org", password } }),
      await desk.send("PUT", pathTo(DEVELOPERS, id), {
        body: { email: "ada@example.org", password },
      }),
      await desk.send("POST", pathTo(`${DEVELOPERS}/password`, id), { body: { password } }),
    ];
    for (const way of ways) await assertFailure(way, "developer_refused", { errors: [reason] });
    // The word stands in the path.
    if (password !== "password") assert.ok(!desk.logLines.join("\n").includes(password));
  }
  const path = pathTo(`${DEVELOPERS}/password`, id);
  const none = await desk.send("POST", path, { body: { password: "" } });
  await assertFailure(none, "developer_refused", { errors: [TOO_SHORT] });
  // Nothing of it was kept: neither Bob nor another password.
  await assertSignedIn(await signIn(desk, PASSWORD), id);
  await assertFailure(await desk.send("GET", `${DEVELOPERS}/email/bob@example.org`), "not_found");
  for (
    const password of ["tide and wave ".repeat(9) + "so", "🔑🦊🌊🐙🎲🍋🚲🧭", "$2a$10$ is no hash"]
  ) {
    await succeed(desk, "POST", path, { body: { password } });
    await assertSignedIn(await signIn(desk, password), id);
  }
});

testOnEngines("passwords: words of the context are none, whoever sets it", async (desk) => {
  await succeed(desk, "PUT", "/v1/branding", { body: { name: "Veldhaven Transit" } });
  const email = "grace.hopper@navy-yard.example";
  const fields = { name: "Amazing Grace" };
  const errors = [
    "password: must not be made of words of this desk, its organisation, or whose it is",
  ];
  for (
    const password of [
      "keydesk-2026",
      "VeldhavenTransit1",
      "graceHopper99",
      "navy-yard",
      "Amazing1!",
    ]
  ) {
    const body = { email, fields, password };
    const refusal = await desk.send("POST", DEVELOPERS, { body });
    await assertFailure(refusal, "developer_refused", { errors });
  }
  const body = { email, fields, password: "grace likes cobol" };
  const { Message: id } = await succeed<{ Message: string }>(desk, "POST", DEVELOPERS, { body });
  const path = pathTo(`${DEVELOPERS}/password`, id);
  for (const password of ["Hopper-2026", "amazing!!"]) {
    const refusal = await desk.send("POST", path, { body: { password } });
    await assertFailure(refusal, "developer_refused", { errors });
  }
  // Nor those of another address, from the moment that it is theirs.
  const change = { email: "ada@lovelace.example", fields, password: "lovelace12" };
  const refusal = await desk.send("PUT", pathTo(DEVELOPERS, id), { body: change });
  await assertFailure(refusal, "developer_refused", { errors });
  await succeed(desk, "POST", path, { body: { password: "transit of venus" } });
});

{
  const file = Deno.makeTempFileSync();
  addEventListener("unload", () => Deno.removeSync(file));
  const hashes = ["pa55word-of-2019", "hunter2-hunter2", "letmein-again"].map((password) =>
    createHash("sha1").update(password).digest("hex").toUpperCase()
  );
  const others = Array.from(
    { length: 500 },
    (_, n) => createHash("sha1").update(`other ${n}`).digest("hex").toUpperCase(),
  );
  const lines = [...hashes, ...others].sort().map((hash, n) => `${hash}:${n + 1}`);
  Deno.writeTextFileSync(file, lines.join("\r\n"));
  testOnEngines("passwords: what the file of breached ones has is none", async (desk) => {
    const id = await register(desk);
    const path = pathTo(`${DEVELOPERS}/password`, id);
    const errors = ["password: must not be one that was in a breach"];
    for (const password of ["pa55word-of-2019", "hunter2-hunter2", "letmein-again", "other 499"]) {
      const refusal = await desk.send("POST", path, { body: { password } });
      await assertFailure(refusal, "developer_refused", { errors });
    }
    await succeed(desk, "POST", path, { body: { password: "hunter2-hunter3" } });
  }, { environment: { KEYDESK_PASSWORD_BREACHES_FILE: file } });
}

Deno.test("breached passwords: each line of a file is found, and nothing beside them", async () => {
  const file = await Deno.makeTempFile();
  try {
    for (const length of [0, 1, 2, 3, 17, 100]) {
      const all = Array.from({ length }, (_, n) => `password ${n}`);
      const hashes = all.map((one) => createHash("sha1").update(one).digest("hex")).sort();
      for (const end of ["", "\n"]) {
        await Deno.writeTextFile(file, hashes.map((one) => `${one}:3`).join("\n") + end);
        for (const one of all) assert.equal(await isBreached(file, one), true, `${length} ${one}`);
        for (let n = 0; n < 50; n++) assert.equal(await isBreached(file, `none ${n}`), false);
      }
    }
  } finally {
    await Deno.remove(file);
  }
});

testOnEngines("passwords: one that was set when it was allowed goes on", async (desk) => {
  const id = await register(desk);
  await desk.app.ctx.storage.commit(setOld, {
    org_id: desk.org_id,
    id,
    password_hash: await hashPassword("short"),
  });
  await assertSignedIn(await signIn(desk, "short"), id);
  await succeed(desk, "PUT", pathTo(DEVELOPERS, id), { body: await readDeveloper(desk, id) });
  await assertSignedIn(await signIn(desk, "short"), id);
}, { extra: [setOld] });

testOnEngines("passwords: how long they are at least is a setting", async (desk) => {
  await register(desk, { password: "six of many" });
  const errors = ["password: String length must be greater than or equal to 11"];
  const body = { email: "bob@example.org", password: "ten tides!" };
  await assertFailure(await desk.send("POST", DEVELOPERS, { body }), "developer_refused", {
    errors,
  });
}, { environment: { KEYDESK_PASSWORD_MIN: "11" } });

testOnEngines("passwords: a new one ends the old one, by each way of setting it", async (desk) => {
  const id = await register(desk, { password: PASSWORD });
  const path = pathTo(`${DEVELOPERS}/password`, id);
  const answer = await desk.send("POST", path, { body: { password: "a second one" } });
  await assertAnswer(answer, { Status: "OK", Message: "Password changed", Meta: null });
  await assertRefused(await signIn(desk, PASSWORD));
  await assertSignedIn(await signIn(desk, "a second one"), id);

  const body = { email: "ada@example.org", password: "a third one" };
  await succeed(desk, "PUT", pathTo(DEVELOPERS, id), { body });
  await assertRefused(await signIn(desk, "a second one"));
  await assertSignedIn(await signIn(desk, "a third one"), id);

  // Left out, null or empty, as it reads: it stays.
  for (const password of [undefined, null, ""]) {
    const again = { ...await readDeveloper(desk, id), password };
    await succeed(desk, "PUT", pathTo(DEVELOPERS, id), { body: again });
    await assertSignedIn(await signIn(desk, "a third one"), id);
  }
});

testOnEngines(
  "passwords: stored as Argon2id alone, and in no answer, log or audit row",
  async (desk) => {
    const id = await register(desk, { password: PASSWORD });
    await signIn(desk, PASSWORD);
    await signIn(desk, `${PASSWORD}?`);
    await succeed(desk, "POST", pathTo(`${DEVELOPERS}/password`, id), {
      body: { password: `${PASSWORD}!` },
    });
    const { reader } = desk.app.ctx.storage;
    const [row] = await reader.rows(storedSql, { org_id: desk.org_id });
    assert.match(row?.password_hash ?? "", /^\$argon2id\$v=19\$m=19456,t=2,p=1\$.{22}\$.{43}$/);
    const texts = [
      row?.document,
      JSON.stringify(await reader.rows(auditSql, { org_id: desk.org_id })),
      JSON.stringify(await readDeveloper(desk, id)),
      await (await desk.send("GET", DEVELOPERS)).text(),
      desk.logLines.join("\n"),
    ];
    for (const text of texts) {
      assert.ok(text);
      assert.ok(!text.includes(PASSWORD) && !text.includes("argon2id"), text);
    }
  },
);

testOnEngines("passwords: more than can wait are told when to come back", async (desk) => {
  const id = await register(desk, { password: PASSWORD });
  const answers = await Promise.all(Array.from({ length: 60 }, () => signIn(desk, PASSWORD)));
  const refused = answers.filter((answer) => answer.status === 429);
  assert.ok(refused.length > 0 && refused.length < 60, `${refused.length} refused`);
  for (const answer of refused) {
    assert.match(answer.headers.get("retry-after") ?? "", /^[1-9]$/);
    await assertFailure(answer, "too_many_requests");
  }
  for (const answer of answers.filter(({ status }) => status !== 429)) {
    await assertSignedIn(answer, id);
  }
  await assertSignedIn(await signIn(desk, PASSWORD), id);
});

Deno.test("hash: a known password matches its PHC text of another implementation", async () => {
  // Made by the reference implementation's command line: salt "somesalt", m=64 MiB, t=2, p=1.
  const stored =
    "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
  assert.equal(await passwordMatches("password", stored), true);
  assert.equal(await passwordMatches("Password", stored), false);
});

Deno.test("hash: each has a salt of its own, and composed characters are one password", async () => {
  const [a, b] = [await hashPassword("caf\u00e9"), await hashPassword("caf\u00e9")];
  assert.notEqual(a, b);
  assert.equal(await passwordMatches("cafe\u0301", a), true);
  assert.equal(await passwordMatches("cafe", a), false);
  await assert.rejects(passwordMatches("x", "plain"), /PHC/);
});

Deno.test("thread: it starts with the first password, and close answers whoever waits", async () => {
  const passwords = new Passwords();
  assert.equal(await passwords.matches("x", null), false);
  const waiting = [passwords.hash("a"), passwords.hash("b")];
  passwords.close();
  for (const one of [...waiting, passwords.hash("c")]) {
    await assert.rejects(one, (error) => error instanceof Failure && error.code === "unavailable");
  }
});

Deno.test("thread: a stored text that is no hash is an inner error, and the next call works", async () => {
  const passwords = new Passwords();
  try {
    await assert.rejects(
      passwords.matches("x", "plain"),
      (error) => error instanceof Failure && error.code === "internal",
    );
    assert.equal(await passwords.matches("x", await passwords.hash("x")), true);
  } finally {
    passwords.close();
  }
});

/** A hash of bcrypt, of nobody's password. */
const bcryptOf = (cost: number) => `$2b$${cost}$${"a".repeat(53)}`;

Deno.test("hash: while some are bcrypt's, a check is the same work for each of them, for ours and for nobody's", async () => {
  const hashes = [await hashPassword(PASSWORD), NO_PASSWORD, bcryptOf(11), bcryptOf(10)];
  const least = hashes.map(() => Infinity);
  const isAlike = () => Math.max(...least) < 1.6 * Math.min(...least);
  for (let round = 0; round < 3 || (round < 20 && !isAlike()); round++) {
    for (const [i, stored] of hashes.entries()) {
      const before = process.cpuUsage();
      assert.equal(await passwordMatches("wrong", stored, 11), false);
      const { user, system } = process.cpuUsage(before);
      // Whatever else this process does only adds to it.
      least[i] = Math.min(least[i] ?? Infinity, user + system);
    }
  }
  assert.ok(isAlike(), String(least));
});

testOnEngines(
  "passwords: what a check costs follows the costliest of bcrypt's hashes that are left",
  async (desk) => {
    const cost = () => greatestForeignCost(desk.app.ctx.storage.reader, desk.org_id);
    const { org_id } = desk;
    assert.equal(await cost(), null);
    const [ada, bob] = [
      await register(desk, { password: PASSWORD }),
      await register(desk, { email: "bob@example.org", password: PASSWORD }),
    ];
    assert.equal(await cost(), null);
    for (const [id, n] of [[ada, 10], [bob, 12]] as const) {
      await desk.app.ctx.storage.commit(setOld, { org_id, id, password_hash: bcryptOf(n) });
    }
    assert.equal(await cost(), 12);
    const path = pathTo(`${DEVELOPERS}/password`, bob);
    await succeed(desk, "POST", path, { body: { password: PASSWORD } });
    assert.equal(await cost(), 10);
  },
  { extra: [setOld] },
);
