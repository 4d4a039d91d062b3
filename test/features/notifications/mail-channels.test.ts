/**
 * Mail channels: what makes one, what it is tested and looked at with, and whose people it
 * reaches.
 */
import assert from "node:assert/strict";
import {
  insertDelivery,
  markFannedOut,
  messagesToFanOut,
} from "../../../src/features/notifications/fan-out.store.ts";
import { newDelivery } from "../../../src/features/notifications/fan-out.transactions.ts";
import { defineTransaction } from "../../../src/storage/storage.ts";
import { assertFailure } from "../../support/answers.ts";
import { testOnEngines } from "../../support/desk.ts";
import { create, smallRequest } from "../../support/key-requests.ts";
import {
  addMailChannel,
  addPerson,
  mailBy,
  mailEngine,
  mailServer,
} from "../../support/mail-server.ts";
import { call } from "../../support/people.ts";
import { deliver } from "../../support/receiver.ts";

/** The mails that ask people of the desk to sign in. */
const OF_TEAM = /^key_request\.(waiting|reminded|assigned|mentioned)/;

testOnEngines(
  "mail channels: one for each organisation, without a secret, and each kind has its own members",
  async (desk) => {
    const made = await call(desk, "POST", "/v1/channels", { kind: "mail", name: "Mail" });
    assert.deepEqual([made.secret, made.url, made.kind], ["", "", "mail"]);
    assert.deepEqual([made.mail.digest_minutes, made.mail.per_hour], [15, 30]);
    // Which settings the server lacks.
    assert.deepEqual(made.missing_settings, ["KEYDESK_SMTP_URL", "KEYDESK_PUBLIC_URL"]);
    mailBy(desk.app.ctx, "smtp://127.0.0.1:25");
    Object.assign(desk.app.ctx.settings, { publicUrl: "https://desk.example.org" });
    const read = await call(desk, "GET", `/v1/channels/${made.id}`);
    assert.deepEqual(read.missing_settings, []);
    const webhook = { name: "n", url: "https://a.example" };
    assert.deepEqual((await call(desk, "POST", "/v1/channels", webhook)).missing_settings, []);
    const refused = async (method: string, path: string, body: unknown) => {
      const response = await desk.send(method, path, { body });
      assert.deepEqual([response.status, (await response.json()).code], [400, "invalid_input"]);
    };
    await refused("POST", "/v1/channels", { kind: "mail", name: "Another" });
    await refused("POST", "/v1/channels", { name: "Webhook without a URL" });
    await refused("POST", "/v1/channels", { name: "n", url: "https://a.example", mail: {} });
    await refused("PUT", `/v1/channels/${made.id}`, { name: "n", url: "https://a.example" });
    await refused("POST", `/v1/channels/${made.id}/rotate`, {});
    for (
      const mail of [
        { from: "a@b\r\nBcc: c@d" },
        { from_name: "a\nb" },
        { per_hour: 0 },
        { language: "%" },
        { time_zone: "Nowhere/Else" },
        { digest_minutes: -1 },
        { mails: { nothing: {} } },
        { mails: { "key_request.approved": { subject: "a\r\nb" } } },
      ]
    ) await refused("PUT", `/v1/channels/${made.id}`, { name: "n", mail });
    const mail = { per_hour: 5, mails: { "key_request.declined": { enabled: false } } };
    const changed = await call(desk, "PUT", `/v1/channels/${made.id}`, { name: "Mails", mail });
    assert.deepEqual([changed.name, changed.mail.per_hour], ["Mails", 5]);
    await call(desk, "DELETE", `/v1/channels/${made.id}`);
    await addMailChannel(desk);
  },
);

testOnEngines(
  "mail channels: a test goes to whoever asks, at once, and says what the server answered",
  async (desk) => {
    await using smtp = await mailServer();
    const id = await addMailChannel(desk);
    const test = async () => await call(desk, "POST", `/v1/channels/${id}/test`);
    // Whoever is the administrator has no address yet.
    const nowhere = await test();
    assert.deepEqual([nowhere.ok, nowhere.status], [false, 0]);
    assert.match(nowhere.error, /^no mail can reach this person, who has no e-mail address$/);
    const { person } = await call(desk, "GET", "/v1/me");
    const { name, permissions } = await call(desk, "GET", `/v1/people/${person.id}`);
    const body = { name, permissions, email: "admin@example.org" };
    await call(desk, "PUT", `/v1/people/${person.id}`, body);
    assert.match((await test()).error, /^no mail server is set/);
    mailBy(desk.app.ctx, `smtp://127.0.0.1:${smtp.port}`);
    const sent = await test();
    assert.deepEqual([sent.ok, sent.status, sent.error], [true, 250, ""]);
    assert.deepEqual(smtp.taken.map(({ to }) => to), [["admin@example.org"]]);
    assert.match(smtp.taken[0]?.parsed.subject ?? "", /^A test of mails/);
    const { data } = await call(desk, "GET", "/v1/deliveries");
    assert.deepEqual(data, []);
  },
);

testOnEngines(
  "mail channels: another organisation's people and channels are out of reach",
  async (desk) => {
    await using smtp = await mailServer();
    const { admin } = await desk.otherOrganisation();
    const id = await addMailChannel(desk);
    await addMailChannel(desk, {}, admin);
    await addPerson(desk, "ours@example.org");
    await addPerson(desk, "theirs@example.org", undefined, admin);
    await create(desk, smallRequest());
    await deliver(mailEngine(desk, smtp));
    assert.deepEqual(smtp.taken.flatMap(({ to }) => to), ["ours@example.org"]);
    for (const path of ["preview", "test"]) {
      const sent = await desk.send("POST", `/v1/channels/${id}/${path}`, {
        credential: admin,
        body: path === "preview" ? { mail: "key_request.approved" } : undefined,
      });
      await assertFailure(sent, "not_found");
      const weak = await desk.token(["portal:write", "approve"]);
      const denied = await desk.send("POST", `/v1/channels/${id}/${path}`, {
        credential: weak,
        body: { mail: "key_request.approved" },
      });
      assert.equal(denied.status, 403);
    }
    const { data } = await call(desk, "GET", "/v1/deliveries", undefined, admin);
    assert.deepEqual(data, []);
  },
);

testOnEngines("mail channels: every mail can be looked at, in both of its forms", async (desk) => {
  const id = await addMailChannel(desk);
  const { mail: { mails } } = await call(desk, "GET", `/v1/channels/${id}`);
  assert.deepEqual(mails, {});
  for (
    const mail of [
      "key_request.waiting",
      "key_request.waiting_several",
      "key_request.reminded",
      "key_request.assigned",
      "key_request.mentioned",
      "key_request.created",
      "key_request.approved",
      "key_request.later_end",
      "key_request.declined",
      "key_request.reissued",
      "key.expires_soon",
      "key.expired",
      "key.suspended",
      "key.resumed",
      "key.revoked",
      "key.review_due",
      "access_token.rate_limited",
      "gateway.silent",
      "certificate.expires_soon",
      "certificate.expired",
      "developer.created",
      "developer.password_changed",
    ]
  ) {
    const shown = await call(desk, "POST", `/v1/channels/${id}/preview`, { mail });
    assert.deepEqual(shown.unknown_placeholders, [], mail);
    assert.doesNotMatch(
      shown.subject + shown.text + shown.html,
      /\{\{|undefined|NaN|<script/,
      mail,
    );
    assert.equal(shown.worded_by, "keydesk");
    const asksToSignIn = shown.text.includes("asks you to sign in");
    assert.equal(asksToSignIn, OF_TEAM.test(mail), mail);
    assert.ok(shown.html.startsWith("<!doctype html>"));
  }
  const unknown = await desk.send("POST", `/v1/channels/${id}/preview`, { body: { mail: "none" } });
  assert.equal(unknown.status, 400);
});

/** What such a release does with the messages that wait. */
const asBefore = defineTransaction(
  "test.fan-out-as-before",
  async (tx, { org_id, target_id }: { org_id: string; target_id: string }) => {
    const messages = await messagesToFanOut(tx, org_id);
    for (const message of messages) {
      if (message.topic !== "key_request.created") continue;
      const row = { ...message, recipient: "" };
      const form = { blocked: false, now: Date.now() };
      await insertDelivery(tx, newDelivery({ org_id, target_id }, row, form));
    }
    await markFannedOut(tx, org_id, messages.map(({ id }) => id));
    return null;
  },
);

testOnEngines(
  "mail channels: a delivery that an earlier release made without a recipient becomes one for each",
  async (desk) => {
    await using smtp = await mailServer();
    const id = await addMailChannel(desk);
    for (const name of ["one", "two"]) await addPerson(desk, `${name}@example.org`);
    const request = await create(desk, smallRequest());
    await desk.app.ctx.storage.commit(asBefore, { org_id: desk.org_id, target_id: id });
    await deliver(mailEngine(desk, smtp));
    assert.deepEqual(smtp.taken.flatMap(({ to }) => to).sort(), [
      "one@example.org",
      "two@example.org",
    ]);
    const { data } = await call(desk, "GET", `/v1/deliveries?object_id=${request}`);
    assert.deepEqual(data.map(({ state }: { state: string }) => state).sort(), [
      "delivered",
      "delivered",
      "skipped",
    ]);
  },
  { extra: [asBefore] },
);

testOnEngines(
  "mail channels: what the mail server lacks is told by the test, in the log and as a problem, until it does",
  async (desk) => {
    await using plain = await mailServer({ hideSMTPUTF8: true });
    await using able = await mailServer();
    const channel = await addMailChannel(desk);
    const { ctx } = desk.app;
    Object.assign(ctx.settings, {
      publicUrl: "https://desk.example.org",
      mailFrom: "keys@desk.example.org",
    });
    const { id } = (await call(desk, "GET", "/v1/people")).data[0];
    await call(desk, "PUT", `/v1/people/${id}`, {
      name: "Jörg",
      permissions: [...(await call(desk, "GET", `/v1/people/${id}`)).permissions],
      email: "jörg@example.org",
    });
    const tested = async (port: number) => {
      mailBy(ctx, `smtp://127.0.0.1:${port}`);
      return await call(desk, "POST", `/v1/channels/${channel}/test`);
    };
    const lacking = await tested(plain.port);
    assert.equal(lacking.ok, false);
    assert.match(lacking.error, /^the mail server does not offer SMTPUTF8, which the recipient's /);
    const told = () =>
      ctx.problems.current().filter(({ name }) => name === "mail_smtputf8_missing");
    assert.deepEqual(told().map(({ reason, stops }) => [reason, stops]), [
      [lacking.error, "nothing"],
    ]);
    assert.equal((await desk.send("GET", "/readyz", { credential: null })).status, 200);
    assert.ok(desk.logLines.some((line) => line.includes("mail_smtputf8_missing")));
    assert.equal((await tested(able.port)).ok, true);
    assert.deepEqual(told(), []);
  },
);
