/** A change by an access token that takes a person: nothing is done until one confirms it. */
import assert from "node:assert/strict";
import { assertFailure } from "../../support/answers.ts";
import { operatorOf } from "../../support/config.ts";
import { testOnEngines } from "../../support/desk.ts";
import { call } from "../../support/people.ts";

const APPLY = "/v1/config/apply";

const withSecret = (secret: string) => ({
  config: {
    gateways: [
      { connection: "synced", name: "City", url: "https://g.example.org", secret: "${env:S}" },
    ],
  },
  references: { "env:S": secret },
  source: "platform.yaml",
});

testOnEngines(
  "an access token applies what a person has confirmed, once, and no other secret",
  async (desk) => {
    const body = withSecret("the-first");
    const asked = await desk.send("POST", APPLY, { body });
    const { detail } = await asked.clone().json();
    await assertFailure(asked, "config_unconfirmed", { message: detail });
    const { digest, needs_confirmation } = await call(desk, "POST", "/v1/config/diff", body);
    assert.ok(needs_confirmation && detail.includes(`/console/settings/config/${digest}. `));
    const path = `/v1/config/reviews/${digest}`;
    const review = await call(desk, "GET", path);
    assert.deepEqual([review.confirmed_at, review.changes[0].name], [null, "City"]);
    assert.ok(!JSON.stringify(review).includes("the-first"));
    assert.equal((await desk.send("POST", `${path}/confirm`)).status, 403);
    const waiting = async () => (await call(desk, "GET", "/v1/server")).config.waiting;
    assert.equal(await waiting(), 1);
    await operatorOf(desk).confirmConfigReview({ digest });
    assert.equal(await waiting(), 0);
    // Another secret is another change.
    const other = await desk.send("POST", APPLY, { body: withSecret("the-second") });
    assert.equal(other.status, 409);
    const elsewhere = await desk.otherOrganisation();
    assert.equal((await desk.send("GET", path, { credential: elsewhere.admin })).status, 404);
    await call(desk, "POST", APPLY, body);
    const { data } = await call(desk, "GET", "/v1/gateways");
    assert.deepEqual(data.map(({ name }: { name: string }) => name), ["City"]);
    assert.equal((await desk.send("GET", path)).status, 404, "it is used up");
  },
);

testOnEngines("each change takes the permission of its operation", async (desk) => {
  const reads = await desk.token(["config"]);
  const plans = await desk.token(["config", "plans"]);
  const body = { config: { plans: [{ name: "Gold" }] }, source: "a" };
  const exported = await call(desk, "GET", "/v1/config", undefined, reads);
  // To compare takes nothing else, and to apply what would be changed or managed.
  const all = { ...body, config: exported };
  assert.deepEqual((await call(desk, "POST", "/v1/config/diff", all, reads)).changes, []);
  assert.equal((await call(desk, "POST", "/v1/config/diff", body, reads)).changes.length, 1);
  for (const [sent, credential] of [[body, reads], [all, reads], [all, plans]] as const) {
    assert.equal((await desk.send("POST", APPLY, { body: sent, credential })).status, 403);
  }
  await call(desk, "POST", APPLY, body, plans);
  const roles = { config: { roles: [{ name: "All", permissions: ["admin"] }] }, source: "a" };
  assert.equal((await desk.send("POST", APPLY, { body: roles, credential: plans })).status, 403);
  const bare = await desk.token(["portal:read"]);
  assert.equal((await desk.send("GET", "/v1/config", { credential: bare })).status, 403);
});

testOnEngines("what is wrong is refused with its place, and nothing is done", async (desk) => {
  const client = operatorOf(desk);
  const refused = async (config: Record<string, unknown>, says: RegExp) => {
    const applied = client.applyConfig({ body: { config, source: "a" } });
    await assert.rejects(applied, ({ message, errors = [] }) => {
      assert.match([message, ...errors].join("\n"), says);
      return true;
    });
  };
  await refused({ plan: [] }, /unknown member "plan"; did you mean "plans"/);
  await refused(
    { plans: [{ name: "A", rat: 1 }], channels: [{ name: "C", ur: "x" }] },
    /"channels\[0\]\.ur"/,
  );
  await refused({ plans: [{ rate: 1 }] }, /plans\[0\]\.name/);
  await refused(
    { plans: [{ name: "A", keys: 3 }] },
    /unknown member "plans\[0\]\.keys"/,
  );
  await refused({ plans: [{ name: "A", rate: "many" }] }, /plans\[0\]\.rate: expected a number/);
  await refused({ plans: [{ name: "A" }, { name: "A" }] }, /plans: A is declared twice/);
  await refused({ apis: [{ id: "x", name: "X", plans: ["none"] }] }, /apis "X"/);
  await refused({
    roles: [{ name: "R", permissions: ["revoke"] }],
    unused_key_rules: [{ plan: "none", action: "warn" }],
  }, /unused_key_rules "none"/);
  await refused({ access_tokens: [{ person: "nobody", name: "t" }] }, /no file can make one/);
  await refused({
    gateways: [{ connection: "synced", name: "G", url: "https://g.example.org", secret: "plain" }],
  }, /expected a reference/);
  await refused({ branding: { name: "${env:NONE}" } }, /no value for \$\{env:NONE\}/);
  // A value that is named often costs no more than a long declaration.
  const often = { branding: { name: "${env:A}".repeat(1000) } };
  const references = { "env:A": "x".repeat(100_000) };
  const costly = client.diffConfig({ body: { config: often, references, source: "a" } });
  await assert.rejects(costly, /16 MiB in all/);
  assert.equal((await call(desk, "GET", "/v1/plans")).data.length, 0);
  const { data } = await call(desk, "GET", "/v1/roles");
  assert.ok(data.every(({ preset }: { preset: boolean }) => preset), "all or nothing");
});

testOnEngines(
  "of two that are applied at once one is told that the organisation has changed",
  async (desk) => {
    const client = operatorOf(desk);
    const named = (n: number) =>
      client.applyConfig({
        body: { config: { plans: [{ name: "One", rate: n, per: 1 }] }, source: `${n}.yaml` },
      });
    const ends = await Promise.allSettled([1, 2, 3, 4].map(named));
    const reasons = ends.flatMap((one) => one.status === "rejected" ? one.reason.code : []);
    assert.equal(reasons.length, 3);
    for (const code of reasons) assert.match(code, /^(config_changed|managed_by_file)$/);
    assert.equal((await call(desk, "GET", "/v1/plans")).data.length, 1);
  },
);
