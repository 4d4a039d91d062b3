/**
 * People come by their company's identity provider: linked, added, as their groups say, and out.
 */
import assert from "node:assert/strict";
import { assertFailure } from "../../../support/answers.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import {
  addProvider,
  begin,
  CLIENT,
  come,
  enter,
  finish,
  HOST,
  link,
  reach,
  standIn,
  TERMS,
} from "../../../support/identity-provider.ts";
import { call, newPerson, testClock } from "../../../support/people.ts";
import { bySession, signIn } from "../../../support/sign-in.ts";
import { storedText } from "../../../support/stored.ts";

const PROVIDERS = "/v1/identity-providers";
const GRACE = { sub: "grace", name: "Grace", groups: ["staff", "desk"] };

const logout = (desk: TestDesk, id: string, logout_token: string) =>
  desk.send("POST", `/v1/session/provider/${id}/logout`, {
    credential: null,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ logout_token }).toString(),
  });

testOnEngines("provider: its secret is sealed, and shown to nobody", async (desk) => {
  await using provider = await standIn();
  const id = await addProvider(desk, provider);
  const shown = await call(desk, "GET", `${PROVIDERS}/${id}`);
  assert.deepEqual([shown.has_secret, shown.people], [true, 0]);
  assert.ok(!JSON.stringify(shown).includes(CLIENT.client_secret));
  assert.ok(!(await storedText(desk)).includes(CLIENT.client_secret));
  // Without one the sealed one stays, and sign-ins go on by it.
  const { issuer: _, client_secret: __, ...terms } = { issuer: "", ...TERMS };
  await call(desk, "PUT", `${PROVIDERS}/${id}`, { ...terms, name: "Transit" });
  await enter(desk, provider, id, GRACE);
  const { data } = await call(desk, "GET", PROVIDERS);
  assert.deepEqual([data.length, data[0].name, data[0].people], [1, "Transit", 1]);
  const works = await call(desk, "POST", `${PROVIDERS}/${id}/check`);
  assert.deepEqual(works, {
    works: true,
    problem: null,
    problems: [],
    notes: [],
    outbound: null,
    issuer: null,
    algorithms: ["ES256"],
    keys: 1,
  });
  const bare = await call(desk, "PUT", `${PROVIDERS}/${id}`, { ...terms, client_secret: "" });
  assert.equal(bare.has_secret, false, "an empty one takes it away");
});

testOnEngines(
  "provider: who is in a group is added once, and follows their groups",
  async (desk) => {
    await using provider = await standIn();
    const id = await addProvider(desk, provider);
    const first = await enter(desk, provider, id, GRACE);
    const { person, permissions, signed_in_by: opened_by, idle_minutes } = first.session;
    assert.deepEqual([person.name, permissions], ["Grace", ["portal:read", "approve"]]);
    assert.deepEqual([opened_by, idle_minutes], ["provider", 12 * 60]);
    const again = await enter(desk, provider, id, { ...GRACE, groups: "admins" });
    assert.deepEqual([again.session.person.id, again.session.permissions], [person.id, ["admin"]]);
    const { data } = await call(desk, "GET", `/v1/people/sign-ins?ids=${person.id}`);
    assert.deepEqual(data[0].signs_in_by, ["provider"]);
    // In none that gives anything they are out, and hold nothing.
    await assertFailure(await come(desk, provider, id, { ...GRACE, groups: [] }), "no_group_opens");
    assert.deepEqual((await call(desk, "GET", `/v1/people/${person.id}`)).permissions, []);
    await assertFailure(await come(desk, provider, id, { sub: "eve" }), "no_group_opens");
    // Whoever was deactivated is not added anew.
    await call(desk, "DELETE", `/v1/people/${person.id}`);
    await assertFailure(await come(desk, provider, id, GRACE), "not_authorised");
  },
);

testOnEngines("provider: an e-mail address links nobody; an own session does", async (desk) => {
  await using provider = await standIn();
  await call(desk, "PUT", "/v1/sign-in-rules", { tokens: true, domains: ["example.org"] });
  const id = await addProvider(desk, provider, { domains: ["example.org"] });
  const known = await newPerson(desk, ["portal:read"]);
  const path = `/v1/people/${known.id}`;
  await call(desk, "PUT", path, {
    name: "Hedy",
    permissions: ["portal:read"],
    email: "hedy@example.org",
  });
  const hedy = { sub: "hedy-there", email: "hedy@example.org", email_verified: true };
  // The same address, and somebody else: with the groups that the provider names.
  const other = await enter(desk, provider, id, { ...hedy, sub: "liar", groups: ["desk"] });
  assert.notEqual(other.session.person.id, known.id);
  const browser = await signIn(desk, { credential: known.credential });
  const linked = await link(desk, provider, id, browser, hedy);
  const identity = await linked.json();
  assert.equal(linked.status, 200, JSON.stringify(identity));
  const { session } = await enter(desk, provider, id, { ...hedy, groups: ["admins"] });
  // What they may do is what they were given here, whatever their groups.
  assert.deepEqual([session.person.id, session.permissions], [known.id, ["portal:read"]]);
  await assertFailure(await link(desk, provider, id, browser, hedy), "identity_taken");
  const own = await (await bySession(desk, browser, "GET", "/v1/identities")).json();
  assert.deepEqual(own.data.map((one: { id: string }) => one.id), [identity.id]);
  const gone = await bySession(desk, browser, "DELETE", `/v1/identities/${identity.id}`);
  assert.equal(gone.status, 200);
  await gone.body?.cancel();
  await assertFailure(await come(desk, provider, id, hedy), "no_group_opens");
});

testOnEngines("provider: nobody is added where it does not say so", async (desk) => {
  await using provider = await standIn();
  const id = await addProvider(desk, provider, { creates_people: false });
  await assertFailure(await come(desk, provider, id, GRACE), "identity_unknown");
  await call(desk, "DELETE", `${PROVIDERS}/${id}`);
  const init = { credential: null, headers: { host: HOST }, body: {} };
  await assertFailure(await desk.send("POST", `/v1/session/provider/${id}`, init), "not_found");
});

{
  const clock = testClock();
  testOnEngines(
    "provider: a sign-in is fresh where it has just asked, as it is demanded",
    async (desk) => {
      await using provider = await standIn(() => clock.at);
      const id = await addProvider(desk, provider, { acr_values: ["gold"], amr_values: ["hwk"] });
      const at = (ago: number) => Math.floor(clock.at / 1000) - ago;
      const gold = { ...GRACE, acr: "gold", amr: ["pwd", "hwk"] };
      const fresh = async (claims: Record<string, unknown>) =>
        (await enter(desk, provider, id, claims)).session.fresh;
      assert.equal(await fresh({ ...gold, auth_time: at(5) }), true);
      assert.equal(await fresh(gold), false);
      assert.equal(await fresh({ ...gold, auth_time: at(301) }), false);
      assert.equal(await fresh({ ...gold, auth_time: at(5), acr: "silver" }), false);
      assert.equal(await fresh({ ...gold, auth_time: at(5), amr: ["pwd"] }), false);
      const stale = await enter(desk, provider, id, { ...gold, groups: ["admins"] });
      const put = () =>
        bySession(desk, stale, "POST", "/v1/people", { name: "Eve", permissions: [] });
      await assertFailure(await put(), "fresh_sign_in_required");
      // What asks for a fresh one has the provider ask again, and says what it wants.
      const { url } = await begin(desk, id, true);
      const asking = new URL(url).searchParams;
      assert.deepEqual(
        ["max_age", "prompt", "acr_values"].map((name) => asking.get(name)),
        ["0", "login", "gold"],
      );
    },
    { clock },
  );
}

testOnEngines("provider: what it ends is ended, once, and nobody else's", async (desk) => {
  await using provider = await standIn();
  const id = await addProvider(desk, provider, { logout_ends: "named" });
  const statusOf = async (browser: { cookie: string; csrf: string }) => {
    const response = await bySession(desk, browser, "GET", "/v1/me");
    await response.body?.cancel();
    return response.status;
  };
  const one = await enter(desk, provider, id, { ...GRACE, sid: "one" });
  const two = await enter(desk, provider, id, { ...GRACE, sid: "two" });
  const other = await enter(desk, provider, id, { ...GRACE, sub: "other", sid: "three" });
  const token = await provider.logoutToken({ sid: "one" });
  const ended = await logout(desk, id, token);
  assert.deepEqual(await ended.json(), { ended: 1 });
  await assertFailure(await logout(desk, id, token), "logout_refused");
  assert.deepEqual([await statusOf(one), await statusOf(two)], [401, 200]);
  // A session's name under another account ends nothing.
  const wrong = await logout(desk, id, await provider.logoutToken({ sub: "other", sid: "two" }));
  assert.deepEqual(await wrong.json(), { ended: 0 });
  const all = await logout(desk, id, await provider.logoutToken({ sub: GRACE.sub }));
  assert.deepEqual(await all.json(), { ended: 1 });
  assert.deepEqual([await statusOf(two), await statusOf(other)], [401, 200]);
  const none = { sub: GRACE.sub };
  for (
    const lie of [
      { ...none, aud: "another" },
      { ...none, iss: "https://evil.example" },
      { ...none, nonce: "of an ID token" },
      { ...none, events: {} },
      { ...none, iat: 1, exp: undefined },
      { ...none, exp: 1 },
      { ...none, jti: undefined },
      {},
    ]
  ) {
    const refused = await logout(desk, id, await provider.logoutToken(lie));
    await assertFailure(refused, "logout_refused");
  }
  const another = await provider.logoutToken(none, { typ: "at+jwt" });
  await assertFailure(await logout(desk, id, another), "logout_refused");
  const good = await provider.logoutToken(none);
  await provider.changeKeys();
  // Else those that were read a moment ago count.
  await call(desk, "PUT", `${PROVIDERS}/${id}`, TERMS);
  await assertFailure(await logout(desk, id, good), "logout_refused");
});

testOnEngines("provider: addresses of its domains are offered it, known or not", async (desk) => {
  await using provider = await standIn();
  await call(desk, "PUT", "/v1/sign-in-rules", { tokens: true, domains: ["example.org"] });
  const id = await addProvider(desk, provider, { domains: ["example.org"] });
  const offered = async (email: string) => {
    const init = { credential: null, headers: { host: HOST }, body: { email } };
    const response = await desk.send("POST", "/v1/session/ways", init);
    return (await response.json()).providers;
  };
  const all = [{ id, name: TERMS.name }];
  assert.deepEqual(await offered("nobody@example.org"), all);
  assert.deepEqual(await offered("Grace@Example.org"), all);
  assert.deepEqual(await offered("grace@elsewhere.example"), []);
  // A domain that the organisation gives up is offered nothing of it.
  await call(desk, "PUT", "/v1/sign-in-rules", { tokens: true, domains: [] });
  assert.deepEqual(await offered("grace@example.org"), []);
});

testOnEngines("provider: the way back is one browser's, once, and one provider's", async (desk) => {
  await using provider = await standIn();
  await using second = await standIn();
  const id = await addProvider(desk, provider);
  const other = await addProvider(desk, second);
  reach(desk, provider.host, second.host);
  const { url, cookie } = await begin(desk, id);
  const answer = provider.authorize(url, GRACE);
  const before = provider.asked.length;
  const elsewhere = await begin(desk, id);
  await assertFailure(await finish(desk, id, answer, elsewhere.cookie), "not_authorised");
  await assertFailure(await finish(desk, id, answer, ""), "not_authorised");
  await assertFailure(await finish(desk, other, answer, cookie), "not_authorised");
  assert.equal(provider.asked.length, before, "nobody was asked");
  const response = await finish(desk, id, answer, cookie);
  assert.equal(response.status, 200);
  await response.body?.cancel();
  await assertFailure(await finish(desk, id, answer, cookie), "not_authorised");
  // A link is bound to its session, too: its answer signs nobody in.
  const browser = await signIn(desk, { credential: desk.admin });
  const path = `${PROVIDERS}/${id}/link`;
  const away = await bySession(desk, browser, "POST", path, undefined, { host: HOST });
  const back = provider.authorize((await away.json()).url, GRACE);
  const kept = (away.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  await assertFailure(await finish(desk, id, back, kept), "not_authorised");
});
