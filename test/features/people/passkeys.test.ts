/** Passkeys: made, named, used, removed, and every answer that opens nothing. */
import assert from "node:assert/strict";
import { passkeyHostOf, passkeySiteOf } from "../../../src/features/people/passkey.ts";
import { addPasskey as addPasskeyRow } from "../../../src/features/people/passkeys.transactions.ts";
import { toTimestamp } from "../../../src/kernel/clock.ts";
import { newId } from "../../../src/kernel/ids.ts";
import { assertFailure } from "../../support/answers.ts";
import { Authenticator } from "../../support/authenticator.ts";
import { tamper } from "../../support/damage.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { eventually } from "../../support/eventually.ts";
import {
  addPasskey,
  createPasskey,
  HOST,
  passkeyChallenge,
  presentPasskey,
  signInByPasskey,
  signInChallenge,
  SITE,
} from "../../support/passkeys.ts";
import { call, newPerson, testClock } from "../../support/people.ts";
import { type Browser, bySession, signIn } from "../../support/sign-in.ts";
import { storedText } from "../../support/stored.ts";

const clock = testClock();
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

// deno-lint-ignore no-explicit-any -- tests look at members of many shapes
async function read(desk: TestDesk, browser: Browser, path: string): Promise<any> {
  const headers = { "x-keydesk-background": "true" };
  const response = await bySession(desk, browser, "GET", path, undefined, headers);
  assert.equal(response.status, 200, path);
  return await response.json();
}

testOnEngines("passkey: it signs its person in, and says when it did", async (desk) => {
  const before = await signIn(desk, { credential: desk.admin });
  const { authenticator, id, userHandle } = await addPasskey(desk, before);
  const challenge = await signInChallenge(desk);
  const response = await presentPasskey(desk, authenticator, challenge, { userHandle });
  const session = await response.json();
  assert.equal(response.status, 200, JSON.stringify(session));
  assert.deepEqual([session.signed_in_by, session.idle_minutes], ["passkey", 720]);
  assert.equal(session.person.id, (await call(desk, "GET", "/v1/me")).person.id);
  assert.match(response.headers.get("set-cookie") ?? "", /Max-Age=604800;/);
  const { data } = await read(desk, before, "/v1/passkeys");
  assert.deepEqual(
    data.map(({ last_used_at, ...one }: { last_used_at: string }) => {
      assert.notEqual(last_used_at, null);
      return { ...one, date_created: "" };
    }),
    [{ id, name: "Laptop", host: "localhost", date_created: "" }],
  );
});

testOnEngines("passkey: several a person, each named, renamed and removed alone", async (desk) => {
  const browser = await signIn(desk, { credential: desk.admin });
  const laptop = await addPasskey(desk, browser);
  const phone = await addPasskey(desk, browser, "Phone");
  const renamed = await bySession(desk, browser, "PUT", `/v1/passkeys/${phone.id}`, {
    name: "Tel",
  });
  assert.equal((await renamed.json()).name, "Tel");
  const removed = await bySession(desk, browser, "DELETE", `/v1/passkeys/${laptop.id}`);
  assert.deepEqual(await removed.json(), { removed: true });
  const refused = await presentPasskey(desk, laptop.authenticator, await signInChallenge(desk));
  await assertFailure(refused, "not_authorised");
  await signInByPasskey(desk, phone.authenticator);
  const { data } = await read(desk, browser, "/v1/passkeys");
  assert.deepEqual(data.map(({ name }: { name: string }) => name), ["Tel"]);
});

/** What whoever presents it has falsified, and what it comes to. */
const falsified: Record<
  string,
  (desk: TestDesk, authenticator: Authenticator) => Promise<Response>
> = {
  "another origin": async (desk, one) =>
    await presentPasskey(desk, one, await signInChallenge(desk), {
      origin: "http://localhost:4000",
    }),
  "another host": async (desk, one) =>
    await presentPasskey(desk, one, await signInChallenge(desk), { rpId: "example.org" }),
  "nobody's finger": async (desk, one) =>
    await presentPasskey(desk, one, await signInChallenge(desk), { isVerified: false }),
  "a counter that stands still": async (desk, one) =>
    await presentPasskey(desk, one, await signInChallenge(desk), { counter: 1 }),
  "another person's handle": async (desk, one) =>
    await presentPasskey(desk, one, await signInChallenge(desk), { userHandle: "AAAA" }),
  "a challenge of its own": async (desk, one) =>
    await presentPasskey(desk, one, { ...await signInChallenge(desk), challenge: "AAAA" }),
  "another browser's challenge": async (desk, one) => {
    const [mine, theirs] = [await signInChallenge(desk), await signInChallenge(desk)];
    return await presentPasskey(desk, one, { ...mine, challenge: theirs.challenge });
  },
  "no cookie": async (desk, one) =>
    await presentPasskey(desk, one, { ...await signInChallenge(desk), cookie: "" }),
  "a challenge of five minutes ago": async (desk, one) => {
    const given = await signInChallenge(desk);
    clock.at += 5 * MINUTE;
    return await presentPasskey(desk, one, given);
  },
  "a ticket that nobody gave": async (desk, one) => {
    const { challenge } = await signInChallenge(desk);
    const cookie = `keydesk_passkey=${"a".repeat(43)}.${clock.at + MINUTE}`;
    return await presentPasskey(desk, one, { cookie, challenge });
  },
  "a key that nobody has": async (desk) =>
    await presentPasskey(desk, new Authenticator(), await signInChallenge(desk)),
};

testOnEngines("passkey: what is falsified in an answer lets nobody in", async (desk) => {
  const { authenticator } = await addPasskey(desk, await signIn(desk, { credential: desk.admin }));
  await signInByPasskey(desk, authenticator);
  for (const [name, present] of Object.entries(falsified)) {
    const response = await present(desk, authenticator);
    assert.equal(response.status, 401, name);
    await response.body?.cancel();
  }
  await signInByPasskey(desk, authenticator);
}, { clock });

testOnEngines("passkey: an answer signs in once, and of many at once one gets in", async (desk) => {
  const { authenticator } = await addPasskey(desk, await signIn(desk, { credential: desk.admin }));
  const given = await signInChallenge(desk);
  const passkey = authenticator.get({ ...SITE, challenge: given.challenge });
  const headers = { host: HOST, cookie: given.cookie };
  const send = () =>
    desk.send("POST", "/v1/session", { credential: null, headers, body: { passkey } });
  const answers = await Promise.all(Array.from({ length: 6 }, send));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401, 401, 401, 401]);
  await Promise.all(answers.map((one) => one.body?.cancel()));
  await assertFailure(await send(), "not_authorised");
});

testOnEngines(
  "passkey: a challenge makes one passkey, of its own session, and no other's",
  async (desk) => {
    const browser = await signIn(desk, { credential: desk.admin });
    const grace = await newPerson(desk, ["portal:read"]);
    const other = await signIn(desk, { credential: grace.credential });
    const one = new Authenticator();
    const { ticket, challenge } = await passkeyChallenge(desk, browser);
    const body = { name: "x", ticket, ...one.create({ ...SITE, challenge }) };
    await assertFailure(await createPasskey(desk, other, body), "passkey_refused");
    assert.equal((await createPasskey(desk, browser, body)).status, 200);
    // Replayed, by whoever: it is spent, and the key is somebody's.
    await assertFailure(await createPasskey(desk, browser, body), "passkey_refused");
    const again = await passkeyChallenge(desk, other);
    const theirs = { ...one.create({ ...SITE, challenge: again.challenge }), ticket: again.ticket };
    await assertFailure(
      await createPasskey(desk, other, { name: "y", ...theirs }),
      "passkey_taken",
    );
    const wrong = [{ origin: "https://evil.example" }, { rpId: "evil.example" }, {
      isVerified: false,
    }];
    for (const told of wrong) {
      const given = await passkeyChallenge(desk, browser);
      const made = new Authenticator().create({ ...SITE, challenge: given.challenge, ...told });
      const refused = await createPasskey(desk, browser, {
        name: "z",
        ticket: given.ticket,
        ...made,
      });
      await assertFailure(refused, "passkey_refused");
    }
  },
);

testOnEngines(
  "passkey: another person's, and another organisation's, are not there",
  async (desk) => {
    const { id } = await addPasskey(desk, await signIn(desk, { credential: desk.admin }));
    const grace = await newPerson(desk, ["admin"]);
    const elsewhere = await desk.otherOrganisation();
    for (const credential of [grace.credential, elsewhere.admin]) {
      const browser = await signIn(desk, { credential });
      assert.deepEqual(await read(desk, browser, "/v1/passkeys"), {
        data: [],
        managed: false,
      });
      const rename = await bySession(desk, browser, "PUT", `/v1/passkeys/${id}`, { name: "x" });
      await assertFailure(rename, "not_found");
      await assertFailure(
        await bySession(desk, browser, "DELETE", `/v1/passkeys/${id}`),
        "not_found",
      );
    }
  },
);

testOnEngines(
  "passkey: who holds less than their person by an access token adds none",
  async (desk) => {
    const narrow = await newPerson(desk, ["portal:write", "admin"], { scope: ["admin"] });
    const browser = await signIn(desk, { credential: narrow.credential });
    const headers = { host: HOST };
    const begin = () =>
      bySession(desk, browser, "POST", "/v1/passkeys/challenge", undefined, headers);
    await assertFailure(await begin(), "session_opens_less");
    const byToken = await desk.send("POST", "/v1/passkeys/challenge", { headers });
    assert.equal(byToken.status, 404);
    await byToken.body?.cancel();
  },
);

testOnEngines(
  "passkey: none is added by a session that ends at that moment, or whose access token does",
  async (desk) => {
    const { storage, clock } = desk.app.ctx;
    for (const path of ["/v1/sessions", "/v1/access-tokens/"]) {
      const grace = await newPerson(desk, ["portal:read"]);
      const browser = await signIn(desk, { credential: grace.credential });
      const { data: [{ id: session_id }] } = await read(desk, browser, "/v1/sessions");
      const now = clock.now();
      const actor = { org_id: desk.org_id, user_id: grace.id, token_id: grace.credential_id, now };
      const add = () => {
        const id = newId(now);
        const challenge = { hash: id, expires_at: toTimestamp(now + MINUTE) };
        const made = {
          id,
          handle: id,
          rp_id: "localhost",
          name: "x",
          public_key: "{}",
          thumbprint: "",
          counter: 0,
        };
        return storage.commit(addPasskeyRow, {
          actor,
          session_id,
          passkey: { ...made, challenge },
        });
      };
      await add();
      const ended = path === "/v1/sessions"
        ? await bySession(desk, browser, "DELETE", path)
        : await desk.send("DELETE", path + grace.credential_id);
      assert.equal(ended.status, 200);
      await ended.body?.cancel();
      await assert.rejects(add(), { code: "not_authorised" });
    }
  },
);

testOnEngines(
  "passkey: no access token, and no session of one with limits, names or removes one",
  async (desk) => {
    const grace = await newPerson(desk, ["portal:read", "verify"]);
    const browser = await signIn(desk, { credential: grace.credential });
    const { authenticator, id } = await addPasskey(desk, browser);
    const narrow = await call(desk, "POST", `/v1/people/${grace.id}/access-tokens`, {
      name: "gateway",
      scope: ["verify"],
      deliver: "answer",
    });
    const limited = await signIn(desk, { credential: narrow.access_token });
    for (const [method, body] of [["PUT", { name: "x" }], ["DELETE", undefined]] as const) {
      const path = `/v1/passkeys/${id}`;
      const { credential } = grace;
      const byToken = await desk.send(method, path, { credential, body });
      assert.equal(byToken.status, 404);
      await byToken.body?.cancel();
      const narrowly = await bySession(desk, limited, method, path, body);
      assert.equal(narrowly.status, 403);
      await narrowly.body?.cancel();
    }
    await signInByPasskey(desk, authenticator);
  },
);

testOnEngines(
  "passkey: who is in by an access token that was given for a time adds none",
  async (desk) => {
    const expires_at = new Date(Date.now() + HOUR).toISOString();
    const guest = await newPerson(desk, ["portal:read"], { expires_at });
    const browser = await signIn(desk, { credential: guest.credential });
    const headers = { host: HOST };
    const path = "/v1/passkeys/challenge";
    const begin = () => bySession(desk, browser, "POST", path, undefined, headers);
    await assertFailure(await begin(), "session_opens_less");
    // Where all have to end, that says nothing of this one.
    const settings = desk.app.ctx.settings as { longestTokenMs: number | null };
    settings.longestTokenMs = 90 * 24 * HOUR;
    await addPasskey(desk, browser);
  },
);

testOnEngines(
  "passkey: it opens nothing once its person is deactivated or suspended",
  async (desk) => {
    const grace = await newPerson(desk, ["portal:read"]);
    const added = await addPasskey(desk, await signIn(desk, { credential: grace.credential }));
    const session = await signInByPasskey(desk, added.authenticator);
    await call(desk, "POST", `/v1/people/${grace.id}/suspend`);
    await assertFailure(await bySession(desk, session, "GET", "/v1/me"), "not_authorised");
    const present = async () =>
      await presentPasskey(desk, added.authenticator, await signInChallenge(desk));
    await assertFailure(await present(), "not_authorised");
    await call(desk, "POST", `/v1/people/${grace.id}/resume`);
    assert.equal((await present()).status, 200);
    await call(desk, "DELETE", `/v1/people/${grace.id}`);
    await assertFailure(await present(), "not_authorised");
  },
);

testOnEngines("passkey: what is changed in the store opens nothing", async (desk) => {
  const browser = await signIn(desk, { credential: desk.admin });
  const { authenticator, id } = await addPasskey(desk, browser);
  assert.ok(!(await storedText(desk)).includes(authenticator.id));
  const grace = await newPerson(desk, ["portal:read"]);
  await addPasskey(desk, await signIn(desk, { credential: grace.credential }));
  await tamper(desk, `update passkeys set user_id = '${grace.id}' where id = '${id}'`);
  const refused = await presentPasskey(desk, authenticator, await signInChallenge(desk));
  await assertFailure(refused, "not_authorised");
});

{
  const days = testClock();
  testOnEngines(
    "session: by a passkey it lasts 12 hours unused, and 7 days at the most",
    async (desk) => {
      const { authenticator } = await addPasskey(
        desk,
        await signIn(desk, { credential: desk.admin }),
      );
      const session = await signInByPasskey(desk, authenticator);
      const status = async () => {
        const response = await bySession(desk, session, "GET", "/v1/me");
        await response.body?.cancel();
        return response.status;
      };
      const began = days.at;
      const idle = await signInByPasskey(desk, authenticator);
      days.at = began + 12 * HOUR - 1;
      assert.equal((await bySession(desk, idle, "GET", "/v1/session")).status, 200);
      days.at = began + 12 * HOUR;
      assert.equal(await status(), 401);
      const long = await signInByPasskey(desk, authenticator);
      const start = days.at;
      for (let turn = 1; days.at < start + 7 * 24 * HOUR - 11 * HOUR; turn++) {
        days.at = start + turn * 11 * HOUR;
        assert.equal((await bySession(desk, long, "GET", "/v1/session")).status, 200, String(turn));
        const wanted = new Date(days.at).toISOString();
        await eventually("the use is written", async () => {
          const { data } = await read(desk, long, "/v1/sessions");
          return data.some((one: { current: boolean; last_used_at: string }) =>
            one.current && one.last_used_at === wanted
          );
        });
      }
      days.at = start + 7 * 24 * HOUR;
      await assertFailure(await bySession(desk, long, "GET", "/v1/me"), "not_authorised");
    },
    { clock: days },
  );
}

Deno.test("passkey: they belong to a name with https, or to localhost, and to no digits", () => {
  const hosts = {
    "": "localhost",
    "https://desk.example.org": "desk.example.org",
    "https://desk.example.org:8443/x": "desk.example.org",
    "http://localhost:3000": "localhost",
    "http://desk.example.org": undefined,
    "https://192.0.2.1": undefined,
    "https://[2001:db8::1]": undefined,
    "http://127.0.0.1:3000": undefined,
  };
  for (const [url, host] of Object.entries(hosts)) assert.equal(passkeyHostOf(url), host, url);
  assert.deepEqual(passkeySiteOf("", "LOCALHOST:3000"), SITE);
  assert.deepEqual(passkeySiteOf("https://desk.example.org", "anything"), {
    rpId: "desk.example.org",
    origin: "https://desk.example.org",
  });
  for (
    const host of [
      null,
      "127.0.0.1:3000",
      "localhost.evil.example",
      "localhost:3000@x",
      "localhost:99999",
    ]
  ) {
    assert.equal(passkeySiteOf("", host), undefined, String(host));
  }
});
