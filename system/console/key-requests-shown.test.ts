/** What the list of key requests and their details show, in Chromium, in both themes. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { exported } from "./browser.ts";
import { desk } from "./desk.ts";
import { button, counts, details, dialog, rows, sayWhy } from "./key-requests.ts";

const tabCount = (page: Page, name: string) =>
  page.getByRole("radio", { name }).locator("..").locator(".tab-count").textContent();

Deno.test("key requests: a catalogue entry that is named as its API says the plan too", () =>
  desk(async (_ada, page, server) => {
    await server.call("POST", "/v1/apis", { id: "tides", name: "Tides" });
    const { id } = await server.call("POST", "/v1/plans", {
      name: "Hourly",
      rate: 5,
      per: 1,
      access_rights: { tides: { api_id: "tides", api_name: "Tides" } },
    }) as { id: string };
    await server.call("POST", "/api/portal/requests", {
      by_user: "grace",
      for_plan: id,
      catalogue_entry: { name: "Tides", policy_id: id },
    });
    await page.reload();
    await rows(page).filter({ hasText: "Hourly · Tides" }).first().waitFor();
  }));

Deno.test("key requests: what one asks for has one name everywhere, also without a catalogue entry", () =>
  desk(async (ada, page, server) => {
    const plan = { name: "Quiet plan", active: true, rate: 5, per: 1 };
    // as: the envelope of the interface.
    const { Message: planId } = await server.call("POST", "/api/portal/policies", plan) as {
      Message: string;
    };
    for (const for_plan of [planId, "plan-of-nobody"]) {
      const body = { by_user: `d-${for_plan}`, for_plan, fields: { use_case: "No entry" } };
      await server.call("POST", "/api/portal/requests", body);
    }
    await page.reload();
    const named = (title: string) => rows(page).filter({ hasText: title }).first();
    for (const title of ["Quiet plan", "plan-of-nobody"]) {
      const row = named(title);
      await row.locator(".row-link").click();
      await details(page).getByText("Requests", { exact: true }).locator("..").getByText(title)
        .waitFor();
      await button(page, "Approve").click();
      const asked = dialog(page, "Approve this request?");
      await asked.getByText(`for ${title}, live at once`).waitFor();
      if (title !== "Quiet plan") await asked.getByText("There is no plan").waitFor();
      await ada.check();
      await page.keyboard.press("Escape");
      await asked.waitFor({ state: "detached" });
      await page.keyboard.press("Escape");
      await details(page).waitFor({ state: "detached" });
    }
    for (const title of ["Quiet plan", "plan-of-nobody"]) {
      await named(title).locator(".row-pick").click();
    }
    await page.keyboard.press("a");
    const several = dialog(page, "Approve 2 requests?");
    await several.getByText("Quiet plan").waitFor();
    await several.getByText("There is no plan").waitFor();
    await ada.show("key-requests/16-several-unknown");
    await page.keyboard.press("Escape");
    await several.waitFor({ state: "detached" });
    await button(page, "Decline").click();
    await sayWhy(page);
    await button(page, "Undo").waitFor();
    await page.keyboard.press("z");
    await named("Quiet plan").locator(".row-link").click();
    await button(page, "Decline").click();
    await sayWhy(page);
    await page.getByText(/^Declined .* · Quiet plan$/).waitFor();
  }, { expected: /404/ }));

Deno.test("key requests: one for a deleted plan leads to another plan, or to a decline that says so", () =>
  desk(async (ada, page, server) => {
    const made = async (name: string) =>
      // as: the contract of createPlan.
      await server.call("POST", "/v1/plans", { name, rate: 5, per: 1 }) as { id: string };
    const [old, fresh] = [await made("Old plan"), await made("Fresh plan")];
    for (const use_case of ["A ferry map", "A tram map"]) {
      await server.call("POST", "/v1/key-requests", {
        by_user: "grace",
        for_plan: old.id,
        fields: { use_case },
      });
    }
    await server.call("DELETE", `/v1/plans/${old.id}`);
    await page.reload();
    const open = (use_case: string) =>
      rows(page).filter({ hasText: use_case }).locator(".row-link").click();
    await open("A ferry map");
    await details(page).getByText("Old plan, deleted").waitFor();
    await ada.show("key-requests/deleted-plan");
    await button(page, "Offer another plan").click();
    const question = dialog(page, "This can't be approved as it is");
    await question.getByText("Old plan was deleted: no key is issued for it.").waitFor();
    await ada.show("key-requests/deleted-plan-asked");
    await question.getByLabel("Instead of Old plan").selectOption(fresh.id);
    await button(page, "Offer it").click();
    await page.getByText("Offered to grace. There is no key yet.").waitFor();
    await open("A tram map");
    await details(page).getByText("Old plan, deleted").waitFor();
    await page.keyboard.press("a");
    await question.getByRole("button", { name: "Decline, saying so" }).click();
    const reason = dialog(page, "Decline this request?").getByLabel("Reason");
    const words = "No longer offered: Old plan. Please request another plan.";
    assert.equal(await reason.inputValue(), words);
    await page.keyboard.press("Enter");
    await button(page, "Undo").waitFor();
    const { data } = await server.call("GET", "/v1/key-requests?state=declined&limit=1") as {
      data: { reason: string }[];
    };
    assert.equal(data[0]?.reason, words);
  }, { expected: /404/ }));

Deno.test("key requests: why one was approved stands in its details", () =>
  desk(async (ada, page, server) => {
    const id = await rows(page).first().getAttribute("data-row");
    const reason = "Agreed with their team lead.";
    await server.call("POST", `/v1/key-requests/${id}/approve`, {
      deliver: "one_time_link",
      reason,
    });
    await page.goto(`${server.url}/console/requests/${id}`);
    await details(page).getByText(reason).waitFor();
    await ada.show("key-requests/15-approved-reason");
  }));

Deno.test("key requests: hints stand where something is worth knowing, and decided ones say by whom", () =>
  desk(async (ada, page, server) => {
    const body = { email: "ivy@hints.example", fields: { name: "Ivy Hint" } };
    // as: the contracts of what is called.
    const { id: by_user } = await server.call("POST", "/v1/developers", body) as { id: string };
    const { data: [known] } = await server.call("GET", "/v1/key-requests?limit=1") as {
      data: { for_plan: string }[];
    };
    const asked = { by_user, for_plan: known?.for_plan, fields: { use_case: "To be hinted at" } };
    const ask = async (more = {}) => {
      const fields = { ...asked.fields, ...more };
      const made = await server.call("POST", "/v1/key-requests", { ...asked, fields });
      return (made as { id: string }).id;
    };
    const first = await ask();
    await page.goto(`${server.url}/console/requests/${first}`);
    await details(page).getByText("Member since").waitFor();
    const hints = details(page).getByRole("list", { name: "Hints" });
    assert.deepEqual(await hints.locator("b").allTextContents(), [
      "Registered less than a day ago",
    ]);
    await server.call("POST", `/v1/key-requests/${first}/decline`, {});
    const second = await ask();
    await server.call("POST", `/v1/key-requests/${second}/approve`, { deliver: "one_time_link" });
    await server.call("POST", `/v1/developers/${by_user}/deactivate`, { keys: "keep" });
    const busy = await ask();
    await page.goto(`${server.url}/console/requests/${busy}`);
    await hints.getByText("Already holds an active key for this plan").waitFor();
    assert.deepEqual(await hints.locator("b").allTextContents(), [
      "Already holds an active key for this plan",
      "Developer is deactivated",
      "3 requests in 7 days",
      "Declined before",
      "Registered less than a day ago",
      "A key of theirs was never used",
    ]);
    assert.equal(await page.getByRole("columnheader", { name: "Status" }).count(), 0);
    await ada.show("key-requests/17-hints");
    await page.keyboard.press("Escape");
    await page.keyboard.press("2");
    await page.getByRole("columnheader", { name: "Approved by" }).waitFor();
    const decision = rows(page).filter({ hasText: "Ivy Hint" }).locator(".col-status");
    const approved = await server.call("GET", `/v1/key-requests/${second}`) as {
      decided_by_name: string;
    };
    await decision.getByText(approved.decided_by_name, { exact: true }).waitFor();
    assert.equal(await decision.getByRole("time").count(), 1);
    await ada.show("key-requests/18-approved");
    const file = await exported(page, "Export");
    const { issued = 0 } = await counts(server);
    assert.equal(file.split("\r\n").length, issued + 2);
    await page.keyboard.press("4");
    await page.getByRole("columnheader", { name: "Status" }).waitFor();
    await ada.show("key-requests/19-all");
  }));

Deno.test("key requests: search, tabs and filters stand in the address, and come back from it", () =>
  desk(async (ada, page, server) => {
    await page.keyboard.press("/");
    await page.keyboard.type("okafor");
    await page.waitForURL(/q=okafor/);
    await page.waitForFunction(() => {
      const found = [...document.querySelectorAll("tr[data-row]")];
      return found.length > 0 && found.every((row) => row.textContent?.includes("Okafor"));
    });
    await page.keyboard.press("Escape");
    await page.waitForURL((url) => !url.search.includes("q="));
    await page.getByRole("combobox", { name: "Age" }).selectOption("over-14d");
    await page.waitForURL(/age=over-14d/);
    await page.getByRole("radio", { name: "Approved" }).focus();
    await page.keyboard.press("ArrowRight");
    await page.waitForURL(/state=declined/);
    await page.keyboard.press("4");
    await page.waitForURL(/state=all/);
    await page.reload();
    assert.equal(await page.getByRole("combobox", { name: "Age" }).inputValue(), "over-14d");
    assert.ok(await page.getByRole("radio", { name: "All" }).isChecked());
    await page.goto(`${server.url}/console/requests?q=nobody+at+all`);
    await page.getByText("Nothing matches").waitFor();
    await ada.show("key-requests/nothing-matches");
    await button(page, "Clear filters").first().click();
    await rows(page).first().waitFor();
    assert.equal(await tabCount(page, "All"), "50");
  }));

Deno.test("key requests: new ones announce themselves and move nothing until they are wanted", () =>
  desk(async (ada, page, server) => {
    const before = await rows(page).first().getAttribute("data-row");
    const top = await rows(page).first().boundingBox();
    const { data: [known] } = await server.call("GET", "/v1/key-requests?limit=1") as {
      data: { by_user: string; for_plan: string }[];
    };
    for (let turn = 0; turn < 3; turn++) {
      await server.call("POST", "/api/portal/requests", {
        by_user: known?.by_user,
        for_plan: known?.for_plan,
        fields: { use_case: `News ${turn}` },
      });
    }
    const news = page.getByRole("button", { name: "3 new" });
    await news.waitFor();
    assert.equal(await rows(page).first().getAttribute("data-row"), before);
    assert.deepEqual(await rows(page).first().boundingBox(), top);
    await ada.show("key-requests/news");
    await news.click();
    await page.getByText("News 2").first().waitFor();
    await news.waitFor({ state: "detached" });
  }));
