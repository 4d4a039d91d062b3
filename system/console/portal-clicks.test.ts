/**
 * What developers do at their pages, in Chromium: how many clicks each job takes, and which keys do
 * instead. A first key is counted in portal-first-call.test.ts.
 */
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import { sharedBrowser } from "../support/shared-browser.ts";
import { visit } from "./browser.ts";
import { Hands } from "./hands.ts";
import { fillPortal, openPortalDesk } from "./portal-desk.ts";

/** By the job: what it may take at most. */
const MOST: Readonly<Record<string, readonly [keys: number, clicks: number]>> = {
  "Sign in by code": [0, 1],
  "Ask for a plan with approval": [0, 2],
  "Why was I refused?": [0, 2],
  "How much is left?": [0, 1],
  "Accept an offer": [0, 1],
  "Ask again after a no": [0, 2],
  "Rotate with overlap": [0, 4],
  "Suspend": [0, 2],
  "and back": [0, 1],
  "End": [0, 2],
  "Ask for a later end": [0, 2],
  "Ask for a plan, by keys": [2, 0],
  "Why was I refused, by keys": [4, 0],
  "Rotate, by keys": [2, 0],
  "Suspend, by keys": [2, 0],
};

Deno.test("portal clicks: no job takes more than is written down", async () => {
  await using desk = await openPortalDesk();
  const { url } = desk.server;
  const keys = await fillPortal(desk, "dev-ada");
  await using browser = await sharedBrowser();
  await using ada = await visit(browser);
  const { page } = ada;
  const hands = new Hands(page);
  const at = async (path: string, seen: Locator) => {
    await page.goto(`${url}/portal${path}`);
    await seen.first().waitFor();
  };
  const heading = (name: string | RegExp) => page.getByRole("heading", { name });
  const button = (name: string | RegExp) => page.getByRole("button", { name, exact: true });
  const link = (name: string | RegExp) => page.getByRole("link", { name }).first();
  const summary = (text: string) => page.locator("summary", { hasText: new RegExp(`^${text}$`) });
  const place = (name: string) => page.locator("nav.main").getByRole("link", { name });
  const key = (name: string) => `/keys/${keys[name]}`;
  const job = (name: string, work: () => Promise<void>) => hands.do(name, work);

  await at("/sign-in", heading("Sign in"));
  await page.getByLabel("E-mail").first().fill("dev-ada@example.org");
  await job("Sign in by code", async () => {
    await hands.click(button("Sign in"));
    const digits = page.getByLabel("Six digits");
    await digits.waitFor();
    await hands.type(await desk.codeFor("dev-ada@example.org"));
    await heading("APIs").waitFor();
  });
  await job("Ask for a plan with approval", async () => {
    await hands.click(link(/^Request Forecasts/));
    await page.getByLabel("What for").focus();
    await hands.type("A map of winds");
    await hands.click(button("Send"));
    await heading("Requests").waitFor();
  });
  // The next plan in the list that one can ask for.
  await at("", heading("APIs"));
  await job("Ask for a plan, by keys", async () => {
    await hands.press("n");
    await page.locator("#f-0:focus").waitFor();
    await hands.type("A map");
    await hands.press("Control+Enter");
    await page.waitForURL(/sent=/);
  });
  await at("/account", heading("Where you are signed in"));
  await job("Why was I refused?", async () => {
    await hands.click(place("Keys"));
    await hands.click(link(/^Used,/));
    await page.getByText("2 answered, 1 refused").waitFor();
  });
  await job("How much is left?", async () => {
    await hands.click(place("Keys"));
    await page.getByText("0 of 2 calls left").waitFor();
  });
  await at("/requests", heading("Requests"));
  await job("Accept an offer", async () => {
    await hands.click(button("Accept this offer"));
    await heading("Your key is ready").waitFor();
  });
  await at("/requests", heading("Requests"));
  await job("Ask again after a no", async () => {
    await hands.click(link("Request again with these answers"));
    await heading(/^Request/).waitFor();
    await hands.click(button("Send"));
    await heading("Requests").waitFor();
  });
  await at(key("Rotated"), heading("Rotated"));
  await job("Rotate with overlap", async () => {
    await hands.click(summary("Rotate"));
    await hands.click(button("Make the new key"));
    await hands.click(page.locator("button[data-copy=key]"));
    await hands.click(page.getByRole("checkbox"));
  });
  await page.getByRole("button", { name: "Done" }).click();
  await at(key("Mine to suspend"), heading("Mine to suspend"));
  await job("Suspend", async () => {
    await hands.click(summary("Suspend"));
    await hands.click(button("Suspend the key"));
    await page.getByText("You suspended it").waitFor();
  });
  await job("and back", async () => {
    await hands.click(button("Switch on again"));
    await summary("Suspend").waitFor();
  });
  await job("End", async () => {
    await hands.click(summary("Revoke"));
    await hands.click(button("Revoke the key for good"));
    await page.getByText("it was revoked on").waitFor();
  });
  await at(key("Ends in 10 days"), heading("Ends in 10 days"));
  await job("Ask for a later end", async () => {
    await hands.click(summary("Request a later expiry"));
    await page.getByLabel("Last day").fill("2099-01-31");
    await hands.click(button("Request a later expiry"));
    await page.getByText("decide whether this key lives until").waitFor();
  });

  await at("/account", heading("Where you are signed in"));
  await job("Why was I refused, by keys", async () => {
    await hands.press("g", "k");
    await heading("Keys").waitFor();
    await link(/^Used,/).focus();
    await hands.press("Enter");
    await page.getByText("2 answered, 1 refused").waitFor();
  });
  await at(key("Ends in 20 days"), heading("Ends in 20 days"));
  await job("Suspend, by keys", async () => {
    await hands.press("s", "Enter");
    await page.getByText("You suspended it").waitFor();
  });
  await at(key("Ends in 2 days"), heading("Ends in 2 days"));
  await job("Rotate, by keys", async () => {
    await hands.press("r", "Enter");
    await heading("Your new key").waitFor();
  });

  for (const { job, keys, clicks } of hands.jobs) {
    const [mostKeys, mostClicks] = MOST[job] ?? [-1, -1];
    assert.ok(keys <= mostKeys && clicks <= mostClicks, `${job}: ${keys} keys, ${clicks} clicks`);
  }
  assert.equal(hands.jobs.length, Object.keys(MOST).length);
  assert.deepEqual(ada.complaints.filter((one) => !/clipboard/i.test(one)), []);
});
