/** An approver sees every plan that is asked for, with its limits and the life of its keys. */
import { sizes } from "./browser.ts";
import { desk } from "./desk.ts";
import type { DemoServer } from "./browser.ts";
import { button, details, dialog, rows } from "./key-requests.ts";

const DAY = 86_400;

/** A request of three plans of two APIs; gives its id, and the ids of the plans. */
async function askForThree(server: DemoServer): Promise<{ id: string; plans: string[] }> {
  const plans: string[] = [];
  for (
    const [name, api, limits] of [
      ["Gold", "Orders", { rate: 60, per: 60, key_expires_in: 90 * DAY }],
      ["Silver", "Orders", { rate: 5, per: 1 }],
      ["Basic", "Invoices", { quota_max: 1000, quota_renewal_rate: 30 * DAY }],
    ] as const
  ) {
    const access_rights = { [api]: { api_id: api, api_name: api } };
    // as: the contract of createPlan.
    const made = await server.call("POST", "/v1/plans", { name, access_rights, ...limits }) as {
      id: string;
    };
    plans.push(made.id);
  }
  const { id } = await server.call("POST", "/v1/key-requests", {
    by_user: "grace",
    for_plan: plans[0],
    plans,
    fields: { use_case: "One shop, two APIs" },
  }) as { id: string };
  return { id, plans };
}

const TITLES = "Gold · Orders; Silver · Orders; Basic · Invoices";

Deno.test("granted plans: a row, the drawer and the questions name each with limits and end", () =>
  desk(async (ada, page, server) => {
    const { id, plans: [gold = ""] } = await askForThree(server);
    await server.call("POST", "/v1/key-requests", {
      by_user: "joan",
      for_plan: gold,
      plans: [gold],
      fields: { use_case: "One plan alone" },
    });
    await page.reload();
    const row = rows(page).filter({ hasText: `3 plans: ${TITLES}` });
    await row.getByText("Gold: 60 calls a minute · keys expire after 90 days").waitFor();
    await rows(page).filter({ hasText: "60 calls a minute · keys expire after 90 days" }).first()
      .waitFor();
    await ada.show("granted-plans/1-rows");
    await row.locator(".row-link").click();
    const lines = details(page).locator(".plan-lines li");
    await lines.nth(2).waitFor();
    const told = [
      "Gold · Orders60 calls a minute · keys expire after 90 days",
      "Silver · Orders5 calls a second · keys never expire",
      "Basic · Invoicesany rate, 1,000 in 30 days · keys never expire",
    ];
    for (const [at, text] of told.entries()) await lines.nth(at).getByText(text).waitFor();
    await ada.show("granted-plans/2-drawer");
    await page.keyboard.press("a");
    const question = dialog(page, "Approve this request?");
    await question.getByText(`for ${TITLES}, live at once`).waitFor();
    await question.locator(".plan-lines").getByText("Basic · Invoices").waitFor();
    await question.getByText("Grant less than asked").click();
    await question.getByText("Silver · Orders gives 5 calls a second").waitFor();
    await question.getByLabel("Instead of Basic · Invoices").waitFor();
    await ada.show("granted-plans/3-approve");
    await page.keyboard.press("Escape");
    await question.waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    for (const one of [row, rows(page).first()]) await one.locator(".row-pick").click();
    await page.keyboard.press("a");
    const several = dialog(page, "Approve 2 requests?");
    await several.getByText("5 calls a second · keys never expire").waitFor();
    await ada.show("granted-plans/4-several");
    await page.keyboard.press("Escape");
    await several.waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    await page.keyboard.press("m");
    await button(page, "Approve").waitFor();
    await page.keyboard.press("a");
    const all = dialog(page, /^Approve \d+ requests\?/);
    await all.getByText("Gold · Orders", { exact: false }).first().waitFor();
    await all.getByText("2 requests · 60 calls a minute · keys expire after 90 days").waitFor();
    await ada.show("granted-plans/5-all");
    await page.keyboard.press("Escape");
    await page.setViewportSize(sizes.phone);
    await page.goto(`${server.url}/console/requests/${id}`);
    await lines.nth(2).waitFor();
    await ada.show("granted-plans/6-phone");
  }));
