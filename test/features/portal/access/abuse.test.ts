/** The pages' forms against whoever abuses them, with codes that a real mail server takes. */
import assert from "node:assert/strict";
import { statement } from "../../../../src/storage/statement.ts";
import { succeed } from "../../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import {
  codesOf,
  openPages,
  registered,
  signIn,
  signInByLink,
} from "../../../support/developers.ts";
import { addMailChannel, mailBy, mailEngine, mailServer } from "../../../support/mail-server.ts";
import { call } from "../../../support/people.ts";
import { Browser } from "../../../support/portal.ts";
import { deliver } from "../../../support/receiver.ts";

/** A desk whose pages mail by this server. */
async function mailing(desk: TestDesk, smtp: { port: number }, settings = {}) {
  mailBy(desk.app.ctx, `smtp://127.0.0.1:${smtp.port}`);
  await addMailChannel(desk);
  await openPages(desk, settings);
}

const codeIn = (text: string | undefined) => /^\d{6}$/m.exec(text ?? "")?.[0] ?? "";

testOnEngines(
  "abuse: sign-up, password and link by the forms, by mails that came",
  async (desk) => {
    await using smtp = await mailServer();
    await mailing(desk, smtp, { sign_up: "open" });
    const browser = new Browser(desk);
    const asked = await browser.submit(await browser.get("/portal/sign-up"), "/portal/sign-up", {
      email: "ada@example.org",
      name: "Ada",
    });
    const page = await browser.follow(asked);
    await deliver(mailEngine(desk, smtp));
    const code = codeIn(smtp.taken[0]?.parsed.text);
    const wrong = await browser.submit(page, "/portal/sign-in/code", {
      code: code === "000000" ? "000001" : "000000",
    });
    assert.equal(wrong.status, 400);
    const entered = await browser.submit(wrong, "/portal/sign-in/code", { code });
    assert.equal(entered.status, 303);
    assert.match((await browser.get("/portal/account")).words, /ada@example\.org/);
    // Used once: not in another browser, nor again in this one.
    const again = await new Browser(desk).post("/portal/sign-in/code", { code });
    assert.equal(again.status, 400);

    const { data: [{ id }] } = await call(desk, "GET", "/v1/developers");
    const { token } = await succeed<{ token: string }>(
      desk,
      "POST",
      `/v1/developers/${id}/sign-in-links`,
    );
    const visitor = new Browser(desk);
    const form = (await visitor.get("/portal/enter")).forms().find(({ action }) =>
      action === "/portal/enter"
    );
    assert.ok(form);
    const opened = await visitor.post("/portal/enter", { ...form.hidden, link: token });
    assert.equal(opened.status, 303);
    const twice = await new Browser(desk).post("/portal/enter", { ...form.hidden, link: token });
    assert.equal(twice.status, 400, "a link signs in once");
  },
);

testOnEngines("abuse: whoever only looks uses up no link and no code", async (desk) => {
  await using smtp = await mailServer();
  await mailing(desk, smtp);
  const { id, email } = await registered(desk, "dev-ada");
  const { token } = await succeed<{ token: string }>(
    desk,
    "POST",
    `/v1/developers/${id}/sign-in-links`,
  );
  const asked = await desk.send("POST", "/v1/my/codes", { body: { email }, credential: null });
  const { ticket } = await asked.json();
  await deliver(mailEngine(desk, smtp));
  const [mail] = smtp.taken;
  assert.doesNotMatch(mail?.raw ?? "", /https?:\/\//, "a code's mail has nothing to open");
  const code = codeIn(mail?.parsed.text);
  // What a scanner opens, and what it may make up of it.
  for (
    const path of [
      "/portal/enter",
      `/portal/enter?token=${token}`,
      `/portal/enter?link=${token}`,
      `/portal/sign-in/code?code=${code}`,
      `/v1/my/session?link=${token}`,
      `/v1/my/session?ticket=${ticket}&code=${code}`,
    ]
  ) {
    for (const method of ["GET", "HEAD", "OPTIONS"]) {
      const answer = await desk.app.fetch(
        new Request(`http://desk.test${path}`, { method, headers: { host: "desk.test" } }),
      );
      assert.equal(answer.headers.get("set-cookie")?.includes("developer") ?? false, false, path);
    }
  }
  assert.equal((await signIn(desk, { link: token })).session.access, "look");
  assert.equal((await signIn(desk, { ticket, code })).session.access, "all");
});

testOnEngines("abuse: no page stands in a frame of another", async (desk) => {
  await openPages(desk, { sign_up: "open" });
  const { id } = await registered(desk, "dev-ada");
  const { cookie } = await signInByLink(desk, id);
  for (
    const path of [
      "/portal",
      "/portal/sign-in",
      "/portal/sign-up",
      "/portal/enter",
      "/portal/account",
      "/portal/keys",
      "/portal/requests",
      "/portal/prove",
      "/portal/nowhere",
    ]
  ) {
    for (const cookies of ["", cookie]) {
      const answer = await desk.app.fetch(
        new Request(`http://desk.test${path}`, { headers: { host: "desk.test", cookie: cookies } }),
      );
      assert.match(
        answer.headers.get("content-security-policy") ?? "",
        /frame-ancestors 'none'/,
        path,
      );
      assert.equal(answer.headers.get("x-frame-options"), "DENY", path);
      assert.match(answer.headers.get("cache-control") ?? "", /no-store/, path);
    }
  }
});

testOnEngines(
  "abuse: a flood of codes for an address is mailed five times an hour, and others get theirs",
  async (desk) => {
    await using smtp = await mailServer();
    await mailing(desk, smtp, { sign_up: "open" });
    const { email } = await registered(desk, "dev-ada");
    await registered(desk, "dev-bob");
    const ask = async (address: string, from: string) => {
      const init = { body: { email: address }, credential: null, from };
      return (await desk.send("POST", "/v1/my/codes", init)).status;
    };
    const statuses = [];
    for (let n = 0; n < 12; n++) statuses.push(await ask(email, "198.51.100.7"));
    assert.ok(statuses.every((status) => status === 202), "each is answered like the first");
    // Their owner, from elsewhere, and another address.
    await ask(email, "203.0.113.9");
    await ask("dev-bob@example.org", "198.51.100.7");
    await deliver(mailEngine(desk, smtp));
    const count = (to: string) => smtp.taken.filter((mail) => mail.to[0] === to).length;
    assert.deepEqual([count(email), count("dev-bob@example.org")], [6, 1]);
    // From one network for any addresses: a wait, that no other network has.
    let refused = 0;
    for (let n = 0; n < 40; n++) {
      if (await ask(`nobody-${n}@example.org`, "198.51.100.7") === 429) refused++;
    }
    assert.ok(refused > 0);
    assert.equal(await ask("dev-bob@example.org", "203.0.113.9"), 202);
  },
);

testOnEngines(
  "abuse: a flood of sign-ups from everywhere is mailed 300 codes an hour, and shuts out nobody known or invited",
  async (desk) => {
    await openPages(desk, { sign_up: "open" });
    const { email } = await registered(desk, "dev-ada");
    const invited = "bea@example.org";
    await succeed(desk, "POST", "/v1/developer-invitations", { body: { email: invited } });
    let asked = 0;
    const ask = async (address: string) => {
      const from = `10.0.${asked >> 8}.${asked++ & 255}`;
      const init = { body: { email: address }, credential: null, from };
      return await (await desk.send("POST", "/v1/my/codes", init)).json();
    };
    let answer;
    for (let n = 0; n < 305; n++) answer = await ask(`nobody-${n}@example.org`);
    const known = await ask(email);
    await ask(invited);
    assert.deepEqual(Object.keys(answer), Object.keys(known), "told alike");
    const codes = await codesOf(desk);
    const purposes = Map.groupBy(
      codes,
      ({ email, purpose }) => /^nobody/.test(email) ? `stranger ${purpose}` : `${email} ${purpose}`,
    );
    assert.deepEqual(
      Object.fromEntries([...purposes].map(([name, { length }]) => [name, length])),
      {
        "stranger sign_up": 300,
        "stranger nobody": 5,
        [`${email} sign_in`]: 1,
        [`${invited} sign_up`]: 1,
      },
    );
    const { code } = codes.find(({ purpose }) => purpose === "sign_in") ?? {};
    const { session } = await signIn(desk, { ticket: known.ticket, code });
    assert.equal(session.developer.id, "dev-ada");
  },
);

testOnEngines("abuse: a known address and an unknown one make the same work", async (desk) => {
  await openPages(desk);
  const { email } = await registered(desk, "dev-ada");
  await registered(desk, "dev-out");
  await succeed(desk, "POST", "/v1/developers/dev-out/deactivate", { body: { keys: "keep" } });
  const made = [];
  for (const address of [email, "nobody@example.org", "dev-out@example.org"]) {
    const before = await rowsOf(desk);
    const started = await desk.send("POST", "/v1/my/codes", {
      body: { email: address },
      credential: null,
    });
    const { ticket, expires_at } = await started.json();
    const after = await rowsOf(desk);
    const headers = [...started.headers.keys()].sort().join();
    made.push([
      started.status,
      ticket.length,
      expires_at.length,
      headers,
      after.codes - before.codes,
      after.sealed - before.sealed,
      after.asked - before.asked,
    ]);
  }
  assert.deepEqual(made[1], made[0]);
  assert.deepEqual(made[2], made[0]);
});

const askedSql = statement<Record<never, never>>()((db) =>
  db.selectFrom("outbox_events").select((eb) => eb.fn.countAll<number>().as("n"))
    .where("topic", "=", "developer.code_asked")
);

/** How many codes there are, how many of them sealed, and how many messages of them. */
async function rowsOf(desk: TestDesk) {
  const codes = await codesOf(desk);
  const asked = Number((await desk.app.ctx.storage.reader.row(askedSql, {}))?.n);
  return { codes: codes.length, sealed: codes.filter(({ code }) => code !== "").length, asked };
}
