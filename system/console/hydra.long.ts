/**
 * People come by Ory Hydra, in Chromium, whose logout tokens have neither a subject nor an end. In
 * `npm run test:long` alone, since it is built for minutes.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Page } from "playwright-core";
import { hydra } from "../support/hydra.ts";
import { sharedBrowser } from "../support/shared-browser.ts";
import { type DemoServer, startDemoServer, visit } from "./browser.ts";
import { seesMistypedSecret } from "./mistyped-secret.ts";

const CLIENT = { client_id: "keydesk-console", client_secret: "a-secret_of.both" };

/** What the browser itself says of calls that are refused. */
const expected = /Failed to load resource/;

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

/** Runs a statement on the store of a server. */
function store(server: DemoServer, sql: string, ...values: string[]): Record<string, unknown>[] {
  const database = new DatabaseSync(join(server.settings.KEYDESK_DATA_DIR ?? "", "keydesk.db"));
  database.exec("pragma busy_timeout = 10000");
  const rows = database.prepare(sql).all(...values);
  database.close();
  return rows;
}

const sessions = (server: DemoServer) =>
  store(server, "select id from sessions where opened_by = 'provider'").length;

Deno.test("Hydra: a mistyped secret is told; people by a group; logged out there, or their tokens revoked, they are out", async () => {
  await using provider = await hydra();
  await using server = await startDemoServer(false, { KEYDESK_OUTBOUND: provider.host });
  const desk = server.url.replace("127.0.0.1", "localhost");
  await server.call("PUT", "/v1/sign-in-rules", { tokens: true, domains: ["example.org"] });
  const made = await server.call("POST", "/v1/identity-providers", {
    ...CLIENT,
    client_secret: "mistyped",
    name: "Hydra",
    issuer: provider.issuer,
    domains: ["example.org"],
    scopes: ["offline_access"],
    groups: [{ group: "desk", permissions: ["portal:read"] }],
    creates_people: true,
    // as: what the endpoint answers.
  }) as { id: string };
  await provider.administer("POST", "/clients", {
    ...CLIENT,
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    scope: "openid offline_access",
    redirect_uris: [`${desk}/console/from/${made.id}`],
    backchannel_logout_uri: `${server.url}/v1/session/provider/${made.id}/logout`,
    backchannel_logout_session_required: true,
  });
  await using browser = await sharedBrowser();
  await using ada = await visit(browser);
  await using first = await visit(browser, { expected });
  await using second = await visit(browser, { expected });
  const come = async (page: Page) => {
    await page.goto(`${desk}/console/keys`);
    await page.getByLabel("Your e-mail address").fill("grace@example.org");
    await button(page, "Continue").click();
    await button(page, "Continue with Hydra").click();
  };
  const comeIn = async (page: Page) => {
    await come(page);
    await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor();
  };
  const took = async (what: string) => {
    const began = performance.now();
    while (sessions(server) > 0) await new Promise((resolve) => setTimeout(resolve, 100));
    console.log(`Hydra: ${what}: ${Math.round((performance.now() - began) / 100) / 10} s`);
  };
  await seesMistypedSecret(ada, server, {
    name: "Hydra",
    secret: CLIENT.client_secret,
    visitor: first,
    come,
  });
  await comeIn(first.page);
  await comeIn(second.page);
  assert.equal(sessions(server), 2);
  await first.page.goto(`${provider.issuer}/oauth2/sessions/logout`);
  await took("logged out in one browser, out of both after");
  // Its administration revokes what a person granted, which sends nothing.
  await comeIn(first.page);
  await provider.administer("DELETE", "/oauth2/auth/sessions/consent?subject=grace&all=true");
  store(server, "update provider_grants set next_at = ?", new Date().toISOString());
  await took("tokens revoked, out after it was due");
  await first.page.goto(`${desk}/console/keys`);
  await first.page.getByLabel("Your e-mail address").waitFor();
  for (const one of [ada, first, second]) assert.deepEqual(one.complaints, []);
});
