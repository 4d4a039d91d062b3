/**
 * Break-glass in Chromium: an administrator writes the rule, its person gets temporary access by a
 * passkey, does what they usually may not, and ends it; the audit log shows what was done in it.
 */
import assert from "node:assert/strict";
import { desk } from "./desk.ts";
import { browserOf, named, withAuthenticator } from "./virtual-passkeys.ts";

Deno.test("temporary access: a rule, by passkey, on every screen, ended, and found in the audit log", () =>
  desk(async (ada, admin, server) => {
    const { link } = await server.call("POST", "/v1/people/invitations", {
      name: "Hedy",
      email: "hedy@example.org",
      permissions: ["portal:read"],
    }) as { link: string };
    const context = await browserOf(ada.page).newContext();
    try {
      const page = await context.newPage();
      await withAuthenticator(page);
      await page.goto(named(server) + link.slice(link.indexOf("/console")));
      await page.getByRole("button", { name: "Accept with a passkey", exact: true }).click();
      await page.getByRole("navigation").first().waitFor();

      await admin.goto(`${server.url}/console/settings?show=people`);
      await admin.getByRole("link", { name: "Temporary access", exact: true }).click();
      await admin.getByText("There is none.").waitFor();
      await admin.keyboard.press("n");
      const form = admin.getByRole("dialog");
      await form.getByLabel("Name", { exact: true }).fill("Incidents");
      await form.getByRole("group", { name: "Who may get temporary access" }).getByLabel("Hedy")
        .check();
      await form.getByLabel("Role", { exact: true }).selectOption("Approver");
      await form.getByRole("button", { name: "Add", exact: true }).click();
      const rule = admin.getByRole("listitem", { name: "Incidents" });
      await rule.getByText("Hedy").waitFor();
      await rule.getByText("No one would be alerted").waitFor();
      await ada.show("temporary-access/rule");

      const { data } = await server.call("GET", "/v1/key-requests?state=pending&sort=oldest") as {
        data: { id: string }[];
      };
      const at = `${named(server)}/console/requests/${data[0]?.id}`;
      const approve = page.getByRole("button", { name: "Approve", exact: true });
      await page.goto(at);
      await page.getByRole("button", { name: "Close" }).first().waitFor();
      assert.equal(await approve.count(), 0);
      await page.goto(`${named(server)}/console/settings`);
      await page.getByRole("button", { name: "Get access by Incidents" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Reason").fill("Incident 4711: a partner's keys leaked");
      await dialog.getByRole("button", { name: "Sign and get access" }).click();
      const line = page.getByText("You have temporary access until");
      await line.waitFor();
      await page.goto(at);
      await line.waitFor();
      await approve.click();
      await page.getByRole("dialog").getByRole("button", { name: /^Approve & issue key$/ }).click();
      await page.getByRole("dialog").getByRole("checkbox").check();
      await page.getByRole("dialog").getByRole("button", { name: "Done" }).click();
      await page.getByRole("button", { name: "Revoke it now" }).click();
      await line.waitFor({ state: "detached" });

      await admin.goto(`${server.url}/console/settings?show=temporary-access`);
      const done = admin.getByRole("listitem", { name: "Hedy" });
      await done.getByText(/by hand/).waitFor();
      await done.getByRole("link", { name: "What was done by Hedy" }).click();
      await admin.getByRole("button", { name: /^One temporary access/ }).waitFor();
      await admin.getByText(/approved the key request/).first().waitFor();
      await admin.getByText(/began (the )?temporary access/).first().waitFor();
    } finally {
      await context.close();
    }
  }));
