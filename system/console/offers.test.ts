/**
 * An offer of less, end to end in Chromium: made in the console, mailed, and answered by its link,
 * in both languages.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Browser, Page } from "playwright-core";
import { mailServer, type TestMailServer } from "../../test/support/mail-server.ts";
import { sharedBrowser } from "../support/shared-browser.ts";
import { type DemoServer, signIn, startDemoServer, visit, type Visitor } from "./browser.ts";
import { button, details, dialog } from "./key-requests.ts";

const EMAIL = "nova@example.net";
const MESSAGE = "Please begin with less.";

/** A port that is free now, so that the address of the desk is known before it starts. */
function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

interface Stage {
  ada: Visitor;
  server: DemoServer;
  smtp: TestMailServer;
  browser: Browser;
  /** What a desk is asked past its console. */
  // deno-lint-ignore no-explicit-any -- answers of several shapes
  read(path: string): Promise<any>;
}

async function stage(test: (of: Stage) => Promise<void>): Promise<void> {
  await using smtp = await mailServer();
  const port = freePort();
  await using server = await startDemoServer(true, {
    KEYDESK_PORT: `${port}`,
    KEYDESK_PUBLIC_URL: `http://127.0.0.1:${port}`,
    KEYDESK_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
    KEYDESK_MAIL_FROM: "keys@veldhaven.example",
  });
  await server.call("POST", "/v1/channels", { kind: "mail", name: "Mail" });
  await server.call("POST", "/v1/developers", { id: "nova", email: EMAIL });
  await using browser = await sharedBrowser();
  await using ada = await visit(browser, { delivery: "answer" });
  await signIn(ada, server);
  await test({ ada, server, smtp, browser, read: (path) => server.call("GET", path) });
  assert.deepEqual(ada.complaints, []);
}

/** Nova asks for a key as a portal would, and Ada offers less; gives the request's id. */
async function offered({ ada: { page }, server, read }: Stage): Promise<string> {
  const { data: [{ for_plan }] } = await read("/v1/key-requests?state=pending&limit=1");
  const { Message: id } = await server.call("POST", "/api/portal/requests", {
    by_user: "nova",
    for_plan,
    version: "v2",
    apply_policies: [for_plan],
    fields: { reason: "Timetables" },
  }) as { Message: string };
  await page.goto(`${server.url}/console/requests/${id}`);
  await button(page, "Approve").click();
  await dialog(page, "Approve this request?").waitFor();
  await page.getByText("Grant less than asked").click();
  await page.getByLabel(/^Calls in /).first().fill("7");
  await page.getByLabel("Only from these addresses").fill("192.0.2.0/24");
  await page.getByLabel("Message to the developer (optional)").fill(MESSAGE);
  await button(page, "Offer less").click();
  await page.getByText(/^Offered to /).waitFor();
  return id;
}

/** The link of the newest mail to her that has one and is not among those that were read. */
async function link({ smtp }: Stage, seen: Set<string>): Promise<string> {
  for (;;) {
    for (const { to, parsed } of smtp.taken) {
      const found = /http:\/\/\S+\/offer#\S+/.exec(parsed.text ?? "")?.[0];
      if (to[0] !== EMAIL || found === undefined || seen.has(found)) continue;
      seen.add(found);
      return found;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Opens a link as somebody who reads these languages. */
async function opened(browser: Browser, url: string, locale: string): Promise<Page> {
  const context = await browser.newContext({ locale });
  const page = await context.newPage();
  await page.goto(url);
  await page.locator("section:not([hidden])").first().waitFor();
  return page;
}

const shown = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();

const languages = {
  en: {
    locale: "en-GB",
    offered: "Offered",
    accept: "Accept",
    turnDown: "Turn it down",
    answer: "Send the answer",
    rate: /7 calls/,
    accepted: "Accepted",
    alreadyAccepted: "Accepted already",
    turnedDown: "Turned down already",
    answered: "Answered already",
    expired: "Its time is over",
    thanks: "Thank you",
    open: "Open my key",
  },
  de: {
    locale: "de-DE",
    offered: "Angeboten",
    accept: "Annehmen",
    turnDown: "Ablehnen",
    answer: "Antwort senden",
    rate: /7 Aufrufe/,
    accepted: "Angenommen",
    alreadyAccepted: "Schon angenommen",
    turnedDown: "Schon abgelehnt",
    answered: "Schon beantwortet",
    expired: "Die Zeit ist abgelaufen",
    thanks: "Vielen Dank",
    open: "Meinen Schlüssel öffnen",
  },
} as const;

for (const say of Object.values(languages)) {
  Deno.test(`offers (${say.locale}): made, mailed, accepted once by two tabs, turned down, answered, and over`, () =>
    stage(async (of) => {
      const { ada, server, browser, read } = of;
      const seen = new Set<string>();
      const state = async (id: string) => await read(`/v1/key-requests/${id}`);

      // Two tabs accept at the same moment: one key, and the other tab says so.
      const first = await offered(of);
      const url = await link(of, seen);
      const tabs = [
        await opened(browser, url, say.locale),
        await opened(browser, url, say.locale),
      ];
      for (const tab of tabs) {
        assert.equal(await tab.locator("html").getAttribute("lang"), say.locale.slice(0, 2));
        await shown(tab, say.rate);
        await shown(tab, MESSAGE);
        await shown(tab, "192.0.2.0/24");
      }
      assert.equal((await state(first)).state, "pending", "reading answers nothing");
      await Promise.all(tabs.map((tab) => button(tab, say.accept).click()));
      const links = await Promise.all(tabs.map(async (tab) => {
        const [key, over] = [
          tab.getByRole("link", { name: say.open }),
          tab.getByRole("heading", { name: say.alreadyAccepted }),
        ];
        await key.or(over).waitFor();
        return await key.isVisible() ? await key.getAttribute("href") ?? "" : "";
      }));
      const [one_time_link, ...more] = links.filter((one) => one !== "");
      assert.ok(one_time_link !== undefined && more.length === 0, JSON.stringify(links));
      const issued = await state(first);
      assert.deepEqual(
        [issued.state, issued.granted.rate.calls, issued.granted.addresses],
        ["issued", 7, ["192.0.2.0/24"]],
      );
      const { data: keys } = await read("/v1/keys?developer=nova");
      assert.equal(keys.length, 1);
      assert.deepEqual(keys[0].conditions.addresses, ["192.0.2.0/24"]);
      assert.equal(keys[0].conditions.rate.calls, 7);
      // What was accepted stands in the console, too.
      await ada.page.goto(`${server.url}/console/requests/${first}?state=all`);
      await details(ada.page).getByText(/7 calls/).first().waitFor();

      // Turned down: people decide again.
      const second = await offered(of);
      const down = await link(of, seen);
      const page = await opened(browser, down, say.locale);
      await button(page, say.turnDown).click();
      await page.getByRole("heading", { name: say.thanks }).waitFor();
      assert.equal((await state(second)).offer.state, "turned_down");
      const anew = await opened(browser, down, say.locale);
      await anew.getByRole("heading", { name: say.turnedDown }).waitFor();
      await ada.page.goto(`${server.url}/console/requests/${second}`);
      await button(ada.page, "Approve").waitFor();
      await server.call("POST", `/v1/key-requests/${second}/decline`);

      // Answered with words, which people read.
      const third = await offered(of);
      const open = await link(of, seen);
      const asks = await opened(browser, open, say.locale);
      await asks.locator("#words").fill("Could it be 70?");
      await button(asks, say.answer).click();
      await asks.getByRole("heading", { name: say.thanks }).waitFor();
      const answered = await opened(browser, open, say.locale);
      await answered.getByRole("heading", { name: say.answered }).waitFor();
      await ada.page.goto(`${server.url}/console/requests/${third}`);
      await details(ada.page).getByText("Could it be 70?").first().waitFor();
      await server.call("POST", `/v1/key-requests/${third}/decline`);

      // Past its time nothing is accepted, also by a page that was open before.
      const fourth = await offered(of);
      const late = await link(of, seen);
      const early = await opened(browser, late, say.locale);
      const db = new DatabaseSync(join(server.settings.KEYDESK_DATA_DIR ?? "", "keydesk.db"));
      db.prepare(
        "update key_requests set offer = json_set(offer, '$.expires_at', '2020-01-01T00:00:00.000Z') where id = ?",
      ).run(fourth);
      db.close();
      await button(early, say.accept).click();
      await early.getByRole("heading", { name: say.expired }).waitFor();
      const after = await opened(browser, late, say.locale);
      await after.getByRole("heading", { name: say.expired }).waitFor();
      assert.equal(await button(after, say.accept).isVisible(), false);
      assert.equal((await state(fourth)).state, "pending");
      for (const one of [...tabs, page, anew, asks, answered, early, after]) {
        await one.context().close();
      }
    }));
}
