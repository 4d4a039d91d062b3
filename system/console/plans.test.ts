/** Plans, on the console's APIs in Chromium: limits, and what there is of each. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { type DemoServer, sizes } from "./browser.ts";
import { desk } from "./desk.ts";

interface Plan {
  id: string;
  name: string;
  active: boolean;
  rate: number;
  per: number;
  quota_max: number;
  access_rights: Record<string, unknown>;
  key_expires_in: number;
  approval: string;
  when_leaked: string;
  key_request_fields: { name: string; required: boolean }[];
}

const open = async (page: Page, server: DemoServer, path = "") => {
  await page.goto(`${server.url}/console/apis${path}`);
  await page.getByRole("heading", { level: 1, name: "APIs" }).waitFor();
};

const rowOf = (page: Page, { id }: Plan) => page.locator(`[data-row^="plans/${id} "]`);

const all = async (server: DemoServer) =>
  (await server.call("GET", "/v1/plans?limit=100") as { data: Plan[] }).data;

Deno.test("plans: by mouse, added, changed, deactivated, activated and deleted", () =>
  desk(async (ada, page, server) => {
    await open(page, server);
    await page.locator(".row-link").first().waitFor();
    await page.getByRole("button", { name: "Add a plan" }).click();
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText("Write a name here.").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("Tides, free");
    await page.getByLabel("Rate: calls").fill("many");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText("Write a whole number").waitFor();
    await ada.show("plans/no-number");
    await page.getByLabel("Rate: calls").fill("120");
    await page.getByLabel("Quota: calls").fill("20,000");
    await page.getByRole("group", { name: "Its keys are valid for" }).getByRole("checkbox").first()
      .check();
    await page.getByLabel("Keys expire").selectOption({ label: "90 days after issue" });
    await page.getByLabel("If a key leaks").selectOption({ label: "It is suspended" });
    await page.getByLabel("Tags", { exact: true }).fill("tides, sea");
    await ada.show("plans/form");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("heading", { level: 2, name: "Tides, free" }).waitFor();
    await page.getByText("Tides, free is added and offered.").waitFor();
    await page.locator(".drawer").getByText(/^For /).waitFor();
    await ada.show("plans/one");
    const made = (await all(server)).find(({ name }) => name === "Tides, free");
    assert.ok(made);
    assert.deepEqual(
      [made.rate, made.per, made.quota_max, made.key_expires_in, made.when_leaked],
      [120, 60, 20_000, 90 * 86_400, "suspend"],
    );
    assert.equal(Object.keys(made.access_rights).length, 1);
    await page.getByRole("button", { name: "Change", exact: true }).click();
    const leaks = page.getByLabel("If a key leaks");
    assert.equal(await leaks.inputValue(), "suspend");
    await leaks.selectOption({ label: "It is revoked" });
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByText("It is revoked").waitFor();
    assert.equal((await all(server)).find(({ id }) => id === made.id)?.when_leaked, "revoke");
    await page.getByRole("button", { name: "Deactivate" }).click();
    await ada.show("plans/deactivate");
    await page.getByRole("dialog").getByRole("button", { name: "Deactivate" }).click();
    await rowOf(page, made).getByText("Inactive").waitFor();
    assert.equal((await all(server)).find(({ id }) => id === made.id)?.active, false);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Tides, free is active.").waitFor();
    assert.equal((await all(server)).find(({ id }) => id === made.id)?.active, true);
    await page.getByRole("button", { name: "Delete" }).click();
    await ada.show("plans/delete");
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    // The API names it until somebody changes that.
    await rowOf(page, made).getByText("There is no such plan").waitFor();
    assert.equal((await all(server)).some(({ id }) => id === made.id), false);
    await page.getByPlaceholder("Search names").fill("nothing-like-this");
    await page.getByText("Nothing matches").waitFor();
    await ada.show("plans/nothing");
  }));

Deno.test("plans: by keyboard alone, and a name that is taken is said at the name", () =>
  desk(async (ada, page, server) => {
    const [first, second] = await all(server);
    assert.ok(first && second);
    await page.keyboard.press("g");
    await page.keyboard.press("p");
    const row = rowOf(page, first).first();
    await row.waitFor();
    for (let at = 0; !await row.evaluate((one) => one.classList.contains("is-current")); at++) {
      assert.ok(at < 50, "J comes to it");
      await page.keyboard.press("j");
    }
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 2, name: first.name }).waitFor();
    await page.getByRole("button", { name: "Delete" }).waitFor();
    await ada.show("plans/with-keys");
    await page.keyboard.press("e");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type(second.name);
    await page.keyboard.press("Enter");
    await page.getByText("Another plan has this name already").waitFor();
    assert.equal(
      await page.getByLabel("Name", { exact: true }).getAttribute("aria-invalid"),
      "true",
    );
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("Renamed");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 2, name: "Renamed" }).waitFor();
    await row.getByText("Renamed").waitFor();
    const now = (await all(server)).find(({ id }) => id === first.id);
    assert.deepEqual({ ...now, name: "", revision: "" }, { ...first, name: "", revision: "" });
    await page.keyboard.press("Escape");
    await page.getByRole("heading", { level: 2 }).waitFor({ state: "detached" });
    await ada.check();
  }, { expected: /400/ }));

Deno.test("plans: who was slower lifts no limit that somebody set meanwhile", () =>
  desk(async (_ada, page, server) => {
    const [plan] = await all(server);
    assert.ok(plan);
    await open(page, server, `/plans/${plan.id}`);
    await page.getByRole("button", { name: "Change", exact: true }).click();
    await server.call("PUT", `/v1/plans/${plan.id}`, { rate: 7, per: 60 });
    await page.getByLabel("Tags", { exact: true }).fill("sea");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("administrator changed this just now.").waitFor();
    assert.equal(await page.getByLabel("Rate: calls").inputValue(), "7");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.equal((await all(server)).find(({ id }) => id === plan.id)?.rate, 7);
  }, { expected: /412/ }));

Deno.test("plans: how requests are decided and what they are asked is changed here too", () =>
  desk(async (ada, page, server) => {
    const plan = (await all(server)).find(({ approval }) => approval === "manual");
    assert.ok(plan);
    await open(page, server, `/plans/${plan.id}`);
    await page.getByRole("button", { name: "Change decision and questions" }).click();
    await page.getByLabel("Decision").selectOption({ label: "Approved at once" });
    await page.getByRole("button", { name: "Add a question" }).click();
    await page.getByRole("textbox", { name: /^Question/ }).last().fill("Which team?");
    await page.getByLabel(/^Answer to question/).last().selectOption({ label: "One of several" });
    await page.getByLabel(/^Choices of question/).fill("Maps\n\nWeather\nMaps");
    await page.getByLabel("must").last().check();
    await ada.show("plans/approval");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    const now = (await all(server)).find(({ id }) => id === plan.id);
    assert.equal(now?.approval, "automatic");
    assert.deepEqual(now?.key_request_fields.at(-1), {
      name: "which_team",
      label: "Which team?",
      kind: "choice",
      choices: ["Maps", "Weather"],
      required: true,
    });
  }));

Deno.test("plans: on a phone everything fits", () =>
  desk(async (ada, page, server) => {
    await open(page, server);
    await page.locator(".row-link").first().waitFor();
    await ada.show("plans/phone");
    await page.locator('[data-row^="plans/"] .row-link').first().click();
    await page.getByRole("heading", { level: 2 }).waitFor();
    await page.getByRole("button", { name: "Change", exact: true }).waitFor();
    await ada.show("plans/phone-one");
    await page.getByRole("button", { name: "Change", exact: true }).click();
    await ada.show("plans/phone-form");
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  }, { size: sizes.phone }));
