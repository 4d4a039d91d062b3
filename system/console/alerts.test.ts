/**
 * The console's alerts in Chromium: their rules in Settings, and why something was sent or was not
 * in the drawers.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Page } from "playwright-core";
import { asn1Time, made } from "../../test/support/certificates.ts";
import { eventually } from "../../test/support/eventually.ts";
import { type Receiver, receiver } from "../../test/support/receiver.ts";
import { sharedBrowser } from "../support/shared-browser.ts";
import { type DemoServer, signIn, sizes, startDemoServer, visit, type Visitor } from "./browser.ts";

const DAY_MS = 86_400_000;
const sizesShown = { desk: sizes.desk, phone: sizes.phone };

/** A demo that may call one receiver, and its administrator. */
async function beforeAlerts(
  size: { width: number; height: number },
  test: (one: { ada: Visitor; page: Page; server: DemoServer; portal: Receiver }) => Promise<void>,
): Promise<void> {
  await using portal = receiver();
  await using server = await startDemoServer(true, { KEYDESK_OUTBOUND: portal.host });
  await using browser = await sharedBrowser();
  // A refused form, and a server that is away for a moment.
  await using ada = await visit(browser, { expected: /400|ERR_[A-Z_]+/, size });
  await signIn(ada, server);
  await ada.page.locator(".row-link").first().waitFor();
  await test({ ada, page: ada.page, server, portal });
  assert.deepEqual(ada.complaints, []);
}

/** Adds a certificate that ends in so many days and a bit; gives its id. */
async function add(server: DemoServer, cn: string, days: number): Promise<string> {
  const response = await fetch(`${server.url}/v1/certificates`, {
    method: "POST",
    headers: { authorization: server.admin },
    body: made({ cn, to: asn1Time(Date.now() + days * DAY_MS + DAY_MS / 2) }),
  });
  // as: the answer of POST /v1/certificates.
  const { results } = await response.json() as { results: { id: string }[] };
  return results[0]?.id ?? "";
}

const verdictOf = async (server: DemoServer, id: string) => {
  const report = await server.call("GET", `/v1/certificates/${id}/alerts`);
  // as: the answer of that endpoint.
  return (report as { result: string }).result;
};

/** As for a server that was away while it all came within the rule: it is told of at the start. */
async function fallDue(server: DemoServer, days: number): Promise<void> {
  const file = join(server.settings.KEYDESK_DATA_DIR ?? "", "keydesk.db");
  await eventually("alerts have begun", () => {
    const db = new DatabaseSync(file, { readOnly: true });
    const row = db.prepare("select count(*) as n from alert_progress").get();
    db.close();
    return Number(row?.n) > 1;
  });
  await server.restart(() => {
    const db = new DatabaseSync(file);
    db.exec(`update alert_progress set ends_at = '2020-01-01T00:00:00Z' where days = ${days}`);
    // The right of the one that ended, as it is when its time is over.
    db.exec("update alert_lease set until = '2020-01-01T00:00:00.000Z'");
    db.close();
    return Promise.resolve();
  });
}

for (const [name, size] of Object.entries(sizesShown)) {
  Deno.test(`alerts, ${name}: an administrator changes the rules`, () =>
    beforeAlerts(size, async ({ ada, page, server }) => {
      await page.goto(`${server.url}/console/settings?show=alerts`);
      const days = page.getByLabel("Days before expiry");
      await days.waitFor();
      assert.equal(await days.inputValue(), "60, 30, 14, 7, 3, 1");
      await ada.show(`alerts/${name}-rules`);
      await days.fill("30, soon, 7");
      await page.getByRole("button", { name: "Save" }).click();
      await page.locator("[aria-invalid=true]").waitFor();
      await ada.show(`alerts/${name}-refused`);
      await page.getByRole("switch", { name: "Alert at the expiry itself" }).click();
      await page.getByText("The rules are saved.").waitFor();
      // A switch saves nothing of what else was typed.
      assert.equal(await days.inputValue(), "30, soon, 7");
      await days.fill("7, 30,1");
      await ada.show(`alerts/${name}-form`);
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("button", { name: "Save" }).waitFor({ state: "detached" });
      assert.equal(await days.inputValue(), "30, 7, 1");
      assert.deepEqual(await server.call("GET", "/v1/settings/alerts"), {
        days: [30, 7, 1],
        at_end: false,
      });
    }));

  Deno.test(`alerts, ${name}: drawers say why nothing was sent, and what was`, () =>
    beforeAlerts(size, async ({ ada, page, server, portal }) => {
      const muted = await add(server, "gateway.tickets.example", 5);
      const told = await add(server, "kiosk.tickets.example", 5);
      await server.call("PUT", `/v1/certificates/${told}`, {
        owner: "lena@example.org",
        tags: ["kiosk", "mTLS"],
      });
      const region = page.getByRole("region", { name: "Why was nothing sent?" });
      await page.goto(`${server.url}/console/certificates/${muted}`);
      // Closed, last, and headed by its answer.
      await region.getByText(/Nothing is due before/).first().waitFor();
      assert.equal(await region.getByRole("button", { name: "Mute alerts" }).isVisible(), false);
      assert.ok(
        await page.locator(".drawer").evaluate((drawer) => {
          const all = [...drawer.querySelectorAll("details, h3")];
          return all.at(-1)?.closest(".alerts") !== null;
        }),
      );
      await region.locator("summary").click();
      await region.getByText(/no channel wants such alerts/).first().waitFor();
      await region.scrollIntoViewIfNeeded();
      await ada.show(`alerts/${name}-not-due`);
      await region.getByRole("button", { name: "Mute alerts" }).click();
      const dialog = page.getByRole("dialog", { name: "Mute alerts" });
      const end = new Date(Date.now() + 20 * DAY_MS).toISOString().slice(0, 16);
      await dialog.getByLabel("Until").fill(end);
      await dialog.getByText("before the mute does: no alert will be sent.").waitFor();
      await dialog.getByLabel("Reason").fill("Renewal ordered, PLAT-2291.");
      await dialog.getByRole("button", { name: "Mute", exact: true }).click();
      await region.getByText("Muted.").waitFor();
      const topics = ["certificate.*", "key.*"];
      await server.call("POST", "/v1/channels", { name: "Ops pager", url: portal.url, topics });
      await server.call("POST", "/v1/channels", { kind: "mail", name: "Mail", topics });
      await fallDue(server, 7);
      await eventually("it is told", async () => await verdictOf(server, told) === "notified");
      await page.reload();
      await region.getByText(/^Alerts were muted by/).first().waitFor();
      await region.locator("summary").click();
      await region.scrollIntoViewIfNeeded();
      await ada.show(`alerts/${name}-muted`);
      await region.getByRole("button", { name: "Lift the mute" }).click();
      await page.getByText("The mute is lifted.").waitFor();
      await page.goto(`${server.url}/console/certificates/${told}`);
      const sent = page.getByRole("region", { name: "What was sent?" });
      await sent.getByText(/^Told on/).first().waitFor();
      await sent.scrollIntoViewIfNeeded();
      await ada.show(`alerts/${name}-told`);
      const { data } = await server.call("GET", "/v1/keys?limit=1") as {
        data: { key_id: string }[];
      };
      await page.goto(`${server.url}/console/keys/${data[0]?.key_id}`);
      await region.locator("summary").click();
      await region.getByText("decided it").waitFor();
      await region.scrollIntoViewIfNeeded();
      await ada.show(`alerts/${name}-key`);
    }));
}
