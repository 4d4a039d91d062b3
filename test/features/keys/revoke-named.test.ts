/**
 * The original's other ways to revoke: what is named ends, what is not theirs does not, and no
 * plain key is kept.
 */
import assert from "node:assert/strict";
import { murmurIdsOf } from "../../../src/features/keys/murmur.ts";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { statement } from "../../../src/storage/statement.ts";
import { assertFailure } from "../../support/answers.ts";
import { DEVELOPERS } from "../../support/companions.ts";
import { type SendInit, type TestDesk, testOnEngines } from "../../support/desk.ts";
import { eventually } from "../../support/eventually.ts";
import {
  call,
  importKeys,
  issue,
  KEYS,
  readKey,
  storedDeveloper,
  tracesOf,
} from "../../support/keys.ts";
import {
  heeds,
  issueKnown,
  makeKnown,
  outcome,
  valid,
  withSecond,
} from "../../support/verification.ts";

const DELETED = { Status: "OK", Message: "Key deleted successfully.", Meta: null };

/** Every way in, by a key as it stands in a path; all but the first name no developer. */
const ways: ((key: string) => string)[] = [
  (key) => `${DEVELOPERS}/key/plan-weather/${key}/dev-ada`,
  (key) => `/api/apis/5e1f3c2ab4d5e6f7a8b9c0d1/keys/${key}`,
  (key) => `/api/apis/-/keys/${key}`,
  (key) => `/api/apis//keys/${key}`,
  (key) => `/api/api/apis/weather/keys/${key}`,
  (key) => `/api/api/apis//keys/${key}`,
  (key) => `/api/keys/${key}`,
  (key) => `/api/api/keys/${key}`,
  (key) => `/api/keys/${key}/?auto_guess=true`,
  (key) => `/api/apis//keys/${key}/`,
];

async function revoke(desk: TestDesk, path: string, init: SendInit = {}): Promise<void> {
  const response = await desk.send("DELETE", path, init);
  assert.deepEqual([response.status, await response.json()], [200, DELETED], path);
}

const notFound = async (desk: TestDesk, path: string, init: SendInit = {}) =>
  await assertFailure(await desk.send("DELETE", path, init), "key_not_found", {
    message: "Could not retrieve key detail.",
  });

testOnEngines(
  "revoke by name: each path ends a key by its id and by itself, once, wherever it is verified",
  async (desk) => {
    await withSecond(desk, async (second) => {
      for (const way of ways) {
        for (const nameOf of [sha256, (key: string) => key, encodeURIComponent]) {
          const { RawKey, key_id } = await issueKnown(desk);
          await valid(second, RawKey);
          await revoke(desk, way(nameOf(RawKey)));
          const since = performance.now();
          for (const one of [desk, second]) await heeds(one, RawKey, "revoked", since);
          const { state, reason } = await readKey(desk, key_id);
          assert.deepEqual([state, reason], ["revoked", "deleted"]);
          assert.equal(key_id in (await storedDeveloper(desk)).keys, false);
          const traces = await tracesOf(desk, key_id);
          assert.deepEqual(traces.audit.at(-1), ["key.revoked", { reason: "deleted" }]);
          assert.equal(traces.topics.at(-1), "key.revoked");
          // What is revoked opens nothing, so "already gone" is true.
          await notFound(desk, way(nameOf(RawKey)));
        }
      }
    });
  },
);

testOnEngines(
  "revoke by name: a key that lives and is another developer's is 400, and lives on",
  async (desk) => {
    const { RawKey, key_id } = await issueKnown(desk);
    for (const developer of ["dev-bob", "x", "x".repeat(300), "%00", "dev-ada%20", "DEV-ADA"]) {
      for (const key of [key_id, RawKey]) {
        const response = await desk.send("DELETE", `${DEVELOPERS}/key/p/${key}/${developer}`);
        await assertFailure(response, "key_not_owned", {
          message: "Attempted access to non-owned key.",
        });
      }
    }
    assert.equal(await outcome(desk, RawKey), "valid");
    // The plan is not looked at, whatever stands there.
    await revoke(desk, `${DEVELOPERS}/key/${"x".repeat(300)}/${key_id}/dev-ada`);
    await notFound(desk, `${DEVELOPERS}/key/p/${key_id}/dev-bob`);
  },
);

testOnEngines(
  "revoke by name: an unknown and a foreign key are the same 404, whatever API is named",
  async (desk) => {
    const { RawKey, key_id } = await issueKnown(desk);
    const { admin: credential } = await desk.otherOrganisation();
    for (const way of ways) {
      for (const key of [key_id, RawKey]) await notFound(desk, way(key), { credential });
      for (
        const key of [
          "0".repeat(64),
          "0".repeat(32),
          "no-such-key",
          "%00",
          "%2F",
          "%zz",
          "x".repeat(5000),
        ]
      ) {
        await notFound(desk, way(key));
      }
    }
    for (const api of ["%00", "x".repeat(300)]) await notFound(desk, `/api/apis/${api}/keys/none`);
    assert.equal(await outcome(desk, RawKey), "valid");
    await revoke(desk, `/api/apis/${"x".repeat(300)}/keys/${key_id}`);
  },
);

testOnEngines(
  "revoke by name: suspended, expiring, basic and OAuth keys end; imported ones by either hash",
  async (desk) => {
    const end = new Date(Date.now() + 60_000).toISOString();
    const suspended = await issue(desk);
    await call(desk, "POST", `${KEYS}/${suspended.key_id}/suspend`, { reason: "x" });
    await revoke(desk, `/api/keys/${suspended.RawKey}`);
    const expiring = await issue(desk);
    await call(desk, "PUT", `${KEYS}/${expiring.key_id}/expiry`, { expires_at: end });
    await revoke(desk, `/api/keys/${expiring.key_id}`);

    const plain = [
      "with/slash+plus=and%25percent?",
      "a-user-name",
      "c".repeat(32),
      "d".repeat(64),
      "é".repeat(2000),
    ];
    const lines = plain.map((key) => ({
      key,
      developer: "dev-ada",
      plans: ["plan-weather"],
      kind: "token",
    }));
    await importKeys(desk, lines);
    for (const key of plain) {
      await revoke(desk, `/api/apis//keys/${encodeURIComponent(key)}`);
      assert.equal((await readKey(desk, sha256(key))).state, "revoked");
    }
  },
);

testOnEngines(
  "revoke by name: a murmur key ends by itself and by its hash, before and after its first use",
  async (desk) => {
    await makeKnown(desk, ["plan-weather"]);
    const keys = Array.from({ length: 8 }, (_, n) => `key-of-old-number-${n}`);
    const ids = await Promise.all(
      keys.map(async (key, n) => (await murmurIdsOf(key))[n % 2] ?? ""),
    );
    const lines = ids.map((hash, n) => ({
      hash,
      algorithm: n % 2 === 0 ? "murmur128" : "murmur64",
      kind: "token",
      developer: "dev-ada",
      plans: ["plan-weather"],
    }));
    await importKeys(desk, lines, { murmurUntil: new Date(Date.now() + 1e9).toISOString() });
    for (const [n, key] of keys.entries()) {
      const used = n % 4 >= 2;
      if (used) await valid(desk, key);
      await revoke(desk, ways[n % ways.length]?.(n < 4 ? key : ids[n] ?? "") ?? "");
      await heeds(desk, key, used ? "revoked" : "unknown");
    }
  },
);

testOnEngines(
  "revoke by name: a key that is used for the first time meanwhile never lives on",
  async (desk) => {
    await makeKnown(desk, ["plan-weather"]);
    const keys = Array.from({ length: 20 }, (_, n) => `key-in-a-race-number-${n}`);
    const ids = await Promise.all(keys.map(async (key) => (await murmurIdsOf(key))[0]));
    const lines = ids.map((hash) => ({
      hash,
      algorithm: "murmur128",
      kind: "token",
      developer: "dev-ada",
      plans: ["plan-weather"],
    }));
    await importKeys(desk, lines, { murmurUntil: new Date(Date.now() + 1e9).toISOString() });
    await Promise.all(keys.map(async (key, n) => {
      const path = `/api/apis//keys/${n % 2 === 0 ? key : ids[n]}`;
      await Promise.all([
        again(() => desk.send("POST", "/v1/keys/verify", { body: { key } })),
        again(() => desk.send("DELETE", path)),
      ]);
    }));
    const since = performance.now();
    for (const key of keys) {
      const seen = await outcome(desk, key);
      if (seen !== "unknown") await heeds(desk, key, "revoked", since);
    }
  },
);

/**
 * A key that changes hands while it is revoked may be 503 once, and so may its use on a busy
 * machine.
 */
async function again(send: () => Promise<Response>): Promise<void> {
  await eventually("an answer", async () => {
    const { status } = await send();
    if (status !== 503) assert.equal(status, 200);
    return status === 200;
  });
}

testOnEngines(
  "revoke by name: one of many that revoke at once succeeds, all others are 404",
  async (desk) => {
    const { RawKey, key_id } = await issue(desk);
    const answers = await Promise.all(
      Array.from(
        { length: 20 },
        (_, n) => desk.send("DELETE", ways[n % ways.length]?.(n % 2 ? key_id : RawKey) ?? ""),
      ),
    );
    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [200, ...Array.from({ length: 19 }, () => 404)]);
    assert.equal(
      (await tracesOf(desk, key_id)).audit.filter(([action]) => action === "key.revoked")
        .length,
      1,
    );
  },
);

testOnEngines(
  "revoke by name: needs approve; 403 tells the path as received, with the hash of a plain key",
  async (desk) => {
    const { RawKey, key_id } = await issueKnown(desk);
    const credential = await desk.token(["portal:write", "certs:write", "admin", "verify"]);
    for (const way of ways) {
      const received = (key: string) => way(key).replace(/\?.*/, "");
      for (const key of [key_id, RawKey, encodeURIComponent(RawKey)]) {
        const response = await desk.send("DELETE", way(key), { credential });
        const message = `access denied: You do not have permission to access  ${received(key_id)}`;
        await assertFailure(response, "access_denied", { message });
      }
    }
    assert.equal(await outcome(desk, RawKey), "valid");
  },
);

const textsSql = statement<Record<never, never>>()<{ text: string }>((db) =>
  db.selectFrom("audit_events").select("detail as text")
    .unionAll(db.selectFrom("audit_events").select("object_id as text"))
    .unionAll(db.selectFrom("outbox_events").select("object_id as text"))
);

testOnEngines(
  "revoke by name: a plain key of a path is in no answer, log line, audit log or message",
  async (desk) => {
    const { RawKey } = await issue(desk);
    const weak = await desk.token(["portal:read"]);
    const texts: string[] = [];
    for (const way of ways) {
      for (const key of [RawKey, encodeURIComponent(RawKey), "plain-key-of-nobody"]) {
        for (const credential of [null, "wrong", weak]) {
          const response = await desk.send("DELETE", way(key), { credential });
          texts.push(await response.text(), JSON.stringify([...response.headers]));
        }
        for (const method of ["GET", "POST", "PUT", "PATCH", "OPTIONS", "FOO"]) {
          const response = await desk.send(method, way(key));
          texts.push(await response.text(), JSON.stringify([...response.headers]));
        }
        for (const path of [`/api/keys/x/${key}`, `/api/api/api/keys/${key}`, `/api/keyz/${key}`]) {
          texts.push(await (await desk.send("DELETE", path)).text());
        }
      }
    }
    for (const developer of ["dev-bob", "dev-ada", "dev-ada"]) {
      const response = await desk.send("DELETE", `${DEVELOPERS}/key/p/${RawKey}/${developer}`);
      texts.push(await response.text());
    }
    const rows = await desk.app.ctx.storage.reader.rows(textsSql, {});
    assert.ok(rows.length > 4 && desk.logLines.length > 100);
    for (const text of [...texts, ...desk.logLines, ...rows.map((row) => row.text)]) {
      for (
        const plain of [
          RawKey,
          encodeURIComponent(RawKey),
          RawKey.slice(0, 40),
          "plain-key-of-nobody",
        ]
      ) {
        assert.ok(!text.includes(plain), text);
      }
    }
    const asked = desk.logLines.map((line) => JSON.parse(line).path);
    assert.ok(asked.includes("/api/apis/{api}/keys/{key}"));
  },
);
