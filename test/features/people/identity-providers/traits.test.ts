/** Providers with the traits that real ones were seen to have, by the terms that presets fill. */
import assert from "node:assert/strict";
import { assertFailure } from "../../../support/answers.ts";
import { testOnEngines } from "../../../support/desk.ts";
import { addProvider, come, enter, standIn } from "../../../support/identity-provider.ts";
import { call } from "../../../support/people.ts";
import { termsOf, TRAITS } from "../../../support/provider-traits.ts";

const PROVIDERS = "/v1/identity-providers";

testOnEngines(
  "traits: whoever is in the group comes in by each provider's preset",
  async (desk) => {
    for (const [name, traits] of Object.entries(TRAITS)) {
      await using provider = await standIn();
      provider.lies = traits.lies;
      const id = await addProvider(desk, provider, termsOf(traits));
      const { session } = await enter(desk, provider, id, traits.claims);
      assert.deepEqual(
        [session.person.name, session.permissions],
        ["Grace", ["portal:read"]],
        name,
      );
      const shown = await call(desk, "GET", `${PROVIDERS}/${id}`);
      assert.deepEqual([shown.last_refused, shown.problem], [null, null], name);
      assert.equal(shown.gives_refresh_tokens, traits.lies.refreshes ?? false, name);
      await call(desk, "DELETE", `${PROVIDERS}/${id}`);
    }
  },
);

testOnEngines("UserInfo: somebody else's claims let nobody in, and are told of", async (desk) => {
  await using provider = await standIn();
  provider.lies = { userInfo: { sub: "another", groups: ["desk"] } };
  const id = await addProvider(desk, provider);
  await assertFailure(await come(desk, provider, id, { sub: "grace" }), "not_authorised");
  const { last_refused } = await call(desk, "GET", `${PROVIDERS}/${id}`);
  assert.match(last_refused.reason, /the UserInfo endpoint: .*"sub"/);
});

testOnEngines(
  "UserInfo: its failure is no word of groups, and takes nothing away",
  async (desk) => {
    await using provider = await standIn();
    provider.lies = { userInfo: { name: "Grace", groups: ["desk"] } };
    const id = await addProvider(desk, provider);
    const { session: { person, permissions } } = await enter(desk, provider, id, { sub: "grace" });
    const failing = (status: number) => {
      provider.lies = {
        userInfo: {},
        answer: (path) => path === "/userinfo" ? new Response("no", { status }) : undefined,
      };
    };
    failing(403);
    await assertFailure(await come(desk, provider, id, { sub: "grace" }), "not_authorised");
    const refused = await call(desk, "GET", `${PROVIDERS}/${id}`);
    assert.match(refused.last_refused.reason, /the UserInfo endpoint: .*status 403/);
    failing(502);
    await assertFailure(await come(desk, provider, id, { sub: "grace" }), "provider_away");
    const away = await call(desk, "GET", `${PROVIDERS}/${id}`);
    assert.match(away.problem.reason, /the UserInfo endpoint: status 502/);
    const { warnings } = await call(desk, "GET", "/v1/server");
    assert.ok(warnings.some((one: string) => /Veldhaven Transit.*UserInfo/.test(one)), warnings);
    assert.deepEqual((await call(desk, "GET", `/v1/people/${person.id}`)).permissions, permissions);
    // Where the token names groups, what is missing besides keeps nobody out.
    const { session } = await enter(desk, provider, id, { sub: "grace", groups: ["desk"] });
    assert.equal(session.person.id, person.id);
    provider.lies = { userInfo: { name: "Grace", groups: ["desk"] } };
    await enter(desk, provider, id, { sub: "grace" });
    assert.equal((await call(desk, "GET", `${PROVIDERS}/${id}`)).problem, null, "it is over");
  },
);

testOnEngines("UserInfo: it is not asked for what the token holds", async (desk) => {
  await using provider = await standIn();
  provider.lies = { userInfo: { groups: ["admins"], name: "Another" } };
  const id = await addProvider(desk, provider);
  const whole = { sub: "grace", name: "Grace", email: "grace@example.org", groups: ["desk"] };
  const { session } = await enter(desk, provider, id, whole);
  assert.deepEqual(session.permissions, ["portal:read", "approve"]);
  assert.ok(!provider.asked.includes("/userinfo"));
  // An empty list is a word, and nothing is missing.
  const none = { ...whole, groups: [] };
  await assertFailure(await come(desk, provider, id, none), "no_group_opens");
  assert.ok(!provider.asked.includes("/userinfo"));
});

const FORMS: readonly [Record<string, unknown>, unknown, string[] | RegExp][] = [
  [{}, ["desk", "other"], ["portal:read"]],
  [{}, "desk", ["portal:read"]],
  [{}, "desk,other", /names "desk,other"/],
  [{}, { desk: {} }, /is an object, and list is set/],
  [{}, [{ name: "desk" }], /a list with an object, and list is set/],
  [{}, 7, /is a number/],
  [{}, [], /is empty/],
  [{}, undefined, /is missing/],
  [{}, ["Desk", "/desk", "desk "], /names "Desk", "\/desk", "desk"/],
  [{ groups_drop_slash: true }, ["/desk"], ["portal:read"]],
  [{ groups_drop_slash: true }, ["/desk/leads"], /names "desk\/leads"/],
  [{ groups_form: "separated" }, "other, desk", ["portal:read"]],
  [{ groups_form: "separated", groups_separator: " " }, "other desk", ["portal:read"]],
  [{ groups_form: "separated" }, ["desk"], /is a list of texts, and separated is set/],
  [{ groups_form: "objects" }, [{ name: "desk", id: 1 }], ["portal:read"]],
  [{ groups_form: "objects" }, ["desk"], /is a list of texts, and objects is set/],
  [{ groups_form: "keys" }, { desk: { org: "example" } }, ["portal:read"]],
  [{ groups_form: "keys" }, ["desk"], /is a list of texts, and keys is set/],
  [{ groups_path: ["roles"] }, { roles: ["desk"] }, ["portal:read"]],
  [{ groups_path: ["a.b", "roles"] }, { "a.b": { roles: ["desk"] } }, ["portal:read"]],
  [{ groups_path: ["roles"] }, { roles: undefined }, /"groups", "roles" is missing/],
  [{ groups_path: ["constructor", "name"] }, {}, /is missing/],
];

testOnEngines(
  "groups: in the form that is set and no other, and what they were is told",
  async (desk) => {
    await using provider = await standIn();
    const groups = [{ group: "desk", permissions: ["portal:read"] }];
    const id = await addProvider(desk, provider, { groups });
    const { name, client_id, domains } = await call(desk, "GET", `${PROVIDERS}/${id}`);
    for (const [n, [terms, claim, expected]] of FORMS.entries()) {
      const body = { name, client_id, domains, groups, creates_people: true, ...terms };
      await call(desk, "PUT", `${PROVIDERS}/${id}`, body);
      const response = await come(desk, provider, id, { sub: `person-${n}`, groups: claim });
      const told = `${JSON.stringify(terms)} ${JSON.stringify(claim)}`;
      if (Array.isArray(expected)) {
        assert.deepEqual((await response.json()).permissions, expected, told);
        continue;
      }
      await assertFailure(response, "no_group_opens");
      const { last_refused } = await call(desk, "GET", `${PROVIDERS}/${id}`);
      assert.match(last_refused.reason, expected, told);
    }
  },
);

testOnEngines(
  "groups: too many have a sentence of their own, at Entra and over the bound",
  async (desk) => {
    await using provider = await standIn();
    const id = await addProvider(desk, provider);
    for (
      const claims of [
        { _claim_names: { groups: "src1" }, _claim_sources: { src1: { endpoint: "https://x" } } },
        { groups: Array.from({ length: 501 }, (_, n) => `g${n}`) },
      ]
    ) {
      const refused = await come(desk, provider, id, { sub: "grace", ...claims });
      await assertFailure(refused, "groups_incomplete");
      const { last_refused } = await call(desk, "GET", `${PROVIDERS}/${id}`);
      assert.match(last_refused.reason, /does not name all groups: there are too many/);
    }
  },
);
