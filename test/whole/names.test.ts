/**
 * One rule for the names and addresses that pages, console and `/v1` take; what the older interface
 * brings is taken as it is, and cleaned where it is shown.
 */
import assert from "node:assert/strict";
import { create, smallRequest } from "../support/key-requests.ts";
import { succeed } from "../support/companions.ts";
import { testOnEngines } from "../support/desk.ts";
import { openPages, registered, signInByCode } from "../support/developers.ts";
import {
  addMailChannel,
  mailBy,
  mailEngine,
  mailServer,
  PUBLIC_URL,
} from "../support/mail-server.ts";
import { call } from "../support/people.ts";
import { Browser } from "../support/portal.ts";
import { deliver } from "../support/receiver.ts";

const EVIL = "Win at\nhttps://evil.example \u202eyenom";
const BAD = [EVIL, "a\u200bb", "x".repeat(101)];

testOnEngines(
  "names: each way that pages, console and /v1 take one refuses what hides or runs on",
  async (desk) => {
    await openPages(desk, { sign_up: "open" });
    const { email } = await registered(desk, "dev-ada");
    const ada = await signInByCode(desk, email);
    const { person } = await call(desk, "GET", "/v1/me");
    const plan = await call(desk, "POST", "/v1/plans", { name: "Tides" });
    for (const name of BAD) {
      const bodies: [string, string, unknown][] = [
        ["POST", "/v1/developers", { email: "new@example.org", fields: { name } }],
        ["PUT", "/v1/developers/dev-ada", { email, fields: { Name: name } }],
        ["POST", "/v1/people", { name, permissions: [] }],
        ["POST", `/v1/people/${person.id}/access-tokens`, { name }],
        ["POST", "/v1/plans", { name }],
        ["PUT", `/v1/plans/${plan._id}`, { name }],
        ["PUT", "/v1/branding", { name }],
        ["POST", "/v1/views", { name, list: "keys" }],
        ["POST", "/v1/gateways", {
          name,
          connection: "synced",
          url: "https://gateway.example.org",
          secret: "s",
        }],
        ["POST", "/v1/channels", { name, url: "https://portal.example.org/" }],
        ["POST", "/v1/roles", { name, permissions: ["audit"] }],
      ];
      for (const [method, path, body] of bodies) {
        const answer = await desk.send(method, path, { body });
        assert.equal(answer.status, 400, `${path} ${await answer.clone().text()}`);
        assert.match(await answer.text(), /[Nn]ame: /, path);
      }
      const own = await ada.send("PUT", "/v1/my/profile", { body: { fields: { name } } });
      assert.equal(own.status, 400);
      const token = await ada.send("POST", "/v1/my/tokens", {
        body: { name, scope: "look", days: 1 },
      });
      assert.equal(token.status, 400);
      const asked = await desk.send("POST", "/v1/my/codes", {
        credential: null,
        body: { email: "stranger@example.org" },
      });
      const { ticket } = await asked.json();
      const up = await desk.send("POST", "/v1/my/session", {
        credential: null,
        body: { ticket, code: "123456", fields: { name } },
      });
      assert.match(await up.text(), /fields\.name: /);
    }
  },
);

testOnEngines(
  "names: what the older interface brings is never refused, and stays where it is not changed",
  async (desk) => {
    const { Message: id } = await succeed<{ Message: string }>(
      desk,
      "POST",
      "/api/portal/developers",
      {
        body: { email: "elif@example.org", fields: { name: EVIL } },
      },
    );
    const path = `/v1/developers/${id}`;
    await succeed(desk, "PUT", path, {
      body: { email: "elif@example.org", fields: { name: EVIL, company: "Tides" } },
    });
    const changed = await desk.send("PUT", path, {
      body: { email: "elif@example.org", fields: { name: `${EVIL}!` } },
    });
    assert.equal(changed.status, 400);
    const { Message: plan } = await succeed<{ Message: string }>(
      desk,
      "POST",
      "/api/portal/policies",
      {
        body: { name: EVIL },
      },
    );
    await succeed(desk, "PUT", `/v1/plans/${plan}`, {
      body: { name: EVIL, quota_max: 5, quota_renewal_rate: 60 },
    });
    // At the developer's own pages it is shown without what hides.
    await openPages(desk);
    const { token } = await succeed<{ token: string }>(desk, "POST", `${path}/sign-in-links`);
    const browser = new Browser(desk);
    await browser.submit(await browser.get("/portal/enter"), "/portal/enter", { link: token });
    const page = await browser.get("/portal/account");
    assert.equal(page.status, 200);
    assert.ok(page.text.includes("evil.example") && !page.text.includes("\u202e"));
  },
);

testOnEngines(
  "names: a stranger's stands in mails quoted, cut, and leads nowhere",
  async (desk) => {
    await using smtp = await mailServer();
    await addMailChannel(desk);
    mailBy(desk.app.ctx, `smtp://127.0.0.1:${smtp.port}`);
    Object.assign(desk.app.ctx.settings, { publicUrl: PUBLIC_URL });
    await call(desk, "POST", "/v1/people", {
      name: "Grace",
      permissions: ["approve", "portal:read"],
      email: "grace@example.org",
    });
    const name = `${EVIL} ${"and more ".repeat(20)}`;
    const portal_developer = { id: "dev-evil", email: "evil@example.org", fields: { name } };
    await create(desk, smallRequest({ by_user: "dev-evil", portal_developer }));
    await deliver(mailEngine(desk, smtp));
    const mail = smtp.taken.find(({ to }) => to[0] === "grace@example.org");
    const { subject = "", text = "" } = mail?.parsed ?? {};
    assert.match(subject, /^“Win at https:evil\.example yenom[^”]{0,40}…”/);
    assert.ok(!`${subject}${text}`.includes("https://evil"), text);
    assert.ok(!`${subject}${text}`.includes("\u202e"));
  },
);

testOnEngines("addresses: one rule at every way in; those that are there go on", async (desk) => {
  await openPages(desk, { sign_up: "open" });
  const { email } = await registered(desk, "dev-ada");
  const ada = await signInByCode(desk, email);
  for (const bad of ["<a@b.example>", "a;b@b.example", "a b@c.example", "a@b@c.example", "ada"]) {
    const bodies: [string, string, unknown][] = [
      ["POST", "/v1/developers", { email: bad }],
      ["PUT", "/v1/developers/dev-ada", { email: bad, account: "same_person" }],
      ["POST", "/api/portal/developers", { email: bad }],
      ["PUT", "/api/portal/developers/dev-ada", { email: bad }],
      ["POST", "/v1/developer-invitations", { email: bad }],
      ["POST", "/v1/people/invitations", { name: "x", permissions: [], email: bad }],
      ["POST", "/v1/people", { name: "x", permissions: [], email: bad }],
    ];
    for (const [method, path, body] of bodies) {
      const answer = await desk.send(method, path, { body });
      assert.equal(answer.status, 400, `${path} ${bad}`);
      await answer.body?.cancel();
    }
    const code = await desk.send("POST", "/v1/my/codes", {
      credential: null,
      body: { email: bad },
    });
    assert.equal(code.status, 400, bad);
    const own = await ada.send("POST", "/v1/my/email/codes", { body: { email: bad } });
    assert.equal(own.status, 400, bad);
    // With a request it is kept as it came, and its developer is not registered.
    if (bad.includes(" ")) continue;
    const by_user = `dev-${bad.length}`;
    await create(desk, smallRequest({ by_user, portal_developer: { id: by_user, email: bad } }));
    assert.equal((await desk.send("GET", `/v1/developers/${by_user}`)).status, 404, bad);
  }
});
