/** The company's sign-in in Chromium, before a real provider: `oidc-provider` of npm. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Page } from "playwright-core";
import { signInThere, startRealProvider } from "../support/identity-provider.ts";
import { sharedBrowser } from "../support/shared-browser.ts";
import { type DemoServer, signIn, startDemoServer, visit } from "./browser.ts";

const NAME = "Veldhaven Transit";
const CLIENT = { client_id: "keydesk-console", client_secret: "a secret of both" };

/** What the browser itself says of calls that are refused. */
const expected = /Failed to load resource/;

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

/** From the desk's sign-in to the provider, by an address of the company. */
async function leaveFor(page: Page, address: string): Promise<void> {
  await page.getByLabel("Your e-mail address").fill(address);
  await button(page, "Continue").click();
  await button(page, `Continue with ${NAME}`).click();
}

/** An administrator adds the provider in Settings, and tells it of the desk. */
async function addProvider(page: Page, issuer: string): Promise<Record<string, unknown>> {
  await button(page, "Add a provider").click();
  const dialog = page.getByRole("dialog", { name: "Add a provider" });
  const fill = (label: string, text: string) =>
    dialog.getByLabel(label, { exact: true }).fill(text);
  await fill("Name on the button", NAME);
  await fill("Issuer", issuer);
  await fill("Client id", CLIENT.client_id);
  await fill("Client secret", CLIENT.client_secret);
  await fill("Mail domains", "example.org");
  await button(page, "Add a group").click();
  await fill("Group 1", "desk");
  await dialog.getByLabel("Role").selectOption("Approver");
  await dialog.getByLabel("Add people at their first sign-in").check();
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await dialog.waitFor({ state: "hidden" });
  const shown = await page.locator(".copy-value").allTextContents();
  const [comesBack = "", logout = ""] = shown;
  return {
    ...CLIENT,
    redirect_uris: [comesBack.replace("127.0.0.1", "localhost")],
    backchannel_logout_uri: logout,
  };
}

/** Makes all sessions look as if they had begun so many minutes ago. */
function age(server: DemoServer, minutes: number): void {
  const database = new DatabaseSync(join(server.settings.KEYDESK_DATA_DIR ?? "", "keydesk.db"));
  database.exec("pragma busy_timeout = 10000");
  database.prepare("update sessions set created_at = ?")
    .run(new Date(Date.now() - minutes * 60_000).toISOString());
  database.close();
}

Deno.test("company sign-in: added in Settings, it lets in whom its groups or a link say, nobody else, and signs them out", async () => {
  await using provider = await startRealProvider();
  const { issuer } = provider;
  await using server = await startDemoServer(false, { KEYDESK_OUTBOUND: new URL(issuer).host });
  await using browser = await sharedBrowser();
  await using ada = await visit(browser);
  await using grace = await visit(browser, { expected });
  await using hedy = await visit(browser, { expected });
  // Another site than the provider's, so that cookies are as they will be.
  const desk = server.url.replace("127.0.0.1", "localhost");

  await server.call("PUT", "/v1/sign-in-rules", { tokens: true, domains: ["example.org"] });
  await signIn(ada, server, "/settings?show=sign-in");
  await provider.tell(await addProvider(ada.page, issuer));
  await button(ada.page, `Try it: ${NAME}`).click();
  await ada.page.getByText(/^It answers/).waitFor();

  // Somebody new, by a group; they go on where they wanted to be.
  const { page } = grace;
  // The provider's own pages ask for a font from outside.
  for (const { context } of [grace, hedy]) {
    await context.route(/googleapis/, (route) => route.abort());
  }
  await page.goto(`${desk}/console/keys?state=expired`);
  await leaveFor(page, "grace@example.org");
  await signInThere(page, "Grace+desk");
  await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor();
  assert.equal(page.url(), `${desk}/console/keys?state=expired`);
  const devtools = await grace.context.newCDPSession(page);
  const { entries } = await devtools.send("Page.getNavigationHistory");
  const kept = entries.filter(({ url, title }) => `${url} ${title}`.includes("code="))
    .filter(({ url }) => url.startsWith(desk));
  assert.deepEqual(kept, [], "a code stays nowhere");
  const { data } = await server.call("GET", "/v1/people") as {
    data: { name: string; permissions: string[] }[];
  };
  const added = data.find((one) => one.name === "Grace");
  assert.deepEqual(added?.permissions, ["portal:read", "approve"]);

  // What would be refused to whom a provider added is not offered, and it says why.
  await page.goto(`${desk}/console/settings`);
  await page.getByText(`${NAME} added you and says when you are out`).waitFor();
  await page.getByText("None can be added").waitFor();
  for (const name of [/^Unlink/, /^Link an account/, /^Add a passkey/]) {
    assert.equal(await page.getByRole("button", { name }).count(), 0, String(name));
  }
  await grace.show("sign-in/company-keeps");

  // The provider signs her out, and she is out here.
  await page.goto(`${issuer}/session/end`);
  await page.locator("button[value=yes]").click();
  await page.waitForURL(/success/);
  await page.goto(`${desk}/console/keys`);
  await page.getByLabel("Your e-mail address").waitFor();

  // Somebody else of the company, in no group.
  await leaveFor(page, "eve@example.org");
  await signInThere(page, "Eve");
  await page.getByText("None of your groups gives access here").waitFor();
  assert.equal(page.url(), `${desk}/console`);
  await grace.show("sign-in/company-refused");
  await button(page, "Back to the sign-in").click();
  await page.getByLabel("Your e-mail address").waitFor();
  assert.equal(page.url(), `${desk}/console/keys`);
  // What nobody here began, and what was ended there.
  const back = `${desk}/console/from/${await providerId(server)}`;
  await page.goto(`${back}?code=anything&state=anything`);
  await page.getByText("was begun in another browser").waitFor();
  await page.goto(`${back}?error=access_denied&state=anything`);
  await page.getByText("You are not signed in: the sign-in was cancelled at").waitFor();

  // Somebody who was invited links an account from inside, and comes by it from then on.
  const invited = await server.call("POST", "/v1/people/invitations", {
    name: "Hedy",
    email: "hedy@example.org",
    permissions: ["audit"],
  }) as { link: string };
  const own = hedy.page;
  await own.goto(desk + invited.link.slice(invited.link.indexOf("/console")));
  await button(own, "Accept with an access token").click();
  await own.getByRole("dialog").getByRole("checkbox").check();
  await button(own, "Done").click();
  await own.getByRole("heading", { level: 1 }).waitFor();
  await own.goto(`${desk}/console/settings`);
  await button(own, `Link an account at ${NAME}`).click();
  await signInThere(own, "hedy-there");
  await own.getByText("signs you in from now on").waitFor();
  await button(own, "Sign out").first().click();
  await leaveFor(own, "hedy@example.org");
  // Signed in there already.
  await own.getByRole("heading", { level: 1, name: "Audit log" }).waitFor();
  await own.goto(`${desk}/console/settings`);
  await own.getByText("Signed in by the company’s sign-in").waitFor();

  // What asks for a fresh sign-in waits while the provider asks again, in another tab.
  age(server, 10);
  await button(own, `Unlink the account at ${NAME}`).click();
  await own.getByRole("dialog").getByRole("button", { name: "Unlink" }).click();
  const [tab] = await Promise.all([
    hedy.context.waitForEvent("page"),
    own.getByRole("link", { name: `Continue with ${NAME}` }).click(),
  ]);
  await signInThere(tab, "hedy-there");
  await tab.getByText("You are signed in").waitFor();
  await tab.close();
  await own.evaluate(() => dispatchEvent(new Event("focus")));
  // The session that does it goes on; the others that began so are over.
  await button(own, `Link an account at ${NAME}`).waitFor();
  const { data: [left] } = await server.call("GET", "/v1/identity-providers") as {
    data: { people: number }[];
  };
  assert.equal(left?.people, 1, "Grace alone");
  for (const one of [ada, grace, hedy]) assert.deepEqual(one.complaints, []);
});

async function providerId(server: DemoServer): Promise<string> {
  const { data } = await server.call("GET", "/v1/identity-providers") as { data: { id: string }[] };
  return data[0]?.id ?? "";
}
