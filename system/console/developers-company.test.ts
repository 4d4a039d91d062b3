/** Developers' own provider in Chromium, before a real one: `oidc-provider` of npm. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { signInThere, startRealProvider } from "../support/identity-provider.ts";
import { sharedBrowser } from "../support/shared-browser.ts";
import { mailServer } from "../../test/support/mail-server.ts";
import { signIn, startDemoServer, visit } from "./browser.ts";

const NAME = "Harbour Partners";
const CLIENT = { client_id: "keydesk-pages", client_secret: "a secret of both" };

/** What the browser itself says of calls that are refused. */
const expected = /Failed to load resource/;

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

Deno.test("developers' company sign-in: added in Settings, it signs up by a code, links from inside, and signs out", async () => {
  await using provider = await startRealProvider();
  const { issuer } = provider;
  await using mails = await mailServer();
  await using server = await startDemoServer(false, {
    KEYDESK_OUTBOUND: new URL(issuer).host,
    KEYDESK_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
    KEYDESK_MAIL_FROM: "desk@example.org",
  });
  await using browser = await sharedBrowser();
  await using admin = await visit(browser);
  await using grace = await visit(browser, { expected });
  await using ada = await visit(browser, { expected });
  // Another site than the provider's, so that cookies are as they will be.
  const desk = server.url.replace("127.0.0.1", "localhost");
  // The provider's own pages ask for a font from outside.
  for (const { context } of [grace, ada]) {
    await context.route(/googleapis/, (route) => route.abort());
  }
  await server.call("POST", "/v1/channels", {
    kind: "mail",
    name: "Mail",
    topics: ["developer.*"],
  });
  await server.call("PUT", "/v1/developer-pages", { enabled: true, sign_up: "open" });
  const codeFor = async (email: string): Promise<string> => {
    for (;;) {
      const mail = mails.taken.findLast(({ to }) => to.includes(email));
      const code = /^\d{6}$/m.exec(mail?.parsed.text ?? "")?.[0];
      if (code !== undefined) return code;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };

  // The administrator adds it for developers, and is asked for no groups.
  await signIn(admin, server, "/settings?show=sign-in");
  await button(admin.page, "Add a provider").click();
  const dialog = admin.page.getByRole("dialog", { name: "Add a provider" });
  const fill = (label: string, text: string) =>
    dialog.getByLabel(label, { exact: true }).fill(text);
  await dialog.getByLabel("For", { exact: true }).selectOption("developers");
  assert.equal(await dialog.getByRole("button", { name: "Add a group" }).count(), 0);
  await fill("Name on the button", NAME);
  await fill("Issuer", issuer);
  await fill("Client id", CLIENT.client_id);
  await fill("Client secret", CLIENT.client_secret);
  await fill("Mail domains", "harbour.example");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await dialog.waitFor({ state: "hidden" });
  const [comesBack = "", logout = ""] = await admin.page.locator(".copy-value").allTextContents();
  assert.match(`${comesBack} ${logout}`, /\/portal\/from\/\w+ .*\/v1\/my\/session\/provider\//);
  await provider.tell({
    ...CLIENT,
    redirect_uris: [comesBack.replace("127.0.0.1", "localhost")],
    backchannel_logout_uri: logout,
  });
  await admin.page.getByText("Developers, at their pages").waitFor();
  await admin.show("sign-in/company-developers");

  // Somebody new: by the domain to the provider, back, and up by a code.
  const { page } = grace;
  const leave = async (own: Page, email: string) => {
    await own.getByLabel("E-mail").first().fill(email);
    await button(own, "Sign in").click();
    await own.getByText(email).waitFor();
    await button(own, `Continue with ${NAME}`).click();
  };
  await page.goto(`${desk}/portal/keys`);
  await leave(page, "grace@harbour.example");
  await signInThere(page, "Grace");
  await page.getByRole("heading", { name: "No one has this account yet" }).waitFor();
  await grace.show("portal/company-nobody");
  await page.getByLabel("E-mail").fill("grace@harbour.example");
  await page.getByLabel("Name").fill("Grace");
  await button(page, "Mail me a code").click();
  await page.getByLabel("Six digits").fill(await codeFor("grace@harbour.example"));
  await page.getByRole("heading", { level: 1, name: "APIs" }).waitFor();
  const devtools = await grace.context.newCDPSession(page);
  const { entries } = await devtools.send("Page.getNavigationHistory");
  const kept = entries.filter(({ url }) => url.startsWith(desk) && url.includes("code="));
  assert.deepEqual(kept, [], "a code stays nowhere");
  await page.goto(`${desk}/portal/account`);
  await page.getByText("Accounts that sign you in").waitFor();
  await button(page, `Unlink the account at ${NAME}`).waitFor();
  await grace.show("portal/company-account");

  // From then on by the account alone, to where she wanted to go.
  await button(page, "Sign out").click();
  await page.goto(`${desk}/portal/keys`);
  await leave(page, "grace@harbour.example");
  await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor();
  assert.equal(page.url(), `${desk}/portal/keys`);

  // The provider signs her out, and she is out here.
  await page.goto(`${issuer}/session/end`);
  await page.locator("button[value=yes]").click();
  await page.waitForURL(/success/);
  await page.goto(`${desk}/portal/keys`);
  await page.getByRole("heading", { name: "Sign in", exact: true }).waitFor();

  // Somebody who is here already links an account from inside, in German.
  await server.call("POST", "/v1/developers", { id: "dev-ada", email: "ada@harbour.example" });
  const own = ada.page;
  await own.goto(`${desk}/portal/sign-in`);
  await own.getByLabel("Language").selectOption("de");
  await button(own, "Use this language").click();
  await own.getByLabel("E-Mail").first().fill("ada@harbour.example");
  await button(own, "Anmelden").click();
  await button(own, "Code zusenden").click();
  await own.getByLabel("Sechs Ziffern").fill(await codeFor("ada@harbour.example"));
  await own.getByRole("heading", { level: 1, name: "APIs" }).waitFor();
  await own.goto(`${desk}/portal/account`);
  await button(own, `Ein Konto bei ${NAME} verknüpfen`).click();
  await signInThere(own, "ada-there");
  await own.getByText("Das Konto ist verknüpft").waitFor();
  // Nobody else's account, and no second time.
  await own.goto(`${comesBack.replace("127.0.0.1", "localhost")}?code=any&state=any`);
  await own.getByText("Sie wurden nicht angemeldet").waitFor();
  await own.goto(`${desk}/portal/account`);
  await button(own, `Das Konto bei ${NAME} trennen`).click();
  await own.getByText("Das Konto meldet Sie nicht mehr an").waitFor();
  const { data: [left] } = await server.call("GET", "/v1/identity-providers") as {
    data: { people: number; for: string }[];
  };
  assert.deepEqual([left?.people, left?.for], [1, "developers"], "Grace alone");
  for (const one of [admin, grace, ada]) assert.deepEqual(one.complaints, []);
});
