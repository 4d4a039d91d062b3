/** The mail of a code to sign in with, by a real mail server. */
import assert from "node:assert/strict";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import { codesOf, openPages, registered, signIn } from "../../../support/developers.ts";
import {
  addMailChannel,
  type Arrived,
  deliveriesOf,
  mailBy,
  mailEngine,
  mailServer,
} from "../../../support/mail-server.ts";
import { call } from "../../../support/people.ts";
import { addChannel, deliver, engineOf, receiver } from "../../../support/receiver.ts";

/** Asks for a code, and gives its ticket. */
async function ask(desk: TestDesk, email: string): Promise<string> {
  const asked = await desk.send("POST", "/v1/my/codes", { body: { email }, credential: null });
  assert.equal(asked.status, 202);
  return (await asked.json()).ticket;
}

/** The six digits that stand alone on a line. */
const codeIn = (mail: Arrived | undefined) => /^\d{6}$/m.exec(mail?.parsed.text ?? "")?.[0] ?? "";

testOnEngines("mailed codes: ask, read the mail, enter the code, in", async (desk) => {
  await using smtp = await mailServer();
  await addMailChannel(desk);
  await openPages(desk, { sign_up: "open" });
  const { email } = await registered(desk, "dev-ada");
  const engine = mailEngine(desk, smtp);
  const ticket = await ask(desk, email.toUpperCase());
  await deliver(engine);
  const [mail] = smtp.taken;
  assert.deepEqual(mail?.to, [email], "their own address, however it was typed");
  const code = codeIn(mail);
  assert.match(code, /^\d{6}$/);
  assert.equal(mail?.parsed.html && mail.parsed.html.includes(`<p class="code">${code}</p>`), true);
  assert.ok(!mail?.parsed.subject?.includes(code) && !/https?:/.test(mail?.parsed.text ?? ""));
  assert.equal((await codesOf(desk))[0]?.code, "", "what was mailed is kept as its hash alone");
  assert.equal((await signIn(desk, { ticket, code })).session.access, "all");

  const another = await ask(desk, "grace@example.org");
  await deliver(engine);
  const grace = await signIn(desk, { ticket: another, code: codeIn(smtp.taken[1]) });
  assert.equal(grace.session.access, "all");
});

testOnEngines("mailed codes: an address that may not sign in is told nothing", async (desk) => {
  await using smtp = await mailServer();
  await addMailChannel(desk);
  await openPages(desk);
  await registered(desk, "dev-ada");
  await ask(desk, "nobody@example.org");
  const [code] = await codesOf(desk);
  await deliver(mailEngine(desk, smtp));
  assert.deepEqual([code?.purpose, smtp.taken.length], ["nobody", 0]);
  assert.equal((await call(desk, "GET", "/v1/deliveries")).data.length, 0);
});

testOnEngines("mailed codes: a webhook that wants everything is told of none", async (desk) => {
  await using hook = receiver();
  await addChannel(desk, hook, { topics: ["*"] });
  await openPages(desk);
  const { email } = await registered(desk, "dev-ada");
  await ask(desk, email);
  await ask(desk, "nobody@example.org");
  await deliver(engineOf(desk));
  const told = hook.taken.map(({ json }) => json.type);
  assert.ok(told.includes("developer.created"), told.join());
  assert.ok(!told.includes("developer.code_asked"), told.join());
});

testOnEngines("mailed codes: one goes before what waits, and counts for no limit", async (desk) => {
  await using smtp = await mailServer();
  await addMailChannel(desk, {
    per_hour: 1,
    mails: { "developer.created": { enabled: true } },
  });
  await openPages(desk);
  const { email } = await registered(desk, "dev-ada");
  for (let n = 0; n < 20; n++) await registered(desk, `dev-${n}`);
  await ask(desk, email);
  await ask(desk, email);
  await deliver(mailEngine(desk, smtp));
  const toAda = smtp.taken.filter(({ to }) => to[0] === email);
  assert.equal(toAda.filter((mail) => codeIn(mail) !== "").length, 2);
  const places = smtp.taken.flatMap((mail, place) => codeIn(mail) === "" ? [] : [place]);
  assert.ok(places.every((place) => place < 4), `the codes came as ${places}`);
});

testOnEngines("mailed codes: a changed address gets none before it is confirmed", async (desk) => {
  await using smtp = await mailServer();
  await addMailChannel(desk);
  await openPages(desk);
  const { email } = await registered(desk, "dev-ada");
  await ask(desk, email);
  // After the code was asked for, and before it is mailed.
  await call(desk, "PUT", "/v1/developers/dev-ada", {
    email: "eve@example.net",
    account: "same_person",
  });
  await ask(desk, "eve@example.net");
  const [newest, before] = await codesOf(desk);
  assert.deepEqual([newest?.purpose, before?.purpose], ["nobody", "sign_in"]);
  await deliver(mailEngine(desk, smtp));
  assert.deepEqual(smtp.taken.filter((mail) => codeIn(mail) !== ""), []);
});

testOnEngines("mailed codes: the pages say so only where they reach somebody", async (desk) => {
  await using smtp = await mailServer();
  await openPages(desk, { sign_up: "open" });
  const shown = async () => {
    const answer = await desk.send("GET", "/v1/my/pages", { credential: null });
    const { sign_in, sign_up } = await answer.json();
    return [sign_in.code, sign_up];
  };
  assert.deepEqual(await shown(), [false, "closed"], "no server, no channel");
  mailBy(desk.app.ctx, `smtp://127.0.0.1:${smtp.port}`);
  assert.deepEqual(await shown(), [false, "closed"], "no channel");
  const id = await addMailChannel(desk);
  assert.deepEqual(await shown(), [true, "open"]);
  const mail = { digest_minutes: 0, mails: { "developer.code_asked": { enabled: false } } };
  await call(desk, "PUT", `/v1/channels/${id}`, { name: "Mail", mail });
  assert.deepEqual(await shown(), [false, "closed"], "it is switched off");
  assert.deepEqual(await deliveriesOf(desk, "none"), []);
});
