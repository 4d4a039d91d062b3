/**
 * Access tokens of people: scope, end, revocation, rotation, and races about the last
 * administrator.
 */
import assert from "node:assert/strict";
import { assertFailure, assertInvalid } from "../../support/answers.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { REQUESTS } from "../../support/key-requests.ts";
import { allItems, call, newPerson, statusOf, testClock } from "../../support/people.ts";
import { storedText } from "../../support/stored.ts";
import { watchReads } from "../../support/verification.ts";

const clock = testClock();
const ROTATE = { overlap_seconds: 60, deliver: "answer" };

/** An organisation of its own, whose administrators are not the operator's. */
async function organisation(desk: TestDesk) {
  const body = { name: "Other", administrator: "Grace" };
  const { administrator } = await call(desk, "POST", "/v1/organisations", body);
  return {
    credential: administrator.access_token as string,
    path: `/v1/access-tokens/${administrator.access_token_id}`,
    person: `/v1/people/${administrator.person_id}`,
  };
}

testOnEngines("access tokens: shown once, kept as a hash, listed without a value", async (desk) => {
  const { id } = await call(desk, "POST", "/v1/people", { name: "Ada", permissions: ["approve"] });
  const path = `/v1/people/${id}/access-tokens`;
  const { access_token: credential, ...issued } = await call(desk, "POST", path, {
    name: "laptop",
    deliver: "answer",
  });
  const { one_time_link, ...listed } = issued;
  const { person: me } = await call(desk, "GET", "/v1/me");
  assert.match(credential, /^kda_[A-Za-z0-9]{43}_[A-Za-z0-9]{6}$/);
  assert.deepEqual({ ...issued, id: "", date_created: "" }, {
    id: "",
    person_id: id,
    name: "laptop",
    state: "active",
    permissions: ["approve"],
    role: null,
    scope: null,
    date_created: "",
    expires_at: null,
    revoked_at: null,
    replaced_by: null,
    one_time_link: null,
    issued_by: me.id,
    addresses: null,
    certs_answer: null,
    expires_soon: false,
    last_used_at: null,
    last_used_from: null,
    leaked: null,
  });
  assert.equal(one_time_link, null);
  assert.deepEqual(await allItems(desk, path), [listed]);
  assert.equal(await statusOf(desk, credential), 200);
  assert.ok(!(await storedText(desk)).includes(credential));
  assert.ok(!desk.logLines.join("\n").includes(credential));
});

testOnEngines(
  "access tokens: those of all people are listed by name, state and person, each is read by its id",
  async (desk) => {
    const grace = await newPerson(desk, ["approve"]);
    const path = `/v1/people/${grace.id}/access-tokens`;
    const nightly = await call(desk, "POST", path, { name: "Nightly backup", deliver: "answer" });
    const other = await organisation(desk);
    const ids = async (query: string) =>
      (await allItems(desk, `/v1/access-tokens${query}`)).map(({ id }) => id);
    const all = await ids("");
    assert.deepEqual(all.slice(0, 2), [nightly.id, grace.credential_id]);
    assert.ok(!all.includes(other.path.split("/").at(-1) ?? ""));
    assert.deepEqual(await ids("?q=BACKUP"), [nightly.id]);
    assert.deepEqual(await ids(`?q=${nightly.id}`), [nightly.id]);
    assert.deepEqual(await ids(`?person_id=${grace.id}`), [nightly.id, grace.credential_id]);
    await call(desk, "DELETE", `/v1/access-tokens/${nightly.id}`);
    assert.deepEqual(await ids(`?person_id=${grace.id}&state=active`), [grace.credential_id]);
    assert.deepEqual(await ids("?state=revoked"), [nightly.id]);
    const read = await call(desk, "GET", `/v1/access-tokens/${nightly.id}`);
    assert.deepEqual([read.name, read.state, read.person_name], [
      "Nightly backup",
      "revoked",
      (await call(desk, "GET", `/v1/people/${grace.id}`)).name,
    ]);
    assert.ok(!JSON.stringify(read).includes(nightly.access_token));
    await assertFailure(await desk.send("GET", other.path), "not_found");
  },
);

testOnEngines(
  "access tokens: a scope narrows, and follows what the person loses",
  async (desk) => {
    const scope = ["portal:read", "approve"] as const;
    const person = await newPerson(desk, ["portal:write", "approve"], { scope });
    const mine = async () =>
      (await call(desk, "GET", "/v1/me", undefined, person.credential)).permissions;
    assert.deepEqual(await mine(), scope);
    const body = { name: "x", permissions: ["portal:write", "certs:read"] };
    await call(desk, "PUT", `/v1/people/${person.id}`, body);
    clock.at += 1000;
    assert.deepEqual(await mine(), ["portal:read"]);
    const beyond = { name: "x", scope: ["secrets", "approve"] };
    const path = `/v1/people/${person.id}/access-tokens`;
    await assertInvalid(
      await desk.send("POST", path, { body: beyond }),
      "scope: the person does not hold secrets, approve",
    );
  },
  { clock },
);

testOnEngines(
  "access tokens: one with an end opens until then, and none ends in the past",
  async (desk) => {
    const expires_at = new Date(clock.at + 5000).toISOString();
    const person = await newPerson(desk, ["approve"], { expires_at });
    clock.at += 4999;
    assert.equal(await statusOf(desk, person.credential), 200);
    clock.at += 1;
    clock.at += 1000;
    assert.equal(await statusOf(desk, person.credential), 401);
    const path = `/v1/people/${person.id}/access-tokens`;
    assert.equal((await allItems(desk, path))[0].state, "expired");
    await assertInvalid(
      await desk.send("POST", path, { body: { name: "x", expires_at } }),
      "expires_at: lies in the past",
    );
    const gone = await desk.send("DELETE", `/v1/access-tokens/${person.credential_id}`);
    await assertFailure(gone, "access_token_ended");
  },
  { clock },
);

testOnEngines(
  "access tokens: a revoked one is refused within a second, the person's others go on",
  async (desk) => {
    const person = await newPerson(desk, ["approve"]);
    const more = await call(desk, "POST", `/v1/people/${person.id}/access-tokens`, {
      name: "other",
      deliver: "answer",
    });
    assert.equal(await statusOf(desk, person.credential), 200);
    const revoked = await call(desk, "DELETE", `/v1/access-tokens/${person.credential_id}`);
    assert.equal(revoked.state, "revoked");
    clock.at += 1000;
    assert.equal(await statusOf(desk, person.credential), 401);
    assert.equal(await statusOf(desk, more.access_token), 200);
    const again = await desk.send("DELETE", `/v1/access-tokens/${person.credential_id}`);
    await assertFailure(again, "access_token_ended");
  },
  { clock },
);

testOnEngines(
  "access tokens: a rotated one lives on for the overlap, scope and end go over",
  async (desk) => {
    const expires_at = new Date(clock.at + 3_600_000).toISOString();
    const scope = ["portal:read"] as const;
    const person = await newPerson(desk, ["portal:write"], { scope, expires_at });
    const path = `/v1/access-tokens/${person.credential_id}/rotate`;
    const fresh = await call(desk, "POST", path, ROTATE);
    assert.notEqual(fresh.access_token, person.credential);
    assert.deepEqual([fresh.scope, fresh.expires_at, fresh.name], [scope, expires_at, "laptop"]);
    const [, old] = await allItems(desk, `/v1/people/${person.id}/access-tokens`);
    assert.equal(old.replaced_by, fresh.id);
    await assertFailure(await desk.send("POST", path, { body: ROTATE }), "access_token_rotated");
    clock.at += 59_000;
    assert.equal(await statusOf(desk, person.credential), 200);
    clock.at += 2000;
    assert.equal(await statusOf(desk, person.credential), 401);
    assert.equal(await statusOf(desk, fresh.access_token), 200);
  },
  { clock },
);

testOnEngines(
  "access tokens: rotated without an overlap, the old one is refused within a second",
  async (desk) => {
    const person = await newPerson(desk, ["approve"]);
    const path = `/v1/access-tokens/${person.credential_id}/rotate`;
    const init = {
      body: { overlap_seconds: 0, deliver: "answer" },
      headers: { "idempotency-key": "rotate-0123456789" },
    };
    const fresh = await (await desk.send("POST", path, init)).json();
    // The answer got lost: the same call gives the same credential.
    assert.deepEqual(await (await desk.send("POST", path, init)).json(), fresh);
    clock.at += 1000;
    assert.equal(await statusOf(desk, person.credential), 401);
    assert.equal(await statusOf(desk, fresh.access_token), 200);
    assert.ok(!(await storedText(desk)).includes(fresh.access_token));
  },
  { clock },
);

testOnEngines(
  "access tokens: the last that administers can't go, end or lose admin",
  async (desk) => {
    const { credential, path, person } = await organisation(desk);
    const as = { credential };
    const body = { name: "Grace", permissions: ["portal:read"] };
    const soon = { overlap_seconds: 0, expires_at: new Date(clock.at + 60_000).toISOString() };
    const attempts = () =>
      Promise.all([
        desk.send("DELETE", path, as),
        desk.send("DELETE", person, as),
        desk.send("PUT", person, { ...as, body }),
        desk.send("POST", `${path}/rotate`, { ...as, body: soon }),
      ]);
    for (const response of await attempts()) await assertFailure(response, "last_administrator");
    // One that does not administer, or not for long, does not make it better.
    const issue = (more: object) =>
      call(desk, "POST", `${person}/access-tokens`, { name: "x", ...more }, credential);
    await issue({ scope: ["portal:read"] });
    await issue({ expires_at: new Date(clock.at + 60_000).toISOString() });
    for (const response of (await attempts()).slice(0, 1)) {
      await assertFailure(response, "last_administrator");
    }
    const second = await issue({});
    assert.equal((await desk.send("DELETE", path, as)).status, 200);
    clock.at += 1000;
    assert.equal(await statusOf(desk, second.access_token), 200);
  },
  { clock },
);

testOnEngines(
  "access tokens: two administrators who remove each other at once: one stays",
  async (desk) => {
    for (let turn = 0; turn < 5; turn++) {
      const { credential, person, path } = await organisation(desk);
      // An equal: the weaker could not remove the stronger.
      const { permissions } = await call(desk, "GET", "/v1/me", undefined, credential);
      const { id } = await call(
        desk,
        "POST",
        "/v1/people",
        { name: "Ada", permissions },
        credential,
      );
      const ada = await call(
        desk,
        "POST",
        `/v1/people/${id}/access-tokens`,
        { name: "x" },
        credential,
      );
      const answers = await Promise.all([
        desk.send("DELETE", turn % 2 === 0 ? path : person, { credential: ada.access_token }),
        desk.send("DELETE", `/v1/people/${id}`, { credential }),
      ]);
      const statuses = answers.map(({ status }) => status).sort();
      assert.equal(statuses[0], 200);
      // Whoever came second was no administrator any more.
      assert.equal(statuses[1], 401);
      clock.at += 1000;
      const left = await Promise.all([
        statusOf(desk, credential),
        statusOf(desk, ada.access_token),
      ]);
      assert.deepEqual(left.sort(), [200, 401]);
    }
  },
  { clock },
);

testOnEngines("access tokens: of many rotations at once one succeeds", async (desk) => {
  const person = await newPerson(desk, ["approve"]);
  const path = `/v1/access-tokens/${person.credential_id}/rotate`;
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => desk.send("POST", path, { body: ROTATE })),
  );
  const codes = answers.map((answer) => answer.headers.get("x-keydesk-error") ?? "ok").sort();
  assert.deepEqual(codes, [...Array(7).fill("access_token_rotated"), "ok"]);
  assert.equal((await allItems(desk, `/v1/people/${person.id}/access-tokens`)).length, 2);
});

testOnEngines("access tokens: of many calls at once with one, one looks it up", async (desk) => {
  const credential = await desk.token(["portal:read"]);
  const watched = watchReads(desk);
  const calls = Array.from({ length: 30 }, () => desk.send("GET", REQUESTS, { credential }));
  for (const answer of await Promise.all(calls)) {
    assert.equal(answer.status, 200, await answer.text());
  }
  assert.equal(watched.sql.filter((text) => /from "access_tokens"/.test(text)).length, 1);
});
