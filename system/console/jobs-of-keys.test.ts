/**
 * Many keys at once, in Chromium: chosen by ranges or by what matches, changed in a job, taken
 * back; what can't be is said before.
 */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { type DemoServer, exported } from "./browser.ts";
import { desk } from "./desk.ts";

const rows = (page: Page) => page.locator("tr[data-row]");
const boxOf = (page: Page, n: number) => rows(page).nth(n).locator(".row-pick");
const button = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name, exact: true });
const details = (page: Page) => page.getByRole("complementary", { name: "Details" });
const dialogOf = (page: Page, name: string) => page.getByRole("dialog", { name });

const MORE = 60;

/** Keys of a plan of their own, beside those of the demo; gives the plan's id. */
async function issueMore(server: DemoServer): Promise<string> {
  // as: the contract of createPlan.
  const plan = await server.call("POST", "/v1/plans", { name: "Tides" }) as { id: string };
  for (let n = 0; n < MORE; n++) {
    const id = `student-${n}`;
    await server.call("POST", "/v1/developers", { id, email: `${id}@example.org` });
    await server.call("POST", `/v1/developers/${id}/keys`, { plans: [plan.id] });
  }
  return plan.id;
}

/** How many keys of the plan are in a state. */
async function countOf(server: DemoServer, plan: string, state: string): Promise<number> {
  // as: the contract of listKeys.
  const { data } = await server.call("GET", `/v1/keys?limit=100&plan=${plan}&state=${state}`) as {
    data: unknown[];
  };
  return data.length;
}

Deno.test("jobs of keys: all that match are suspended, whose number is typed, and taken back", () =>
  desk(async (ada, page, server) => {
    const plan = await issueMore(server);
    await ada.page.goto(`${server.url}/console/keys?plan=${plan}`);
    await boxOf(page, 1).click();
    await boxOf(page, 5).click({ modifiers: ["Shift"] });
    await page.getByText("5 selected").waitFor();
    await page.keyboard.press("m");
    await page.getByText(`All ${MORE} that match`, { exact: true }).waitFor();
    await button(page, "Suspend…").click();
    const dialog = dialogOf(page, `Suspend ${MORE} keys?`);
    await dialog.waitFor();
    await button(page, `Suspend ${MORE}`).click();
    await dialog.getByText("Say why").waitFor();
    await dialog.getByLabel("Reason").fill("The course is over");
    await dialog.getByLabel(`Type ${MORE} to go on`).fill("59");
    await button(page, `Suspend ${MORE}`).click();
    await dialog.getByText(`Type ${MORE} to go on.`).waitFor();
    await ada.show("jobs/keys-1-suspend");
    await dialog.getByLabel(`Type ${MORE} to go on`).fill(String(MORE));
    await button(page, `Suspend ${MORE}`).click();
    await details(page).getByRole("heading", { name: `${MORE} suspended` }).waitFor();
    await ada.show("jobs/keys-2-done");
    assert.equal(await countOf(server, plan, "suspended"), MORE);
    const said = await exported(page, "Result as a file");
    assert.equal(said.split(",suspended,").length - 1, MORE);
    await button(page, `Take back these ${MORE}`).click();
    await details(page).getByRole("heading", { name: `${MORE} taken back` }).waitFor();
    assert.equal(await countOf(server, plan, "active"), MORE);
  }));

Deno.test("jobs of keys: revoking and rotating say before that they can't be undone", () =>
  desk(async (ada, page, server) => {
    const plan = await issueMore(server);
    await ada.page.goto(`${server.url}/console/keys?plan=${plan}`);
    await boxOf(page, 0).click();
    await boxOf(page, 1).click();
    await button(page, "Rotate…").click();
    const rotating = dialogOf(page, "Rotate 2 keys?");
    await rotating.getByText("This can't be undone").waitFor();
    await button(page, "Rotate 2").click();
    await rotating.getByText("Type 2 to go on.").waitFor();
    await rotating.getByLabel("Type 2 to go on").fill("2");
    await ada.show("jobs/keys-3-rotate");
    await button(page, "Rotate 2").click();
    await details(page).getByRole("heading", { name: "2 rotated" }).waitFor();
    const taking = page.waitForEvent("download");
    await button(page, "Take the one-time links").click();
    const lines = (await readFile(await (await taking).path(), "utf8")).trim().split("\r\n");
    assert.equal(lines.length, 3);
    assert.ok(lines.slice(1).every((line) => /\/claim#[\w-]{43},/.test(line)));
    assert.equal(await button(page, /^Take back/).count(), 0);
    await page.keyboard.press("Escape");
    await boxOf(page, 4).click();
    await button(page, "Revoke…").click();
    const revoking = dialogOf(page, "Revoke 1 key?");
    await revoking.getByText("This can't be undone").waitFor();
    await revoking.getByLabel("Reason").fill("Left the course");
    await revoking.getByLabel("Type 1 to go on").fill("1");
    await button(page, "Revoke 1").click();
    await details(page).getByRole("heading", { name: "1 revoked" }).waitFor();
    assert.equal(await countOf(server, plan, "revoked"), 1);
  }));

Deno.test("jobs of keys: plans, ends and tags of several", () =>
  desk(async (ada, page, server) => {
    const plan = await issueMore(server);
    await ada.page.goto(`${server.url}/console/keys?plan=${plan}`);
    await boxOf(page, 0).click();
    await boxOf(page, 2).click({ modifiers: ["Shift"] });
    await button(page, "Tags…").click();
    await dialogOf(page, "Tag 3 keys?").getByLabel("Which tags").fill("course, spring");
    await button(page, "Tag 3").click();
    await details(page).getByRole("heading", { name: "3 tagged" }).waitFor();
    await page.keyboard.press("Escape");
    await boxOf(page, 0).click();
    await boxOf(page, 2).click({ modifiers: ["Shift"] });
    await button(page, "Expiry…").click();
    const ending = dialogOf(page, "Change the expiry of 3 keys?");
    await button(page, "Change 3").click();
    await ending.getByText("Choose a time to come").waitFor();
    await ending.getByLabel("Expires", { exact: true }).fill("2090-01-01T00:00");
    await button(page, "Change 3").click();
    await details(page).getByRole("heading", { name: "3 changed" }).waitFor();
    await page.keyboard.press("Escape");
    await boxOf(page, 0).click();
    await boxOf(page, 2).click({ modifiers: ["Shift"] });
    await button(page, "Plans…").click();
    const planning = dialogOf(page, "Change plans of 3 keys?");
    await button(page, "Change 3").click();
    await planning.getByText("Choose a plan.").waitFor();
    await planning.getByRole("checkbox").first().check();
    const before = new URL(page.url()).searchParams.get("job");
    await button(page, "Change 3").click();
    // The job before ended with the same words.
    await page.waitForURL((url) => ![null, before].includes(url.searchParams.get("job")));
    await details(page).getByText("Plans", { exact: true }).waitFor();
    await details(page).getByRole("heading", { name: "3 changed" }).waitFor();
    // as: the contract of listKeys.
    const { data } = await server.call("GET", `/v1/keys?tag=course`) as {
      data: { tags: string[]; expires_at: string; plans: string[] }[];
    };
    assert.equal(data.length, 3);
    for (const { tags, expires_at, plans } of data) {
      assert.deepEqual(tags, ["course", "spring"]);
      assert.match(expires_at, /^2090-01-01|^2089-12-31/);
      assert.equal(plans.length, 2);
    }
  }));
