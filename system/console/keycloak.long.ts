/**
 * People and developers come by Keycloak, in Chromium: one more real provider beside
 * `oidc-provider` of npm. In `npm run test:long` alone, since it takes 160 MB, and a minute to
 * start.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Page } from "playwright-core";
import { presetTerms } from "../../src/contract/provider-presets.ts";
import { mailServer } from "../../test/support/mail-server.ts";
import { keycloak } from "../support/keycloak.ts";
import { sharedBrowser } from "../support/shared-browser.ts";
import { type DemoServer, startDemoServer, visit } from "./browser.ts";
import { seesMistypedSecret } from "./mistyped-secret.ts";

const SECRET = "a secret of both";

/** What the browser itself says of calls that are refused. */
const expected = /Failed to load resource/;

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

async function signInThere(page: Page, who: string): Promise<void> {
  await page.locator("#username").fill(who);
  await page.locator("#password").fill("any");
  await page.locator("#kc-login").click();
}

Deno.test("Keycloak: a mistyped secret is told; people by a group, developers by a code and then by it alone; it signs them out", async () => {
  await using provider = await keycloak();
  await using mails = await mailServer();
  await using server = await startDemoServer(false, {
    KEYDESK_OUTBOUND: provider.host,
    KEYDESK_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
    KEYDESK_MAIL_FROM: "desk@example.org",
  });
  const desk = server.url.replace("127.0.0.1", "localhost");
  await server.call("PUT", "/v1/sign-in-rules", { tokens: true, domains: ["harbour.example"] });
  await server.call("POST", "/v1/channels", {
    kind: "mail",
    name: "Mail",
    topics: ["developer.*"],
  });
  await server.call("PUT", "/v1/developer-pages", { enabled: true, sign_up: "open" });
  const add = async (client_id: string, more: Record<string, unknown>) => {
    const terms = { client_id, client_secret: SECRET, issuer: provider.issuer, name: client_id };
    const made = await server.call("POST", "/v1/identity-providers", { ...terms, ...more });
    // as: what the endpoint answers.
    return (made as { id: string }).id;
  };
  const { scopes, groups_claim, groups_form, groups_drop_slash, logout_ends, recheck_minutes } =
    presetTerms.keycloak;
  const peoples = await add("keydesk-console", {
    client_secret: "mistyped",
    ...{ preset: "keycloak", scopes, groups_claim, groups_form, groups_drop_slash, logout_ends },
    recheck_minutes,
    domains: ["harbour.example"],
    groups: [{ group: "desk", permissions: ["portal:read", "approve"] }],
    creates_people: true,
  });
  const developers = await add("keydesk-pages", { for: "developers", domains: [] });
  await provider.start([
    {
      clientId: "keydesk-console",
      secret: SECRET,
      redirectUri: `${desk}/console/from/${peoples}`,
      logoutUri: `${server.url}/v1/session/provider/${peoples}/logout`,
    },
    {
      clientId: "keydesk-pages",
      secret: SECRET,
      redirectUri: `${desk}/portal/from/${developers}`,
      logoutUri: `${server.url}/v1/my/session/provider/${developers}/logout`,
    },
  ]);
  await using browser = await sharedBrowser();
  await using ada = await visit(browser);
  await using grace = await visit(browser, { expected });
  await using eve = await visit(browser, { expected });

  const leave = async (page: Page, email: string) => {
    await page.getByLabel("Your e-mail address").fill(email);
    await button(page, "Continue").click();
    await button(page, "Continue with keydesk-console").click();
  };
  const { page } = grace;
  const come = async (own: Page) => {
    await own.goto(`${desk}/console/keys`);
    await leave(own, "grace@harbour.example");
    await signInThere(own, "grace");
  };
  await seesMistypedSecret(ada, server, {
    name: "keydesk-console",
    secret: SECRET,
    visitor: grace,
    come,
  });

  // A person by their group.
  await come(page);
  await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor();
  // One in no group is not in.
  await eve.page.goto(`${desk}/console`);
  await leave(eve.page, "eve@harbour.example");
  await signInThere(eve.page, "eve");
  await eve.page.getByText("None of your groups gives access here").waitFor();

  // The same provider says to the developer's pages who they are: signed in there already.
  await page.goto(`${desk}/portal/keys`);
  await button(page, "Continue with keydesk-pages").click();
  await page.getByRole("heading", { name: "No one has this account yet" }).waitFor();
  assert.equal(await page.getByLabel("E-mail").inputValue(), "grace@harbour.example");
  await button(page, "Mail me a code").click();
  let code: string | undefined;
  while (code === undefined) {
    code = /^\d{6}$/m.exec(mails.taken.at(-1)?.parsed.text ?? "")?.[0];
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await page.getByLabel("Six digits").fill(code);
  await page.getByRole("heading", { level: 1, name: "APIs" }).waitFor();
  await page.goto(`${desk}/portal/account`);
  await button(page, "Sign out").click();
  await page.goto(`${desk}/portal/keys`);
  await button(page, "Continue with keydesk-pages").click();
  await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor();
  assert.equal(page.url(), `${desk}/portal/keys`);

  // Signed out there, she is out of both.
  await page.goto(`${provider.issuer}/protocol/openid-connect/logout`);
  await page.locator("#kc-logout").click();
  await page.locator("#kc-logout").waitFor({ state: "hidden" });
  await page.goto(`${desk}/portal/keys`);
  await page.getByRole("heading", { name: "Sign in", exact: true }).waitFor();
  await page.goto(`${desk}/console/keys`);
  await page.getByLabel("Your e-mail address").waitFor();

  // Two browsers of hers: "Logout all sessions" sends one token, and she is out of both.
  await using second = await visit(browser, { expected });
  const comeIn = async (own: Page) => {
    await own.goto(`${desk}/console/keys`);
    await leave(own, "grace@harbour.example");
    const keys = own.getByRole("heading", { level: 1, name: "Keys" });
    await own.locator("#username").or(keys).first().waitFor();
    if (!await keys.isVisible()) await signInThere(own, "grace");
    await keys.waitFor();
  };
  await comeIn(page);
  await comeIn(second.page);
  const [user] = await provider.administer("GET", "/users?username=grace&exact=true") as {
    id: string;
  }[];
  const path = `/users/${user?.id}`;
  const sessions = () => countSessions(server);
  assert.equal(sessions(), 2);
  const took = async (what: string, until: number) => {
    const began = performance.now();
    while (sessions() > until) await new Promise((resolve) => setTimeout(resolve, 100));
    console.log(`Keycloak: ${what}: ${Math.round((performance.now() - began) / 100) / 10} s`);
  };
  await provider.administer("POST", `${path}/logout`);
  await took("all sessions were logged out, out after", 0);

  // Disabled there, she is out when it is asked again; a group that is taken away likewise.
  await comeIn(page);
  const whole = await provider.administer("GET", path) as Record<string, unknown>;
  await provider.administer("PUT", path, { ...whole, enabled: false });
  due(server);
  await took("disabled, out after it was due", 0);
  await page.goto(`${desk}/console/keys`);
  await page.getByLabel("Your e-mail address").waitFor();
  await provider.administer("PUT", path, { ...whole, enabled: true });
  await comeIn(page);
  const groups = await provider.administer("GET", `${path}/groups`) as { id: string }[];
  for (const { id } of groups) await provider.administer("DELETE", `${path}/groups/${id}`);
  due(server);
  await took("no group any more, out after it was due", 0);
  await page.goto(`${desk}/console/keys`);
  await page.getByLabel("Your e-mail address").waitFor();
  for (const one of [ada, grace, eve, second]) assert.deepEqual(one.complaints, []);
});

function open(server: DemoServer): DatabaseSync {
  const database = new DatabaseSync(join(server.settings.KEYDESK_DATA_DIR ?? "", "keydesk.db"));
  database.exec("pragma busy_timeout = 10000");
  return database;
}

/** Sessions of people that a provider opened. */
function countSessions(server: DemoServer): number {
  const database = open(server);
  const row = database.prepare("select count(*) as n from sessions where opened_by = 'provider'")
    .get();
  database.close();
  return Number(row?.n);
}

/** Makes it look as if the time to ask again had come. */
function due(server: DemoServer): void {
  const database = open(server);
  database.prepare("update provider_grants set next_at = ?").run(new Date().toISOString());
  database.close();
}
