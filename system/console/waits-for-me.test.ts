/** What waits for whoever looks stands first, in Chromium: for whoever has a step of a policy. */
import assert from "node:assert/strict";
import { desk } from "./desk.ts";
import { rows } from "./key-requests.ts";

Deno.test("waits for me: first for whoever has a step, all by a chip, and remembered", () =>
  desk(async (ada, page, server) => {
    // deno-lint-ignore no-explicit-any -- answers of several shapes, of which some members are read
    const call = (...of: Parameters<typeof server.call>): Promise<any> => server.call(...of);
    const chip = page.getByRole("button", { name: /^Waits for me/ });
    const turn = page.getByLabel("Whose turn");
    assert.equal(await chip.count(), 0);
    assert.equal(await turn.inputValue(), "");
    const marit = await call("POST", "/v1/people", {
      name: "Marit Solberg",
      permissions: ["portal:read", "approve"],
    });
    const { data: [plan, other] } = await call("GET", "/v1/plans?limit=2");
    const { data: [developer] } = await call("GET", "/v1/developers?limit=1");
    const { person } = await call("GET", "/v1/me");
    const steps = (id: string) => ({
      outcome: "steps",
      steps: [{ name: "Data", need: 1, people: [id] }],
    });
    const ask = async (id: string) =>
      (await call("POST", "/v1/key-requests", { by_user: developer.id, for_plan: id })).id;
    await call("PUT", `/v1/plans/${other.id}/approval-policy`, steps(marit.id));
    const hers = await ask(other.id);
    await call("PUT", `/v1/plans/${plan.id}/approval-policy`, steps(person.id));
    const mine = await ask(plan.id);
    const link = (id: string) => page.locator(`a[href*="${id}"]`).first();
    const list = () => page.waitForResponse(/\/v1\/key-requests\?state=pending&/);

    // The first visit since then knows it by the session alone.
    await page.goto(`${server.url}/console/requests`);
    await chip.waitFor();
    await link(mine).waitFor();
    assert.equal(await link(hers).count(), 0);
    await ada.show("key-requests/34-waits-for-me");
    // A job selects by it, too.
    await page.keyboard.press("m");
    await page.getByText("All 22 that match", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    // The next one asks for nothing else, and once.
    const asked: string[] = [];
    page.on("request", (one) => {
      if (/\/v1\/key-requests\?/.test(one.url())) asked.push(new URL(one.url()).search);
    });
    await Promise.all([list(), page.reload()]);
    await link(mine).waitFor();
    assert.deepEqual(asked, ["?state=pending&waits_for=me&limit=25"]);
    await page.goto(`${server.url}/console/home`);
    await page.getByRole("heading", { name: "Waiting for you" }).waitFor();
    await page.getByRole("link", { name: /^\d+ for others$|^All \d+$/ }).click();
    await rows(page).nth(3).waitFor();
    assert.equal(await chip.count(), 0);

    await page.goto(`${server.url}/console/requests`);
    await chip.click();
    await link(hers).waitFor();
    assert.equal(await chip.count(), 0);
    await page.reload();
    await link(hers).waitFor();
    assert.equal(await turn.inputValue(), "");
    await turn.selectOption("me");
    await chip.waitFor();
    await page.reload();
    await chip.waitFor();
    assert.equal(await link(hers).count(), 0);
    // A search of one's own that finds nothing leads to all by one click.
    await page.goto(`${server.url}/console/requests?q=${hers}`);
    await page.getByRole("button", { name: "Clear filters" }).last().click();
    await rows(page).first().waitFor();
    await link(hers).waitFor();
  }));
