/**
 * The mail server that the server's administrator sets: sealed, tried, and within what is named.
 */
import assert from "node:assert/strict";
import { findMailServer } from "../../../src/features/notifications/mail-server.store.ts";
import { MAIL_SERVER } from "../../../src/features/notifications/mail-server.ts";
import { assertFailure, assertInvalid } from "../../support/answers.ts";
import { succeed } from "../../support/companions.ts";
import { openTestDesk, type TestDesk, testEachEngine, testOnEngines } from "../../support/desk.ts";
import { addMailChannel, mailServer } from "../../support/mail-server.ts";
import { allItems } from "../../support/people.ts";
import { denied, testRefusals, unauthenticated } from "../../support/refusals.ts";
import { bySession, callInPerson, signIn } from "../../support/sign-in.ts";

const PATH = "/v1/server/mail";
const PASSWORD = "the password of the mail server";
const OUTBOUND = { KEYDESK_OUTBOUND: "mail.example.org:465,mail.example.org:587,127.0.0.1:2525" };

/** Calls as a person who has just signed in. */
async function inPerson(desk: TestDesk, method: string, body?: unknown): Promise<Response> {
  return await bySession(desk, await signIn(desk, { credential: desk.admin }), method, PATH, body);
}

testOnEngines("mail server: set, kept without its password, removed", async (desk) => {
  assert.deepEqual(await succeed(desk, "GET", PATH), {
    source: "none",
    host: "",
    port: null,
    security: null,
    user: "",
    has_password: false,
    from: "",
    missing_outbound: null,
  });
  await assertFailure(await inPerson(desk, "DELETE"), "not_found");
  const body = { host: "Mail.Example.org", user: "keydesk", from: "keys@example.org" };
  const set = await callInPerson(desk, "PUT", PATH, { ...body, password: PASSWORD });
  const stored = {
    source: "stored",
    host: "mail.example.org",
    port: 465,
    security: "tls",
    user: "keydesk",
    has_password: true,
    from: "keys@example.org",
    missing_outbound: null,
  };
  assert.deepEqual(set, stored);
  const way = await desk.app.ctx.mail();
  assert.deepEqual(way?.server.auth, { user: "keydesk", pass: PASSWORD });
  // In no answer, no row, no audit row, no log.
  const row = await findMailServer(desk.app.ctx.storage.reader, {
    org_id: desk.org_id,
    id: MAIL_SERVER,
  });
  const audit = await allItems(desk, "/v1/audit-log");
  const written = JSON.stringify([row, audit, await succeed(desk, "GET", PATH), desk.logLines]);
  assert.ok(!written.includes(PASSWORD));
  assert.match(written, /mail_server\.updated/);
  // The password stays with the same host, port and user, and with no other.
  const kept = await callInPerson(desk, "PUT", PATH, { ...body, from: "desk@example.org" });
  assert.deepEqual([kept.has_password, kept.from], [true, "desk@example.org"]);
  const needed = "password: needed with another host, port or user";
  for (const other of [{ port: 587, security: "starttls" }, { user: "root" }]) {
    await assertInvalid(await inPerson(desk, "PUT", { ...body, ...other }), needed);
  }
  assert.equal((await desk.app.ctx.mail())?.server.auth?.pass, PASSWORD);
  const open = await callInPerson(desk, "PUT", PATH, { ...body, user: "" });
  assert.deepEqual([open.has_password, open.user], [false, ""]);
  assert.equal((await callInPerson(desk, "DELETE", PATH)).source, "none");
  assert.equal(await desk.app.ctx.mail(), undefined);
}, { environment: OUTBOUND });

testOnEngines("mail server: only what KEYDESK_OUTBOUND names is set or called", async (desk) => {
  const missing = "host: KEYDESK_OUTBOUND does not name";
  for (
    const [given, named] of [
      [{ host: "evil.example.org" }, "evil.example.org:465"],
      [{ host: "mail.example.org", port: 25 }, "mail.example.org:25"],
      [{ host: "::1" }, "[::1]:465"],
    ] as const
  ) {
    await assertInvalid(await inPerson(desk, "PUT", given), `${missing} ${named}`);
  }
  for (
    const host of ["mail.example.org/x", "mail.example.org:465", "user@mail.example.org", "a b", ""]
  ) {
    assert.equal((await inPerson(desk, "PUT", { host })).status, 400, host);
  }
}, { environment: OUTBOUND });

testOnEngines(
  "mail server: an access token sets nothing, nor does another organisation",
  async (desk) => {
    const body = { host: "mail.example.org" };
    assert.equal((await desk.send("PUT", PATH, { body })).status, 403);
    assert.equal((await desk.send("DELETE", PATH)).status, 403);
    const to = { body: { to: "eve@example.org" } };
    assert.equal((await desk.send("POST", `${PATH}/test`, to)).status, 403);
    const { admin } = await desk.otherOrganisation();
    assert.equal((await desk.send("GET", PATH, { credential: admin })).status, 403);
  },
  { environment: OUTBOUND },
);

testEachEngine(
  "mail server: a test mail, then real ones, by what is stored",
  async (engine) => {
    await using smtp = await mailServer();
    await using own = await openTestDesk(engine, {
      environment: { KEYDESK_OUTBOUND: `127.0.0.1:${smtp.port}` },
    });
    await assertFailure(
      await bySession(own, await signIn(own, { credential: own.admin }), "POST", `${PATH}/test`, {
        to: "ada@example.org",
      }),
      "no_mail_server",
    );
    const settings = { host: "127.0.0.1", port: smtp.port, security: "starttls" };
    await callInPerson(own, "PUT", PATH, { ...settings, from: "keys@example.org" });
    const sent = await callInPerson(own, "POST", `${PATH}/test`, { to: "ada@example.org" });
    assert.deepEqual([sent.ok, sent.status, sent.error], [true, 250, ""]);
    assert.deepEqual(smtp.taken.map(({ from, to }) => [from, to]), [
      ["keys@example.org", ["ada@example.org"]],
    ]);
    await addMailChannel(own);
    const { codes_mailed } = await succeed<{ codes_mailed: boolean }>(
      own,
      "GET",
      "/v1/developer-pages",
    );
    assert.equal(codes_mailed, true);
    smtp.refuses = () => 550;
    const refused = await callInPerson(own, "POST", `${PATH}/test`, { to: "eve@example.org" });
    assert.deepEqual([refused.ok, refused.status], [false, 550]);
    const tests = await allItems(own, "/v1/audit-log?action=mail_server.tested");
    assert.deepEqual(tests.map(({ detail }) => detail.ok), [false, true]);
  },
);

testOnEngines("mail server: the environment's counts, and says so", async (desk) => {
  const shown = await succeed<Record<string, unknown>>(desk, "GET", PATH);
  assert.deepEqual(shown, {
    source: "environment",
    host: "smtp.example.org",
    port: 465,
    security: "tls",
    user: "me",
    has_password: true,
    from: "keys@example.org",
    missing_outbound: null,
  });
  const body = { host: "mail.example.org" };
  await assertFailure(await inPerson(desk, "PUT", body), "set_by_environment");
}, {
  environment: {
    ...OUTBOUND,
    KEYDESK_SMTP_URL: "smtps://me:secret@smtp.example.org",
    KEYDESK_MAIL_FROM: "keys@example.org",
  },
});

testRefusals("mail server", () =>
  Promise.resolve({
    rows: [
      unauthenticated("GET", PATH),
      unauthenticated("PUT", PATH, { host: "mail.example.org" }),
      denied(["GET", PATH], "admin", "admin:read"),
      denied(["PUT", PATH, { host: "mail.example.org" }], "admin"),
      denied(["DELETE", PATH], "admin"),
      denied(["POST", `${PATH}/test`, { to: "ada@example.org" }], "admin"),
    ],
  }));
