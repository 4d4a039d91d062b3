import assert from "node:assert/strict";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { repository } from "../../test/support/command.ts";
import type { Certificates } from "../../test/support/postgres-tls.ts";

/** A real OpenID provider in a process of its own, on a port of this machine. */
export interface RealProvider extends AsyncDisposable {
  readonly issuer: string;
  /** Tells it its client, which it needs before anybody comes. */
  tell(client: Record<string, unknown>): Promise<void>;
  /** Disables somebody, or takes their groups away. */
  make(what: "disable" | "groupless", sub: string): Promise<void>;
}

/**
 * Starts one: `oidc-provider` of npm; by TLS with a folder of certificates. Where it does not
 * start, the failure says why.
 */
export async function startRealProvider(
  certificates?: Pick<Certificates, "folder" | "path">,
): Promise<RealProvider> {
  const child = new Deno.Command("node", {
    env: certificates ? { TLS_FOLDER: certificates.folder } : {},
    args: [join(repository, "system/support/identity-provider-process.js")],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const errors = new Response(child.stderr).text();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let said = "";
  while (!said.includes("\n")) {
    const { value, done } = await reader.read();
    if (done) assert.fail(`the provider did not start: ${await errors}`);
    said += value;
  }
  const issuer = said.trim();
  const caCerts = certificates ? [await Deno.readTextFile(certificates.path("ca.pem"))] : [];
  const client = Deno.createHttpClient({ caCerts });
  const post = async (path: string, body: Record<string, unknown>) => {
    const text = JSON.stringify(body);
    const response = await fetch(issuer + path, { method: "POST", body: text, client });
    assert.equal(response.status, 200, await response.text());
  };
  return {
    issuer,
    tell: (client) => post("/client", client),
    make: (what, sub) => post(`/${what}`, { sub }),
    [Symbol.asyncDispose]: async () => {
      client.close();
      child.kill();
      await reader.cancel();
      await Promise.all([child.status, errors]);
    },
  };
}

/** In a browser at the provider: who they are there, and yes to all that it asks besides. */
export async function signInThere(page: Page, who: string): Promise<void> {
  await page.locator("[name=login]").fill(who);
  const there = new URL(page.url()).origin;
  await page.locator("[name=password]").fill("any");
  await page.locator("button[type=submit]").click();
  const consent = page.locator("button[type=submit]").filter({ hasText: "Continue" });
  const back = page.waitForURL((url) => url.origin !== there);
  // Asked at somebody's first visit alone.
  await Promise.race([consent.waitFor(), back]);
  if (page.url().startsWith(there)) await consent.click();
  await back;
}
