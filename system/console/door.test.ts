/** The door explains itself, in Chromium: a refusal, its reason, the button that mends it. */
import assert from "node:assert/strict";
import { sharedBrowser } from "../support/shared-browser.ts";
import { signIn, sizes, startDemoServer, visit } from "./browser.ts";

Deno.test("door: a refused call stands there with its reason, is mended in two deeds, and the door can be asked", async () => {
  await using server = await startDemoServer(true);
  await using browser = await sharedBrowser();
  await using ada = await visit(browser);
  const { page } = ada;
  const { data: plans } = await server.call("GET", "/v1/plans?state=active&limit=100") as {
    data: { id: string; auth_type: string }[];
  };
  const plan = plans.find(({ auth_type }) => auth_type === "authToken")?.id;
  await server.call("POST", "/v1/developers", { id: "nova", email: "nova@example.org" });
  const { key_id, RawKey } = await server.call("POST", "/v1/developers/nova/keys", {
    plans: [plan],
    deliver: "answer",
    name: "Nova shop",
  }) as { key_id: string; RawKey: string };
  await server.call("POST", `/v1/keys/${key_id}/suspend`, { reason: "for a test" });
  await signIn(ada, server, "/home");
  await page.keyboard.press("g");
  await page.keyboard.press("o");
  await page.waitForURL(/\/door$/);
  await page.getByText("No call was refused").waitFor();
  // It is seen without a reload.
  const verify = (key: string) => server.call("POST", "/v1/keys/verify", { key });
  let said: unknown;
  do said = await verify(RawKey); while (JSON.stringify(said).includes('"valid":true'));
  assert.deepEqual(said, { valid: false, reason: "suspended" });
  await verify("nobody-knows-this");
  const rows = page.getByRole("table", { name: "Refusals" });
  const row = rows.locator(".row", { hasText: "Nova shop" });
  for (const words of ["Suspended", "The key is suspended", "nova@example.org", "Resume"]) {
    await row.getByText(words).first().waitFor();
  }
  await rows.getByText("Nobody knows this key").first().waitFor();
  assert.ok(!(await page.content()).includes(RawKey));
  await ada.show("door/list");
  // Counts come some seconds later; a bar narrows the list.
  await page.getByRole("button", { name: /^Unknown key/ }).click();
  await page.waitForURL(/reason=unknown/);
  await row.waitFor({ state: "detached" });
  await ada.show("door/bars");
  await page.getByRole("button", { name: /^Unknown key/ }).click();
  await row.waitFor();

  await page.keyboard.press("a");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Key").fill(RawKey);
  await dialog.getByRole("button", { name: "Ask" }).click();
  await dialog.getByText("Refused: suspended.").waitFor();
  await dialog.getByText("Not asked").first().waitFor();
  assert.equal(await dialog.getByLabel("Key").getAttribute("type"), "password");
  assert.ok(!page.url().includes(RawKey));
  await ada.show("door/asked");
  await page.keyboard.press("Escape");

  // One click to the key, one to mend it.
  await row.getByRole("link").first().click();
  await page.waitForURL(new RegExp(`/keys/${key_id}`));
  await page.getByRole("button", { name: "Resume" }).click();
  await dialog.getByLabel("Reason").fill("The developer answered");
  await dialog.getByRole("button", { name: "Resume" }).click();
  await page.getByRole("button", { name: "Suspend" }).waitFor();
  do said = await verify(RawKey); while (!JSON.stringify(said).includes('"valid":true'));
  await page.goto(`${server.url}/console/door?key=${key_id}`);
  await row.first().waitFor();
  await page.setViewportSize(sizes.phone);
  await ada.show("door/phone");
});
