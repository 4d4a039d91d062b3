/**
 * Whom an identity provider added has no way in beside it, and it ends all of theirs; whoever runs
 * it here has nobody in hand who holds more.
 */
import assert from "node:assert/strict";
import { addIdentity } from "../../../../src/features/people/identity-providers/provider-sign-in.transactions.ts";
import { assertFailure } from "../../../support/answers.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import {
  addProvider,
  come,
  enter,
  HOST,
  link,
  reach,
  standIn,
} from "../../../support/identity-provider.ts";
import { call, newPerson } from "../../../support/people.ts";
import { type Browser, bySession, signIn } from "../../../support/sign-in.ts";

const PROVIDERS = "/v1/identity-providers";
const GRACE = { sub: "grace", name: "Grace", groups: ["desk"] };

async function statusOf(desk: TestDesk, browser: Browser): Promise<number> {
  const response = await bySession(desk, browser, "GET", "/v1/me");
  await response.body?.cancel();
  return response.status;
}

const permissionsOf = async (desk: TestDesk, id: string) =>
  (await call(desk, "GET", `/v1/people/${id}`)).permissions;

async function ended(desk: TestDesk, id: string, logout_token: string): Promise<number> {
  const response = await desk.send("POST", `/v1/session/provider/${id}/logout`, {
    credential: null,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ logout_token }).toString(),
  });
  return (await response.json()).ended;
}

testOnEngines(
  "managed: whom a provider added keeps that account, and gets no way in beside it",
  async (desk) => {
    await using provider = await standIn();
    await using second = await standIn();
    const id = await addProvider(desk, provider);
    const other = await addProvider(desk, second);
    reach(desk, provider.host, second.host);
    const grace = await enter(desk, provider, id, GRACE, true);
    const { data, providers } = await (await bySession(desk, grace, "GET", "/v1/identities"))
      .json();
    // What is refused below is not offered either.
    assert.deepEqual([data[0].managed, providers], [true, []]);
    const passkeys = await (await bySession(desk, grace, "GET", "/v1/passkeys")).json();
    assert.deepEqual(passkeys, { data: [], managed: true });
    for (
      const [method, path] of [
        ["DELETE", `/v1/identities/${data[0].id}`],
        ["POST", "/v1/passkeys/challenge"],
        ["POST", `${PROVIDERS}/${other}/link`],
      ] as const
    ) {
      const refused = await bySession(desk, grace, method, path, undefined, { host: HOST });
      await assertFailure(refused, "added_by_provider");
    }
    // So the same person follows their groups on.
    const again = await enter(desk, provider, id, { ...GRACE, groups: ["admins"] });
    assert.equal(again.session.person.id, grace.session.person.id);
    assert.deepEqual(again.session.permissions, ["admin"]);
  },
);

testOnEngines(
  "managed: a logout of the account ends all sessions of whom its provider added",
  async (desk) => {
    await using provider = await standIn();
    const id = await addProvider(desk, provider);
    const grace = await enter(desk, provider, id, GRACE);
    const path = `/v1/people/${grace.session.person.id}/access-tokens`;
    const issued = await call(desk, "POST", path, { name: "laptop", deliver: "answer" });
    const beside = await signIn(desk, { credential: issued.access_token });
    const known = await newPerson(desk, ["portal:read"]);
    const own = await signIn(desk, { credential: known.credential });
    const linked = await link(desk, provider, id, own, { sub: "known" });
    assert.equal(linked.status, 200, await linked.text());
    const there = await enter(desk, provider, id, { sub: "known" });
    assert.equal(await ended(desk, id, await provider.logoutToken({ sub: GRACE.sub })), 2);
    assert.deepEqual([await statusOf(desk, grace), await statusOf(desk, beside)], [401, 401]);
    // Who was here before, and linked one, goes on by their own ways.
    assert.equal(await ended(desk, id, await provider.logoutToken({ sub: "known" })), 1);
    assert.deepEqual([await statusOf(desk, there), await statusOf(desk, own)], [401, 200]);
  },
);

testOnEngines(
  "managed: sessions end with the account that they began with, or its provider",
  async (desk) => {
    await using provider = await standIn();
    const id = await addProvider(desk, provider);
    const known = await newPerson(desk, ["portal:read"]);
    const own = await signIn(desk, { credential: known.credential });
    const identity = await (await link(desk, provider, id, own, { sub: "known" })).json();
    const there = await enter(desk, provider, id, { sub: "known" });
    const gone = await bySession(desk, own, "DELETE", `/v1/identities/${identity.id}`);
    assert.equal(gone.status, 200, await gone.text());
    assert.deepEqual([await statusOf(desk, there), await statusOf(desk, own)], [401, 200]);
    const grace = await enter(desk, provider, id, GRACE);
    await call(desk, "DELETE", `${PROVIDERS}/${id}`);
    assert.deepEqual([await statusOf(desk, grace), await statusOf(desk, own)], [401, 200]);
    const { data } = await call(desk, "GET", "/v1/audit-log?object=identity_provider");
    assert.deepEqual([data[0].action, data[0].detail.people, data[0].detail.person_ids], [
      "identity_provider.deleted",
      1,
      [grace.session.person.id],
    ]);
  },
);

testOnEngines("managed: nobody sets or removes the provider of who holds more", async (desk) => {
  await using provider = await standIn();
  const id = await addProvider(desk, provider);
  const auditor = await newPerson(desk, ["audit"]);
  const own = await signIn(desk, { credential: auditor.credential });
  const linked = await link(desk, provider, id, own, { sub: "auditor" });
  assert.equal(linked.status, 200, await linked.text());
  const lesser = await newPerson(desk, ["admin", "portal:read", "approve"]);
  const { credential } = lesser;
  const { issuer: _, id: __, ...shown } = await call(desk, "GET", `${PROVIDERS}/${id}`);
  const { name, client_id, domains, groups } = shown;
  const body = { name, client_id, domains, groups };
  const put = () => desk.send("PUT", `${PROVIDERS}/${id}`, { credential, body });
  const remove = () => desk.send("DELETE", `${PROVIDERS}/${id}`, { credential });
  const message = "A person who signs in by it has more permissions than you: audit.";
  await assertFailure(await put(), "person_holds_more", { message });
  await assertFailure(await remove(), "person_holds_more", { message });
  await call(desk, "DELETE", `/v1/people/${auditor.id}`);
  const set = await put();
  assert.equal(set.status, 200, await set.text());
  const gone = await remove();
  assert.equal(gone.status, 200, await gone.text());
});

testOnEngines("managed: groups that give more end an open invitation", async (desk) => {
  await using provider = await standIn();
  const id = await addProvider(desk, provider);
  const { session: { person } } = await enter(desk, provider, id, GRACE);
  const invitedUntil = async () =>
    (await call(desk, "GET", `/v1/people/sign-ins?ids=${person.id}`)).data[0].invited_until;
  await call(desk, "POST", `/v1/people/${person.id}/invitation`);
  await enter(desk, provider, id, GRACE);
  assert.notEqual(await invitedUntil(), null);
  await enter(desk, provider, id, { ...GRACE, groups: ["desk", "admins"] });
  assert.equal(await invitedUntil(), null);
});

testOnEngines(
  "managed: half a list of groups changes nothing, and lets nobody in",
  async (desk) => {
    await using provider = await standIn();
    const id = await addProvider(desk, provider);
    const { session: { person, permissions } } = await enter(desk, provider, id, GRACE);
    const long = Array.from({ length: 501 }, (_, n) => `group-${n}`);
    for (
      const claims of [
        { groups: long },
        { groups: undefined, _claim_names: { groups: "src1" } },
        { sub: "eve", groups: ["admins", ...long] },
      ]
    ) {
      const refused = await come(desk, provider, id, { ...GRACE, ...claims });
      await assertFailure(refused, "groups_incomplete");
    }
    assert.deepEqual(await permissionsOf(desk, person.id), permissions);
    assert.equal((await call(desk, "GET", `${PROVIDERS}/${id}`)).people, 1);
  },
);

testOnEngines(
  "managed: an account is linked where its person was just asked, by a session that is there",
  async (desk) => {
    await using provider = await standIn();
    const id = await addProvider(desk, provider);
    const known = await newPerson(desk, ["portal:read"]);
    const own = await signIn(desk, { credential: known.credential });
    const hourAgo = Math.floor(Date.now() / 1000) - 3600;
    for (const auth_time of [hourAgo, undefined]) {
      const refused = await link(desk, provider, id, own, { sub: "known", auth_time });
      await assertFailure(refused, "not_authorised");
    }
    const { storage, clock } = desk.app.ctx;
    const now = clock.now();
    const linking = storage.commit(addIdentity, {
      actor: { org_id: desk.org_id, user_id: known.id, token_id: known.credential_id, now },
      session_id: "ended",
      id: "identity",
      account: {
        org_id: desk.org_id,
        provider_id: id,
        subject: "known",
        provider_session: null,
        groups: [],
        groups_answered: "empty" as const,
        refresh_token: null,
        problem: null,
        name: "",
        email: null,
        said_email: "",
        proved_at: "",
        spent: { hash: "h", expires_at: "9999-01-01T00:00:00.000Z" },
      },
    });
    await assert.rejects(linking, { code: "not_authorised" });
    assert.equal((await call(desk, "GET", `${PROVIDERS}/${id}`)).people, 0);
  },
);

testOnEngines("managed: names and addresses are what they can be", async (desk) => {
  await using provider = await standIn();
  await call(desk, "PUT", "/v1/sign-in-rules", { tokens: true, domains: ["example.org"] });
  const id = await addProvider(desk, provider, { domains: ["example.org"] });
  const email = (text: string) => ({ email: text, email_verified: true });
  const personOf = async (claims: Record<string, unknown>) => {
    const { session } = await enter(desk, provider, id, { groups: ["desk"], ...claims });
    return await call(desk, "GET", `/v1/people/${session.person.id}`);
  };
  const odd = await personOf({ sub: "line\u2028two", ...email("a b, c@example.org") });
  assert.equal(odd.email, null);
  assert.equal((await personOf({ sub: "line\u2028three" })).name, "line three");
  const good = await personOf({ sub: "hedy", ...email("hedy@example.org") });
  assert.equal(good.email, "hedy@example.org");
});

testOnEngines("managed: a refusal after the proof is in the audit log", async (desk) => {
  await using provider = await standIn();
  const id = await addProvider(desk, provider);
  await assertFailure(await come(desk, provider, id, { sub: "eve" }), "no_group_opens");
  const { session: { person } } = await enter(desk, provider, id, GRACE);
  await call(desk, "POST", `/v1/people/${person.id}/suspend`);
  await assertFailure(await come(desk, provider, id, GRACE), "not_authorised");
  await desk.app.ctx.notes.flush();
  const { data } = await call(desk, "GET", "/v1/audit-log?action=sign_in.refused");
  assert.deepEqual(
    data.map((one: { detail: { by: string } }) => one.detail.by),
    ["provider", "provider"],
  );
});
