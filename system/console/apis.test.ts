/** The console's APIs in Chromium: what is offered, by which plans, and what is asked. */
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
  await page.goto(`${server.url}/console/apis${path}`);
  await page.getByRole("heading", { level: 1, name: "APIs" }).waitFor();
};

const all = async (server: DemoServer) =>
  (await server.call("GET", "/v1/apis?limit=100") as { data: Api[] }).data;

Deno.test("APIs: by mouse, an API is added with a plan, changed, withdrawn and removed", () =>
  desk(async (ada, page, server) => {
    await open(page, server);
    await page.locator(".row-link").first().waitFor();
    await ada.show("apis/list");
    await page.getByRole("button", { name: "Add an API" }).click();
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText("Write a name here.").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("Tides");
    await page.getByLabel("In a sentence").fill("High and low water by the hour");
    await page.getByLabel("A new plan for it").fill("Tides, free");
    await ada.show("apis/form");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("heading", { level: 2, name: "Tides" }).waitFor();
    await page.locator(".drawer").getByText("60 calls a minute").waitFor();
    await ada.show("apis/one");
    const made = (await all(server)).find(({ id }) => id === "tides");
    assert.deepEqual(made?.plans.map(({ name, valid }) => [name, valid]), [["Tides, free", true]]);

    await page.locator(".drawer").getByRole("button", { name: "Add a plan" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Tides, partner");
    await page.getByLabel("Calls a minute").fill("6,000");
    await ada.show("apis/plan");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.locator(".drawer").getByText("6,000 calls a minute").waitFor();
    // Both stand under it.
    await page.locator('[data-row$=" tides"]').nth(1).waitFor();

    await page.getByRole("button", { name: "Withdraw" }).click();
    await page.locator('[data-row="tides"]').getByText("Hidden").waitFor();
    assert.equal((await all(server)).find(({ id }) => id === "tides")?.show, false);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.locator('[data-row="tides"]').getByText("Offered").waitFor();
    await page.getByRole("button", { name: "Take it out of the catalogue" }).click();
    await ada.show("apis/remove");
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await page.locator('[data-row="tides"]').waitFor({ state: "detached" });
    assert.equal((await all(server)).some(({ id }) => id === "tides"), false);
    const { data: plans } = await server.call("GET", "/v1/plans?q=tides") as { data: unknown[] };
    assert.equal(plans.length, 2);
    // Its plans are those of no API now, at the end.
    await page.locator(".row", { hasText: "Tides, partner" }).getByText("Plan, valid for Tides")
      .waitFor();
    await page.getByPlaceholder("Search names").fill("nothing-like-this");
    await page.getByText("Nothing matches").waitFor();
    await ada.show("apis/nothing");
  }));

Deno.test("APIs: by keyboard alone, and who was slower takes nothing back", () =>
  desk(async (ada, page, server) => {
    const [first] = await all(server);
    assert.ok(first);
    await page.keyboard.press("g");
    await page.keyboard.press("p");
    await page.getByRole("row").getByText(first.name, { exact: true }).waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 2, name: first.name }).waitFor();
    await page.getByRole("button", { name: "Take it out" }).waitFor();
    await ada.show("apis/with-keys");
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

Deno.test("APIs: who sees one is chosen in its form, and said beside it", () =>
  desk(async (ada, page, server) => {
    const [first] = await all(server);
    assert.ok(first);
    await open(page, server, `/${first.id}`);
    await page.locator(".drawer").getByText("Signed-in developers").waitFor();
    await page.getByRole("button", { name: "Change" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Who sees it").selectOption({ label: "Invited developers alone" });
    await dialog.getByLabel("Invited addresses and domains").fill("nobody@");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("expected an e-mail address or a domain").waitFor();
    await dialog.getByLabel("Invited addresses and domains").fill("Example.org\nann@example.net");
    await dialog.getByLabel("Invited tags").fill("partner, beta");
    await ada.show("apis/visibility");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.locator(".drawer").getByText("Invited developers").waitFor();
    // as: the answer of the API.
    const now = await server.call("GET", `/v1/apis/${first.id}`) as Record<string, unknown>;
    assert.deepEqual([now.visibility, now.invited, now.invited_tags], [
      "invited",
      ["example.org", "ann@example.net"],
      ["partner", "beta"],
    ]);
    await ada.show("apis/visibility-drawer");
  }, { expected: /400/ }));

Deno.test("APIs: each with its plans under it, those of no API last, found by search and state", () =>
  desk(async (_ada, page, server) => {
    const plan = async (name: string, rights: object = {}) =>
      (await server.call("POST", "/v1/plans", { name, access_rights: rights }) as { id: string })
        .id;
    const both = await plan("Tides, both");
    const alone = await plan("Tides, alone");
    for (const id of ["tides", "waves"]) {
      await server.call("POST", "/v1/apis", { id, name: `The ${id}`, plans: [both] });
    }
    await server.call("POST", `/v1/plans/${alone}/deactivate`);
    // A former address leads there, with its filters.
    await page.goto(`${server.url}/console/catalogue?state=`);
    await page.waitForURL("**/console/apis?state=");
    const rows = page.locator(".row:not(.is-waiting)");
    const keys = () => rows.evaluateAll((all) => all.map((one) => one.getAttribute("data-row")));
    await page.locator(`[data-row="plans/${alone} "]`).getByText("Plan of no API").waitFor();
    const all = await keys();
    const at = all.indexOf("tides");
    assert.deepEqual(all.slice(at, at + 4), [
      "tides",
      `plans/${both} tides`,
      "waves",
      `plans/${both} waves`,
    ]);
    assert.equal(all.at(-1), `plans/${alone} `);
    // The same plan stands twice, and the keyboard goes past both.
    await page.locator(`[data-row="plans/${both} tides"] .row-link`).click();
    await page.waitForURL(`**/console/apis/plans/${both}?state=`);
    await page.getByRole("heading", { level: 2, name: "Tides, both" }).waitFor();
    for (const opened of ["waves", `plans/${both}`]) {
      await page.keyboard.press("j");
      await page.waitForURL(`**/console/apis/${opened}?state=`);
    }
    await page.locator(`[data-row="plans/${both} waves"].is-current`).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("3");
    await page.waitForURL("**/console/apis?state=inactive");
    await page.locator(`[data-row="plans/${alone} "]`).waitFor();
    assert.deepEqual(await keys(), [`plans/${alone} `]);
    await page.keyboard.press("1");
    await page.getByPlaceholder("Search names").fill("tides");
    await rows.nth(3).waitFor({ state: "detached" });
    await page.locator(`[data-row="plans/${alone} "]`).waitFor();
    assert.deepEqual(
      (await keys()).sort(),
      [
        "tides",
        ...[both, alone].map((id) => `plans/${id} `),
      ].sort(),
    );
    await page.goto(`${server.url}/console/plans/${both}`);
    await page.waitForURL(`**/console/apis/plans/${both}`);
    await page.getByRole("heading", { level: 2, name: "Tides, both" }).waitFor();
  }));

Deno.test("APIs: on a phone; a plan whose keys do not open the API is said, and mended", () =>
  desk(async (ada, page, server) => {
    const other = await server.call("POST", "/v1/plans", {
      name: "Elsewhere",
      access_rights: { elsewhere: { api_id: "elsewhere" } },
    }) as { id: string };
    await server.call("POST", "/v1/apis", { id: "lifts", name: "Lifts", plans: [other.id] });
    await open(page, server);
    await page.locator('[data-row="lifts"]').waitFor();
    await ada.show("apis/phone");
    await page.locator('[data-row="lifts"] .row-link').click();
    await page.getByText("No active plan is for it.").waitFor();
    await ada.show("apis/phone-closed");
    await page.getByRole("button", { name: "Make them valid for it" }).click();
    await page.getByText("Elsewhere’s keys are valid for Lifts.").first().waitFor();
    await page.getByText("No active plan is for it.").waitFor({ state: "detached" });
    const plan = await server.call("GET", `/v1/plans/${other.id}`) as { access_rights: object };
    assert.deepEqual(Object.keys(plan.access_rights), ["elsewhere", "lifts"]);
  }, { size: sizes.phone }));
