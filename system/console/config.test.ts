/**
 * Configuration files in Chromium: a plan says which file manages it and drifts, Home and Settings
 * show it, the rule is changed, and a change that takes a person is reviewed and confirmed.
 */
import assert from "node:assert/strict";
import { desk } from "./desk.ts";

interface PlanRead {
  id: string;
  name: string;
  keys: number;
}

const APPLY = "/v1/config/apply";

Deno.test("configuration files: drift is shown, and a change is reviewed and confirmed", () =>
  desk(async (ada, page, server) => {
    await page.goto(`${server.url}/console/settings?show=config`);
    await page.getByText("keydesk export config >organisation.yaml").waitFor();
    await ada.show("settings/config-none");

    const { data: plans } = await server.call("GET", "/v1/plans") as { data: PlanRead[] };
    const plan = plans.toSorted((one, other) => other.keys - one.keys)[0];
    assert.ok(plan && plan.keys > 0);
    const { id, name } = plan;
    const source = "platform.yaml";
    const declares = (config: object) => ({ config, source, revision: "3f9c1e2" });
    await server.call("POST", APPLY, declares({ plans: [{ name, rate: 7, per: 1 }] }));
    await page.goto(`${server.url}/console/apis/plans/${id}`);
    await page.getByText("changes here are drift").waitFor();
    await ada.show("apis/plan-managed");
    await server.call("PUT", `/v1/plans/${id}`, { rate: 9 });

    await page.goto(`${server.url}/console/home`);
    await page.getByText("Things that differ from their files: 1", { exact: true }).waitFor();
    await ada.show("home/drift");
    await page.goto(`${server.url}/console/settings?show=config`);
    const drifted = page.getByRole("listitem", { name: `Plan ${name}` });
    const members = drifted.getByRole("row", { name: /^rate/ });
    assert.match(await members.innerText(), /rate\s+9\s+7/);
    await page.getByRole("link", { name: `Plan ${name}` }).first().waitFor();
    await ada.show("settings/config");
    await server.call("PUT", `/v1/plans/${id}`, { rate: 7 });
    await page.reload();
    await drifted.getByText("No member differs").waitFor();
    await page.getByLabel("Changes of managed things").selectOption("Are refused");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved.").waitFor();
    await page.goto(`${server.url}/console/apis/plans/${id}`);
    await page.getByText("changes here are refused").waitFor();

    const body = declares({
      plans: [{ name, rate: 7, per: 1, active: false }],
      roles: [{ name: "On call", permissions: ["portal:read", "revoke"] }],
    });
    const refused = await fetch(new URL(APPLY, server.url), {
      method: "POST",
      headers: { authorization: server.admin },
      body: JSON.stringify(body),
    });
    const { code, detail } = await refused.json();
    assert.equal(code, "config_unconfirmed");
    const [, address] = /(\/console\/settings\/config\/\S+)\. /.exec(detail) ?? [];
    assert.ok(address, detail);
    await page.goto(`${server.url}/console/settings?show=config`);
    await page.getByRole("link", { name: /^Review the change by platform.yaml/ }).click();
    await page.getByText("These lose access").waitFor();
    assert.equal(new URL(page.url()).pathname, address);
    await page.getByRole("listitem", { name: "Add role On call" }).waitFor();
    await ada.show("settings/config-review");
    await page.getByRole("button", { name: "Confirm", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("once, within a day").waitFor();
    await ada.show("settings/config-confirm");
    await dialog.getByRole("button", { name: "Confirm", exact: true }).click();
    await page.getByText("An access token may apply exactly this").waitFor();
    await server.call("POST", APPLY, body);
    await page.reload();
    await page.getByText("There is no such change").waitFor();
    await page.getByRole("link", { name: "All configuration files" }).click();
    await page.getByRole("row", { name: /Role On call/ }).waitFor();
  }, { expected: /404/ }));
