/** The console's Catalogue in Chromium: what is offered, on which terms, and what is asked. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { type DemoServer, sizes } from "./browser.ts";
import { desk } from "./desk.ts";

interface Api {
  id: string;
  name: string;
  show: boolean;
  short_description: string;
  plans: { id: string; name: string; valid: boolean }[];
}

const open = async (page: Page, server: DemoServer, path = "") => {
  await page.goto(`${server.url}/console/catalogue${path}`);
  await page.getByRole("heading", { level: 1, name: "Catalogue" }).waitFor();
};

const all = async (server: DemoServer) =>
  (await server.call("GET", "/v1/apis?limit=100") as { data: Api[] }).data;

Deno.test("catalogue: by mouse, an API is added with a plan, changed, withdrawn and removed", () =>
  desk(async (ada, page, server) => {
    await open(page, server);
    await page.locator(".row-link").first().waitFor();
    await ada.show("catalogue/list");
    await page.getByRole("button", { name: "Add an API" }).click();
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText("Write a name here.").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("Tides");
    await page.getByLabel("In a sentence").fill("High and low water by the hour");
    await page.getByLabel("A new plan for it").fill("Tides, free");
    await ada.show("catalogue/form");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("heading", { level: 2, name: "Tides" }).waitFor();
    await page.getByText("60 calls a minute").waitFor();
    await ada.show("catalogue/one");
    const made = (await all(server)).find(({ id }) => id === "tides");
    assert.deepEqual(made?.plans.map(({ name, valid }) => [name, valid]), [["Tides, free", true]]);

    await page.getByRole("button", { name: "Add a plan" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Tides, partner");
    await page.getByLabel("Calls a minute").fill("6,000");
    await ada.show("catalogue/plan");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText("6,000 calls a minute").waitFor();

    await page.getByRole("button", { name: "Withdraw" }).click();
    await page.getByRole("row", { name: /Tides/ }).getByText("Hidden").waitFor();
    assert.equal((await all(server)).find(({ id }) => id === "tides")?.show, false);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("row", { name: /Tides/ }).getByText("Offered").waitFor();
    await page.getByRole("button", { name: "Take it out of the catalogue" }).click();
    await ada.show("catalogue/remove");
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await page.getByRole("row", { name: /Tides/ }).waitFor({ state: "detached" });
    assert.equal((await all(server)).some(({ id }) => id === "tides"), false);
    const { data: plans } = await server.call("GET", "/v1/plans?q=tides") as { data: unknown[] };
    assert.equal(plans.length, 2);
    await page.getByPlaceholder("Search names").fill("nothing-like-this");
    await page.getByText("Nothing matches").waitFor();
    await ada.show("catalogue/nothing");
  }));

Deno.test("catalogue: by keyboard alone, and who was slower takes nothing back", () =>
  desk(async (ada, page, server) => {
    const [first] = await all(server);
    assert.ok(first);
    await page.keyboard.press("g");
    await page.keyboard.press("l");
    await page.getByRole("row").getByText(first.name, { exact: true }).waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 2, name: first.name }).waitFor();
    await page.getByRole("button", { name: "Take it out" }).waitFor();
    await ada.show("catalogue/with-keys");
    await page.keyboard.press("e");
    await page.getByRole("dialog").waitFor();
    await server.call("PUT", `/v1/apis/${first.id}`, { short_description: "Changed meanwhile" });
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("Renamed");
    await page.keyboard.press("Enter");
    await page.getByText("administrator changed this just now.").waitFor();
    assert.equal(await page.getByLabel("In a sentence").inputValue(), "Changed meanwhile");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 2, name: "Renamed" }).waitFor();
    const now = (await all(server)).find(({ id }) => id === first.id);
    assert.deepEqual([now?.name, now?.short_description], ["Renamed", "Changed meanwhile"]);
    assert.deepEqual(now?.plans.map(({ id }) => id), first.plans.map(({ id }) => id));
    await page.keyboard.press("Escape");
    await page.getByRole("heading", { level: 2 }).waitFor({ state: "detached" });
    await ada.check();
  }, { expected: /412/ }));

Deno.test("catalogue: on a phone; a plan whose keys do not open the API is said, and mended", () =>
  desk(async (ada, page, server) => {
    const other = await server.call("POST", "/v1/plans", {
      name: "Elsewhere",
      access_rights: { elsewhere: { api_id: "elsewhere" } },
    }) as { id: string };
    await server.call("POST", "/v1/apis", { id: "lifts", name: "Lifts", plans: [other.id] });
    await open(page, server);
    await page.getByText("Lifts", { exact: true }).waitFor();
    await ada.show("catalogue/phone");
    await page.getByRole("link", { name: /Lifts/ }).click();
    await page.getByText("No active plan is for it.").waitFor();
    await ada.show("catalogue/phone-closed");
    await page.getByRole("button", { name: "Make them valid for it" }).click();
    await page.getByText("Elsewhere’s keys open Lifts.").first().waitFor();
    await page.getByText("No active plan is for it.").waitFor({ state: "detached" });
    const plan = await server.call("GET", `/v1/plans/${other.id}`) as { access_rights: object };
    assert.deepEqual(Object.keys(plan.access_rights), ["elsewhere", "lifts"]);
  }, { size: sizes.phone }));
