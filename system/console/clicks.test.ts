/**
 * What each screen does, in Chromium, by the pointer: how many clicks it takes from the first
 * screen. The main jobs by their shortest path, mostly of keys, are counted in `work/`.
 */
import assert from "node:assert/strict";
import { issue } from "../../test/support/certificates.ts";
import { desk } from "./desk.ts";
import { Hands } from "./hands.ts";
import { ask, button, dialog, drawer } from "./work/desk.ts";
import { refuseLonger } from "./work/most.ts";

Deno.test("clicks: what each screen does takes no more of them than is written down", () =>
  desk(async (ada, page, server) => {
    const { certificate } = issue({ subject: { CN: "Harborline Root" }, authority: true });
    const added = await fetch(`${server.url}/api/certs`, {
      method: "POST",
      headers: { authorization: server.admin },
      body: certificate,
    });
    assert.equal(added.status, 200, await added.text());
    const hands = new Hands(page);
    const first = page.locator(".row-link").first();
    const click = (name: string) => hands.click(button(page, name));
    const inDialog = (name: string) =>
      hands.click(dialog(page).getByRole("button", { name: new RegExp(`^${name}`) }).last());
    const screen = async (name: string) => {
      const bar = page.getByRole("navigation", { name: "Screens" });
      await hands.click(bar.getByRole("link", { name: new RegExp(`^${name}`) }));
      await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
      await first.waitFor();
    };
    const settings = async (group: string) => {
      const bar = page.getByRole("navigation", { name: "Screens" });
      await hands.click(bar.getByRole("link", { name: /^Settings/ }));
      await hands.click(page.locator(".tab", { hasText: group }));
      await first.waitFor();
    };
    const row = async (text?: string) => {
      const rows = text === undefined
        ? first
        : page.getByRole("row").filter({ hasText: text }).locator(".row-link").first();
      await hands.click(rows);
      await drawer(page).getByRole("heading", { level: 2 }).waitFor();
    };
    const told = (text: string | RegExp) => page.getByText(text).first().waitFor();
    const job = (name: string, work: () => Promise<void>) => hands.do(name, work);

    await job("Several approved", async () => {
      for (const n of [0, 1]) await hands.click(page.locator(".row-pick").nth(n));
      await told("2 selected");
      await hands.press("a");
      await dialog(page).waitFor();
      await hands.press("Enter");
      await told("I have passed");
      await hands.click(dialog(page).getByRole("checkbox").last());
      await inDialog("Done");
    });
    await job("A key suspended", async () => {
      await screen("Keys");
      await row();
      await click("Suspend");
      await dialog(page).getByLabel("Reason").focus();
      await hands.type("Unusual traffic");
      await inDialog("Suspend");
      await drawer(page).getByText("Suspended").first().waitFor();
    });
    await job("The plans of a key changed", async () => {
      await screen("Keys");
      await row("Active");
      await click("Change plans");
      await hands.click(dialog(page).locator("input[type=checkbox]:not(:checked)").first());
      await inDialog("Save plans");
      await dialog(page).waitFor({ state: "detached" });
    });
    await job("A key revoked", async () => {
      await screen("Keys");
      await row("Active");
      await click("Revoke");
      await dialog(page).getByLabel("Reason").focus();
      await hands.type("Found in a repository");
      await inDialog("Revoke");
      await told("Revoked for good");
    });
    await job("A certificate downloaded", async () => {
      await screen("Certificates");
      await row("Harborline Root");
      const file = page.waitForEvent("download");
      await hands.click(drawer(page).getByRole("link", { name: "Download", exact: true }));
      await file;
    });
    await job("A certificate deleted", async () => {
      await screen("Certificates");
      await row("Harborline Root");
      await click("Delete");
      await hands.click(dialog(page).getByRole("button", { name: /^Delete/ }));
      await told("Harborline Root is deleted");
    });
    await job("A developer registered", async () => {
      await screen("Developers");
      await hands.click(page.getByRole("button", { name: /^Register/ }).first());
      await dialog(page).waitFor();
      await hands.type("nova@example.org");
      await hands.press("Enter");
      await page.getByRole("heading", { level: 2, name: /nova/ }).waitFor();
    });
    await job("A developer deactivated", async () => {
      await screen("Developers");
      await row("nova@example.org");
      await click("Deactivate");
      await inDialog("Deactivate");
      await told(/is deactivated/);
    });
    await job("An API added", async () => {
      await screen("APIs");
      await hands.click(page.getByRole("button", { name: /^Add an API/ }).first());
      await dialog(page).waitFor();
      await hands.type("Snow depths");
      await hands.press("Enter");
      await page.getByRole("heading", { level: 2, name: "Snow depths" }).waitFor();
    });
    await job("A plan deactivated", async () => {
      await screen("APIs");
      await row("plan of");
      await click("Deactivate");
      await inDialog("Deactivate");
      await told(/is deactivated|Inactive/);
    });
    await job("From the audit log to the thing", async () => {
      await screen("Audit log");
      await row("deactivated");
      await hands.click(drawer(page).getByRole("link", { name: /^Open the/ }).first());
      await page.waitForURL(/\/(plans|developers)\//);
    });
    await job("An access token issued", async () => {
      await settings("Access");
      await row();
      await click("Issue an access token");
      await dialog(page).getByLabel("What it is for").focus();
      await hands.type("laptop");
      await inDialog("Issue");
      await hands.click(dialog(page).getByRole("checkbox").last());
      await inDialog("Done");
    });
    await job("An access token revoked", async () => {
      await settings("Access");
      await hands.click(page.getByRole("link", { name: "Access tokens", exact: true }));
      await row("laptop");
      await click("Revoke");
      await inDialog("Revoke");
      await told("“laptop” is revoked.");
    });
    const { data } = await ask<{ data: { state: string }[] }>(server, "/v1/keys?state=suspended");
    assert.ok(data.length > 0);
    refuseLonger(hands.jobs);
    await ada.check();
  }));
