/**
 * Alerts as mails: to a certificate's owner and a key's developer, and what the report says where
 * nobody is one.
 */
import assert from "node:assert/strict";
import { AlertEngine } from "../../../../src/features/notifications/alerts/alert-engine.ts";
import { add, asn1Time, made } from "../../../support/certificates.ts";
import { openTestDesk, type TestDesk, testEachEngine } from "../../../support/desk.ts";
import { approve, create, smallRequest } from "../../../support/key-requests.ts";
import { issue, movableClock } from "../../../support/keys.ts";
import {
  addMailChannel,
  mailEngine,
  mailServer,
  type TestMailServer,
} from "../../../support/mail-server.ts";
import { call } from "../../../support/people.ts";
import { addChannel, deliver } from "../../../support/receiver.ts";

const DAY = 24 * 60 * 60 * 1000;

/** A desk whose alerts have begun, and ways to let time pass and to ask why. */
interface Mailed {
  desk: TestDesk;
  clock: ReturnType<typeof movableClock>;
  smtp: TestMailServer;
  /** Adds a certificate that ends in so many days. */
  ending(cn: string, days: number): Promise<string>;
  /** Lets days pass, tells what fell due, and sends it. */
  pass(days: number): Promise<void>;
  // deno-lint-ignore no-explicit-any -- a test says itself what it expects of them
  why(id: string, object?: "certificates" | "keys"): Promise<any>;
}

function onEngines(promise: string, test: (mailed: Mailed) => Promise<void>): void {
  testEachEngine(`alerts by mail: ${promise}`, async (engine) => {
    const clock = movableClock();
    await using smtp = await mailServer();
    await using desk = await openTestDesk(engine, { clock });
    const sender = mailEngine(desk, smtp, { now: () => clock.at });
    const pass = async (days: number) => {
      clock.at += days * DAY;
      await new AlertEngine(desk.app.ctx).turn();
      await deliver(sender);
    };
    await pass(0);
    let serial = 0;
    await test({
      desk,
      clock,
      smtp,
      pass,
      ending: (cn, days) => {
        const to = asn1Time(clock.at + days * DAY);
        return add(desk, made({ cn, to, serial: String(++serial).padStart(4, "0") }));
      },
      why: (id, object = "certificates") => call(desk, "GET", `/v1/${object}/${id}/alerts`),
    });
  });
}

onEngines(
  "an owner reads the days and the end, once",
  async ({ desk, smtp, ending, pass, why }) => {
    await addMailChannel(desk);
    const id = await ending("edge.example", 8);
    await call(desk, "PUT", `/v1/certificates/${id}`, { owner: "lena@example.org" });
    await pass(1);
    await pass(0);
    assert.deepEqual(smtp.taken.map(({ to }) => to), [["lena@example.org"]]);
    const { subject, text = "", html } = smtp.taken[0]?.parsed ?? {};
    assert.match(subject ?? "", /edge\.example expires on Mar 9, 2026/);
    for (const body of [text, String(html)]) {
      assert.match(body, /Days left: 7\./);
      assert.match(body, /Mar 9, 2026/);
    }
    const report = await why(id);
    assert.equal(report.result, "notified");
    assert.deepEqual([report.channels[0].kind, report.channels[0].has_recipient], ["mail", true]);
    await pass(7);
    assert.match(smtp.taken.at(-1)?.parsed.subject ?? "", /edge\.example has expired/);
    assert.equal(smtp.taken.length, 2);
  },
);

onEngines("a certificate without an owner says so, before and after", async ({ desk, ...at }) => {
  const { smtp, ending, pass, why } = at;
  const channel = await addMailChannel(desk);
  const id = await ending("lone.example", 8);
  const early = await why(id);
  assert.equal(early.result, "not_due");
  assert.match(early.answer, /Mail has no recipient: the certificate has no owner\.$/);
  assert.equal(early.needs_attention, false);
  await pass(1);
  let report = await why(id);
  assert.equal(report.result, "no_recipient");
  assert.equal(report.decided_by, "channels");
  assert.equal(report.needs_attention, true);
  assert.match(
    report.answer,
    /^No one is notified\. Mail has no recipient: the certificate has no/,
  );
  assert.equal(report.channels[0].has_recipient, false);
  assert.equal(smtp.taken.length, 0);
  // An owner who came later was not told then, and is from now on.
  await call(desk, "PUT", `/v1/certificates/${id}`, { owner: "lena@example.org" });
  report = await why(id);
  assert.equal(report.result, "no_recipient");
  assert.equal(report.decided_by, "sending");
  assert.match(report.answer, /its mails had no recipient/);
  await call(desk, "POST", `/v1/channels/${channel}/pause`);
  assert.equal((await why(id)).result, "channel_paused");
  await call(desk, "POST", `/v1/channels/${channel}/resume`);
  await pass(4);
  assert.equal((await why(id)).result, "notified");
  assert.equal(smtp.taken.length, 1);
});

onEngines("what has an owner gone, a webhook beside it, or such mails off", async (at) => {
  const { desk, smtp, ending, pass, why } = at;
  const off = { "certificate.expires_soon": { enabled: false } };
  const channel = await addMailChannel(desk, { mails: off });
  const id = await ending("off.example", 8);
  await call(desk, "PUT", `/v1/certificates/${id}`, { owner: "lena@example.org" });
  const unwanted = await why(id);
  assert.deepEqual(unwanted.channels, [], "a channel that sends no such mails wants none");
  assert.match(unwanted.answer, /no channel wants such alerts/);
  await call(desk, "DELETE", `/v1/channels/${channel}`);
  await addMailChannel(desk);
  await call(desk, "PUT", `/v1/certificates/${id}`, {});
  await addChannel(desk, { url: "https://hooks.example/x" }, { topics: ["certificate.*"] });
  await pass(1);
  const report = await why(id);
  assert.equal(report.result, "host_not_named");
  const says = report.rules.find(({ rule }: { rule: string }) => rule === "channels").says;
  assert.match(says, /^Portal; none is paused\. Mail has no recipient/);
  assert.equal(smtp.taken.length, 0);
});

onEngines("a developer hears of a key, also of a suspended one", async ({ desk, ...at }) => {
  const { clock, smtp, pass, why } = at;
  await addMailChannel(desk);
  const elif = { id: "elif", email: "elif@example.org", fields: { Name: "Elif" } };
  const request = await create(desk, smallRequest({ by_user: "elif", portal_developer: elif }));
  await approve(desk, request);
  const { data } = await call(desk, "GET", "/v1/keys");
  const { key_id: lone } = await issue(desk, ["plan-weather"], "nobody");
  const key_id: string = data[0].key_id;
  const expires_at = new Date(clock.at + 8 * DAY).toISOString();
  for (const id of [key_id, lone]) {
    await call(desk, "PUT", `/v1/keys/${id}/expiry`, { expires_at });
  }
  await call(desk, "PUT", `/v1/keys/${key_id}/labels`, { name: "Till", note: "Ask Lena first." });
  const { mask } = await call(desk, "GET", `/v1/keys/${key_id}`);
  const early = await why(lone, "keys");
  assert.match(early.answer, /Mail has no recipient: the key's developer has no address/);
  await call(desk, "POST", `/v1/keys/${key_id}/suspend`, { reason: "Late payment." });
  await pass(0);
  smtp.taken.length = 0;
  await pass(1);
  const report = await why(key_id, "keys");
  assert.equal(report.result, "notified", report.answer);
  assert.deepEqual(smtp.taken.map(({ to }) => to), [["elif@example.org"]]);
  const { subject = "", text = "", html } = smtp.taken[0]?.parsed ?? {};
  assert.match(text, /Days left: 7\./);
  for (const said of [subject, text, String(html)]) {
    assert.ok(said.includes(`Your key Till (${mask}) for `) && !said.includes("Lena"), said);
  }
  const failed = await why(lone, "keys");
  assert.equal(failed.result, "delivery_failed");
  assert.match(failed.answer, /no mail can reach this developer/);
});
