/**
 * From the mail to the approval, on a phone: the mail as it came stands in Chromium, its button is
 * tapped, and what was asked for is approved. Touches are counted.
 */
import assert from "node:assert/strict";
import { devices, type Locator, type Page } from "playwright-core";
import { mailServer, type TestMailServer } from "../../test/support/mail-server.ts";
import { sharedBrowser } from "../support/shared-browser.ts";
import { type DemoServer, startDemoServer } from "./browser.ts";
import { withAuthenticator } from "./virtual-passkeys.ts";

const EMAIL = "hedy@example.org";
/** Where the mail is read: another site than the desk. */
const MAILBOX = "http://mail.example.org/";

/** A port that is free now, so that the address of the desk is known before it starts. */
function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

/** A desk that mails approvers, and one of them at her phone, who came in by a passkey before. */
async function atThePhone(
  test: (one: { page: Page; server: DemoServer; smtp: TestMailServer }) => Promise<void>,
): Promise<void> {
  await using smtp = await mailServer();
  const port = freePort();
  await using server = await startDemoServer(true, {
    KEYDESK_PORT: `${port}`,
    KEYDESK_PUBLIC_URL: `http://localhost:${port}`,
    KEYDESK_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
    KEYDESK_MAIL_FROM: "keys@veldhaven.example",
  });
  await server.call("POST", "/v1/channels", {
    kind: "mail",
    name: "Mail",
    mail: { digest_minutes: 0 },
  });
  await using browser = await sharedBrowser();
  const context = await browser.newContext(devices["Pixel 7"]);
  try {
    const page = await context.newPage();
    await withAuthenticator(page);
    await server.call("POST", "/v1/people/invitations", {
      name: "Hedy",
      email: EMAIL,
      permissions: ["portal:read", "approve"],
    });
    const invitation = await mailed(smtp, /invited/);
    await page.goto(/href="([^"]+#invitation=[^"]+)"/.exec(invitation)?.[1] ?? "");
    await page.getByRole("button", { name: "Accept with a passkey" }).tap();
    await page.getByRole("navigation").first().waitFor();
    await test({ page, server, smtp });
  } finally {
    await context.close();
  }
}

/** The HTML of the first mail to her of such a subject and with such a text, once it has come. */
async function mailed(smtp: TestMailServer, subject: RegExp, text = ""): Promise<string> {
  for (;;) {
    const found = smtp.taken.find(({ to, parsed }) =>
      to[0] === EMAIL && subject.test(parsed.subject ?? "") && `${parsed.html}`.includes(text)
    );
    if (found) return `${found.parsed.html}`;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Asks for a key as a portal would. */
async function ask(server: DemoServer, developer: string, plan: string): Promise<string> {
  const made = await server.call("POST", "/api/portal/requests", {
    by_user: developer,
    for_plan: plan,
    version: "v2",
    apply_policies: [plan],
    fields: { reason: "Timetables in our app" },
  }) as { Message?: string; id?: string };
  return made.Message ?? made.id ?? "";
}

/** A request of a developer who has just registered, of which a hint tells. */
async function newcomersRequest(server: DemoServer): Promise<string> {
  // A plan that somebody has asked for takes a key.
  const { data: [asked] } = await server.call("GET", "/v1/key-requests?state=pending") as {
    data: { for_plan: string }[];
  };
  await server.call("POST", "/v1/developers", { id: "nova", email: "nova@example.net" });
  return await ask(server, "nova", asked?.for_plan ?? "");
}

Deno.test("approve by mail: two touches on a phone, the mail's button among them", () =>
  atThePhone(async ({ page, server, smtp }) => {
    const id = await newcomersRequest(server);
    // As of somebody who is known for long.
    await page.route(
      "**/v1/key-requests/*/hints",
      (route) => route.fulfill({ json: { data: [] } }),
    );
    const html = await mailed(smtp, /asks for/, id);
    await page.route(
      `${MAILBOX}**`,
      (route) => route.fulfill({ body: html, contentType: "text/html; charset=utf-8" }),
    );
    await page.goto(MAILBOX);
    let touches = 0;
    const tap = async (what: Locator) => {
      touches++;
      await what.tap();
    };
    await tap(page.getByRole("link", { name: "Read and decide" }));
    const dialog = page.getByRole("dialog");
    await tap(dialog.getByRole("button", { name: /^Approve/ }));
    const state = async () =>
      (await server.call("GET", `/v1/key-requests/${id}`) as { state: string }).state;
    await dialog.getByRole("button", { name: /^(Done|Copy link)/ }).first().waitFor();
    assert.equal(await state(), "issued");
    assert.equal(touches, 2);
  }));

Deno.test("approve by mail: where a hint stands, it is looked at first and nothing is over it", () =>
  atThePhone(async ({ page, server, smtp }) => {
    const id = await newcomersRequest(server);
    const html = await mailed(smtp, /asks for/, id);
    await page.goto(/href="([^"]+\?ask=approve)"/.exec(html)?.[1] ?? "");
    await page.getByText("Registered less than a day ago").waitFor();
    await page.getByRole("button", { name: "Approve", exact: true }).waitFor();
    await page.waitForURL((url) => url.search === "");
    assert.equal(await page.getByRole("dialog", { name: /Approve/ }).count(), 0);
  }));
