/**
 * Links that open a session, where somebody else is signed in, in Chromium: a press that names both
 * accounts, on console and developer's pages, and drafts that are one developer's.
 */
import assert from "node:assert/strict";
import { sharedBrowser } from "../support/shared-browser.ts";
import { startDemoServer, visit } from "./browser.ts";
import { desk } from "./desk.ts";

Deno.test("swap: a console link over another person's session asks, names both, and ends that", () =>
  desk(async (ada, page, server) => {
    const made = async (method: string, path: string, body: unknown) =>
      // as: what both calls answer.
      await server.call(method, path, body) as { id: string };
    const { id } = await made("POST", "/v1/people", {
      name: "Grace Hopper",
      permissions: ["portal:read", "approve"],
    });
    const token = await made("POST", `/v1/people/${id}/access-tokens`, {
      name: "laptop",
      deliver: "answer",
    });
    const sessionsOf = async () => (await ada.context.cookies()).map(({ value }) => value);
    const before = await sessionsOf();
    await page.goto(await server.link(token.id));
    const dialog = page.getByRole("dialog", { name: "Sign in as Grace Hopper?" });
    await dialog.waitFor();
    assert.match(await dialog.innerText(), /You are signed in as .+ signs in Grace Hopper/s);
    assert.ok(!page.url().includes("code="));
    await ada.show("sign-in/swap");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    assert.deepEqual(await sessionsOf(), before);
    await page.goto(await server.link(token.id));
    await dialog.getByRole("button", { name: "Sign in as Grace Hopper" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByText("Grace Hopper").first().waitFor();
    assert.notDeepEqual(await sessionsOf(), before);
    // One's own link asks nothing.
    await page.goto(await server.link(token.id));
    await page.getByRole("heading", { level: 1 }).waitFor();
    assert.equal(await page.getByRole("dialog").count(), 0);
  }));

Deno.test("swap: a developer's draft is theirs, and a link over their session takes a press", async () => {
  await using server = await startDemoServer(false);
  await using browser = await sharedBrowser();
  const call = (method: string, path: string, body?: unknown) =>
    // as: each caller below knows what its call answers.
    server.call(method, path, body) as Promise<Record<string, string>>;
  await call("PUT", "/v1/developer-pages", { enabled: true });
  const { Message: plan = "" } = await call("POST", "/api/portal/policies", {
    name: "Tides",
    active: true,
    access_rights: { tides: { api_id: "tides", api_name: "Tides" } },
  });
  await call("POST", "/api/portal/catalogue", {
    apis: [{
      name: "Tides",
      show: true,
      api_id: "tides",
      policy_id: plan,
      config: {
        override: true,
        require_key_approval: true,
        key_request_fields: [{ name: "What for", required: true }],
      },
    }],
  });
  for (const id of ["dev-ada", "dev-eve"]) {
    await call("POST", "/v1/developers", { id, email: `${id}@example.org` });
  }
  await using visitor = await visit(browser, { base: server.url, expected: /Failed to load/ });
  const { page } = visitor;
  const enter = async (id: string) => {
    const { token } = await call("POST", `/v1/developers/${id}/sign-in-links`);
    await page.goto("about:blank");
    await page.goto(`/portal/enter#${token}`);
  };
  const field = page.locator("form[data-draft] textarea").first();
  const form = async () => {
    await page.goto(`/portal/ask/${plan}`);
    await field.waitFor();
  };
  await enter("dev-ada");
  await page.getByRole("heading", { level: 1, name: "APIs" }).waitFor();
  await form();
  await field.fill("Ada's unsent words");
  await form();
  assert.equal(await field.inputValue(), "Ada's unsent words");
  await enter("dev-eve");
  const press = page.getByRole("button", { name: "Sign in as dev-eve@example.org" });
  await press.waitFor();
  assert.match(await page.locator("main").innerText(), /signed in as dev-ada@example\.org/);
  await visitor.show("portal/swap");
  await form();
  assert.equal(await field.inputValue(), "Ada's unsent words");
  await enter("dev-eve");
  await press.click();
  await page.getByRole("heading", { level: 1, name: "APIs" }).waitFor();
  await form();
  assert.equal(await field.inputValue(), "");
  const kept = await page.evaluate(() => JSON.stringify({ ...localStorage }));
  assert.ok(!kept.includes("Ada's unsent words"), kept);
  await visitor.check();
});
