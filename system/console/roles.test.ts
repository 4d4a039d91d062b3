/**
 * In Settings roles are kept, a person is given one and a scope, and what they can do is told in
 * sentences.
 */
import assert from "node:assert/strict";
import { desk } from "./desk.ts";

interface PlanRead {
  id: string;
  name: string;
  access_rights: Record<string, { api_name: string }>;
}

Deno.test("roles: a person is added with a role and a scope, and loses the scope again", () =>
  desk(async (ada, page, server) => {
    const { data: plans } = await server.call("GET", "/v1/plans") as { data: PlanRead[] };
    const [plan] = plans;
    const [[api, { api_name }] = ["", { api_name: "" }]] = Object.entries(
      plan?.access_rights ?? {},
    );
    assert.ok(plan && api && api_name);
    await page.goto(`${server.url}/console/settings?show=people`);
    await page.getByRole("row").getByText("administrator").first().waitFor();
    await page.keyboard.press("n");
    const form = page.getByRole("dialog");
    await form.getByLabel("Name", { exact: true }).fill("Pia");
    await form.getByLabel("Role", { exact: true }).selectOption("Approver");
    await form.getByLabel("Sees and decides").selectOption("What is of some plans alone");
    const choose = async (label: string, text: string, option: string) => {
      await form.getByRole("combobox", { name: label }).fill(text);
      await form.getByRole("option").filter({ hasText: option }).first().click();
    };
    await choose("Plans", plan.name.toLowerCase(), plan.name);
    await choose("APIs", api_name, api_name);
    // What no list here has stays possible by its id; and can be taken out again.
    await choose("APIs", "payments", "payments");
    await choose("APIs", "carts", "carts");
    await form.getByRole("button", { name: "Take out carts" }).click();
    await form.getByRole("list", { name: "Plans of the scope" }).getByText(plan.name).waitFor();
    await form.getByLabel("Tags").fill("money");
    await ada.show("settings/scope");
    await form.getByRole("button", { name: "Add", exact: true }).click();
    const drawer = page.getByRole("complementary").or(page.getByRole("dialog"));
    await drawer.getByText("API payments, tag money").or(
      drawer.getByText(`API payments, API ${api}, tag money`),
    ).waitFor();
    await drawer.getByText("Approver").waitFor();
    const read = async () => {
      const { data } = await server.call("GET", "/v1/people") as {
        data: { name: string; role: string; scope: unknown }[];
      };
      return data.find(({ name }) => name === "Pia");
    };
    const scope = { plans: [plan.id], apis: [api, "payments"].sort(), tags: ["money"] };
    const added = await read();
    assert.deepEqual([added?.role, added?.scope], ["approver", scope]);
    await drawer.getByText("What they can do, and why").click();
    await drawer.getByText("the role Approver gives approve.").first().waitFor();
    await ada.show("settings/can-do");
    await page.keyboard.press("e");
    const edit = page.getByRole("dialog");
    await edit.getByLabel("Sees and decides").selectOption("Everything");
    await edit.getByRole("button", { name: "Save", exact: true }).click();
    await edit.waitFor({ state: "hidden" });
    const changed = await read();
    assert.deepEqual([changed?.role, changed?.scope], ["approver", null]);
  }));

Deno.test("roles: one is added, changed, kept while somebody has it, and removed", () =>
  desk(async (ada, page, server) => {
    await page.goto(`${server.url}/console/settings?show=people`);
    await page.getByRole("link", { name: "Roles", exact: true }).click();
    const list = page.getByRole("region", { name: "Roles" });
    const auditor = list.getByRole("listitem", { name: "Auditor", exact: true });
    await auditor.getByText("See the audit log").waitFor();
    assert.equal(await auditor.getByRole("button").count(), 0);
    await page.keyboard.press("n");
    const form = page.getByRole("dialog");
    await form.getByLabel("Name", { exact: true }).fill("auditor");
    await form.getByLabel("Revoke keys").check();
    await form.getByRole("button", { name: "Add", exact: true }).click();
    await form.getByRole("alert").filter({ hasText: /name/i }).first().waitFor();
    await form.getByLabel("Name", { exact: true }).fill("First line");
    await form.getByRole("button", { name: "Add", exact: true }).click();
    const own = list.getByRole("listitem", { name: "First line", exact: true });
    await own.getByText("No one").waitFor();
    const { data } = await server.call("GET", "/v1/roles") as {
      data: { id: string; name: string }[];
    };
    const id = data.find(({ name }) => name === "First line")?.id ?? "";
    const pia = await server.call("POST", "/v1/people", { name: "Pia", role: id }) as {
      id: string;
    };
    await own.getByRole("button", { name: "Change First line" }).click();
    await form.getByLabel("See requests, keys, developers, plans").check();
    await form.getByRole("button", { name: "Save", exact: true }).click();
    await own.getByText("1 person", { exact: true }).waitFor();
    const held = await server.call("GET", `/v1/people/${pia.id}`) as { permissions: string[] };
    assert.deepEqual(held.permissions, ["portal:read", "revoke"]);
    await ada.show("settings/roles");
    await own.getByRole("button", { name: "Remove First line" }).click();
    await form.getByText("Used by 1 person: give them another one first.").waitFor();
    await form.getByRole("button", { name: "Remove", exact: true }).click();
    await form.getByText(/in use by 1 person/).waitFor();
    await form.getByRole("button", { name: "Cancel" }).click();
    await server.call("PUT", `/v1/people/${pia.id}`, { name: "Pia", role: "support" });
    await own.getByRole("button", { name: "Remove First line" }).click();
    await form.getByRole("button", { name: "Remove", exact: true }).click();
    await own.waitFor({ state: "detached" });
    await page.getByRole("link", { name: "People", exact: true }).click();
    await page.getByRole("row").getByText("Pia").first().waitFor();
  }, { expected: /409/ }));

Deno.test("roles: a change that leaves an approval policy to no one says which", () =>
  desk(async (ada, page, server) => {
    const role = await server.call("POST", "/v1/roles", {
      name: "Deciders",
      permissions: ["portal:read", "approve"],
    }) as { id: string };
    await server.call("POST", "/v1/people", { name: "Dan", role: role.id });
    const steps = [{ name: "Data", need: 1, role: role.id }];
    await server.call("PUT", "/v1/approval-policy", { outcome: "steps", steps });
    await page.goto(`${server.url}/console/settings?show=people`);
    await page.getByRole("link", { name: "Roles", exact: true }).click();
    await page.getByRole("button", { name: "Change Deciders" }).click();
    const form = page.getByRole("dialog");
    await form.getByLabel("Approve and decline key requests").first().uncheck();
    await form.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText(/^No one could fulfil these approval policies any more: the default\./)
      .waitFor();
    await ada.show("settings/role-left-open");
  }));
