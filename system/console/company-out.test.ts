/**
 * A mistyped secret is told where the provider is set, and whom the provider disables, or takes the
 * groups of, is out: in Chromium, before `oidc-provider` of npm as it is by default.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Page } from "playwright-core";
import { signInThere, startRealProvider } from "../support/identity-provider.ts";
import { sharedBrowser } from "../support/shared-browser.ts";
import { type DemoServer, startDemoServer, visit, type Visitor } from "./browser.ts";
import { seesMistypedSecret } from "./mistyped-secret.ts";
import { eventually } from "../../test/support/eventually.ts";

const NAME = "Veldhaven Transit";
const CLIENT = { client_id: "keydesk-console", client_secret: "a-secret_of.both" };

/** What the browser itself says of calls that are refused. */
const expected = /Failed to load resource/;

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

function store(server: DemoServer): DatabaseSync {
  const database = new DatabaseSync(join(server.settings.KEYDESK_DATA_DIR ?? "", "keydesk.db"));
  database.exec("pragma busy_timeout = 10000");
  return database;
}

/** Sessions that the provider opened. */
function sessions(server: DemoServer): number {
  const database = store(server);
  const row = database.prepare("select count(*) as n from sessions where opened_by = 'provider'")
    .get();
  database.close();
  return Number(row?.n);
}

/** Makes it look as if the time to ask again had come, and waits until so many are in. */
async function due(server: DemoServer, left: number): Promise<void> {
  const database = store(server);
  database.prepare("update provider_grants set next_at = ?").run(new Date().toISOString());
  database.close();
  await eventually(`${left} are in`, () => sessions(server) <= left, 100);
}

Deno.test("company sign-in: a mistyped secret is told; disabled, in no group, or logged out there, one is out", async () => {
  await using provider = await startRealProvider();
  const { issuer } = provider;
  await using server = await startDemoServer(false, { KEYDESK_OUTBOUND: new URL(issuer).host });
  await using browser = await sharedBrowser();
  await using ada = await visit(browser);
  await using first = await visit(browser, { expected });
  await using second = await visit(browser, { expected });
  // The provider's own pages ask for a font from outside.
  for (const { context } of [first, second]) {
    await context.route(/googleapis/, (route) => route.abort());
  }
  const desk = server.url.replace("127.0.0.1", "localhost");
  await server.call("PUT", "/v1/sign-in-rules", { tokens: true, domains: ["example.org"] });
  const made = await server.call("POST", "/v1/identity-providers", {
    ...CLIENT,
    client_secret: "mistyped",
    name: NAME,
    issuer,
    domains: ["example.org"],
    groups: [{ group: "desk", permissions: ["portal:read"] }],
    creates_people: true,
    scopes: ["profile", "email", "offline_access"],
    asks_consent: true,
    // as: what the endpoint answers.
  }) as { id: string };
  await provider.tell({
    ...CLIENT,
    redirect_uris: [`${desk}/console/from/${made.id}`],
    backchannel_logout_uri: `${server.url}/v1/session/provider/${made.id}/logout`,
  });
  const come = async ({ page }: Visitor, sub: string) => {
    await page.goto(`${desk}/console/keys`);
    await page.getByLabel("Your e-mail address").fill("grace@example.org");
    await button(page, "Continue").click();
    await button(page, `Continue with ${NAME}`).click();
    await signInThere(page, sub);
  };

  // The secret is mistyped: whoever comes hears nothing of it, and the administrator all.
  await seesMistypedSecret(ada, server, {
    name: NAME,
    secret: CLIENT.client_secret,
    visitor: first,
    come: () => come(first, "Grace+desk"),
  });

  const isIn = ({ page }: Visitor) =>
    page.getByRole("heading", { level: 1, name: "Keys" }).waitFor();
  const isOut = async ({ page }: Visitor) => {
    await page.goto(`${desk}/console/keys`);
    await page.getByLabel("Your e-mail address").waitFor();
  };
  // Asked again she goes on; disabled there she is out, and nobody else.
  await come(first, "Grace+desk");
  await isIn(first);
  await come(second, "Hedy+desk");
  await isIn(second);
  await provider.make("disable", "Grace+desk");
  await due(server, 1);
  await isOut(first);
  await second.page.goto(`${desk}/console/keys`);
  await isIn(second);
  // A group that is taken away takes what it gave.
  await provider.make("groupless", "Hedy+desk");
  await due(server, 0);
  await isOut(second);
  // Logged out at the provider in one browser, she is out of the other, too.
  for (const one of [first, second]) {
    await one.context.clearCookies();
    await come(one, "Ida+desk");
    await isIn(one);
  }
  assert.equal(sessions(server), 2);
  await second.page.goto(`${issuer}/session/end`);
  await second.page.locator("button[value=yes]").click();
  await second.page.waitForURL(/success/);
  await isOut(first);
  await isOut(second);
  for (const one of [ada, first, second]) assert.deepEqual(one.complaints, []);
});
