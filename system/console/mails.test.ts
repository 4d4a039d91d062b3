/**
 * The console's mail channel in Chromium, before a real mail server: made, worded, looked at,
 * tested.
 */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { eventually } from "../../test/support/eventually.ts";
import { mailServer, type TestMailServer } from "../../test/support/mail-server.ts";
import { sharedBrowser } from "../support/shared-browser.ts";
import {
  type DemoServer,
  signIn,
  sizes,
  startDemoServer,
  visit,
  type VisitOptions,
  type Visitor,
} from "./browser.ts";

/**
 * A demo that hands mails to a server of this machine, or to none, with its administrator at
 * Settings → Notifications → Channels.
 */
async function beforeMails(
  test: (one: {
    ada: Visitor;
    page: Page;
    server: DemoServer;
    smtp: TestMailServer;
  }) => Promise<void>,
  { hasServer = true, publicUrl, ...options }:
    & VisitOptions
    & { hasServer?: boolean; publicUrl?: string } = {},
): Promise<void> {
  await using smtp = await mailServer();
  const settings = {
    KEYDESK_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
    KEYDESK_MAIL_FROM: "keys@veldhaven.example",
    ...publicUrl && { KEYDESK_PUBLIC_URL: publicUrl },
  };
  await using server = await startDemoServer(true, hasServer ? settings : {});
  await using browser = await sharedBrowser();
  // Refused forms; links that the sandbox keeps from leading anywhere, and the listeners that this
  // test's own click puts into the frame, where no script runs.
  await using ada = await visit(browser, {
    expected: /400|Blocked (opening|script execution)/,
    ...options,
  });
  await signIn(ada, server);
  await ada.page.locator(".row-link").first().waitFor();
  await ada.page.goto(`${server.url}/console/settings?show=channels`);
  await test({ ada, page: ada.page, server, smtp });
  assert.deepEqual(ada.complaints, []);
}

const addMails = async (server: DemoServer, mail: Record<string, unknown> = {}) =>
  await server.call("POST", "/v1/channels", { kind: "mail", name: "Mail", mail }) as { id: string };

const readMail = async (server: DemoServer) => {
  const { data } = await server.call("GET", "/v1/channels") as {
    data: { mail: { mails: Record<string, unknown>; from: string; per_hour: number } }[];
  };
  return data[0]?.mail;
};

/** Gives the administrator an address. */
async function mailable(server: DemoServer, email: string): Promise<void> {
  const { person } = await server.call("GET", "/v1/me") as { person: { id: string } };
  const { name, permissions } = await server.call("GET", `/v1/people/${person.id}`) as {
    name: string;
    permissions: string[];
  };
  await server.call("PUT", `/v1/people/${person.id}`, { name, permissions, email });
}

const inFrame = (page: Page) => page.frameLocator("iframe.mail-frame");

/** The colour that the mail stands on. */
const paperOf = (page: Page) =>
  inFrame(page).locator(".card").evaluate((card) => getComputedStyle(card).backgroundColor);

Deno.test("mails: by mouse, their channel is made once, its mails are worded, looked at, and tested", () =>
  beforeMails(async ({ ada, page, server, smtp }) => {
    await page.getByRole("button", { name: "Add a channel" }).first().click();
    await page.getByRole("button", { name: /^Webhook/ }).waitFor();
    await ada.show("mails/kinds");
    await page.getByRole("button", { name: /^Mail/ }).click();
    await page.getByRole("textbox", { name: "From", exact: true }).fill("no address");
    await page.getByLabel("Mails an hour").fill("");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText("Write a whole number here.").waitFor();
    await page.getByLabel("Mails an hour").fill("12");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText(/Expected an e-mail address such as/).waitFor();
    await ada.show("mails/refused");
    await page.getByRole("textbox", { name: "From", exact: true }).fill("desk@veldhaven.example");
    await page.getByLabel("Time zone").selectOption("Europe/Berlin");
    await page.getByText("Fixed words").click();
    await page.getByLabel("Hello").fill("Hallo");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("heading", { level: 2, name: "Mail" }).waitFor();
    await page.getByText("12 mails an hour to one address").waitFor();
    // Links need a setting that this server has not.
    await page.getByText("No mail with a link can be sent yet.").waitFor();
    await ada.show("mails/channel");

    await page.getByRole("button", { name: "Send me a test" }).click();
    await page.getByText(/no mail can reach this person/).waitFor();
    await mailable(server, "ada@veldhaven.example");
    await page.getByRole("button", { name: "Send me a test" }).click();
    await page.getByText("Accepted: 250").waitFor();
    assert.deepEqual(smtp.taken.map(({ from, to }) => [from, to]), [
      ["desk@veldhaven.example", ["ada@veldhaven.example"]],
    ]);
    await ada.show("mails/tested");

    // What the portal's configuration words, it words.
    await page.getByRole("button", { name: "Words of Key approved, one-time link" }).click();
    await inFrame(page).locator(".card").waitFor();
    await page.getByText("The portal’s configuration words this mail").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Words of A request waits", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "A request waits" });
    await inFrame(page).getByText(/^Hallo /).waitFor();
    await inFrame(page).getByRole("link", { name: "Read and decide" }).waitFor();
    // Its own styles show.
    assert.equal(await paperOf(page), "rgb(255, 255, 255)");
    await dialog.getByLabel("Subject").fill("Asked for {{plans}}");
    await dialog.getByText("{{plans}}: this mail has no such value.").waitFor();
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("{{plans}}: this mail has no such value.").waitFor();
    assert.deepEqual((await readMail(server))?.mails, {});
    await ada.show("mails/unknown");
    await dialog.getByLabel("Subject").fill("{{developer}}: {{plan}} awaits");
    await dialog.getByLabel("Text before the button").fill("<script>alert(1)</script> & {{plan}}");
    await dialog.getByLabel("Button", { exact: true }).fill("Take it");
    await inFrame(page).getByText(/<script>alert\(1\)<\/script> & /).waitFor();
    await inFrame(page).getByRole("heading", { name: /: .* awaits$/ }).waitFor();
    // A link of a preview leads nowhere.
    await inFrame(page).getByRole("link", { name: "Take it" }).click();
    await inFrame(page).getByRole("link", { name: "Take it" }).waitFor();
    assert.equal(page.context().pages().length, 1);
    await dialog.locator(".tab", { hasText: "Dark" }).click();
    await inFrame(page).locator("html[style*=dark]").waitFor();
    assert.equal(await paperOf(page), "rgb(26, 29, 37)");
    await dialog.getByRole("region", { name: "Preview" }).scrollIntoViewIfNeeded();
    await ada.show("mails/preview");
    await dialog.locator(".tab", { hasText: "Plain text" }).click();
    await dialog.locator("pre", { hasText: "Take it:" }).waitFor();
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    const sent = page.getByRole("switch", { name: "A request waits", exact: true });
    await sent.click();
    await page.getByText("Saved.").waitFor();
    assert.equal(await sent.isChecked(), false);
    await page.getByText("to approvers, in your words").waitFor();
    assert.deepEqual((await readMail(server))?.mails, {
      "key_request.waiting": {
        enabled: false,
        subject: "{{developer}}: {{plan}} awaits",
        text: "<script>alert(1)</script> & {{plan}}",
        button: "Take it",
      },
    });
    await page.getByRole("button", { name: "Words of A request waits", exact: true }).click();
    await dialog.getByRole("button", { name: "Back to the first wording" }).click();
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    assert.deepEqual((await readMail(server))?.mails, {
      "key_request.waiting": { enabled: false },
    });

    // The second is not offered.
    await page.getByRole("button", { name: "Add a channel" }).click();
    await page.getByText("Mail can’t be added").waitFor();
    assert.equal(await page.getByRole("button", { name: /^Mail/ }).count(), 0);
    await ada.show("mails/second");
  }));

Deno.test("mails: by keyboard alone; words that were changed elsewhere stay, and the missing server is named", () =>
  beforeMails(async ({ ada, page, server }) => {
    const { id } = await addMails(server, { per_hour: 7 });
    await page.reload();
    await page.getByRole("row").getByText("Not set up").waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.getByText("No mail can be sent yet.").waitFor();
    await page.getByText("smtp://user:password@mail.example.org").waitFor();
    await ada.show("mails/no-server");
    await page.keyboard.press("t");
    await page.getByText("Not accepted: No answer").waitFor();
    await page.keyboard.press("e");
    const dialog = page.getByRole("dialog", { name: "Change Mail" });
    await dialog.waitFor();
    const mails = { "key_request.created": { enabled: true, subject: "Eingegangen" } };
    const mail = { per_hour: 7, mails };
    await server.call("PUT", `/v1/channels/${id}`, { name: "Mail", mail });
    await dialog.getByLabel("Language").fill("de");
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    const now = await readMail(server);
    assert.deepEqual([now?.per_hour, now?.mails], [7, mails]);
    const row = page.getByRole("button", { name: "Words of Request received" });
    await row.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Request received" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.ok(await row.evaluate((one) => one === document.activeElement));
  }, { hasServer: false }));

const small = { phone: sizes.phone, "400 %": { width: 320, height: 256 } };

for (const [name, size] of Object.entries(small)) {
  Deno.test(`mails, ${name}: nothing is out of reach`, () =>
    beforeMails(async ({ ada, page, server }) => {
      const { id } = await addMails(server);
      const shot = `mails/${size.width}x${size.height}`;
      const isNarrow = async () =>
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), size.width);
      await page.goto(`${server.url}/console/settings/${id}?show=channels`);
      await page.getByRole("button", { name: "Words of A request waits", exact: true }).waitFor();
      await ada.show(shot);
      await isNarrow();
      await page.getByRole("button", { name: "Words of A request waits", exact: true }).click();
      await inFrame(page).getByRole("link", { name: "Read and decide" }).waitFor();
      await ada.show(`${shot}-words`);
      await page.locator("iframe.mail-frame").scrollIntoViewIfNeeded();
      await ada.show(`${shot}-preview`);
      await isNarrow();
      await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
      await page.getByRole("button", { name: "Change", exact: true }).click();
      await page.getByRole("dialog", { name: "Change Mail" }).waitFor();
      await ada.show(`${shot}-form`);
      await isNarrow();
    }, { size }));
}

Deno.test("mails: whoever approves reads that the developer is mailed the link, and has nothing to send", () =>
  beforeMails(async ({ ada, page, server, smtp }) => {
    await addMails(server);
    const developer = await server.call("POST", "/v1/developers", {
      email: "elif@example.org",
    }) as { id: string };
    const { data: [plan] } = await server.call(
      "GET",
      "/v1/plans?state=active&q=Free",
    ) as { data: { id: string }[] };
    const { id } = await server.call("POST", "/v1/key-requests", {
      by_user: developer.id,
      for_plan: plan?.id,
      fields: { use_case: "Stops" },
    }) as { id: string };
    await page.goto(`${server.url}/console/requests/${id}`);
    await page.getByRole("button", { name: /^Approve/ }).click();
    const asked = page.getByRole("dialog", { name: "Approve this request?" });
    await asked.getByText("elif@example.org is mailed the link").waitFor();
    await asked.getByRole("button", { name: "Approve & issue key" }).click();
    const done = page.getByRole("dialog", { name: /^One-time link for/ });
    await done.getByText("You have nothing to send.").waitFor();
    await ada.show("mails/link-is-mailed");
    await done.getByRole("button", { name: "Done" }).click();
    await done.waitFor({ state: "detached" });
    // Their account is told of, too.
    await eventually(
      "the link is mailed",
      () =>
        smtp.taken.some(({ to, parsed }) =>
          to[0] === "elif@example.org" && /\/claim#/.test(parsed.text ?? "")
        ),
    );
  }, { publicUrl: "https://desk.example.org" }));
