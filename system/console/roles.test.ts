/** In Settings a person is given a role and a scope, and both are shown and changed again. */
import assert from "node:assert/strict";
import { desk } from "./desk.ts";

Deno.test("roles: a person is added with a role and a scope, and loses the scope again", () =>
  desk(async (ada, page, server) => {
    await page.goto(`${server.url}/console/settings`);
    await page.getByRole("row").getByText("administrator").first().waitFor();
    await page.keyboard.press("n");
    const form = page.getByRole("dialog");
    await form.getByLabel("Name", { exact: true }).fill("Pia");
    await form.getByLabel("Role", { exact: true }).selectOption("Approver");
    await form.getByLabel("Sees and decides").selectOption("Key requests of some plans alone");
    await form.getByLabel("APIs").fill("payments, cards");
    await form.getByLabel("Tags").fill("money");
    await ada.show("settings/scope");
    await form.getByRole("button", { name: "Add", exact: true }).click();
    const drawer = page.getByRole("complementary").or(page.getByRole("dialog"));
    await drawer.getByText("API cards, API payments, tag money").waitFor();
    await drawer.getByText("Approver").waitFor();
    const read = async () => {
      const { data } = await server.call("GET", "/v1/people") as {
        data: { name: string; role: string; covers: unknown }[];
      };
      return data.find(({ name }) => name === "Pia");
    };
    const covers = { plans: [], apis: ["cards", "payments"], tags: ["money"] };
    const added = await read();
    assert.deepEqual([added?.role, added?.covers], ["approver", covers]);
    await page.keyboard.press("e");
    const edit = page.getByRole("dialog");
    await edit.getByLabel("Sees and decides").selectOption("Everything");
    await edit.getByRole("button", { name: "Save", exact: true }).click();
    await edit.waitFor({ state: "hidden" });
    const changed = await read();
    assert.deepEqual([changed?.role, changed?.covers], ["approver", null]);
  }));
