/** A yes with conditions, and an offer of less, in Chromium, in both themes. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { DemoServer } from "./browser.ts";
import { desk } from "./desk.ts";
import { button, counts, details, dialog, rows } from "./key-requests.ts";

/** Opens the first request, asks to approve it and unfolds what may be granted; gives its id. */
async function unfold(page: Page): Promise<string> {
  const id = await rows(page).first().getAttribute("data-row") ?? "";
  if (await details(page).count() === 0) await rows(page).first().locator(".row-link").click();
  await button(page, "Approve").click();
  await dialog(page, "Approve this request?").waitFor();
  await page.getByText("Grant less than asked").click();
  return id;
}

// deno-lint-ignore no-explicit-any -- answers of several shapes, of which some members are read
const read = (server: DemoServer, path: string): Promise<any> => server.call("GET", path);

Deno.test("key requests: less than was asked is offered, seen beside it, and withdrawn in one click", () =>
  desk(async (ada, page, server) => {
    const id = await unfold(page);
    const calls = page.getByLabel(/^Calls in /);
    await calls.first().fill("9999999");
    await button(page, "Offer less").click();
    await page.getByText(/^Expected less than the plans give/).waitFor();
    assert.equal(await page.getByLabel("Make a one-time link").count(), 0, "no key, no way of it");
    await calls.first().fill("7");
    await page.getByLabel("Message to the developer (optional)").fill("Please begin with less.");
    await page.getByLabel("Why (optional)").fill("A second key");
    await ada.show("key-requests/20-less");
    await button(page, "Offer less").click();
    await page.getByText(/^Offered to /).waitFor();
    const { state, offer } = await read(server, `/v1/key-requests/${id}`);
    assert.equal(state, "pending");
    assert.deepEqual([offer.state, offer.terms.rate.calls], ["waiting", 7]);
    assert.deepEqual([offer.message, offer.reason], ["Please begin with less.", "A second key"]);
    const line = details(page).locator(".terms tbody tr");
    assert.match(await line.textContent() ?? "", /^Rate.*calls.*7 calls/);
    await details(page).getByText("Please begin with less.").waitFor();
    await rows(page).first().getByText("Offered").waitFor();
    assert.equal(await button(page, "Approve").count(), 0, "it waits for its developer");
    await ada.show("key-requests/21-offered");
    await button(page, "Withdraw offer").click();
    await button(page, "Approve").waitFor();
    assert.equal((await read(server, `/v1/key-requests/${id}`)).offer, null);
    assert.equal((await counts(server)).pending, 21);
    // Another plan in its place is an offer, too.
    await unfold(page);
    await page.getByLabel(/^Instead of /).selectOption({ index: 1 });
    await dialog(page, "Approve this request?").locator(".field", { hasText: "Instead of" })
      .getByText(/calls a minute.* · keys /).waitFor();
    await button(page, "Offer less").click();
    const terms = details(page).locator(".terms tbody tr");
    for (const name of ["Plans", "Rate", "Quota", "Expires"]) {
      await terms.filter({ has: page.getByRole("rowheader", { name }) }).waitFor();
    }
    assert.equal((await read(server, `/v1/key-requests/${id}`)).offer.terms.plans.length, 1);
  }, { expected: /400/ }));

Deno.test("key requests: addresses and a time to look again are granted at once, and stand with the key", () =>
  desk(async (ada, page, server) => {
    const id = await unfold(page);
    await page.getByLabel("Only from these addresses").fill("192.0.2.0/24, nowhere");
    await button(page, "Approve & issue key").click();
    await page.getByText("Expected an address or a network such as 10.0.0.0/8").waitFor();
    await page.getByLabel("Only from these addresses").fill("192.0.2.0/24\n2001:db8::1");
    await page.getByText("It ends with that day in your time zone, UTC.").waitFor();
    // Today is taken, too: it ends with the day.
    const today = new Date().toISOString().slice(0, 10);
    await page.getByLabel("Look at the key again on").fill(today);
    await button(page, "Approve & issue key").click();
    await dialog(page, /issued to/).waitFor();
    await page.getByLabel("I have stored or delivered").check();
    await button(page, "Done").click();
    const { granted } = await read(server, `/v1/key-requests/${id}`);
    assert.deepEqual(granted.addresses, ["192.0.2.0/24", "2001:db8::1"]);
    assert.equal(granted.review_at, `${today}T23:59:59.000Z`);
    await page.goto(`${server.url}/console/requests/${id}?state=all`);
    const line = details(page).locator(".terms tbody tr", { hasText: "Valid from" });
    assert.match(await line.textContent() ?? "", /anywhere.*192\.0\.2\.0\/24/);
    await ada.show("key-requests/22-granted");
    const { data: [key] } = await read(server, "/v1/keys?limit=1");
    await page.goto(`${server.url}/console/keys/${key.key_id}`);
    const fact = (name: string) => details(page).locator(".facts > div", { hasText: name });
    assert.match(await fact("Valid from").textContent() ?? "", /192\.0\.2\.0\/24, 2001:db8::1/);
    await fact("Review on").waitFor();
    await ada.show("keys/conditions");
  }, { expected: /400/ }));
