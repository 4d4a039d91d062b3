/** Rows that something else than Keydesk changed open nothing, and are told of once. */
import assert from "node:assert/strict";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { statement } from "../../../src/storage/statement.ts";
import { findings, tamper } from "../../support/damage.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { eventually } from "../../support/eventually.ts";
import { create, smallRequest } from "../../support/key-requests.ts";
import { call, issue, KEYS, tracesOf } from "../../support/keys.ts";
import { addOAuthClient, oauthClientOf, sendForm, tokenFor } from "../../support/oauth.ts";
import { issueKnown, outcome, valid, withSecond } from "../../support/verification.ts";

const damagesSql = statement<Record<never, never>>()((db) =>
  db.selectFrom("damages").select(["object", "object_id"]).orderBy("object").orderBy("object_id")
);

const damages = (desk: TestDesk) => desk.app.ctx.storage.reader.rows(damagesSql, {});

testOnEngines("a revoked key that is made active in the file opens nothing", async (desk) => {
  const { RawKey, key_id } = await issueKnown(desk);
  const other = await issue(desk);
  await call(desk, "POST", `${KEYS}/${key_id}/revoke`, { reason: "test" });
  await tamper(desk, `update credentials set state = 'active' where key_id = '${key_id}'`);
  await withSecond(desk, async (second) => {
    assert.equal(await outcome(second, RawKey), "damaged");
    assert.equal(await outcome(second, RawKey), "damaged");
    // That key alone.
    assert.notEqual(await outcome(second, other.RawKey), "damaged");
    await second.app.ctx.damages.flush();
    const [problem] = second.app.ctx.problems.current();
    assert.equal(problem?.name, "damage_found");
    assert.equal(problem?.stops, "nothing");
  });
  // This desk finds it too, and tells of nothing twice.
  assert.equal(await outcome(desk, RawKey), "damaged");
  await desk.app.ctx.damages.flush();
  const { audit } = await tracesOf(desk, key_id);
  assert.equal(audit.filter(([action]) => action === "key.damaged").length, 1);
  assert.equal(desk.logLines.filter((line) => line.includes("damage found")).length, 1);
  assert.equal(desk.logLines.filter((line) => line.includes("problem begins")).length, 1);
  assert.deepEqual(await damages(desk), [{ object: "credential", object_id: key_id }]);
  const { warnings } = await (await desk.send("GET", "/v1/server")).json();
  assert.match(warnings.join(), new RegExp(`damaged key: 1, among them ${key_id}`));

  const proxied = await desk.send("GET", "/v1/forward-auth", {
    headers: { [desk.app.ctx.settings.forwardAuthHeader]: RawKey },
  });
  assert.equal(proxied.status, 401);
  assert.equal(proxied.headers.get("x-keydesk-reason"), "damaged");
  await proxied.body?.cancel();
});

const changes: Record<string, string> = {
  "its plans": `plans = '["gold"]'`,
  "its end": "expires_at = null",
  "its developer": "developer_id = 'dev-other'",
  "its checksum is taken": "checksum = null",
  "its checksum is another's": "checksum = (select min(checksum) from access_tokens)",
  "its quotas": "quota_from = '2026-01-01T00:00:00.000Z'",
  "its day of issue": "issued_at = '2020-01-01T00:00:00.000Z'",
};

for (const [what, set] of Object.entries(changes)) {
  testOnEngines(`a key opens nothing once something else changed: ${what}`, async (desk) => {
    const { RawKey, key_id } = await issueKnown(desk);
    const expires_at = "2099-01-01T00:00:00.000Z";
    await call(desk, "PUT", `${KEYS}/${key_id}/expiry`, { expires_at });
    await withSecond(desk, async (second) => void await valid(second, RawKey));
    await tamper(desk, `update credentials set ${set} where key_id = '${key_id}'`);
    await withSecond(desk, async (second) => {
      assert.equal(await outcome(second, RawKey), "damaged");
    });
  });
}

testOnEngines("a password that is put in from outside opens nothing", async (desk) => {
  const { RawKey } = await issueKnown(desk);
  await tamper(
    desk,
    `update credentials set kind = 'basic', secret_hash = '${sha256("mine")}'`,
  );
  await withSecond(desk, async (second) => {
    assert.equal(await outcome(second, { username: RawKey, password: "mine" }), "damaged");
  });
});

testOnEngines(
  "a row of another organisation, or under another key's id, opens nothing",
  async (desk) => {
    const { key_id } = await issueKnown(desk);
    await tamper(
      desk,
      `update credentials set key_id = '${sha256("guess")}' where key_id = '${key_id}'`,
    );
    assert.equal(await outcome(desk, "guess"), "damaged");
  },
);

testOnEngines(
  "access tokens and people that were changed in the file are refused",
  async (desk) => {
    const statusOf = async (credential: string) => {
      const answer = await desk.send("GET", "/v1/keys", { credential });
      await answer.body?.cancel();
      return answer.status;
    };
    const tokens = await Promise.all(Array.from({ length: 5 }, () => desk.token(["portal:read"])));
    for (const token of tokens) assert.equal(await statusOf(token), 200);
    const [scoped, moved, person, fine, ended] = tokens.map(sha256);
    await tamper(
      desk,
      `update access_tokens set scope = 'admin' where hash = '${scoped}'`,
      `update access_tokens set user_id = (select user_id from access_tokens where hash = '${
        sha256(desk.admin)
      }') where hash = '${moved}'`,
      `update users set permissions = 'admin' where id = (select user_id from access_tokens where hash = '${person}')`,
      `update access_tokens set name = 'its name decides nothing' where hash = '${fine}'`,
      `update access_tokens set expires_at = '2099-01-01T00:00:00.000Z' where hash = '${ended}'`,
    );
    const seen: number[] = [];
    await eventually(
      "what was looked up is over",
      async () => await statusOf(tokens[0] ?? "") === 401,
    );
    for (const token of tokens) seen.push(await statusOf(token));
    assert.deepEqual(seen, [401, 401, 401, 200, 401]);
    await desk.app.ctx.damages.flush();
    const known = (await damages(desk)).map(({ object }) => object);
    assert.deepEqual(known, ["access_token", "access_token", "access_token", "person"]);
  },
);

testOnEngines("an OAuth client that was changed in the file gets no token", async (desk) => {
  const client = { client_id: "client", client_secret: "secret" };
  await oauthClientOf(desk, client);
  const token = await tokenFor(desk, client);
  assert.equal(await outcome(desk, token) === "damaged", false);
  await tamper(desk, `update credentials set plans = '["gold"]' where kind = 'oauth'`);
  const refused = await sendForm(desk, "/oauth/token", {
    grant_type: "client_credentials",
    ...client,
  });
  assert.equal(refused.status, 401);
  await refused.body?.cancel();
  await withSecond(desk, async (second) => assert.equal(await outcome(second, token), "damaged"));
}, { extra: [addOAuthClient] });

testOnEngines(
  "no key is minted after the model of a damaged one, and no change mends it",
  async (desk) => {
    const { key_id, RawKey } = await issueKnown(desk);
    await tamper(desk, `update credentials set plans = '["gold"]' where key_id = '${key_id}'`);
    const rotated = await desk.send("POST", `${KEYS}/${key_id}/rotate`, {
      body: { overlap_seconds: 60 },
    });
    assert.equal(rotated.status, 409);
    assert.equal((await rotated.json()).code, "key_damaged");
    await call(desk, "POST", `${KEYS}/${key_id}/suspend`, { reason: "test" });
    await call(desk, "POST", `${KEYS}/${key_id}/resume`, { reason: "test" });
    assert.equal(await outcome(desk, RawKey), "damaged");
    // It can be ended.
    await call(desk, "POST", `${KEYS}/${key_id}/revoke`, { reason: "test" });
    const [found, ...more] = await findings(desk);
    assert.deepEqual(more.filter(({ check }) => check === "checksums"), []);
    assert.match(found?.text ?? "", /was changed by another program/);
  },
);

testOnEngines(
  "every change of keys, access tokens and people writes the checksum",
  async (desk) => {
    const { key_id } = await issueKnown(desk);
    const change = (method: string, path: string, body: unknown = {}) =>
      call(desk, method, `${KEYS}/${key_id}/${path}`, body);
    await change("POST", "suspend", { reason: "test" });
    await change("POST", "resume", { reason: "test" });
    await change("PUT", "expiry", { expires_at: "2099-01-01T00:00:00.000Z" });
    await change("PUT", "plans", { plans: ["plan-weather"] });
    await change("POST", "rotate", { overlap_seconds: 60 });
    await change("POST", "revoke", { reason: "test" });
    await create(desk, smallRequest());
    assert.deepEqual(await findings(desk), []);
  },
);
