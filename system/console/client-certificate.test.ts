/**
 * The company's sign-in in Chromium, where Keydesk proves itself to the provider by a certificate
 * (`tls_client_auth`, RFC 8705): `oidc-provider` of npm, which asks for it by TLS.
 */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { temporaryFolder } from "../../test/support/command.ts";
import { makeCertificates } from "../../test/support/postgres-tls.ts";
import { signInThere, startRealProvider } from "../support/identity-provider.ts";
import { sharedBrowser } from "../support/shared-browser.ts";
import { signIn, startDemoServer, visit } from "./browser.ts";

/** What the browser itself says of calls that are refused. */
const expected = /Failed to load resource/;

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

Deno.test("client certificate: people come in by it, and by no other name in it", async () => {
  await using folder = await temporaryFolder();
  const certificates = await makeCertificates(folder.path);
  const own = `${folder.path}/own.pem`;
  const parts = ["client.pem", "client.key"].map((name) =>
    Deno.readTextFileSync(`${certificates.folder}/${name}`)
  );
  await Deno.writeTextFile(own, parts.join("\n"), { mode: 0o600 });
  await using provider = await startRealProvider(certificates);
  const { issuer } = provider;
  const settings = {
    KEYDESK_OUTBOUND: new URL(issuer).host,
    KEYDESK_OUTBOUND_CA_FILE: certificates.path("ca.pem"),
  };
  await using server = await startDemoServer(false, {
    ...settings,
    KEYDESK_PROVIDER_CLIENT_FILE: own,
  });
  const desk = server.url.replace("127.0.0.1", "localhost");
  await server.call("PUT", "/v1/sign-in-rules", { tokens: true, domains: ["example.org"] });
  const made = await server.call("POST", "/v1/identity-providers", {
    name: "By TLS",
    issuer,
    client_id: "keydesk-console",
    client_auth: "tls_client_auth",
    domains: ["example.org"],
    groups: [{ group: "desk", permissions: ["portal:read"] }],
    creates_people: true,
    // as: what the endpoint answers.
  }) as { id: string };
  const client = (tls_client_auth_subject_dn: string) =>
    provider.tell({
      client_id: "keydesk-console",
      token_endpoint_auth_method: "tls_client_auth",
      tls_client_auth_subject_dn,
      redirect_uris: [`${desk}/console/from/${made.id}`],
      backchannel_logout_uri: `${server.url}/v1/session/provider/${made.id}/logout`,
    });
  await using browser = await sharedBrowser();
  await using ada = await visit(browser);
  await using grace = await visit(browser, { expected, takesAnyTls: true });
  const { page } = grace;
  await grace.context.route(/googleapis/, (route) => route.abort());
  const leave = async () => {
    await page.goto(`${desk}/console/keys`);
    await page.getByLabel("Your e-mail address").fill("grace@example.org");
    await button(page, "Continue").click();
    await button(page, "Continue with By TLS").click();
  };

  // The provider knows the client by another name.
  await client("CN=another");
  await signIn(ada, server, "/settings?show=sign-in");
  await button(ada.page, "Try it: By TLS").click();
  await ada.page.getByText(/the token endpoint: .*"invalid_client"/).first().waitFor();
  await leave();
  await signInThere(page, "Grace+desk");
  await page.getByText(/Begin again/).first().waitFor();
  await ada.page.reload();
  await ada.page.getByText(/: the provider answered .*"invalid_client"/).first().waitFor();

  // By its own it comes in, with groups of the UserInfo endpoint, and is signed out from there.
  await client("CN=postgres");
  await button(ada.page, "Try it: By TLS").click();
  await ada.page.getByText(/^It answers/).waitFor();
  await leave();
  await page.locator("[name=login]").or(page.getByRole("heading", { level: 1, name: "Keys" }))
    .first().waitFor();
  if (await page.locator("[name=login]").isVisible()) await signInThere(page, "Grace+desk");
  await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor();
  const { data } = await server.call("GET", "/v1/people") as {
    data: { name: string; permissions: string[] }[];
  };
  assert.deepEqual(data.find(({ name }) => name === "Grace")?.permissions, ["portal:read"]);
  await page.goto(`${issuer}/session/end`);
  await page.locator("button[value=yes]").click();
  await page.goto(`${desk}/console/keys`);
  await page.getByLabel("Your e-mail address").waitFor();
  assert.deepEqual([...ada.complaints, ...grace.complaints], []);
});
