/**
 * Mails as people get them: who is told what, once each, with a link that no store keeps, and never
 * with a key.
 */
import assert from "node:assert/strict";
import { findLinkOfRequest } from "../../../src/features/keys/one-time-links/waiting-links.store.ts";
import { testOnEngines } from "../../support/desk.ts";
import { approve, create, smallRequest } from "../../support/key-requests.ts";
import {
  addMailChannel,
  addPerson,
  deliveriesOf,
  mailEngine,
  mailServer,
  PUBLIC_URL,
} from "../../support/mail-server.ts";
import { issue } from "../../support/keys.ts";
import { tokenOf, v1 } from "../../support/v1-requests.ts";
import { call, newPerson } from "../../support/people.ts";
import { deliver } from "../../support/receiver.ts";

const developer = { id: "dev-1", email: "elif@example.org", fields: { Name: "Elif Yıldız" } };
const asked = (more: Record<string, unknown> = {}) =>
  smallRequest({ by_user: "dev-1", portal_developer: developer, ...more });

testOnEngines(
  "mails: approvers hear what waits, and a developer gets a link that opens the key",
  async (desk) => {
    await using smtp = await mailServer();
    await addMailChannel(desk);
    const tomas = await addPerson(desk, "tomas@example.org");
    await addPerson(desk, "reader@example.org", ["portal:read"]);
    const engine = mailEngine(desk, smtp);
    const id = await create(desk, asked());
    await deliver(engine);
    assert.deepEqual(smtp.taken.map(({ to }) => to), [["tomas@example.org"]]);
    const [waiting] = smtp.taken;
    assert.match(waiting?.parsed.subject ?? "", /^“Elif Yıldız” asks for /);
    for (const body of [waiting?.parsed.text, waiting?.parsed.html]) {
      assert.ok(String(body).includes(`${PUBLIC_URL}/console/requests/${id}`));
    }
    const { one_time_link } = await v1.approve(desk, id, "?deliver=one_time_link");
    await deliver(engine);
    const approved = smtp.taken[1];
    assert.deepEqual(approved?.to, ["elif@example.org"]);
    assert.equal(approved?.from, "keys@desk.example.org");
    const link = /https:\/\/desk\.example\.org\/claim#[\w-]+/.exec(approved?.parsed.text ?? "")
      ?.[0];
    assert.equal(link, `${PUBLIC_URL}/claim#${tokenOf(one_time_link)}`);
    assert.ok(String(approved?.parsed.html).includes(link));
    const told = await deliveriesOf(desk, id);
    assert.deepEqual(told.map(({ topic, state, recipient }) => [topic, state, recipient]), [
      ["key_request.created", "delivered", { kind: "person", id: tomas }],
      ["key_request.approved", "delivered", { kind: "developer", id: "dev-1" }],
    ]);
    // The token was needed for the mail alone.
    const kept = await desk.app.ctx.storage.reader.rows;
    assert.ok(kept);
    const opened = await v1.open(desk, tokenOf(one_time_link));
    const { RawKey } = (opened as { key: { RawKey: string } }).key;
    for (const { raw, parsed } of smtp.taken) {
      for (const text of [raw, parsed.text ?? "", String(parsed.html)]) {
        assert.ok(!text.includes(RawKey));
      }
    }
  },
);

testOnEngines(
  "mails: a retry to one mails no other twice, and a refusal for ever is a failed delivery at once",
  async (desk) => {
    await using smtp = await mailServer();
    await addMailChannel(desk);
    for (const name of ["one", "two", "three"]) await addPerson(desk, `${name}@example.org`);
    let isBusy = true;
    smtp.refuses = (address) =>
      address === "two@example.org" && isBusy ? 450 : address === "three@example.org" ? 550 : 0;
    const clock = { at: Date.now() };
    const engine = mailEngine(desk, smtp, { now: () => clock.at });
    const id = await create(desk, asked());
    await deliver(engine);
    const states = async () =>
      (await deliveriesOf(desk, id)).map((one) => [one.state, one.attempts]).sort();
    assert.deepEqual(await states(), [["dead", 1], ["delivered", 1], ["waiting", 1]]);
    isBusy = false;
    clock.at += 60_000;
    await deliver(engine);
    assert.deepEqual(await states(), [["dead", 1], ["delivered", 1], ["delivered", 2]]);
    assert.deepEqual(smtp.taken.flatMap(({ to }) => to), ["one@example.org", "two@example.org"]);
    const dead = (await deliveriesOf(desk, id)).find(({ state }) => state === "dead");
    const { tries } = await call(desk, "GET", `/v1/deliveries/${dead.id}`);
    assert.deepEqual([tries[0].status, tries[0].answer], [550, "550 <(address)> is not taken"]);
    // What one recipient does not take says nothing of the channel.
    const { data: [channel] } = await call(desk, "GET", "/v1/channels");
    assert.deepEqual([channel.state, channel.failures], ["active", 0]);
  },
);

testOnEngines(
  "mails: what waits within the minutes of a digest is one mail, without what was decided",
  async (desk) => {
    await using smtp = await mailServer();
    await addMailChannel(desk, { digest_minutes: 15 });
    await addPerson(desk, "tomas@example.org");
    const clock = { at: Date.now() };
    const engine = mailEngine(desk, smtp, { now: () => clock.at });
    await create(desk, asked());
    await deliver(engine);
    assert.equal(smtp.taken.length, 1);
    const ids: string[] = [];
    for (let n = 0; n < 20; n++) ids.push(await create(desk, asked()));
    await deliver(engine);
    assert.equal(smtp.taken.length, 1);
    await v1.decline(desk, ids[0] ?? "");
    clock.at += 15 * 60_000 + 1;
    await deliver(engine);
    const [, digest, ...more] = smtp.taken.filter(({ to }) => to[0] === "tomas@example.org");
    assert.equal(more.length, 0);
    assert.equal(digest?.parsed.subject, "19 key requests are waiting");
    for (const id of ids.slice(1)) assert.ok(digest?.parsed.text?.includes(`/requests/${id}`));
    assert.ok(!digest?.parsed.text?.includes(ids[0] ?? "-"));
    const states = async (id = "") => (await deliveriesOf(desk, id)).map(({ state }) => state);
    assert.deepEqual(await states(ids[0]), ["skipped", "delivered"]);
    assert.deepEqual(await states(ids[1]), ["delivered"]);
  },
);

testOnEngines(
  "mails: an address gets so many in an hour, and what is over waits without a try",
  async (desk) => {
    await using smtp = await mailServer();
    await addMailChannel(desk, {
      per_hour: 2,
      mails: { "key_request.created": { enabled: true } },
    });
    const clock = { at: Date.now() };
    const engine = mailEngine(desk, smtp, { now: () => clock.at });
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.push(await create(desk, asked()));
    await deliver(engine);
    assert.equal(smtp.taken.length, 2);
    const tries = async () => {
      const all = await Promise.all(ids.map((id) => deliveriesOf(desk, id)));
      return all.flat().map(({ state, attempts }) => `${state} ${attempts}`).sort();
    };
    assert.deepEqual(await tries(), [
      "delivered 1",
      "delivered 1",
      "waiting 0",
      "waiting 0",
      "waiting 0",
    ]);
    clock.at += 60 * 60_000 - 10_000;
    await deliver(engine);
    assert.equal(smtp.taken.length, 2);
    clock.at += 11_000;
    await deliver(engine);
    assert.equal(smtp.taken.length, 4);
    clock.at += 60 * 60_000 + 1;
    await deliver(engine);
    assert.deepEqual(await tries(), Array(5).fill("delivered 1"));
  },
);

testOnEngines(
  "mails: an approval tells the developer its message, and never its reason",
  async (desk) => {
    await using smtp = await mailServer();
    await addMailChannel(desk, { mails: { "key_request.approved": { text: "Well: {{reason}}" } } });
    const engine = mailEngine(desk, smtp);
    const id = await create(desk, asked());
    const body = {
      deliver: "one_time_link",
      reason: "Owes us money.",
      message: "From your office alone.",
    };
    await v1.approve(desk, id, "", { body });
    await deliver(engine);
    const [mail] = smtp.taken;
    for (const text of [mail?.parsed.text, String(mail?.parsed.html), mail?.raw]) {
      assert.ok(!text?.includes("Owes us"));
    }
    assert.ok(mail?.parsed.text?.includes("Message: From your office alone."));
    assert.ok(mail?.parsed.text?.includes("Well: From your office alone."));
  },
);

testOnEngines("mails: nobody is mailed about their own deed", async (desk) => {
  await using smtp = await mailServer();
  await addMailChannel(desk, { mails: { "key_request.created": { enabled: true } } });
  const { id: grace, credential } = await newPerson(desk, [
    "portal:read",
    "portal:write",
    "approve",
  ]);
  const path = `/v1/people/${grace}`;
  const permissions = ["portal:read", "portal:write", "approve"];
  await call(desk, "PUT", path, { name: "Grace", permissions, email: "grace@example.org" });
  await addPerson(desk, "other@example.org");
  // A developer who may approve asks, too.
  await addPerson(desk, "Elif@example.org");
  await create(desk, asked(), { credential });
  await deliver(mailEngine(desk, smtp));
  assert.deepEqual(smtp.taken.flatMap(({ to }) => to).sort(), [
    "elif@example.org",
    "other@example.org",
  ]);
  const { data } = await call(desk, "GET", "/v1/people");
  // Absent, an address stays; empty, it goes.
  assert.equal(
    (await call(desk, "PUT", path, { name: "G", permissions })).email,
    "grace@example.org",
  );
  assert.equal((await call(desk, "PUT", path, { name: "G", permissions, email: "" })).email, null);
  assert.equal(data.filter(({ email }: { email: string | null }) => email !== null).length, 3);
});

testOnEngines(
  "mails: without a public address no link is mailed, and the delivery says why",
  async (desk) => {
    await using smtp = await mailServer();
    await addMailChannel(desk);
    const id = await create(desk, asked());
    const { key_id } = await v1.approve(desk, id, "?deliver=one_time_link");
    const other = await create(desk, asked());
    await approve(desk, other);
    const clock = { at: Date.now() };
    const engine = mailEngine(desk, smtp, { publicUrl: "", now: () => clock.at });
    await deliver(engine);
    // The key was handed over in the answer: there is no link, and no key either.
    assert.deepEqual(smtp.taken.map(({ parsed }) => parsed.subject?.includes("is ready")), [true]);
    assert.ok(!smtp.taken[0]?.raw.includes("claim"));
    const [, approved] = await deliveriesOf(desk, id);
    assert.equal(approved, undefined);
    const [waiting] = await deliveriesOf(desk, id);
    const { tries } = await call(desk, "GET", `/v1/deliveries/${waiting.id}`);
    assert.match(tries[0].error, /^KEYDESK_PUBLIC_URL is not set/);
    const place = { org_id: desk.org_id, request_id: id, now: new Date().toISOString() };
    assert.ok(await findLinkOfRequest(desk.app.ctx.storage.reader, place));
    // Sealed: what the store holds is no link.
    clock.at += 60_000;
    await deliver(mailEngine(desk, smtp, { now: () => clock.at }));
    assert.equal(smtp.taken.length, 2);
    assert.match(smtp.taken[1]?.raw ?? "", /claim#/);
    assert.equal(await findLinkOfRequest(desk.app.ctx.storage.reader, place), undefined);
    await call(desk, "POST", `/v1/keys/${key_id}/revoke`, { reason: "a secret reason" });
    await deliver(mailEngine(desk, smtp, { publicUrl: "", now: () => clock.at }));
    const revoked = smtp.taken[2];
    assert.match(revoked?.parsed.subject ?? "", /was revoked$/);
    assert.ok(!revoked?.raw.includes("secret reason"));
  },
);

testOnEngines(
  "mails: a developer without a usable address, or who is erased, is a failed delivery with its reason",
  async (desk) => {
    await using smtp = await mailServer();
    await addMailChannel(desk);
    const none = await create(desk, smallRequest({ by_user: "dev-none" }));
    const gone = await create(desk, asked());
    for (const id of [none, gone]) await approve(desk, id);
    smtp.takes = () => 451;
    const clock = { at: Date.now() };
    const engine = mailEngine(desk, smtp, { now: () => clock.at });
    await deliver(engine);
    await call(desk, "DELETE", "/v1/developers/dev-1?keys=revoke");
    clock.at += 60_000;
    await deliver(engine);
    for (const id of [none, gone]) {
      const approved = (await deliveriesOf(desk, id)).at(-1);
      assert.equal(approved.state, "dead", id);
      const { tries } = await call(desk, "GET", `/v1/deliveries/${approved.id}`);
      assert.match(tries[0].error, /^no mail can reach this developer/);
    }
    const rows = await desk.send("GET", "/v1/deliveries?limit=100");
    assert.ok(!(await rows.text()).includes("elif@"));
  },
);

testOnEngines(
  "mails: values are escaped, and nothing that a name holds becomes a header",
  async (desk) => {
    await using smtp = await mailServer();
    await addMailChannel(desk, {
      from_name: 'Desk "of" <x@example.org> =?utf-8?q?=42ank?=',
      words: { plan: "<b>Plan" },
    });
    const name = "Eve\r\nBcc: victim@example.org\r\n\r\n<script>alert(1)</script>\u202egnp.exe";
    const portal_developer = { id: "dev-1", email: "eve@example.org", fields: { name } };
    const id = await create(desk, asked({ portal_developer }));
    const reason = '<img src=x onerror=alert(1)> & "no"\r\n.\r\nQUIT\u200b\u2066!';
    await v1.decline(desk, id, { reason });
    await deliver(mailEngine(desk, smtp));
    const [mail, ...more] = smtp.taken;
    assert.equal(more.length, 0);
    assert.deepEqual(mail?.to, ["eve@example.org"]);
    const head = mail?.raw.slice(0, mail.raw.indexOf("\r\n\r\n")) ?? "";
    assert.doesNotMatch(head, /^bcc:/im);
    // A name is told as it was written, not as what it stands for to a mail program.
    assert.ok(!mail?.parsed.from?.value[0]?.name.includes("Bank"), `${mail?.parsed.from?.text}`);
    assert.equal(mail?.parsed.bcc, undefined);
    assert.deepEqual(
      mail?.parsed.from?.value.map(({ address }) => address),
      ["keys@desk.example.org"],
    );
    // Nothing turns the text beside it round, and nothing is there that nobody sees.
    assert.doesNotMatch(`${mail?.parsed.text}${mail?.parsed.html}`, /[\u202e\u200b\u2066]/);
    assert.ok(mail?.parsed.text?.includes("gnp.exe"));
    const html = String(mail?.parsed.html);
    assert.doesNotMatch(html, /<script|<img|<b>/);
    assert.ok(html.includes("&lt;img src=x onerror=alert(1)&gt; &amp; &quot;no&quot;"));
    assert.ok(mail?.parsed.text?.includes("<img src=x onerror=alert(1)>"));
  },
);

testOnEngines(
  "mails: the portal's own words are used where they are enabled, and what they name unknown stays",
  async (desk) => {
    await using smtp = await mailServer();
    const id = await addMailChannel(desk, {
      mails: {
        "key_request.approved": { subject: "Ours {{plan}} {{wrong}}" },
        "key_request.declined": {
          subject: "Abgelehnt: {{plan}}",
          text: "Leider nein, {{approver}}.",
        },
      },
      language: "de",
      words: { hello: "Hallo", reason: "Grund" },
    });
    const key_email = {
      enabled: true,
      subject: "A key of {{organisation}}",
      body: "Take it.\n\n{{ .Key }} {{nope}}",
      sign_off: "The <team>",
      hide_token_data: true,
    };
    const mail_options = {
      mail_from_name: "API team",
      mail_from_email: "apis@example.org",
      email_copy: { key_email },
    };
    const configuration = await call(desk, "GET", "/api/portal/configuration");
    await call(desk, "PUT", "/api/portal/configuration", { ...configuration, mail_options });
    const shown = await call(desk, "GET", `/v1/channels/${id}`);
    assert.deepEqual(shown.mail.unknown_placeholders, [
      { mail: "key_request.approved", placeholders: ["{{wrong}}"] },
    ]);
    const preview = (mail: string, more = {}) =>
      call(desk, "POST", `/v1/channels/${id}/preview`, { mail, ...more });
    const previewed = await preview("key_request.approved");
    assert.equal(previewed.worded_by, "configuration");
    // The brand: its name, the colour of the button, whom to write to.
    await call(desk, "PUT", "/v1/branding", {
      name: "Coastal Data",
      colour: "#0f6b5c",
      support: "help@example.org",
    });
    const branded = await preview("key_request.approved");
    assert.ok(branded.html.includes(".button { background: #0f6b5c !important; }"));
    assert.ok(branded.html.includes("Coastal Data"));
    assert.ok(branded.text.includes("Fragen? help@example.org"));
    assert.equal(previewed.from, "API team <apis@example.org>");
    assert.deepEqual(previewed.unknown_placeholders, ["{{ .Key }}", "{{nope}}"]);
    assert.ok(previewed.html.includes("The &lt;team&gt;"));
    const draft = { mails: { "key_request.waiting": { text: "{{developer}} wartet" } } };
    const drafted = await preview("key_request.waiting", { draft });
    assert.ok(
      drafted.text.includes("“Keira Walsh” wartet"),
    );
    const approved = await create(desk, asked());
    const { key_id } = await v1.approve(desk, approved, "?deliver=one_time_link");
    const declined = await create(desk, asked());
    await v1.decline(desk, declined, { reason: "zu viel" });
    await deliver(mailEngine(desk, smtp));
    const [no, key] = smtp.taken.toSorted((one, other) =>
      (one.parsed.subject ?? "") > (other.parsed.subject ?? "") ? -1 : 1
    );
    assert.match(key?.parsed.subject ?? "", /^A key of /);
    assert.equal(key?.from, "apis@example.org");
    assert.ok(key?.parsed.text?.includes("{{ .Key }} {{nope}}"));
    const { mask } = await call(desk, "GET", `/v1/keys/${key_id}`);
    assert.ok(!key?.parsed.text?.includes(mask));
    const { tries } = await call(
      desk,
      "GET",
      `/v1/deliveries/${(await deliveriesOf(desk, approved)).at(-1).id}`,
    );
    assert.match(tries[0].answer, /left as text: \{\{ \.Key \}\}, \{\{nope\}\}/);
    assert.match(no?.parsed.subject ?? "", /^Abgelehnt: /);
    assert.match(no?.parsed.text ?? "", /^Hallo Elif Yıldız,\n\nLeider nein, /);
    assert.match(no?.parsed.text ?? "", /Grund: zu viel/);
    assert.match(no?.raw ?? "", /^Content-Language: de\r$/m);
  },
);

testOnEngines(
  "mails: approvers hear once that an access token tried to end more keys than it may",
  async (desk) => {
    await using smtp = await mailServer();
    await addMailChannel(desk);
    await addPerson(desk, "tomas@example.org");
    await addPerson(desk, "portal@example.org", ["portal:read", "portal:write", "revoke"]);
    const { key_id: first } = await issue(desk);
    const { key_id: second } = await issue(desk);
    const engine = mailEngine(desk, smtp);
    await deliver(engine);
    smtp.taken.length = 0;
    const credential = await desk.token(["revoke"]);
    for (const key_id of [first, second, second]) {
      const answer = await desk.send("DELETE", `/api/keys/${key_id}`, { credential });
      assert.equal(answer.status, key_id === first ? 200 : 429);
      await answer.body?.cancel();
    }
    await deliver(engine);
    const told = smtp.taken.map(({ to, parsed }) => [to, parsed.subject]);
    assert.deepEqual(told, [[
      ["tomas@example.org"],
      "An access token tried to end more keys than it may",
    ]]);
  },
  { environment: { KEYDESK_REVOKE_RATE_LIMIT: "1" } },
);

testOnEngines(
  "mails: the subject names the API, a suspension its reason, times have 24 hours, the brand its colour",
  async (desk) => {
    await using smtp = await mailServer();
    await addMailChannel(desk);
    await call(desk, "PUT", "/v1/branding", { name: "Coastal Data", colour: "#123456" });
    const rights = { tides: { api_id: "tides", api_name: "Tides" } };
    const { id: plan } = await call(desk, "POST", "/v1/plans", {
      name: "Free",
      access_rights: rights,
    });
    const engine = mailEngine(desk, smtp);
    const id = await create(desk, asked({ for_plan: plan }));
    const { key_id } = await call(desk, "POST", `/v1/key-requests/${id}/approve`, {
      deliver: "one_time_link",
      expires_at: "2090-01-01T15:30:00Z",
    });
    await deliver(engine);
    await call(desk, "POST", `/v1/keys/${key_id}/suspend`, { reason: "Unusual traffic." });
    await deliver(engine);
    const [approved, suspended] = smtp.taken.map(({ parsed }) => parsed);
    assert.equal(approved?.subject, "Your key for Free · Tides is ready");
    assert.match(approved?.text ?? "", /^API: Tides$/m);
    assert.match(approved?.text ?? "", /^Expires: .*15:30:00/m);
    assert.match(String(approved?.html), /border-top: 4px solid #123456/);
    assert.match(suspended?.subject ?? "", /for Free · Tides was suspended$/);
    assert.match(suspended?.text ?? "", /^Reason: Unusual traffic\.$/m);
  },
);
