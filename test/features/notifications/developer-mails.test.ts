/** Mails of developers' pages: invitations, quotas and ends, as each of them chose. */
import { presentAction } from "../../../src/contract/former-names.ts";
import assert from "node:assert/strict";
import { statement } from "../../../src/storage/statement.ts";
import { leaseQuota, returnQuota } from "../../../src/features/verification/quotas.transactions.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { openPages, registered, signIn, signInByCode } from "../../support/developers.ts";
import { issue, movableClock } from "../../support/keys.ts";
import { addMailChannel, deliveriesOf, mailEngine, mailServer } from "../../support/mail-server.ts";
import { call } from "../../support/people.ts";
import { offer } from "../../support/offer.ts";
import { succeed } from "../../support/companions.ts";
import { addChannel, deliver, engineOf, receiver } from "../../support/receiver.ts";
import { changePlan, outcome, planWith, withSecond } from "../../support/verification.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const clock = movableClock();

const toldSql = statement<Record<never, never>>()((db) =>
  db.selectFrom("outbox_events").select("topic").where("topic", "like", "credential.quota_%")
);

/** Asks for a code to sign in with. */
const askCode = (desk: TestDesk, email: string) =>
  desk.send("POST", "/v1/my/codes", { body: { email }, credential: null });

/** What was told of quotas, in the order of topics. */
async function told({ app: { ctx } }: TestDesk): Promise<string[]> {
  const rows = await ctx.storage.reader.rows(toldSql, {});
  return rows.map(({ topic }) => presentAction(topic)).sort();
}

/** A developer whose address is verified, with a key under a quota. */
async function adaWithQuota(desk: TestDesk, quota_max: number, quota_renewal_rate = 3600) {
  const { id, email } = await registered(desk, "dev-ada");
  const ada = await signInByCode(desk, email);
  const plan = await planWith(desk, { quota_max, quota_renewal_rate });
  const { RawKey } = await issue(desk, [plan], id);
  return { ada, email, key: RawKey };
}

testOnEngines(
  "developer mails: an invitation is mailed, and withdrawn, used and over tell why not",
  async (desk) => {
    await using smtp = await mailServer();
    await using hook = receiver();
    await addMailChannel(desk);
    await addChannel(desk, hook, { topics: ["*"] });
    await openPages(desk, { sign_up: "invitation" });
    const at = { now: Date.now() };
    const engine = mailEngine(desk, smtp, { now: () => at.now });
    const invite = (email: string) => call(desk, "POST", "/v1/developer-invitations", { email });
    const ada = await invite("ada@example.org");
    await deliver(engine);
    const [mail] = smtp.taken;
    assert.deepEqual(mail?.to, ["ada@example.org"]);
    assert.match(mail?.parsed.text ?? "", /https:\/\/desk\.example\.org\/portal\/sign-up\n/);
    assert.doesNotMatch(mail?.parsed.text ?? "", /#|token/, "nothing in it opens anything");

    const bob = await invite("bob@example.org");
    await call(desk, "DELETE", `/v1/developer-invitations/${bob.id}`);
    const eve = await invite("eve@example.org");
    await signInByCode(desk, "eve@example.org", { name: "Eve" });
    const late = await invite("late@example.org");
    at.now += 15 * DAY_MS;
    await deliver(engine);
    assert.equal(smtp.taken.length, 1, "the others are told to nobody");
    const whys = [];
    for (const { id } of [bob, eve, late]) {
      const [{ id: delivery }] = await deliveriesOf(desk, id);
      const { tries } = await call(desk, "GET", `/v1/deliveries/${delivery}`);
      whys.push(tries[0]?.error);
    }
    assert.deepEqual(whys, [
      "the invitation was withdrawn before it was mailed",
      "the invitation was used before it was mailed",
      "the invitation was over before it was mailed",
    ]);
    const { data } = await call(desk, "GET", "/v1/developer-invitations");
    const states = data.map((one: { id: string; state: string }) => [one.id, one.state]);
    assert.deepEqual(Object.fromEntries(states), {
      [ada.id]: "open",
      [bob.id]: "withdrawn",
      [eve.id]: "used",
      [late.id]: "open",
    });
    await deliver(engineOf(desk));
    assert.ok(hook.taken.every(({ json }) => json.type !== "developer.invited"));
  },
);

testOnEngines(
  "developer mails: where the pages are off nobody is invited by mail",
  async (desk) => {
    await using smtp = await mailServer();
    await addMailChannel(desk);
    const { id } = await call(desk, "POST", "/v1/developer-invitations", {
      email: "ada@example.org",
    });
    await deliver(mailEngine(desk, smtp));
    assert.deepEqual([(await deliveriesOf(desk, id))[0]?.state, smtp.taken.length], ["skipped", 0]);
  },
);

testOnEngines(
  "developer mails: a quota is told of at 80 and at 100 per cent, once in a period",
  async (desk) => {
    await using smtp = await mailServer();
    await addMailChannel(desk);
    await openPages(desk);
    const start = clock.at;
    const { email, key } = await adaWithQuota(desk, 10);
    for (let n = 0; n < 7; n++) assert.equal(await outcome(desk, key), "valid");
    assert.deepEqual(await told(desk), []);
    await outcome(desk, key);
    assert.deepEqual(await told(desk), ["key.quota_nearly_used"]);
    for (let n = 0; n < 6; n++) await outcome(desk, key);
    assert.deepEqual(await told(desk), ["key.quota_nearly_used", "key.quota_used"]);
    const engine = mailEngine(desk, smtp, { now: () => clock.at });
    await deliver(engine);
    const subjects = smtp.taken.filter(({ parsed }) => parsed.subject?.includes("quota"))
      .map(({ to, parsed }) => [to[0], parsed.subject?.replace(/ key .* for .*? (has|is)/, " $1")]);
    assert.deepEqual(subjects, [
      [email, "Your has used 80% of its quota"],
      [email, "The quota of your is used up"],
    ]);
    clock.at = start + 3600_000;
    for (let n = 0; n < 12; n++) await outcome(desk, key);
    assert.equal((await told(desk)).length, 4, "a new period");
    clock.at = start;
  },
  { clock },
);

testOnEngines(
  "developer mails: an approved later end tells when the key ends now",
  async (desk) => {
    await using smtp = await mailServer();
    await addMailChannel(desk);
    await openPages(desk);
    const { plans } = await offer(desk, [{ api: "tides", plan: "Tides" }]);
    const { id, email } = await registered(desk, "dev-ada");
    const { key_id } = await succeed<{ key_id: string }>(
      desk,
      "POST",
      `/v1/developers/${id}/keys`,
      { body: { plans: [plans.Tides], expires_at: "2098-01-31T09:00:00Z" } },
    );
    const ada = await signInByCode(desk, email);
    const asked = await ada.get<{ id: string }>("POST", `/v1/my/keys/${key_id}/later-end`, {
      until: "2099-03-01T12:00:00Z",
    });
    await succeed(desk, "POST", `/v1/key-requests/${asked.id}/approve`, {
      body: { message: "Good luck" },
    });
    await deliver(mailEngine(desk, smtp));
    const mails = smtp.taken.filter(({ to, parsed }) =>
      to[0] === email && !/code/i.test(parsed.subject ?? "")
    );
    assert.equal(mails.length, 1);
    const [{ parsed } = { parsed: undefined }] = mails;
    assert.match(parsed?.subject ?? "", /^Your key .* now expires on .*Mar.*2099/);
    assert.match(parsed?.text ?? "", /the key that you have; it now expires on[\s\S]*Good luck/);
    assert.doesNotMatch(`${parsed?.subject} ${parsed?.text}`, /ready|\{\{|claim/);
  },
);

testOnEngines("developer mails: two desks tell of a quota once", async (desk) => {
  await withSecond(desk, async (second) => {
    await openPages(desk);
    const { key } = await adaWithQuota(desk, 40);
    const calls = Array.from({ length: 60 }, (_, n) => outcome(n % 2 ? desk : second, key));
    await Promise.all(calls);
    assert.deepEqual(await told(desk), ["key.quota_nearly_used", "key.quota_used"]);
  });
}, { environment: { KEYDESK_VERIFY_MAX_STALE_MS: "60000" } });

testOnEngines(
  "developer mails: what was told of a quota is told no more when a node gives some back",
  async (desk) => {
    const { ctx } = desk.app;
    const place = { org_id: "org", key_id: "k", plan_id: "p", period: 1000 };
    const order = { place, key_id: "k", before: 0, wanted: 85, most: 100, now: 1000 };
    await ctx.storage.commit(leaseQuota, order);
    await ctx.storage.commit(returnQuota, { unspent: [{ place, left: 60 }] });
    await ctx.storage.commit(leaseQuota, order);
    assert.deepEqual(await told(desk), ["key.quota_nearly_used"]);
  },
);

testOnEngines(
  "developer mails: of quotas and ends nobody is told who chose so, or has no verified address",
  async (desk) => {
    await using smtp = await mailServer();
    await addMailChannel(desk);
    await openPages(desk);
    const { ada, key } = await adaWithQuota(desk, 5);
    const shown = { language: "", quota: true, key_ends: true, verified: true };
    assert.deepEqual(await ada.get("GET", "/v1/my/mails"), shown);
    const body = { language: "de", quota: false, key_ends: true };
    assert.deepEqual(await ada.get("PUT", "/v1/my/mails", body), { ...body, verified: true });
    for (let n = 0; n < 6; n++) await outcome(desk, key);
    await registered(desk, "dev-bob");
    const plan = await planWith(desk, { quota_max: 5, quota_renewal_rate: 3600 });
    const { RawKey: bobs } = await issue(desk, [plan], "dev-bob");
    for (let n = 0; n < 6; n++) await outcome(desk, bobs);
    assert.equal((await told(desk)).length, 4);
    await deliver(mailEngine(desk, smtp));
    assert.deepEqual(smtp.taken.filter(({ parsed }) => /quota/.test(parsed.text ?? "")), []);
    assert.ok(smtp.taken.every(({ parsed }) => !/Kontingent/.test(parsed.text ?? "")));
  },
);

testOnEngines(
  "developer mails: in the developer's language, by choice, else by what signed up",
  async (desk) => {
    await using smtp = await mailServer();
    await addMailChannel(desk);
    await openPages(desk, { sign_up: "open" });
    const engine = mailEngine(desk, smtp);
    const asked = await desk.send("POST", "/v1/my/codes", {
      body: { email: "ada@example.org" },
      credential: null,
      headers: { "accept-language": "fr, de-AT;q=0.8, en;q=0.5" },
    });
    const { ticket } = await asked.json();
    await deliver(engine);
    const [mail] = smtp.taken;
    assert.match(mail?.parsed.subject ?? "", /^Ihr Code für /);
    assert.match(mail?.parsed.text ?? "", /^Guten Tag,\n\nDieser Code gilt einmal/);
    assert.match(String(mail?.parsed.html), /<html lang="de">/);
    const code = /^\d{6}$/m.exec(mail?.parsed.text ?? "")?.[0];
    const ada = await signIn(desk, { ticket, code, fields: { name: "Ada" } });
    assert.equal((await ada.get("GET", "/v1/my/mails")).language, "de");

    const plan = await planWith(desk, { quota_max: 5, quota_renewal_rate: 3600 });
    const { RawKey: key } = await issue(desk, [plan], ada.session.developer.id);
    for (let n = 0; n < 6; n++) await outcome(desk, key);
    await deliver(engine);
    const german = smtp.taken.filter(({ parsed }) => /Kontingent/.test(parsed.subject ?? ""));
    assert.equal(german.length, 2);
    assert.match(german[0]?.parsed.text ?? "", /Beginnt neu: \d/);

    await ada.get("PUT", "/v1/my/mails", { language: "en", quota: true, key_ends: true });
    await changePlan(desk, plan, { quota_max: 6 });
    await askCode(desk, "ada@example.org");
    await deliver(engine);
    assert.match(smtp.taken.at(-1)?.parsed.subject ?? "", /^Your code for /);
  },
);

testOnEngines(
  "developer mails: what the organisation words itself stays in its words",
  async (desk) => {
    await using smtp = await mailServer();
    await addMailChannel(desk, {
      language: "fr",
      words: { hello: "Bonjour" },
      mails: { "developer.code_asked": { subject: "Votre code" } },
    });
    await openPages(desk);
    const { email } = await registered(desk, "dev-ada");
    const ada = await signInByCode(desk, email);
    await ada.get("PUT", "/v1/my/mails", { language: "de", quota: true, key_ends: true });
    await askCode(desk, email);
    await deliver(mailEngine(desk, smtp));
    const mail = smtp.taken.at(-1);
    assert.equal(mail?.parsed.subject, "Votre code");
    assert.match(mail?.parsed.text ?? "", /^Bonjour/);
    assert.match(String(mail?.parsed.html), /<html lang="fr">/);
  },
);
