/** Invitations: made in one step, mailed or shown once, accepted once, withdrawn in one. */
import assert from "node:assert/strict";
import { INVITATION_MS } from "../../../src/features/people/person-invitation.ts";
import { assertFailure } from "../../support/answers.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { addMailChannel, mailEngine, mailServer, PUBLIC_URL } from "../../support/mail-server.ts";
import { addPasskey, signInByPasskey } from "../../support/passkeys.ts";
import { call, newPerson, statusOf, testClock } from "../../support/people.ts";
import { bySession, cookieOf, signIn } from "../../support/sign-in.ts";
import { storedText } from "../../support/stored.ts";

const GRACE = {
  name: "Grace",
  permissions: ["portal:read", "approve"],
  email: "grace@example.org",
};

const textOf = (link: string | null) =>
  /#invitation=([A-Za-z0-9]{43})$/.exec(link ?? "")?.[1] ?? "";

const accept = (desk: TestDesk, invitation: string, more: Record<string, unknown> = {}) =>
  desk.send("POST", "/v1/invitations/accept", { credential: null, body: { invitation, ...more } });

const signInOf = async (desk: TestDesk, id: string) =>
  (await call(desk, "GET", `/v1/people/sign-ins?ids=${id}`)).data[0];

testOnEngines(
  "invitation: without mail it is a link shown once, which lets in once",
  async (desk) => {
    const made = await call(desk, "POST", "/v1/people/invitations", GRACE);
    const text = textOf(made.link);
    assert.deepEqual({ ...made, link: "", expires_at: "" }, {
      person_id: made.person_id,
      mailed_to: null,
      link: "",
      expires_at: "",
    });
    assert.ok(!(await storedText(desk)).includes(text), "the store has its hash alone");
    const before = await signInOf(desk, made.person_id);
    assert.deepEqual(before, {
      person_id: made.person_id,
      signs_in_by: [],
      one_time_codes: false,
      last_seen_at: null,
      invited_until: made.expires_at,
    });
    const read = { credential: null, body: { invitation: text } };
    const preview = await (await desk.send("POST", "/v1/invitations/preview", read)).json();
    assert.deepEqual([preview.name, preview.email, preview.tokens], ["Grace", GRACE.email, true]);
    const response = await accept(desk, text);
    const { session, access_token: credential } = await response.json();
    assert.equal(response.status, 200);
    assert.equal(credential, null);
    assert.deepEqual([session.person.id, session.signed_in_by, session.fresh], [
      made.person_id,
      "invitation",
      true,
    ]);
    assert.deepEqual(session.permissions, GRACE.permissions);
    await assertFailure(await accept(desk, text), "not_authorised");
    const again = await desk.send("POST", "/v1/invitations/preview", read);
    await assertFailure(again, "not_found");
    const browser = { cookie: cookieOf(response), csrf: session.csrf_token };
    const { authenticator } = await addPasskey(desk, browser);
    await signInByPasskey(desk, authenticator);
    const after = await signInOf(desk, made.person_id);
    assert.deepEqual([after.signs_in_by, after.invited_until], [["passkey"], null]);
    // What the sessions stand on is no access token that anybody could list, rotate or revoke.
    const tokens = await call(desk, "GET", `/v1/people/${made.person_id}/access-tokens`);
    assert.deepEqual(tokens.data, []);
    const me = await (await bySession(desk, browser, "GET", "/v1/me")).json();
    const rotate = await desk.send("POST", `/v1/access-tokens/${me.access_token.id}/rotate`, {
      body: { overlap_seconds: 0 },
    });
    await assertFailure(rotate, "not_found");
  },
);

testOnEngines("invitation: an access token can be taken with it, and signs in", async (desk) => {
  const made = await call(desk, "POST", "/v1/people/invitations", GRACE);
  const { access_token: credential } =
    await (await accept(desk, textOf(made.link), { take_token: true })).json();
  assert.equal(await statusOf(desk, credential), 200);
  const browser = await signIn(desk, { credential });
  const me = await (await bySession(desk, browser, "GET", "/v1/me")).json();
  assert.equal(me.person.id, made.person_id);
});

testOnEngines("invitation: of many who accept one at once, one gets in", async (desk) => {
  const { link } = await call(desk, "POST", "/v1/people/invitations", GRACE);
  const answers = await Promise.all(Array.from({ length: 6 }, () => accept(desk, textOf(link))));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401, 401, 401, 401]);
  await Promise.all(answers.map((one) => one.body?.cancel()));
});

{
  const clock = testClock();
  testOnEngines(
    "invitation: it is over after three days, and one anew ends the one before",
    async (desk) => {
      const made = await call(desk, "POST", "/v1/people/invitations", GRACE);
      const path = `/v1/people/${made.person_id}/invitation`;
      const second = await call(desk, "POST", path);
      await assertFailure(await accept(desk, textOf(made.link)), "not_authorised");
      clock.at += INVITATION_MS;
      await assertFailure(await accept(desk, textOf(second.link)), "not_authorised");
      const third = await call(desk, "POST", path);
      clock.at += INVITATION_MS - 1;
      const accepted = await accept(desk, textOf(third.link));
      assert.equal(accepted.status, 200);
      await accepted.body?.cancel();
    },
    { clock },
  );
}

testOnEngines(
  "invitation: withdrawn, nobody gets in, and who has no other way is deactivated",
  async (desk) => {
    const made = await call(desk, "POST", "/v1/people/invitations", GRACE);
    const withdrawn = await call(desk, "DELETE", `/v1/people/${made.person_id}/invitation`);
    assert.deepEqual(withdrawn, { withdrawn: true, deactivated: true });
    await assertFailure(await accept(desk, textOf(made.link)), "not_authorised");
    assert.equal((await call(desk, "GET", `/v1/people/${made.person_id}`)).state, "deactivated");
    const known = await newPerson(desk, ["portal:read"]);
    await call(desk, "POST", `/v1/people/${known.id}/invitation`);
    const kept = await call(desk, "DELETE", `/v1/people/${known.id}/invitation`);
    assert.deepEqual(kept, { withdrawn: true, deactivated: false });
    assert.equal(await statusOf(desk, known.credential), 200);
  },
);

testOnEngines("invitation: a second administrator lets in who lost their passkey", async (desk) => {
  const grace = await newPerson(desk, ["admin", "approve"]);
  const { link } = await call(desk, "POST", `/v1/people/${grace.id}/invitation`);
  const accepted = await accept(desk, textOf(link));
  const { session } = await accepted.json();
  assert.equal(session.person.id, grace.id);
  const browser = { cookie: cookieOf(accepted), csrf: session.csrf_token };
  const { authenticator } = await addPasskey(desk, browser, "New laptop");
  await signInByPasskey(desk, authenticator);
});

testOnEngines(
  "invitation: of a person who is suspended or left it lets nobody in",
  async (desk) => {
    const made = await call(desk, "POST", "/v1/people/invitations", GRACE);
    await call(desk, "POST", `/v1/people/${made.person_id}/suspend`);
    await assertFailure(await accept(desk, textOf(made.link)), "not_authorised");
    await call(desk, "POST", `/v1/people/${made.person_id}/resume`);
    await call(desk, "DELETE", `/v1/people/${made.person_id}`);
    await assertFailure(await accept(desk, textOf(made.link)), "not_authorised");
  },
);

testOnEngines(
  "invitation: a link ends where its person is given more, or another address",
  async (desk) => {
    const changed = async (change: Record<string, unknown>) => {
      const { person_id, link } = await call(desk, "POST", "/v1/people/invitations", GRACE);
      await call(desk, "PUT", `/v1/people/${person_id}`, { ...GRACE, ...change });
      return await accept(desk, textOf(link));
    };
    const more = { permissions: [...GRACE.permissions, "plans"] };
    await assertFailure(await changed(more), "not_authorised");
    await assertFailure(await changed({ email: "hopper@example.org" }), "not_authorised");
    const less = await changed({ name: "Grace Hopper", permissions: ["portal:read"] });
    assert.equal(less.status, 200);
    await less.body?.cancel();
    const auditLog = await call(desk, "GET", "/v1/audit-log?action=person.invitation_withdrawn");
    assert.equal(auditLog.data.length, 2);
  },
);

testOnEngines(
  "invitation: those of whoever is suspended, or left, let nobody in",
  async (desk) => {
    for (const [method, place] of [["POST", "/suspend"], ["DELETE", ""]] as const) {
      const inviter = await newPerson(desk, ["admin", "portal:read", "approve"]);
      const { credential } = inviter;
      const made = await call(desk, "POST", "/v1/people/invitations", GRACE, credential);
      // Of somebody who holds as much: a link that its maker could have kept.
      const known = await newPerson(desk, ["admin", "approve"]);
      const path = `/v1/people/${known.id}/invitation`;
      const again = await call(desk, "POST", path, undefined, credential);
      await call(desk, method, `/v1/people/${inviter.id}${place}`);
      for (const { link } of [made, again]) {
        await assertFailure(await accept(desk, textOf(link)), "not_authorised");
      }
      assert.equal((await signInOf(desk, made.person_id)).invited_until, null);
    }
  },
);

testOnEngines("invitation: withdrawn by somebody weaker, it deactivates nobody", async (desk) => {
  const made = await call(desk, "POST", "/v1/people/invitations", GRACE);
  const { credential } = await newPerson(desk, ["admin"]);
  const path = `/v1/people/${made.person_id}`;
  const withdrawn = await call(desk, "DELETE", `${path}/invitation`, undefined, credential);
  assert.deepEqual(withdrawn, { withdrawn: true, deactivated: false });
  assert.equal((await call(desk, "GET", path)).state, "active");
});

testOnEngines(
  "invitation: it is mailed, and opening the link by GET is no use of it",
  async (desk) => {
    await using server = await mailServer();
    await addMailChannel(desk);
    const made = await call(desk, "POST", "/v1/people/invitations", GRACE);
    assert.deepEqual([made.mailed_to, made.link], [GRACE.email, null]);
    await mailEngine(desk, server).turn();
    const [mail] = server.taken;
    assert.deepEqual(mail?.to, [GRACE.email]);
    const link = /https:\/\/desk\.example\.org\/console#invitation=[A-Za-z0-9]{43}/
      .exec(mail?.parsed.text ?? "")?.[0] ?? "";
    assert.match(mail?.parsed.subject ?? "", /You are invited to/);
    // A scanner opens it: what stands behind the sign is never sent.
    const { pathname, hash } = new URL(link);
    assert.ok(hash.length > 43);
    await (await desk.send("GET", pathname, { credential: null })).body?.cancel();
    const accepted = await accept(desk, textOf(link));
    assert.equal(accepted.status, 200);
    await accepted.body?.cancel();
  },
  { environment: { KEYDESK_PUBLIC_URL: PUBLIC_URL, KEYDESK_SMTP_URL: "smtp://127.0.0.1:1" } },
);

testOnEngines("invitation: withdrawn before it was mailed, nothing is mailed", async (desk) => {
  await using server = await mailServer();
  await addMailChannel(desk);
  const made = await call(desk, "POST", "/v1/people/invitations", GRACE);
  await call(desk, "DELETE", `/v1/people/${made.person_id}/invitation`);
  await mailEngine(desk, server).turn();
  assert.deepEqual(server.taken, []);
}, { environment: { KEYDESK_PUBLIC_URL: PUBLIC_URL, KEYDESK_SMTP_URL: "smtp://127.0.0.1:1" } });

testOnEngines(
  "passkey: a further one is mailed to its person, also where it was removed at once",
  async (desk) => {
    await using server = await mailServer();
    await addMailChannel(desk);
    const grace = await newPerson(desk, ["portal:read"]);
    await call(desk, "PUT", `/v1/people/${grace.id}`, { ...GRACE, permissions: ["portal:read"] });
    const browser = await signIn(desk, { credential: grace.credential });
    const { id } = await addPasskey(desk, browser);
    const removed = await bySession(desk, browser, "DELETE", `/v1/passkeys/${id}`);
    assert.equal(removed.status, 200);
    await removed.body?.cancel();
    await mailEngine(desk, server).turn();
    const told = server.taken.map((
      { to, parsed },
    ) => [to[0], /passkey/.test(parsed.subject ?? "")]);
    assert.deepEqual(told, [[GRACE.email, true]]);
  },
  { environment: { KEYDESK_SMTP_URL: "smtp://127.0.0.1:1" } },
);

testOnEngines(
  "sign-in: from somewhere new it is mailed to its person, and not the first",
  async (desk) => {
    await using server = await mailServer();
    await addMailChannel(desk);
    const grace = await newPerson(desk, ["portal:read"]);
    await call(desk, "PUT", `/v1/people/${grace.id}`, { ...GRACE, permissions: ["portal:read"] });
    const from = (address: string, agent: string) =>
      desk.send("POST", "/v1/session", {
        credential: null,
        from: address,
        headers: { "user-agent": agent },
        body: { access_token: grace.credential },
      }).then((response) => response.body?.cancel());
    const engine = mailEngine(desk, server);
    const told = async () => {
      await engine.turn();
      return server.taken.map(({ parsed }) => parsed.subject ?? "");
    };
    await from("192.0.2.1", "Firefox/1 Linux");
    await from("192.0.2.1", "Firefox/1 Linux");
    assert.deepEqual(await told(), []);
    await from("198.51.100.1", "Firefox/1 Linux");
    assert.equal((await told()).length, 1);
    const [mail] = server.taken;
    assert.deepEqual(mail?.to, [GRACE.email]);
    assert.match(mail?.parsed.text ?? "", /Firefox on Linux/);
    assert.match(mail?.parsed.text ?? "", /198\.51\.100\.1/);
    await from("198.51.100.1", "Firefox/1 Linux");
    await from("198.51.100.1", "Chrome/1 Windows");
    assert.equal((await told()).length, 2);
  },
  { environment: { KEYDESK_PUBLIC_URL: PUBLIC_URL, KEYDESK_SMTP_URL: "smtp://127.0.0.1:1" } },
);
