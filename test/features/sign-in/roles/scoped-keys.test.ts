/** Scopes over keys, plans, developers and use, and what others may not tell of what is outside. */
import assert from "node:assert/strict";
import { sha256 } from "../../../../src/kernel/sha256.ts";
import { UsageCounter } from "../../../../src/features/verification/usage/usage-counter.ts";
import { assertFailure } from "../../../support/answers.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import { create, smallRequest } from "../../../support/key-requests.ts";
import { known } from "../../../support/known-parties.ts";
import { call } from "../../../support/people.ts";
import { planWith } from "../../../support/verification.ts";
import { V1_REQUESTS } from "../../../support/v1-requests.ts";

const tags = ["team"];

async function scoped(desk: TestDesk, scope: unknown = { tags }, role = "approver") {
  const { id } = await call(desk, "POST", "/v1/people", { name: "Pia", role, scope });
  const body = { name: "laptop", deliver: "answer" };
  const { access_token: credential } = await call(
    desk,
    "POST",
    `/v1/people/${id}/access-tokens`,
    body,
  );
  return { id: id as string, credential: credential as string };
}

/** Plans on both sides, and a developer with keys of each and of both. */
async function seeded(desk: TestDesk) {
  const mine = await planWith(desk, { tags }, ["payments"]);
  const also = await planWith(desk, { tags }, ["payments"]);
  const theirs = await planWith(desk, {}, ["other"]);
  await known(desk, await create(desk, smallRequest({ by_user: "dev-both", for_plan: theirs })));
  const key = async (plans: string[], more = {}) => {
    const body = { plans, ...more };
    const { key_id } = await call(desk, "POST", "/v1/developers/dev-both/keys", body);
    return key_id as string;
  };
  return {
    mine,
    also,
    theirs,
    seen: await key([mine], { name: "mine", tags: ["checkout"] }),
    mixed: await key([mine, theirs]),
    foreign: await key([theirs], { name: "theirs", tags: ["hidden"] }),
  };
}

const keysIn = (data: readonly { key_id: string }[]) => data.map(({ key_id }) => key_id).sort();

testOnEngines(
  "scoped keys: what is within is found, exported and changed, and no more",
  async (desk) => {
    const { mine, also, theirs, seen, mixed, foreign } = await seeded(desk);
    const { credential } = await scoped(desk);
    const get = (path: string) => call(desk, "GET", path, undefined, credential);
    const send = (method: string, path: string, body?: unknown) =>
      desk.send(method, path, { credential, ...body === undefined ? {} : { body } });
    for (
      const query of ["", "?q=dev-both", `?plan=${mine}`, "?developer=dev-both", "?sort=expires_at"]
    ) {
      assert.deepEqual(keysIn((await get(`/v1/keys${query}`)).data), [seen], query);
    }
    for (const query of [`?plan=${theirs}`, "?tag=hidden", "?q=theirs"]) {
      assert.deepEqual((await get(`/v1/keys${query}`)).data, [], query);
    }
    assert.deepEqual(await get("/v1/keys/labels"), { environments: [], tags: ["checkout"] });
    const csv = await (await send("GET", "/v1/keys/export")).text();
    assert.ok(csv.includes(seen) && !csv.includes(mixed) && !csv.includes(foreign));
    const older = await (await send("GET", "/api/apis/keys")).json();
    assert.deepEqual(older.data.keys, [seen]);
    // Both plans of a key are theirs to change, one of others is not.
    const path = `/v1/keys/${seen}`;
    assert.deepEqual(
      (await call(desk, "PUT", `${path}/plans`, { plans: [also] }, credential)).plans,
      [
        also,
      ],
    );
    for (const plan of [theirs, "no-such-plan"]) {
      const widened = await send("PUT", `${path}/plans`, { plans: [also, plan] });
      assert.equal(widened.status, 403);
      await widened.body?.cancel();
    }
    const older403 = await send("PUT", `/api/keys/${seen}`, { apply_policies: [also, theirs] });
    assert.equal(older403.status, 403);
    await older403.body?.cancel();
    const reason = "x";
    const suspended = await call(desk, "POST", `${path}/suspend`, { reason }, credential);
    assert.equal(suspended.state, "suspended");
    await call(desk, "POST", `${path}/resume`, { reason }, credential);
    await call(desk, "PUT", `${path}/labels`, { name: "renamed" }, credential);
    const { key_id: next } = await call(
      desk,
      "POST",
      `${path}/rotate`,
      { overlap_seconds: 0 },
      credential,
    );
    assert.equal((await get(`/v1/keys/${next}`)).name, "renamed");
    for (const key of [mixed, foreign]) {
      await assertFailure(await send("POST", `/v1/keys/${key}/revoke`, { reason }), "not_found");
      await assertFailure(await send("DELETE", `/api/keys/${key}`), "key_not_found");
      assert.equal((await call(desk, "GET", `/v1/keys/${key}`)).state, "active");
    }
    await call(desk, "POST", `/v1/keys/${next}/revoke`, { reason }, credential);
  },
);

testOnEngines("scoped keys: a key that gets a plan of others is gone at once", async (desk) => {
  const { mine, theirs, seen } = await seeded(desk);
  const { credential } = await scoped(desk);
  const suspend = (key: string) =>
    desk.send("POST", `/v1/keys/${key}/suspend`, { credential, body: { reason: "x" } });
  await call(desk, "PUT", `/v1/keys/${seen}/plans`, { plans: [mine, theirs] });
  await assertFailure(await suspend(seen), "not_found");
  await call(desk, "PUT", `/v1/keys/${seen}/plans`, { plans: [mine] });
  // So is one whose plan has another tag by now.
  await call(desk, "PUT", `/v1/plans/${mine}`, { tags: ["other"] });
  await assertFailure(await suspend(seen), "not_found");
  const { data } = await call(desk, "GET", "/v1/keys", undefined, credential);
  assert.deepEqual(data, []);
});

testOnEngines("scoped keys: a key in another's place that is outside is as none", async (desk) => {
  const { theirs, mine, seen } = await seeded(desk);
  const { credential } = await scoped(desk);
  const body = { overlap_seconds: 3600 };
  const { key_id: next } = await call(desk, "POST", `/v1/keys/${seen}/rotate`, body);
  const read = async (as?: string) =>
    (await call(desk, "GET", `/v1/keys/${seen}`, undefined, as)).replaced_by;
  const listed = async () =>
    (await call(desk, "GET", "/v1/keys", undefined, credential)).data
      .find(({ key_id }: { key_id: string }) => key_id === seen).replaced_by;
  assert.deepEqual([await read(credential), await listed()], [next, next]);
  await call(desk, "PUT", `/v1/keys/${next}/plans`, { plans: [mine, theirs] });
  assert.deepEqual([await read(credential), await listed(), await read()], [null, null, next]);
  const csv = await (await desk.send("GET", "/v1/keys/export", { credential })).text();
  assert.ok(!csv.includes(next));
});

testOnEngines("scoped keys: no kept answer tells of what is outside by now", async (desk) => {
  const { mine, also, seen } = await seeded(desk);
  const { id, credential } = await scoped(desk);
  const rotate = () =>
    desk.send("POST", `/v1/keys/${seen}/rotate`, {
      credential,
      body: { overlap_seconds: 60 },
      headers: { "idempotency-key": "a-key-of-this-very-call" },
    });
  const first = await (await rotate()).json();
  assert.deepEqual(await (await rotate()).json(), first);
  const less = { name: "Pia", role: "approver", scope: { plans: [also] } };
  await call(desk, "PUT", `/v1/people/${id}`, less);
  await assertFailure(await rotate(), "not_found");
  await call(desk, "PUT", `/v1/people/${id}`, { ...less, scope: { plans: [mine] } });
  assert.deepEqual(await (await rotate()).json(), first);
  // A scope by tags has less where a plan loses its own.
  await call(desk, "PUT", `/v1/people/${id}`, { ...less, scope: { tags } });
  await call(desk, "PUT", `/v1/plans/${mine}`, { tags: ["other"] });
  await assertFailure(await rotate(), "not_found");
});

testOnEngines(
  "scoped keys: no kept answer hands over a key that is outside by now",
  async (desk) => {
    const { mine, theirs, seen } = await seeded(desk);
    const { credential } = await scoped(desk);
    const headers = (path: string) => ({ "idempotency-key": sha256(path) });
    const repeated = (path: string, body = {}) => () =>
      desk.send("POST", path, { credential, headers: headers(path), body });
    const asked = async () => {
      const id = await create(desk, smallRequest({ by_user: "dev-both", for_plan: mine }));
      await known(desk, id);
      return id;
    };
    const approved = await asked();
    await call(desk, "POST", `${V1_REQUESTS}/${approved}/approve`, {});
    const older = async () => {
      const path = `/api/portal/requests/approve/${await asked()}`;
      return () => desk.send("PUT", path, { credential, headers: headers(path) });
    };
    const calls = [
      repeated(`/v1/keys/${seen}/rotate`, { overlap_seconds: 60 }),
      repeated(`${V1_REQUESTS}/${await asked()}/approve`),
      repeated(`${V1_REQUESTS}/${approved}/reissue`),
      await older(),
    ];
    for (const [n, again] of calls.entries()) {
      const response = await again();
      const first = await response.json();
      assert.equal(response.status, 200, `${n}: ${JSON.stringify(first)}`);
      assert.deepEqual(await (await again()).json(), first);
      const key = first.key_id ?? sha256(first.RawKey);
      await call(desk, "PUT", `/v1/keys/${key}/plans`, { plans: [theirs] });
      await assertFailure(await again(), "not_found");
      await call(desk, "PUT", `/v1/keys/${key}/plans`, { plans: [mine] });
      assert.deepEqual(await (await again()).json(), first);
    }
  },
);

testOnEngines(
  "scoped lists: cursors tell nothing, and are good for their caller alone",
  async (desk) => {
    const { mine, theirs } = await seeded(desk);
    for (let n = 0; n < 3; n++) {
      await call(desk, "POST", "/v1/developers/dev-both/keys", { plans: [mine] });
      await call(desk, "POST", "/v1/developers/dev-both/keys", { plans: [theirs] });
    }
    const [pia, ada] = [await scoped(desk), await scoped(desk)];
    const { next_cursor } = await call(desk, "GET", "/v1/keys?limit=2", undefined, pia.credential);
    assert.doesNotMatch(atob(next_cursor.replaceAll("-", "+").replaceAll("_", "/")), /newest|\[/);
    const next = `/v1/keys?limit=2&cursor=${next_cursor}`;
    assert.equal((await call(desk, "GET", next, undefined, pia.credential)).data.length, 2);
    for (const credential of [ada.credential, desk.admin]) {
      const message = "cursor: expected the next_cursor of the same list";
      const answer = await desk.send("GET", next, { credential });
      await assertFailure(answer, "invalid_input", { message, errors: [message] });
    }
  },
);

testOnEngines(
  "scoped people: plans, developers and use are read, and the rest says why not",
  async (desk) => {
    const { mine, also, theirs, seen, mixed } = await seeded(desk);
    const { credential } = await scoped(desk, { tags }, "administrator");
    const get = (path: string) => call(desk, "GET", path, undefined, credential);
    const plans = (await get("/v1/plans")).data.map((one: { _id: string }) => one._id);
    assert.deepEqual(plans.sort(), [mine, also].sort());
    const developer = await get("/v1/developers/dev-both");
    assert.deepEqual([developer.keys, developer.requests], [1, 0]);
    assert.deepEqual(developer.subscriptions, { [mine]: seen });
    assert.deepEqual((await get("/v1/developers")).data.length, 1);
    const whole = await get("/api/portal/developers/dev-both");
    assert.deepEqual(whole.keys, { [seen]: [mine] });
    assert.equal((await get(`/v1/usage?key=${mixed}`)).total.hits, 0);
    assert.equal((await get(`/v1/usage?plan=${theirs}`)).total.hits, 0);
    const sums = await desk.send("GET", "/v1/usage?developer=dev-both", { credential });
    await assertFailure(sums, "access_denied", {
      message: "access denied: within your scope use is told of a key, a plan, or all its plans.",
    });
    for (
      const [method, path, body] of [
        ["PUT", `/v1/plans/${mine}`, { tags: [] }],
        ["POST", "/v1/developers/dev-both/deactivate", { keys: "keep" }],
        ["POST", "/v1/developers/dev-both/keys", { plans: [mine] }],
        ["GET", "/v1/audit-log", undefined],
      ] as const
    ) {
      const closed = await desk.send(method, path, { credential, ...body && { body } });
      await assertFailure(closed, "access_denied", {
        message:
          "access denied: your scope closes this, because it concerns more than the plans that you see.",
      });
    }
  },
);

testOnEngines(
  "scoped approvers: what others offered or granted names no plan outside",
  async (desk) => {
    const { mine, also, theirs } = await seeded(desk);
    const id = await create(desk, smallRequest({ by_user: "dev-both", for_plan: mine }));
    const { credential } = await scoped(desk);
    const path = `${V1_REQUESTS}/${id}`;
    const read = async () => {
      const shown = await call(desk, "GET", path, undefined, credential);
      assert.ok(!JSON.stringify(shown).includes(theirs), JSON.stringify(shown));
      return shown;
    };
    await call(desk, "POST", `${path}/offer`, { conditions: { plans: [also, theirs] } });
    assert.deepEqual((await read()).offer.terms.plans, [also]);
    await (await desk.send("DELETE", `${path}/offer`)).body?.cancel();
    await call(desk, "POST", `${path}/approve`, { deliver: "one_time_link" });
    const { decided_on } = await read();
    assert.deepEqual(decided_on.plans.map((one: { id: string }) => one.id), [mine]);
    // Held then: one of this plan alone, and one of another plan besides.
    assert.equal(decided_on.developer.keys, 1);
  },
);

testOnEngines("roles: a change of one names the access tokens that follow it", async (desk) => {
  const { id: role } = await call(desk, "POST", "/v1/roles", {
    name: "Line",
    permissions: ["portal:read"],
  });
  const { id } = await call(desk, "POST", "/v1/people", { name: "Ada", role: "administrator" });
  const body = { name: "script", deliver: "answer", role };
  const token = await call(desk, "POST", `/v1/people/${id}/access-tokens`, body);
  await call(desk, "PUT", `/v1/roles/${role}`, {
    name: "Line",
    permissions: ["portal:read", "revoke"],
  });
  const { data } = await call(desk, "GET", "/v1/audit-log?action=role.updated");
  assert.deepEqual(data[0].detail.access_token_ids, [token.id]);
  assert.equal(data[0].detail.access_tokens, 1);
});

testOnEngines(
  "scoped approvers: all their use is that of their plans, whoever else is called",
  async (desk) => {
    const { mine, also, theirs } = await seeded(desk);
    const { credential } = await scoped(desk);
    const hits = async (query = "") =>
      (await call(desk, "GET", `/v1/usage?${query}`, undefined, credential)).total.hits;
    assert.equal(await hits(), 0);
    const counter = new UsageCounter(desk.app.ctx.storage);
    const now = desk.app.ctx.clock.now();
    const counts = [[mine, 2], [also, 3], [theirs, 5], ["", 7]] as const;
    for (const [plan_id, calls] of counts) {
      const key = {
        org_id: desk.org_id,
        key_id: sha256(`key of ${plan_id}`),
        facts: { developer_id: "dev-both" },
      };
      const one = { status: 200, plan_id, api_id: "api", isNamedByPlan: true } as const;
      for (let n = 0; n < calls; n++) counter.count(key, one, now);
    }
    await counter.flush();
    assert.equal(await hits(), 5);
    assert.equal(await hits("last=day"), 5);
    assert.equal(await hits(`plan=${also}`), 3);
    for (const query of ["gateway=all", "api=api", "developer=dev-both"]) {
      const closed = await desk.send("GET", `/v1/usage?${query}`, { credential });
      await assertFailure(closed, "access_denied", {
        message: "access denied: within your scope use is told of a key, a plan, or all its plans.",
      });
    }
    const { total } = await call(desk, "GET", "/v1/usage");
    assert.equal(total.hits, 17, "without a scope it is everything");
  },
);
