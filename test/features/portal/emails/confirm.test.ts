/**
 * A changed address is a developer's once it was reached, and the one before it or a person agreed.
 */
import assert from "node:assert/strict";
import { assertFailure } from "../../../support/answers.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import { confirmationIn } from "../../../support/email-links.ts";
import { create, smallRequest } from "../../../support/key-requests.ts";
import {
  addMailChannel,
  mailBy,
  mailEngine,
  mailServer,
  PUBLIC_URL,
  type TestMailServer,
} from "../../../support/mail-server.ts";
import { v1 } from "../../../support/v1-requests.ts";
import { call } from "../../../support/people.ts";
import { deliver } from "../../../support/receiver.ts";

const DEVELOPER = "/v1/developers/dev-1";
const NEW = "elif@example.net";
const OLD = "elif@example.org";
const developer = { id: "dev-1", email: OLD, fields: { name: "Elif" } };
const asked = (more = {}) =>
  smallRequest({ by_user: "dev-1", portal_developer: developer, ...more });

const change = (desk: TestDesk, email = NEW) =>
  call(desk, "PUT", DEVELOPER, { email, fields: developer.fields, account: "same_person" });
const stateOf = async (desk: TestDesk) => (await call(desk, "GET", DEVELOPER)).email_state;

/** Opens a link of a mail as its page does. */
const open = (desk: TestDesk, token: string, path = "", from?: string) =>
  desk.send("POST", `/v1/email-confirmations${path}`, {
    credential: null,
    body: { token },
    ...from && { from },
  });

const person = (desk: TestDesk, body: Record<string, unknown>, init = {}) =>
  desk.send("POST", `${DEVELOPER}/email/confirm`, {
    body: { account: "same_person", ...body },
    ...init,
  });

/** Where links can be mailed. */
async function withMail(desk: TestDesk, smtp: TestMailServer): Promise<void> {
  await addMailChannel(desk);
  mailBy(desk.app.ctx, `smtp://127.0.0.1:${smtp.port}`);
  Object.assign(desk.app.ctx.settings, { publicUrl: PUBLIC_URL });
}

const linkTo = (smtp: TestMailServer, address: string): string =>
  smtp.taken.filter(({ to }) => to[0] === address)
    .map((mail) => confirmationIn(mail, PUBLIC_URL)).findLast((token) => token !== "") ?? "";

testOnEngines(
  "developer emails: the address and the one before it confirm by the links of their mails, once each",
  async (desk) => {
    await using smtp = await mailServer();
    await withMail(desk, smtp);
    const engine = mailEngine(desk, smtp);
    const first = await create(desk, asked());
    assert.equal((await v1.get(desk, first)).developer_email_changed_at, null);
    const changed = await change(desk);
    assert.equal(changed.email_state, "unproved");
    const { developer_email_state, developer_email_changed_at } = await v1.get(desk, first);
    assert.equal(developer_email_state, "unproved");
    assert.equal(developer_email_changed_at, changed.email_changed_at);
    assert.equal((await v1.list(desk)).data[0]?.developer_email_state, "unproved");
    assert.equal((await call(desk, "GET", "/v1/developers")).data[0].email_state, "unproved");
    await deliver(engine);
    const told = smtp.taken.find(({ to }) => to[0] === OLD);
    assert.equal(told?.parsed.subject, "The e-mail address of your account was changed");
    assert.ok(told?.parsed.text?.includes("e…@example.net") && !told.raw.includes(NEW));
    const [toNew, toOld] = [linkTo(smtp, NEW), linkTo(smtp, OLD)];
    assert.ok(toNew !== "" && toOld !== "" && toNew !== toOld);
    // Reading the page, or what it asks for, confirms nothing: scanners of mails do.
    assert.equal((await desk.send("GET", "/confirm", { credential: null })).status, 200);
    const about = await (await open(desk, toOld, "/preview")).json();
    assert.deepEqual([about.side, about.email], ["old", "e…@example.net"]);
    assert.equal((await (await open(desk, toNew, "/preview")).json()).email, NEW);
    assert.equal(await stateOf(desk), "unproved");
    // Of two who open it at the same moment one does.
    const both = await Promise.all([open(desk, toNew), open(desk, toNew)]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 410]);
    assert.equal(await stateOf(desk), "reached");
    await assertFailure(await open(desk, toNew), "confirmation_gone");
    const { email_state } = await (await open(desk, toOld)).json();
    assert.equal(email_state, "proved");
    // What is approved from now on goes there.
    smtp.taken.length = 0;
    await v1.approve(desk, first, "?deliver=one_time_link");
    await deliver(engine);
    assert.deepEqual(smtp.taken.map(({ to, raw }) => [to[0], raw.includes("/claim#")]), [
      [NEW, true],
    ]);
    // And back again, which is a change like any other.
    assert.equal((await change(desk, OLD)).email_state, "unproved");
    assert.equal((await change(desk, NEW)).email_state, "proved");
  },
);

testOnEngines(
  "developer emails: a person who may approve confirms what they saw, in the place of the one before",
  async (desk) => {
    await using smtp = await mailServer();
    await withMail(desk, smtp);
    const engine = mailEngine(desk, smtp);
    await create(desk, asked());
    const { revision } = await call(desk, "GET", DEVELOPER);
    await change(desk);
    const headers = { "if-match": `"${revision}"` };
    await assertFailure(await person(desk, { email: NEW }, { headers }), "precondition_failed");
    await assertFailure(await person(desk, { email: OLD }), "precondition_failed");
    const portal = await desk.token(["portal:write", "portal:read"]);
    const denied = await person(desk, { email: NEW }, { credential: portal });
    assert.equal(denied.status, 403);
    await denied.body?.cancel();
    const { admin } = await desk.otherOrganisation();
    await assertFailure(await person(desk, { email: NEW }, { credential: admin }), "not_found");
    assert.equal(await stateOf(desk), "unproved");
    assert.equal((await (await person(desk, { email: NEW })).json()).email_state, "agreed");
    await deliver(engine);
    const token = linkTo(smtp, NEW);
    assert.equal((await (await open(desk, token)).json()).email_state, "proved");
    // A link that is over is mailed anew, once a person says so.
    await change(desk, "third@example.net");
    await deliver(engine);
    const over = linkTo(smtp, "third@example.net");
    const now = desk.app.ctx.clock.now();
    const later = { now: () => now + 7 * 24 * 60 * 60_000 };
    Object.assign(desk.app.ctx, { clock: later });
    await assertFailure(await open(desk, over), "confirmation_gone");
    await person(desk, { email: "third@example.net" });
    await deliver(mailEngine(desk, smtp, later));
    const fresh = linkTo(smtp, "third@example.net");
    assert.notEqual(fresh, over);
    assert.equal((await (await open(desk, fresh)).json()).email_state, "proved");
    for (let n = 0; n < 11; n++) {
      await assertFailure(await open(desk, "x".repeat(43), "", "192.0.2.1"), "confirmation_gone");
    }
    await assertFailure(await open(desk, "x".repeat(43), "", "192.0.2.1"), "too_many_requests");
  },
);

testOnEngines(
  "developer emails: without a mail server a person alone confirms, the first address of a developer too",
  async (desk) => {
    const credential = await desk.token(["portal:write"]);
    const id = await create(desk, smallRequest({ by_user: "dev-1" }));
    await v1.approve(desk, id);
    const { email_state } = await call(desk, "GET", DEVELOPER);
    assert.equal(email_state, "proved");
    await call(desk, "PUT", "/api/portal/developers/dev-1", { email: NEW }, credential);
    assert.equal(await stateOf(desk), "unproved");
    assert.equal((await (await person(desk, { email: NEW })).json()).email_state, "proved");
    // The same address in other letters, or again, is no change; the broker of identities sends it
    // at each sign-in.
    await call(
      desk,
      "PUT",
      "/api/portal/developers/dev-1",
      { email: "ELIF@example.net" },
      credential,
    );
    assert.equal(await stateOf(desk), "proved");
  },
);

testOnEngines(
  "developer emails: keys from before an id was registered anew are nobody's until a person says so",
  async (desk) => {
    await using smtp = await mailServer();
    await addMailChannel(desk);
    const engine = mailEngine(desk, smtp);
    const portal = await desk.token(["portal:read", "portal:write"]);
    const { key_id } = await v1.approve(
      desk,
      await create(desk, asked()),
      "?deliver=one_time_link",
    );
    await call(desk, "DELETE", `${DEVELOPER}?keys=keep`);
    const again = {
      id: "dev-1",
      email: NEW,
      keys: { [key_id]: ["p"] },
      subscriptions: { p: key_id },
    };
    await call(desk, "POST", "/api/portal/developers", again, portal);
    const mapsOf = async () => {
      const { keys, subscriptions } = await call(desk, "GET", "/api/portal/developers/dev-1");
      return [Object.keys(keys), Object.values(subscriptions)];
    };
    assert.deepEqual([await stateOf(desk), ...await mapsOf()], ["unproved", [], []]);
    // Neither by a request that names the key, nor by what is told of it, nor by what takes its
    // place.
    const naming = await create(desk, smallRequest({ by_user: "dev-1", key: key_id }));
    await assertFailure(
      await desk.send("POST", `/v1/key-requests/${naming}/approve`),
      "unknown_key",
    );
    await deliver(engine);
    // The one-time link from before goes nowhere: whom it was made for is erased.
    assert.deepEqual(smtp.taken.filter(({ raw }) => raw.includes("/claim#")), []);
    smtp.taken.length = 0;
    const rotated = await call(desk, "POST", `/v1/keys/${key_id}/rotate`, {
      overlap_seconds: 60,
      deliver: "one_time_link",
    });
    await call(desk, "POST", `/v1/keys/${rotated.key_id}/suspend`, { reason: "x" });
    await deliver(engine);
    assert.deepEqual(smtp.taken.flatMap(({ to }) => to), []);
    assert.equal((await (await person(desk, { email: NEW })).json()).email_state, "proved");
    const [keys] = await mapsOf();
    assert.ok(keys?.includes(rotated.key_id));
    // An id that never had a key is as it was.
    const fresh = await call(
      desk,
      "POST",
      "/v1/developers",
      { email: "fresh@example.org" },
      portal,
    );
    assert.deepEqual([fresh.email_state, fresh.email_changed_at], ["proved", null]);
  },
);
