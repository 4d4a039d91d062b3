/** Who sees some plans alone works with what is of these, and is offered nothing that is closed. */
import assert from "node:assert/strict";
import { signIn, visit } from "./browser.ts";
import { desk } from "./desk.ts";

interface Plan {
  _id: string;
  name: string;
  keys: number;
}

Deno.test("scoped: an approver of one plan sees its keys, developers and requests, and no more", () =>
  desk(async (_ada, _page, server, browser) => {
    const { data: plans } = await server.call("GET", "/v1/plans?limit=100") as { data: Plan[] };
    const plan = plans.filter(({ keys }) => keys > 1).sort((a, b) => a.keys - b.keys)[0];
    assert.ok(plan && plans.length > 1);
    const { id } = await server.call("POST", "/v1/people", {
      name: "Pia",
      role: "approver",
      scope: { plans: [plan._id] },
    }) as { id: string };
    const token = await server.call("POST", `/v1/people/${id}/access-tokens`, {
      name: "laptop",
      deliver: "answer",
    }) as { id: string };
    await using pia = await visit(browser);
    await signIn(pia, server, "/keys", token.id);
    const { page } = pia;
    await page.locator(".row-link").first().waitFor();
    const screens = await page.getByRole("navigation", { name: "Screens" }).getByRole("link")
      .evaluateAll((links) => links.map((link) => link.textContent?.trim() ?? ""));
    const named = (name: string) => screens.some((one) => one.startsWith(name));
    for (const name of ["Home", "Requests", "Keys", "APIs", "Developers"]) {
      assert.ok(named(name), `${name} of ${screens}`);
    }
    for (const name of ["Logs", "Certificates", "Gateways", "Audit log"]) {
      assert.ok(!named(name), `${name} of ${screens}`);
    }
    // A key is looked at, suspended and resumed.
    await page.locator(".row-link").first().click();
    const drawer = page.getByRole("complementary").or(page.getByRole("dialog")).first();
    await drawer.getByText(plan.name).first().waitFor();
    await pia.show("keys/scoped");
    await page.keyboard.press("Escape");
    await page.keyboard.press("g");
    await page.keyboard.press("p");
    await page.getByRole("heading", { level: 1, name: "APIs" }).waitFor();
    await page.locator(".row-link", { hasText: plan.name }).first().waitFor();
    for (const { _id, name } of plans.filter(({ _id }) => _id !== plan._id)) {
      assert.equal(await page.locator(`[data-row^="plans/${_id} "]`).count(), 0, name);
    }
    await page.keyboard.press("g");
    await page.keyboard.press("d");
    await page.getByRole("heading", { level: 1, name: "Developers" }).waitFor();
    await page.locator(".row-link").first().click();
    await page.getByText("Member since").waitFor();
    assert.equal(await page.getByRole("button", { name: "Deactivate" }).count(), 0);
    await page.keyboard.press("Escape");
    await page.keyboard.press("g");
    await page.keyboard.press("h");
    await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    await page.locator(".home:not(.is-coming)").waitFor();
    await pia.show("home/scoped");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("a");
    const palette = page.getByRole("dialog", { name: "Search" });
    await palette.getByRole("option").first().waitFor();
    for (const other of plans.filter(({ _id }) => _id !== plan._id)) {
      assert.equal(await palette.getByText(other.name, { exact: true }).count(), 0, other.name);
    }
    assert.deepEqual(pia.complaints, []);
  }));
