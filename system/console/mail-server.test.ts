/** The mail server is set and tried in the settings, by the server's administrator, in Chromium. */
import assert from "node:assert/strict";
import { mailServer } from "../../test/support/mail-server.ts";
import { sharedBrowser } from "../support/shared-browser.ts";
import { signIn, startDemoServer, visit } from "./browser.ts";

Deno.test("mail server: set, tried and removed in the settings; what is not named is refused there", async () => {
  await using smtp = await mailServer();
  await using server = await startDemoServer(true, { KEYDESK_OUTBOUND: `127.0.0.1:${smtp.port}` });
  await using browser = await sharedBrowser();
  await using ada = await visit(browser, { expected: /400/ });
  await signIn(ada, server);
  const { page } = ada;
  await page.goto(`${server.url}/console/settings?show=mail-server`);
  const form = page.getByRole("form", { name: "Mail server" });
  await form.getByLabel("Host").fill("mail.example.org");
  await form.getByLabel("Sender").fill("keys@example.org");
  await form.getByRole("button", { name: "Save" }).click();
  await page.getByText("KEYDESK_OUTBOUND does not name mail.example.org:465").waitFor();
  await form.getByLabel("Host").fill("127.0.0.1");
  await form.getByLabel("Port").fill(String(smtp.port));
  await form.getByLabel("Encryption").selectOption({ label: "STARTTLS" });
  await ada.show("settings/mail-server");
  await form.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor();
  const test = page.getByRole("form", { name: "Test mail" });
  await test.getByLabel("To").fill("ada@example.org");
  await test.getByRole("button", { name: "Send a test mail" }).click();
  await page.getByText("Sent to ada@example.org.").waitFor();
  assert.deepEqual(smtp.taken.map(({ from, to }) => [from, to]), [
    ["keys@example.org", ["ada@example.org"]],
  ]);
  smtp.refuses = () => 550;
  await test.getByRole("button", { name: "Send a test mail" }).click();
  await page.getByText(/^Not sent: 550 /).waitFor();
  await page.getByRole("button", { name: "Remove the mail server" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await test.waitFor({ state: "detached" });
  assert.equal(await form.getByLabel("Host").inputValue(), "");
  assert.deepEqual(ada.complaints, []);
});
