/** The link of an offer's mail: to whom it goes, what it does once, and what it says afterwards. */
import assert from "node:assert/strict";
import { assertFailure } from "../../support/answers.ts";
import { succeed } from "../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { openPages } from "../../support/developers.ts";
import { emailTokenOf } from "../../support/email-links.ts";
import { create, smallRequest } from "../../support/key-requests.ts";
import {
  addMailChannel,
  mailBy,
  mailEngine,
  mailServer,
  PUBLIC_URL,
  type TestMailServer,
} from "../../support/mail-server.ts";
import { makeOffer } from "../../support/offers.ts";
import { call } from "../../support/people.ts";
import { deliver } from "../../support/receiver.ts";
import { storedCredentials } from "../../support/stored.ts";
import { planWith, valid } from "../../support/verification.ts";

const EMAIL = "elif@example.org";
const clock = { at: Date.parse("2026-03-01T00:00:00Z"), now: () => clock.at };
const less = { rate: { calls: 2, seconds: 60 } };
const words = { message: "Begin with less, please.", reason: "New here." };

/** A request of somebody with a proved address, where mails are sent. */
async function asked(desk: TestDesk, smtp: TestMailServer): Promise<string> {
  await addMailChannel(desk);
  mailBy(desk.app.ctx, `smtp://127.0.0.1:${smtp.port}`);
  Object.assign(desk.app.ctx.settings, { publicUrl: PUBLIC_URL });
  const for_plan = await planWith(desk, { rate: 100, per: 1 }, ["tides"]);
  const portal_developer = { id: "dev-1", email: EMAIL, fields: { Name: "Elif" } };
  const request = smallRequest({ by_user: "dev-1", for_plan, portal_developer });
  return await create(desk, request);
}

/** The newest mail with an offer; `token`: of its link, "" where there is none. */
function mailed(smtp: TestMailServer) {
  const mail = smtp.taken.findLast(({ parsed }) => parsed.subject?.startsWith("An offer for"));
  const text = mail?.parsed.text ?? "";
  return { to: mail?.to, text, token: /\/offer#(\S+)/.exec(text)?.[1] ?? "" };
}

const open = (desk: TestDesk, what: string, token: string, more = {}) =>
  desk.send("POST", `/v1/offers/${what}`, { credential: null, body: { token, ...more } });

async function stateOf(desk: TestDesk, token: string): Promise<string> {
  const answer = await open(desk, "preview", token);
  assert.equal(answer.status, 200, await answer.clone().text());
  return (await answer.json()).state;
}

testOnEngines("offer link: mailed, read by a scanner, accepted once", async (desk) => {
  await using smtp = await mailServer();
  const id = await asked(desk, smtp);
  const engine = mailEngine(desk, smtp);
  await makeOffer(desk, id, less, words);
  await deliver(engine);
  const { to, text, token } = mailed(smtp);
  assert.deepEqual(to, [EMAIL]);
  assert.ok(text.includes(words.message) && !text.includes(words.reason));
  // What scanners of mails do: read the page, its script, and all that they can reach by reading.
  for (const path of ["/offer", "/offer.js"]) {
    assert.equal((await desk.send("GET", path, { credential: null })).status, 200);
  }
  for (const path of ["preview", "accept", "answer"]) {
    assert.equal((await desk.send("GET", `/v1/offers/${path}`, { credential: null })).status, 405);
  }
  const about = await (await open(desk, "preview", token)).json();
  assert.deepEqual([about.state, about.message, about.terms.rate], [
    "waiting",
    words.message,
    less.rate,
  ]);
  assert.ok(!JSON.stringify(about).includes(words.reason));
  assert.equal((await storedCredentials(desk)).length, 0, "reading makes no key");
  const both = await Promise.all([open(desk, "accept", token), open(desk, "accept", token)]);
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409], "it works once");
  const { one_time_link } = await both.find(({ status }) => status === 200)?.json();
  const before = await desk.send("POST", "/v1/one-time-links/preview", {
    credential: null,
    body: { token: one_time_link.link.split("#")[1] },
  });
  const [told] = (await before.json()).plans;
  assert.deepEqual([told.rate, told.per], [2, 60], "what the key is granted");
  const opened = await desk.send("POST", "/v1/one-time-links/open", {
    credential: null,
    body: { token: one_time_link.link.split("#")[1] },
  });
  const { key: credential } = await opened.json();
  assert.equal((await valid(desk, credential.RawKey)).rate?.limit, 2);
  assert.equal(await stateOf(desk, token), "accepted");
  await assertFailure(await open(desk, "answer", token, { turn_down: true }), "already_decided");
  const { data } = await call(desk, "GET", `/v1/audit-log?object_id=${id}`);
  // as: the contract of the audit log.
  const approved = data.find((one: { action: string }) => one.action === "key_request.approved");
  assert.deepEqual([approved.actor_type, approved.actor], ["link", "offer-link"]);
});

testOnEngines("offer link: used, past, replaced and wrong are told apart", async (desk) => {
  await using smtp = await mailServer();
  const id = await asked(desk, smtp);
  const engine = mailEngine(desk, smtp);
  const offered = async () => {
    await makeOffer(desk, id, less);
    await deliver(engine);
    return mailed(smtp).token;
  };
  const turned = await offered();
  assert.equal((await open(desk, "answer", turned, { turn_down: false })).status, 400);
  assert.equal((await open(desk, "answer", turned, { turn_down: true })).status, 200);
  assert.equal(await stateOf(desk, turned), "turned_down");
  await assertFailure(await open(desk, "accept", turned), "no_offer");
  const answered = await offered();
  assert.notEqual(answered, turned);
  assert.equal(await stateOf(desk, turned), "over", "another took its place");
  const said = { turn_down: false, words: "Could it be 120 a minute?" };
  assert.equal((await open(desk, "answer", answered, said)).status, 200);
  assert.equal(await stateOf(desk, answered), "answered");
  const { offer } = await succeed<{ offer: { words: string } }>(
    desk,
    "GET",
    `/v1/key-requests/${id}`,
  );
  assert.equal(offer.words, said.words);
  const past = await offered();
  clock.at += 8 * 86_400_000;
  assert.equal(await stateOf(desk, past), "expired");
  await assertFailure(await open(desk, "accept", past), "no_offer");
  const [named = "", sum = ""] = past.split(/\.(.*)/s);
  const other = Buffer.from(JSON.stringify([desk.org_id, id, "another"])).toString("base64url");
  for (const wrong of ["2".repeat(43), named, `${other}.${sum}`, `${past}x`]) {
    await assertFailure(await open(desk, "accept", wrong), "offer_link_gone");
  }
  assert.equal((await storedCredentials(desk)).length, 0);
}, { clock });

testOnEngines(
  "offer link: goes to no address but that for which it was made, and not where the pages are",
  async (desk) => {
    await using smtp = await mailServer();
    const id = await asked(desk, smtp);
    const engine = mailEngine(desk, smtp);
    await makeOffer(desk, id, less);
    // Changed before it could be mailed: the address before is still the one that was meant.
    await call(desk, "PUT", "/v1/developers/dev-1", {
      email: "new@example.net",
      account: "same_person",
    });
    await deliver(engine);
    assert.deepEqual(mailed(smtp).to, [EMAIL]);
    assert.notEqual(mailed(smtp).token, "");
    // Nobody has confirmed the new one: offers from now on have no link.
    await makeOffer(desk, id, { rate: { calls: 3, seconds: 60 } }, words);
    await deliver(engine);
    assert.ok(mailed(smtp).text.includes(words.message));
    assert.equal(mailed(smtp).token, "");
    await openPages(desk);
    Object.assign(desk.app.ctx.settings, { publicUrl: PUBLIC_URL });
    await makeOffer(desk, id, { rate: { calls: 4, seconds: 60 } });
    await deliver(engine);
    assert.ok(mailed(smtp).text.includes("/portal/requests"), mailed(smtp).text);
    assert.equal(mailed(smtp).token, "");
  },
);

testOnEngines(
  "offer link: opens nothing once the developer has another address, by which others may read",
  async (desk) => {
    await using smtp = await mailServer();
    const id = await asked(desk, smtp);
    await makeOffer(desk, id, less);
    await deliver(mailEngine(desk, smtp));
    const { token } = mailed(smtp);
    const change = { email: "new@example.net", account: "same_person" };
    await call(desk, "PUT", "/v1/developers/dev-1", change);
    assert.equal(await stateOf(desk, token), "waiting", "nobody has confirmed the new one");
    const mine = { token: await emailTokenOf(desk, "dev-1", "new") };
    await call(desk, "POST", "/v1/email-confirmations", mine);
    await call(desk, "POST", "/v1/developers/dev-1/email/confirm", change);
    assert.equal(await stateOf(desk, token), "over");
    await assertFailure(await open(desk, "accept", token), "no_offer");
    await assertFailure(await open(desk, "answer", token, { turn_down: true }), "no_offer");
    assert.equal((await storedCredentials(desk)).length, 0);
  },
);

testOnEngines(
  "offer link: an offer that is over before it is mailed is not told of",
  async (desk) => {
    await using smtp = await mailServer();
    const id = await asked(desk, smtp);
    const engine = mailEngine(desk, smtp);
    await makeOffer(desk, id, less);
    await desk.send("DELETE", `/v1/key-requests/${id}/offer`, {});
    await deliver(engine);
    assert.equal(mailed(smtp).to, undefined);
  },
);

testOnEngines(
  "offer link: a lost answer is given again to whoever repeats the call",
  async (desk) => {
    await using smtp = await mailServer();
    const id = await asked(desk, smtp);
    const engine = mailEngine(desk, smtp);
    await makeOffer(desk, id, less);
    await deliver(engine);
    const { token } = mailed(smtp);
    const accept = (key: string) =>
      desk.send("POST", "/v1/offers/accept", {
        credential: null,
        body: { token },
        headers: { "idempotency-key": key },
      });
    const both = await Promise.all([
      accept("the-only-yes-to-this"),
      accept("the-only-yes-to-this"),
    ]);
    const [first, second] = await Promise.all(both.map((answer) => answer.json()));
    assert.deepEqual(both.map(({ status }) => status), [200, 200]);
    assert.deepEqual(first, second);
    assert.deepEqual(
      await (await accept("the-only-yes-to-this")).json(),
      first,
      "the same link once more",
    );
    await assertFailure(await accept("another-yes-to-this"), "already_decided");
    assert.equal((await storedCredentials(desk)).length, 1);
  },
);

testOnEngines("offer link: what is said with a no is read by those who decide", async (desk) => {
  await using smtp = await mailServer();
  const id = await asked(desk, smtp);
  const engine = mailEngine(desk, smtp);
  await makeOffer(desk, id, less);
  await deliver(engine);
  const { token } = mailed(smtp);
  const said = { turn_down: true, words: "Two a minute is too few." };
  assert.equal((await open(desk, "answer", token, said)).status, 200);
  const { offer } = await call(desk, "GET", `/v1/key-requests/${id}`);
  assert.deepEqual([offer.state, offer.words], ["turned_down", said.words]);
});
