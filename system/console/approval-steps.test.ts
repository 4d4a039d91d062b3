/** Approvals in steps, in Chromium: who must approve is set, a step is given, and shown. */
import assert from "node:assert/strict";
import { desk } from "./desk.ts";
import { button, details, dialog } from "./key-requests.ts";

Deno.test("approval policies: set at a plan, a step given, and who is missing", () =>
  desk(async (ada, page, server) => {
    // deno-lint-ignore no-explicit-any -- answers of several shapes, of which some members are read
    const call = (...of: Parameters<typeof server.call>): Promise<any> => server.call(...of);
    const { data: [plan] } = await call("GET", "/v1/plans?limit=1");
    const { data: [developer] } = await call("GET", "/v1/developers?limit=1");
    const person = { name: "Marit Solberg", permissions: ["portal:read", "approve"] };
    await call("POST", "/v1/people", person);
    await page.goto(`${server.url}/console/apis/plans/${plan.id}`);
    await button(page, "Who must approve").click();
    const form = dialog(page, /^Who must approve requests for /);
    await form.getByLabel("Decision").selectOption("steps");
    await button(page, "Add a step").click();
    await form.getByLabel("Name of step 1").fill("Platform team");
    await form.getByLabel("How many of step 1").fill("20");
    await button(page, "Save").click();
    await form.getByText(/20 of \d+ who may approve/).first().waitFor();
    await form.getByLabel("How many of step 1").fill("2");
    await form.getByText(/^First 2 of .*Platform team.*\. Then the key is made\.$/).waitFor();
    await ada.show("plans/policy");
    await button(page, "Save").click();
    await page.getByText(/^New requests for .* follow this/).waitFor();
    await page.locator(".drawer").getByText(/^First 2 of .*Platform team/).waitFor();
    // Beside the drawer there is no room for it.
    await page.locator(".api-questions", { hasText: "2 of Platform team" }).first()
      .waitFor({ state: "attached" });
    const body = { by_user: developer.id, for_plan: plan.id, fields: { use_case: "Lobbies" } };
    const { id } = await call("POST", "/v1/key-requests", body);
    await page.goto(`${server.url}/console/requests/${id}`);
    await details(page).getByText("0 of 2").waitFor();
    await button(page, "Approve").click();
    await dialog(page, "Approve this request?").waitFor();
    await page.getByLabel("Why (optional)").fill("Fine from our side");
    await button(page, "Approve & issue key").click();
    await page.getByText(/^Your approval counts\. 1 of “Platform team” must approve\.$/).waitFor();
    await details(page).getByText("1 of 2").waitFor();
    await details(page).getByText("Fine from our side").waitFor();
    await details(page).getByText(/Marit Solberg.* may\./).waitFor();
    await ada.show("key-requests/30-step");
    assert.equal((await call("GET", `/v1/key-requests/${id}`)).state, "pending");
    // The same person again is told so.
    await button(page, "Approve").click();
    await button(page, "Approve & issue key").click();
    await page.getByText(/^You have approved this key request already/).waitFor();
  }, { expected: /400|409/ }));

Deno.test("approval policies: a request that nobody can approve begins anew by today's policy", () =>
  desk(async (ada, page, server) => {
    // deno-lint-ignore no-explicit-any -- answers of several shapes, of which some members are read
    const call = (...of: Parameters<typeof server.call>): Promise<any> => server.call(...of);
    const { data: [plan] } = await call("GET", "/v1/plans?limit=1");
    const { data: [developer] } = await call("GET", "/v1/developers?limit=1");
    const permissions = ["portal:read", "portal:write", "approve"];
    const pia = await call("POST", "/v1/people", { name: "Pia Lund", permissions });
    const steps = [{ name: "Data", need: 1 }, { name: "Law", need: 1, people: [pia.id] }];
    const policy = `/v1/plans/${plan.id}/approval-policy`;
    await call("PUT", policy, { outcome: "steps", steps: steps.toReversed() });
    // Filed by another person than presses the button.
    const { access_token: credential } = await call("POST", `/v1/people/${pia.id}/access-tokens`, {
      name: "laptop",
      deliver: "answer",
    });
    const filed = await fetch(`${server.url}/v1/key-requests`, {
      method: "POST",
      headers: { authorization: credential, "content-type": "application/json" },
      body: JSON.stringify({
        by_user: developer.id,
        for_plan: plan.id,
        fields: { use_case: "Lobbies" },
      }),
    });
    const { id } = await filed.json();
    assert.equal(filed.status, 200);
    await call("DELETE", `/v1/people/${pia.id}`);
    // One person fewer than before: only a press lets this policy decide.
    await call("PUT", policy, { outcome: "steps", steps: steps.slice(0, 1) });
    await page.goto(`${server.url}/console/requests/${id}`);
    await details(page).getByText(/^No one can approve it now: .*restart its approval/).waitFor();
    await ada.show("key-requests/restart-approval");
    await button(page, "Restart approval").click();
    await details(page).getByText(/ may\.$/).waitFor();
    assert.equal(await button(page, "Restart approval").count(), 0);
    const { approval, may_approve } = await call("GET", `/v1/key-requests/${id}`);
    assert.equal(approval.steps.length, 1);
    assert.ok(may_approve.length > 0);
  }));
