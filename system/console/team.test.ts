/** Work of a team, in Chromium: assigned, handed over, commented, found again. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { desk } from "./desk.ts";
import { button, details, rows } from "./key-requests.ts";

/** Waits until the drawer says who looks after its request. */
const chosen = (page: Page, hasText: string) =>
  details(page).locator("option:checked", { hasText }).waitFor({ state: "attached" });

Deno.test("team: a request is taken, handed over and found; comments are said and removed", () =>
  desk(async (ada, page, server) => {
    // deno-lint-ignore no-explicit-any -- answers of several shapes, of which some members are read
    const call = (...of: Parameters<typeof server.call>): Promise<any> => server.call(...of);
    const person = { name: "Marit Solberg", permissions: ["portal:read", "approve"] };
    const { id: marit } = await call("POST", "/v1/people", person);
    const { data: [{ id }] } = await call("GET", "/v1/key-requests?state=pending&limit=1");
    await page.goto(`${server.url}/console/requests/${id}`);
    const assigned = details(page).getByLabel("Assigned to");
    const team = await call("GET", `/v1/key-requests/${id}/team`);
    const me = (await call("GET", "/v1/me")).person?.id ?? team.data[0].id;
    await assigned.selectOption(me);
    await chosen(page, "(you)");
    assert.equal((await call("GET", `/v1/key-requests/${id}`)).assignee.id, me);
    await assigned.selectOption(marit);
    await chosen(page, "Marit Solberg");
    const comments = page.getByRole("region", { name: "Comments" });
    await comments.getByLabel("Comment", { exact: true }).fill("Their lead asked for it by phone.");
    await comments.getByLabel("Mention").selectOption(marit);
    await button(page, "Add comment").click();
    await comments.getByText("Their lead asked for it by phone.").waitFor();
    await comments.getByText("To Marit Solberg").waitFor();
    await ada.show("key-requests/31-team");
    await comments.getByRole("button", { name: /^Remove/ }).click();
    await comments.getByText(/^Removed by /).waitFor();
    await page.goto(`${server.url}/console/requests?assignee=nobody`);
    await page.locator(".requests [role=row], .requests tr").first().waitFor();
    assert.equal(await page.locator(`a[href*="${id}"]`).count(), 0);
    await page.getByLabel("Assignee").selectOption("me");
    await page.getByText("Nothing matches").waitFor();
    await call("PUT", `/v1/key-requests/${id}/assignee`, { assignee: "me" });
    await page.reload();
    await page.locator(`a[href*="${id}"]`).first().waitFor();
    await page.locator("td.col-assignee").getByText(/\S/).first().waitFor();
    await ada.show("key-requests/32-mine");
  }));

Deno.test("team: several are assigned by one job", () =>
  desk(async (ada, page, server) => {
    await page.goto(`${server.url}/console/requests`);
    await rows(page).nth(1).waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    await button(page, "Assign…").click();
    await page.getByRole("dialog").getByLabel("Assigned to").selectOption("me");
    await ada.show("key-requests/33-assign");
    await page.getByRole("dialog").getByRole("button", { name: "Assign" }).click();
    await details(page).getByText("2 assigned").first().waitFor();
  }));
