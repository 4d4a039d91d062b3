/** Keys that nobody uses, in Chromium: the rule of a plan, the list, and one key press. */
import assert from "node:assert/strict";
import { desk } from "./desk.ts";
import { violationsOf } from "./look.ts";

interface Shown {
  key_id: string;
  state: string;
  plans: string[];
}

Deno.test("unused keys: a plan's rule is set, keys are narrowed by their use, one is suspended for an hour and kept", () =>
  desk(async (ada, page, server) => {
    // as: the answer of GET /v1/keys.
    const { data } = await server.call("GET", "/v1/keys?limit=100&state=active") as {
      data: Shown[];
    };
    const key = data.at(-1);
    assert.ok(key);
    const plan = key.plans[0] ?? "";
    await page.goto(`${server.url}/console/apis/plans/${encodeURIComponent(plan)}`);
    await page.getByRole("button", { name: "Change what becomes of them" }).click();
    const form = page.getByRole("dialog", { name: /^What becomes of unused keys/ });
    await form.getByLabel("Unused keys").selectOption("suspend");
    await form.getByLabel("Unused after (days)").fill("3");
    await form.getByRole("button", { name: "Save" }).click();
    // What is refused stands at its field.
    await form.locator('[aria-invalid="true"]').waitFor();
    await form.getByLabel("Unused after (days)").fill("30");
    await ada.show("plans/unused-keys-form");
    assert.deepEqual(await violationsOf(page), []);
    await form.getByRole("button", { name: "Save" }).click();
    await form.waitFor({ state: "hidden" });
    await page.getByText("Warned twice, then suspended, from 30 days on").waitFor();

    await page.goto(`${server.url}/console/keys`);
    await page.locator(".row-link").first().waitFor();
    await page.getByRole("combobox", { name: "Use", exact: true }).selectOption("365");
    await page.waitForURL(/use=365/);
    await page.getByRole("combobox", { name: "Use", exact: true }).selectOption("warned");
    await page.getByText("Nothing matches").waitFor();
    await ada.show("keys/unused-none");

    await page.goto(`${server.url}/console/keys/${key.key_id}`);
    await page.getByText("Use and what follows").waitFor();
    await page.keyboard.press("s");
    const dialog = page.getByRole("dialog", { name: "Suspend this key?" });
    await dialog.getByLabel("Reason").fill("See who knocks");
    await dialog.getByLabel("For how long").selectOption("60");
    await ada.show("keys/suspend-for-a-while");
    await dialog.getByRole("button", { name: "Suspend" }).click();
    await page.getByText("It was not tried since it is suspended.").waitFor();
    await ada.show("keys/suspended-for-a-while");
    assert.deepEqual(await violationsOf(page), []);
    await page.keyboard.press("s");
    const resume = page.getByRole("dialog", { name: "Resume this key?" });
    await resume.getByLabel("Reason").fill("Seen");
    await resume.getByRole("button", { name: "Resume" }).click();
    await resume.waitFor({ state: "hidden" });
    // One key press says that it is needed, another click that it opens elsewhere too.
    await page.keyboard.press("k");
    await page.getByText("Kept. Its days without a use begin anew.").waitFor();
    await page.getByRole("button", { name: "It is valid elsewhere too" }).click();
    await page.getByText("It is also valid at gateways that do not check with Keydesk.").waitFor();
    await ada.show("keys/opens-elsewhere");
  }, { expected: /status of 400/ }));
