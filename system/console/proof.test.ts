/**
 * An event's proof, by an auditor: checked in the browser, taken along, red where a row was
 * changed.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { keydesk } from "../../test/support/command.ts";
import { sharedBrowser } from "../support/shared-browser.ts";
import { sizes, startDemoServer, visit } from "./browser.ts";

Deno.test("proof: an auditor checks a row, takes its proof along, and sees one that was changed", async () => {
  await using server = await startDemoServer();
  await using browser = await sharedBrowser();
  // While nobody knows yet who is signed in, the server decides what the side bar may count.
  await using rita = await visit(browser, { expected: /403/ });
  const { page } = rita;
  const person = await server.call("POST", "/v1/people", { name: "Rita", permissions: ["audit"] });
  // as: what the contract says.
  const { id } = person as { id: string };
  const token = await server.call("POST", `/v1/people/${id}/access-tokens`, { name: "laptop" });
  await page.goto(await server.link((token as { id: string }).id));
  await page.getByRole("heading", { level: 1, name: "Audit log" }).waitFor();
  const row = page.locator(".row-link").filter({ hasText: "added" }).first();
  await row.click();
  await page.getByRole("button", { name: "Check the proof" }).click();
  const notice = page.locator(".event-proof .notice");
  await notice.filter({ hasText: "This row is as it was written" }).waitFor();
  assert.match(await notice.innerText(), /entry [\d,]+ of [\d,]+/);
  await page.locator(".event-proof").filter({ hasText: "This browser checked the signature" })
    .waitFor();
  await rita.check();
  await rita.show("activity/proof");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download proof" }).click(),
  ]);
  const file = join(server.settings.KEYDESK_DATA_DIR ?? "", download.suggestedFilename());
  await download.saveAs(file);
  const verified = await keydesk(["audit", "verify", file], server.settings);
  assert.equal(verified.code, 0, verified.stderr);
  assert.match(verified.stdout, /holds\n {2}1 entries read/);
  await Deno.writeTextFile(
    file,
    (await Deno.readTextFile(file)).replace(/"actor":"[^"]*"/, '"actor":"else"'),
  );
  const forged = await keydesk(["audit", "verify", file], server.settings);
  assert.equal(forged.code, 1);
  assert.match(forged.stdout, /changed/);

  await page.route("**/proof", async (route) => {
    const response = await route.fetch();
    const proof = await response.json();
    await route.fulfill({ response, json: { ...proof, event: { ...proof.event, token_id: "x" } } });
  });
  await page.getByRole("button", { name: "Check again" }).click();
  await notice.filter({ hasText: "This row does not match the log" }).waitFor();
  await rita.show("activity/proof-changed");
  await page.unroute("**/proof");
  await page.setViewportSize(sizes.phone);
  await page.getByRole("button", { name: "Check again" }).click();
  await notice.filter({ hasText: "This row is as it was written" }).waitFor();
  await notice.scrollIntoViewIfNeeded();
  await rita.show("activity/proof-phone");
});
