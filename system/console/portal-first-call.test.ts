/** From an address that nobody knows to a first call, in Chromium, with mails by a real server. */
import assert from "node:assert/strict";
import { mailServer } from "../../test/support/mail-server.ts";
import { sharedBrowser } from "../support/shared-browser.ts";
import { startDemoServer, visit } from "./browser.ts";

/** The most that somebody does until a key of a plan at once was called with. */
const MOST_DEEDS = 9;

Deno.test("portal: from sign-up to the first call of a plan at once are nine deeds at the most", async () => {
  await using mails = await mailServer();
  await using server = await startDemoServer(false, {
    KEYDESK_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
    KEYDESK_MAIL_FROM: "desk@example.org",
  });
  await server.call("POST", "/v1/targets", {
    kind: "mail",
    name: "Mail",
    topics: ["developer.*"],
  });
  await server.call("PUT", "/v1/branding", {
    name: "Coastal",
    base_url: "https://api.example.org/tides",
  });
  await server.call("PUT", "/v1/developer-pages", { enabled: true, sign_up: "open" });
  const { Message: policy_id } = await server.call("POST", "/api/portal/policies", {
    name: "Free",
    active: true,
    access_rights: { tides: { api_id: "tides", api_name: "Tides" } },
    // as: the answer of the older interface.
  }) as { Message: string };
  await server.call("POST", "/api/portal/catalogue", {
    apis: [{
      name: "Tides",
      show: true,
      api_id: "tides",
      policy_id,
      config: { override: true, require_key_approval: false },
    }],
  });
  await using browser = await sharedBrowser();
  await using ada = await visit(browser);
  const { page } = ada;
  await page.goto(`${server.url}/portal/sign-up`);
  let deeds = 0;
  const deed = async (act: () => Promise<unknown>) => {
    deeds++;
    await act();
  };
  await deed(() => page.getByLabel("E-mail").fill("ada@example.org"));
  await deed(() => page.getByLabel("Name").fill("Ada Lovelace"));
  await deed(() => page.getByRole("button", { name: "Mail me a code" }).click());
  const field = page.getByLabel("Six digits");
  await field.waitFor();
  const arrived = async (): Promise<string> => {
    for (const { parsed } of mails.taken) {
      const code = /\b(\d{6})\b/.exec(`${parsed.subject} ${parsed.text}`)?.[1];
      if (code !== undefined) return code;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
    return await arrived();
  };
  const code = await arrived();
  await deed(() => field.pressSequentially(code));
  await deed(() => page.getByRole("link", { name: "Get a key now" }).click());
  await deed(() => page.getByRole("button", { name: "Get the key" }).click());
  await deed(() => page.getByRole("button", { name: "Show the key" }).click());
  const shown = page.locator("#key");
  await shown.waitFor();
  await deed(() => page.locator("button[data-copy=key]").click());
  const key = (await shown.innerText()).trim();
  await deed(() => server.call("POST", "/v1/keys/verify", { key, api_id: "tides" }));
  await page.getByText("The first call came in and was answered").waitFor();
  assert.ok(deeds <= MOST_DEEDS, `${deeds} deeds`);
  const complaints = ada.complaints.filter((one) => !/clipboard/i.test(one));
  assert.deepEqual(complaints, []);
});
