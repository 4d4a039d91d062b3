/** Keys: the first one, a leaked one, a fresh one. */
import assert from "node:assert/strict";
import { type DemoServer, visit } from "../browser.ts";
import { ask, button, copy, dialog, drawer, type Work } from "./desk.ts";

/** A key that is issued now to a developer who has no other. */
async function issued(server: DemoServer) {
  const { data: plans } = await ask<{ data: { id: string; auth_type: string }[] }>(
    server,
    "/v1/plans?state=active&limit=100",
  );
  const plan = plans.find(({ auth_type }) => auth_type === "authToken")?.id;
  const email = "nova@example.org";
  await server.call("POST", "/v1/developers", { id: "nova", email });
  // as: the contract of issueKey.
  const key = await server.call("POST", "/v1/developers/nova/keys", {
    plans: [plan],
    deliver: "answer",
  }) as { RawKey: string; key_id: string };
  return { secret: key.RawKey, id: key.key_id, email };
}

interface Key {
  state: string;
  reason: string | null;
  replaced_by: string | null;
}
const read = (server: DemoServer, id: string) => ask<Key>(server, `/v1/keys/${id}`);

/** Whether the door lets a key in. */
async function opens(server: DemoServer, key: string): Promise<boolean> {
  // as: the contract of verifyKey.
  return (await server.call("POST", "/v1/keys/verify", { key }) as { valid: boolean }).valid;
}

export const firstKey: Work = {
  job: "First approved key by a newcomer",
  path:
    'The link that the start printed; "Add an API", its name, Enter; "Make a request", an address, Enter; "Approve & issue key", tick, Done',
  isFirst: true,
  work: async ({ server, page, hands }) => {
    let key = "";
    const isDone = (name: string) =>
      page.getByRole("listitem").filter({ has: page.getByRole("heading", { level: 3, name }) })
        .getByText("Done", { exact: true }).waitFor();
    const link = await server.link();
    await hands.do("First approved key by a newcomer", async () => {
      hands.count(1, 0, 0);
      await page.goto(link);
      await hands.click(button(page, "Add an API"));
      await dialog(page).waitFor();
      await hands.type("Weather");
      await hands.press("Enter");
      await isDone("An API and a plan");
      await hands.click(button(page, "Make a request"));
      await dialog(page).waitFor();
      await hands.type("ada@example.org");
      await hands.press("Enter");
      await isDone("The first request");
      await hands.click(button(page, "Approve & issue key"));
      await page.getByRole("heading", { level: 2, name: "Your first key" }).waitFor();
      key = await dialog(page).locator(".copy-value").first().textContent() ?? "";
      await hands.click(dialog(page).getByRole("checkbox"));
      await hands.click(button(page, "Done"));
      await dialog(page).waitFor({ state: "detached" });
    });
    assert.ok(await opens(server, key));
  },
};

export const leakedKey: Work = {
  job: "A leaked key's owner",
  path: "Ctrl K, Ctrl V: whose it is stands there. To revoke it: ↑, Enter, the reason, Enter",
  work: async ({ server, page, hands }) => {
    const { secret, id, email } = await issued(server);
    await copy(page, `curl -H 'Authorization: Bearer ${secret}' https://api.example.org`);
    const palette = dialog(page, "Search");
    await hands.do("A leaked key's owner", async () => {
      await hands.press("Control+k");
      await palette.getByRole("combobox").waitFor();
      await hands.press("Control+v");
      await palette.getByText("This key belongs to", { exact: true }).waitFor();
      await palette.getByText(email).first().waitFor();
    });
    assert.ok(!(await page.content()).includes(secret));
    await hands.do("and revoked", async () => {
      await hands.press("ArrowUp");
      await palette.getByRole("option", { selected: true }).filter({ hasText: "Revoke it" })
        .waitFor();
      await hands.press("Enter");
      await dialog(page, /revoke/i).waitFor();
      await hands.type("Found in a repository");
      await hands.press("Enter");
      await page.getByText("Revoked for good.").waitFor();
    });
    const { state, reason } = await read(server, id);
    assert.deepEqual([state, reason], ["revoked", "Found in a repository"]);
    assert.equal(await opens(server, secret), false);
  },
};

export const rotatedKey: Work = {
  job: "A key rotated by a one-time link",
  path:
    "Ctrl K, the developer's address; ↓ to the key, Enter; R, Enter, Enter (the one-time link is copied)",
  work: async ({ server, page, hands, browser }) => {
    const { secret, id, email } = await issued(server);
    const palette = dialog(page, "Search");
    await hands.do("A key rotated by a one-time link", async () => {
      await hands.press("Control+k");
      await palette.getByRole("combobox").waitFor();
      await hands.type(email);
      await palette.getByRole("group", { name: "Keys" }).waitFor();
      await hands.press("ArrowDown");
      await palette.getByRole("option", { selected: true }).filter({ hasText: "Key" }).waitFor();
      await hands.press("Enter");
      await page.waitForURL(`**/console/keys/${id}`);
      await drawer(page).getByText("History").waitFor();
      await hands.press("r");
      await dialog(page, "Rotate this key?").waitFor();
      await hands.press("Enter");
      await button(page, "Copy link & finish").waitFor();
      await hands.press("Enter");
      await dialog(page).waitFor({ state: "detached" });
    });
    const { replaced_by } = await read(server, id);
    await page.waitForURL(`**/console/keys/${replaced_by}`);
    // The developer opens what was copied.
    const link = await page.evaluate(() => navigator.clipboard.readText());
    await using developer = await visit(browser, { clipboard: false });
    await developer.page.goto(link);
    await developer.page.getByRole("button", { name: "Show it" }).click();
    await developer.page.getByText("Keep it now").waitFor();
    const fresh = await developer.page.locator("#parts code").first().textContent() ?? "";
    assert.notEqual(fresh, secret);
    assert.deepEqual([await opens(server, fresh), await opens(server, secret)], [true, true]);
    assert.deepEqual(developer.complaints, []);
  },
};
