/** One-time codes: set up, asked for beside one factor, used once, recovered and taken away. */
import assert from "node:assert/strict";
import { passkeyHostOf } from "../../../src/features/people/passkey.ts";
import { findOneTimeSecret } from "../../../src/features/people/one-time-codes.store.ts";
import { assertFailure } from "../../support/answers.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { addMailChannel, mailEngine, mailServer } from "../../support/mail-server.ts";
import {
  beginCodes,
  codeNow,
  presentCode,
  setUpCodes,
  signInByCode,
} from "../../support/one-time-codes.ts";
import { addPasskey, signInByPasskey } from "../../support/passkeys.ts";
import { call, newPerson, statusOf, testClock } from "../../support/people.ts";
import { addCode, bySession, signIn } from "../../support/sign-in.ts";
import { storedText } from "../../support/stored.ts";

const CODES = "/v1/one-time-codes";
const RULES = "/v1/sign-in-rules";
const MINUTE = 60_000;
const STEP = 30_000;

/** Somebody with one-time codes, in a browser. */
async function grace(desk: TestDesk) {
  const person = await newPerson(desk, ["portal:read"]);
  const browser = await signIn(desk, { credential: person.credential });
  return { ...person, browser, app: await setUpCodes(desk, browser) };
}

async function failureOf(response: Response): Promise<string> {
  await response.body?.cancel();
  return response.headers.get("x-keydesk-error") ?? String(response.status);
}

const auditLog = async (desk: TestDesk, action: string) =>
  (await call(desk, "GET", `/v1/audit-log?action=${action}`)).data;

testOnEngines(
  "one-time codes: an access token alone signs in until they are proved",
  async (desk) => {
    const { id, credential } = await newPerson(desk, ["portal:read"]);
    const browser = await signIn(desk, { credential });
    const given = await beginCodes(desk, browser);
    assert.match(
      given.uri,
      new RegExp(`^otpauth://totp/Keydesk:Grace\\?issuer=Keydesk&secret=${given.secret}&`),
    );
    const wrong = await bySession(desk, browser, "POST", CODES, {
      ticket: given.ticket,
      code: codeNow(desk, given.secret, 7),
    });
    await assertFailure(wrong, "first_code_refused");
    // Nothing counts yet, and nothing is stored.
    await signIn(desk, { credential });
    const nothing = { set_up_at: null, last_used_at: null, recovery_codes: 0 };
    const read = async () => await (await bySession(desk, browser, "GET", CODES)).json();
    assert.deepEqual(await read(), nothing);
    const app = await setUpCodes(desk, browser);
    assert.equal(new Set(app.recovery).size, 10);
    assert.equal((await read()).recovery_codes, 10);
    const stored = await storedText(desk);
    for (
      const secret of [
        app.secret,
        ...app.recovery,
        ...app.recovery.map((one) => one.replaceAll("-", "")),
      ]
    ) {
      assert.ok(!stored.includes(secret), "the store has none in readable form");
    }
    assert.ok(!desk.logLines.join().includes(app.secret));
    await assertFailure(await presentCode(desk, credential), "one_time_code_required");
    const fresh = await signInByCode(desk, credential, app.code());
    // The session that was there goes on, and programs call by the access token as before.
    for (const one of [browser, fresh]) {
      assert.equal((await bySession(desk, one, "GET", "/v1/me")).status, 200);
    }
    assert.equal(await statusOf(desk, credential), 200);
    const [begun] = await auditLog(desk, "session.created");
    assert.deepEqual([begun.actor, begun.detail.second_factor], [id, "one_time_code"]);
    const [told] = await auditLog(desk, "person.one_time_codes_set_up");
    assert.deepEqual([told.actor, told.object_id, told.detail], [id, id, {}]);
  },
);

testOnEngines("one-time codes: half a sign-in holds no session and opens nothing", async (desk) => {
  const { credential, app } = await grace(desk);
  const before = await storedText(desk);
  for (const code of [undefined, "000000", app.code(5), "abcd-efgh-ijkl-mnop-qrst-uvwx", "x"]) {
    const half = await presentCode(desk, credential, code);
    assert.equal(half.headers.get("set-cookie"), null);
    await assertFailure(
      half,
      code === undefined ? "one_time_code_required" : "one_time_code_refused",
    );
  }
  // A code without what is first opens nothing either.
  await assertFailure(await presentCode(desk, "kda_wrong", app.code()), "not_authorised");
  const alone = { credential: null, body: { one_time_code: app.code() } };
  assert.equal(await failureOf(await desk.send("POST", "/v1/session", alone)), "invalid_input");
  const sessions = /"sessions".*/s;
  assert.equal(sessions.exec(await storedText(desk))?.length, sessions.exec(before)?.length);
  await signInByCode(desk, credential, app.code());
});

{
  const clock = testClock();
  testOnEngines(
    "one-time codes: each step is used once, by whoever comes first, and not after a later one",
    async (desk) => {
      const { credential, app } = await grace(desk);
      const race = await Promise.all(
        Array.from({ length: 5 }, () => presentCode(desk, credential, app.code())),
      );
      const statuses = race.map(({ status }) => status).sort();
      assert.equal(statuses.filter((one) => one === 200).length, 1, `${statuses}`);
      await Promise.all(race.map((one) => one.body?.cancel()));
      clock.at += MINUTE;
      const later = app.code(1);
      await signInByCode(desk, credential, ` ${later.slice(0, 3)} ${later.slice(3)}`);
      const codes = [later, app.code(0), app.code(-1)];
      for (const code of codes) {
        await assertFailure(await presentCode(desk, credential, code), "one_time_code_refused");
      }
      // The first code proved the secret, and is used up by that.
      clock.at += 2 * STEP;
      await signInByCode(desk, credential, app.code());
    },
    { clock },
  );
}

{
  const clock = testClock();
  testOnEngines(
    "one-time codes: who guesses has to wait, by person and by address, and nobody for good",
    async (desk) => {
      const { credential, app } = await grace(desk);
      const other = await grace(desk);
      const guess = async (token: string, code: string, from: string) =>
        await failureOf(await presentCode(desk, token, code, from));
      const wrong = app.code(9);
      // By person: from wherever one guesses.
      const fromAnywhere: string[] = [];
      for (let n = 0; n < 8; n++) fromAnywhere.push(await guess(credential, wrong, `192.0.2.${n}`));
      assert.deepEqual(fromAnywhere, [
        // Five are free, and the wait begins with the sixth.
        ...Array(6).fill("one_time_code_refused"),
        ...Array(2).fill("too_many_requests"),
      ]);
      assert.equal(await guess(credential, app.code(), "192.0.2.99"), "too_many_requests");
      // What can't be guessed never waits.
      const [recovery = ""] = app.recovery;
      const passed = await presentCode(desk, credential, recovery, "192.0.2.98");
      assert.equal(passed.status, 200, await passed.text());
      // Nobody else waits for it, and the person for five minutes at the most.
      await signInByCode(desk, other.credential, other.app.code());
      clock.at += 5 * MINUTE;
      await signInByCode(desk, credential, app.code());
      // A right one forgets the failures.
      clock.at += MINUTE;
      for (let n = 0; n < 5; n++) {
        assert.equal(await guess(credential, wrong, "198.51.100.1"), "one_time_code_refused");
      }
    },
    { clock },
  );
}

testOnEngines(
  "one-time codes: of guesses of a minute at once no more than six are looked at",
  async (desk) => {
    const { credential, app } = await grace(desk);
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => presentCode(desk, credential, app.code(9), "192.0.2.1")),
    );
    const codes = await Promise.all(answers.map(failureOf));
    assert.equal(codes.filter((one) => one === "one_time_code_refused").length, 6, `${codes}`);
    assert.equal(codes.filter((one) => one === "too_many_requests").length, 34);
  },
);

testOnEngines(
  "one-time codes: a recovery code lets in once; made anew, those before do not",
  async (desk) => {
    const { credential, browser, app } = await grace(desk);
    const [first = "", second = "", third = ""] = app.recovery;
    const race = await Promise.all(
      Array.from({ length: 4 }, () => presentCode(desk, credential, first)),
    );
    assert.deepEqual(race.map(({ status }) => status).sort(), [200, 401, 401, 401]);
    await Promise.all(race.map((one) => one.body?.cancel()));
    await signInByCode(desk, credential, second.toUpperCase().replaceAll("-", " "));
    const [begun] = await auditLog(desk, "session.created");
    assert.equal(begun.detail.second_factor, "recovery_code");
    const left = await (await bySession(desk, browser, "GET", CODES)).json();
    assert.equal(left.recovery_codes, 8);
    const made = await (await bySession(desk, browser, "POST", `${CODES}/recovery`)).json();
    assert.equal(made.codes.length, 10);
    await assertFailure(await presentCode(desk, credential, third), "one_time_code_refused");
    await signInByCode(desk, credential, made.codes[9]);
    // Another's lets nobody in.
    const other = await grace(desk);
    const strange = await presentCode(desk, credential, other.app.recovery[0]);
    await assertFailure(strange, "one_time_code_refused");
  },
);

{
  const clock = testClock();
  testOnEngines(
    "one-time codes: a secret is proved by its session, within ten minutes, once",
    async (desk) => {
      const { credential } = await newPerson(desk, ["portal:read"]);
      const [one, other] = [await signIn(desk, { credential }), await signIn(desk, { credential })];
      const put = async (browser: typeof one, ticket: string, code: string) =>
        await bySession(desk, browser, "POST", CODES, { ticket, code });
      const { ticket, secret } = await beginCodes(desk, one);
      const right = codeNow(desk, secret);
      await assertFailure(await put(other, ticket, right), "first_code_refused");
      const changed = ticket.slice(0, 40) + (ticket[40] === "A" ? "B" : "A") + ticket.slice(41);
      await assertFailure(await put(one, changed, right), "first_code_refused");
      // Later than a fresh sign-in lasts: people install an app first.
      clock.at += 9 * MINUTE;
      const late = codeNow(desk, secret);
      const answers = await Promise.all([put(one, ticket, late), put(one, `${ticket}=`, late)]);
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400]);
      await Promise.all(answers.map((answer) => answer.body?.cancel()));
      // That first code lets nobody in, and a stale session begins nothing.
      await assertFailure(await presentCode(desk, credential, late), "one_time_code_refused");
      for (
        const [method, path] of [["POST", `${CODES}/secret`], ["POST", `${CODES}/recovery`], [
          "DELETE",
          CODES,
        ]] as const
      ) {
        await assertFailure(await bySession(desk, one, method, path), "fresh_sign_in_required");
      }
      clock.at += MINUTE;
      const fresh = await signInByCode(desk, credential, codeNow(desk, secret));
      // Another app takes the place of the first.
      const anew = await beginCodes(desk, fresh);
      clock.at += 10 * MINUTE;
      const over = await put(fresh, anew.ticket, codeNow(desk, anew.secret));
      await assertFailure(over, "first_code_refused");
      const again = await signInByCode(desk, credential, codeNow(desk, secret));
      const app = await setUpCodes(desk, again);
      clock.at += MINUTE;
      const old = await presentCode(desk, credential, codeNow(desk, secret));
      await assertFailure(old, "one_time_code_refused");
      await signInByCode(desk, credential, app.code());
    },
    { clock },
  );
}

testOnEngines(
  "one-time codes: programs and sessions that open less set up and remove none",
  async (desk) => {
    const { id, credential } = await newPerson(desk, ["portal:read", "approve"]);
    const narrow = { name: "less", deliver: "answer", scope: ["portal:read"] };
    const less = (await call(desk, "POST", `/v1/people/${id}/access-tokens`, narrow)).access_token;
    const narrowed = await signIn(desk, { credential: less });
    const calls = [
      ["POST", `${CODES}/secret`],
      ["POST", `${CODES}/recovery`],
      ["DELETE", CODES],
    ] as const;
    for (const [method, path] of calls) {
      assert.equal(await failureOf(await desk.send(method, path, { credential })), "not_found");
      assert.equal(await failureOf(await bySession(desk, narrowed, method, path)), "access_denied");
    }
    const app = await setUpCodes(desk, await signIn(desk, { credential }));
    // A narrower access token of the person is asked for a code as well.
    await assertFailure(await presentCode(desk, less), "one_time_code_required");
    await signInByCode(desk, less, app.code());
  },
);

testOnEngines(
  "one-time codes: passkeys and links of the machine need none, invitations do",
  async (desk) => {
    const { id, credential, browser, app } = await grace(desk);
    const { authenticator } = await addPasskey(desk, browser);
    await signInByPasskey(desk, authenticator);
    await addCode(desk, "from-the-machine", credential);
    await signIn(desk, { code: "from-the-machine" });
    const { link } = await call(desk, "POST", `/v1/people/${id}/invitation`);
    const invitation = link.split("#invitation=")[1];
    const accept = (more: Record<string, unknown> = {}) =>
      desk.send("POST", "/v1/invitations/accept", {
        credential: null,
        body: { invitation, ...more },
      });
    await assertFailure(await accept(), "one_time_code_required");
    await assertFailure(await accept({ one_time_code: app.code(9) }), "one_time_code_refused");
    // Neither used the invitation up.
    const accepted = await accept({ one_time_code: app.code() });
    assert.equal(accepted.status, 200, await accepted.text());
  },
);

testOnEngines(
  "one-time codes: removed by oneself or an administrator, which their owner is mailed",
  async (desk) => {
    await using server = await mailServer();
    const { id, credential, browser, app } = await grace(desk);
    await call(desk, "PUT", `/v1/people/${id}`, {
      name: "Grace",
      email: "grace@example.org",
      permissions: ["portal:read"],
    });
    await addMailChannel(desk);
    const engine = mailEngine(desk, server);
    const ways = await call(desk, "GET", `/v1/people/${id}/ways-in`);
    assert.equal(typeof ways.one_time_codes.set_up_at, "string");
    const [facts] = (await call(desk, "GET", `/v1/people/sign-ins?ids=${id}`)).data;
    assert.deepEqual([facts.signs_in_by, facts.one_time_codes], [["token"], true]);
    const removed = await call(desk, "DELETE", `/v1/people/${id}/one-time-codes`);
    assert.deepEqual(removed, { removed: true, sessions_ended: 1 });
    assert.equal((await bySession(desk, browser, "GET", "/v1/me")).status, 401);
    const gone = await desk.send("DELETE", `/v1/people/${id}/one-time-codes`);
    await assertFailure(gone, "not_found");
    const fresh = await signIn(desk, { credential });
    const second = await setUpCodes(desk, fresh);
    assert.notEqual(second.secret, app.secret);
    const own = await bySession(desk, fresh, "DELETE", CODES);
    assert.deepEqual(await own.json(), { removed: true });
    await assertFailure(await bySession(desk, fresh, "DELETE", CODES), "not_found");
    await signIn(desk, { credential });
    const stored = await storedText(desk);
    assert.ok(!/"recovery_codes":\[\{/.test(stored));
    for (let turn = 0; turn < 4; turn++) await engine.turn();
    const mails = server.taken.map(({ to, parsed }) =>
      `${to[0]}: ${parsed.subject?.replace(/ at .*/, "")}`
    );
    assert.deepEqual(mails, [
      "grace@example.org: Your one-time codes were removed",
      "grace@example.org: One-time codes were set up for you",
      "grace@example.org: Your one-time codes were removed",
    ]);
    for (const { parsed } of server.taken) {
      const text = `${parsed.text}${parsed.html}`;
      for (const secret of [app.secret, second.secret, ...app.recovery]) {
        assert.ok(!text.includes(secret));
      }
    }
  },
  { environment: { KEYDESK_SMTP_URL: "smtp://127.0.0.1:1" } },
);

testOnEngines("one-time codes: nobody removes those of a person who holds more", async (desk) => {
  const lesser = await newPerson(desk, ["admin"]);
  const greater = await newPerson(desk, ["admin", "plans"]);
  await setUpCodes(desk, await signIn(desk, { credential: greater.credential }));
  const path = `/v1/people/${greater.id}/one-time-codes`;
  const { admin } = await desk.otherOrganisation();
  const held = await desk.send("DELETE", path, { credential: lesser.credential });
  assert.equal(await failureOf(held), "person_holds_more");
  await assertFailure(await desk.send("DELETE", path, { credential: admin }), "not_found");
});

testOnEngines(
  "second factor: it is asked for while an administrator has one, and programs go on",
  async (desk) => {
    const on = { tokens: true, domains: [], second_factor: true };
    await assertFailure(await desk.send("PUT", RULES, { body: on }), "last_administrator");
    const admin = await signIn(desk, { credential: desk.admin });
    const app = await setUpCodes(desk, admin);
    assert.deepEqual(await call(desk, "PUT", RULES, on), { ...on, signed_approvals: false });
    // Left out it stays as it was.
    const kept = await call(desk, "PUT", RULES, { tokens: true, domains: [] });
    assert.equal(kept.second_factor, true);
    const { id, credential } = await newPerson(desk, ["portal:read"]);
    await assertFailure(await presentCode(desk, credential), "second_factor_required");
    await assertFailure(await presentCode(desk, credential, "123456"), "second_factor_required");
    assert.equal(await statusOf(desk, credential), 200);
    const waysOf = async () =>
      (await call(desk, "GET", `/v1/people/sign-ins?ids=${id}`)).data[0].signs_in_by;
    assert.deepEqual(await waysOf(), [], "nobody is told that they sign in by what does not");
    // An invitation lets in whoever has none, to set one up.
    const { link } = await call(desk, "POST", `/v1/people/${id}/invitation`);
    const invitation = link.split("#invitation=")[1];
    const body = { invitation };
    const told = await desk.send("POST", "/v1/invitations/preview", { credential: null, body });
    assert.equal((await told.json()).second_factor, true);
    const response = await desk.send("POST", "/v1/invitations/accept", { credential: null, body });
    const { session } = await response.json();
    const browser = {
      cookie: (response.headers.get("set-cookie") ?? "").split(";")[0] ?? "",
      csrf: session.csrf_token,
    };
    const theirs = await setUpCodes(desk, browser);
    await signInByCode(desk, credential, theirs.code());
    assert.deepEqual(await waysOf(), ["token"]);
    // The last administrator stays one, by whatever is tried.
    const me = (await call(desk, "GET", "/v1/me")).person.id;
    const helper = await newPerson(desk, (await call(desk, "GET", "/v1/me")).permissions);
    const own = await bySession(desk, admin, "DELETE", CODES);
    await assertFailure(own, "last_administrator");
    for (
      const [method, path] of [
        ["DELETE", `/v1/people/${me}/one-time-codes`],
        ["DELETE", `/v1/people/${me}`],
        ["POST", `/v1/people/${me}/suspend`],
      ] as const
    ) {
      const refused = await desk.send(method, path, { credential: helper.credential });
      await assertFailure(refused, "last_administrator");
    }
    // At the machine there is a way in, always.
    await addCode(desk, "from-the-machine");
    await signIn(desk, { code: "from-the-machine" });
    await signInByCode(desk, desk.admin, app.code());
    await call(desk, "PUT", RULES, { tokens: true, domains: [], second_factor: false });
    await signIn(desk, { credential: helper.credential });
  },
);

testOnEngines("second factor: an administrator with a passkey is one too", async (desk) => {
  assert.equal(passkeyHostOf(""), "localhost");
  const browser = await signIn(desk, { credential: desk.admin });
  const { authenticator } = await addPasskey(desk, browser);
  await call(desk, "PUT", RULES, { tokens: true, domains: [], second_factor: true });
  await assertFailure(await presentCode(desk, desk.admin), "second_factor_required");
  await signInByPasskey(desk, authenticator);
});

testOnEngines(
  "one-time codes: they go with their person, and a changed row lets nobody in",
  async (desk) => {
    const { id, credential, app } = await grace(desk);
    const other = await grace(desk);
    const { org_id, app: { ctx: { storage } } } = desk;
    const place = { org_id, user_id: id };
    const mine = await findOneTimeSecret(storage.reader, place);
    const theirs = await findOneTimeSecret(storage.reader, { org_id, user_id: other.id });
    assert.ok(mine?.secret && theirs?.secret && mine.secret !== theirs.secret);
    await call(desk, "DELETE", `/v1/people/${id}`);
    assert.equal(await findOneTimeSecret(storage.reader, place), undefined);
    const gone = await presentCode(desk, credential, app.code());
    await assertFailure(gone, "not_authorised");
  },
);
