/**
 * Home in Chromium: what waits by keyboard, panels that fail alone, what each permission shows, the
 * phone.
 */
import assert from "node:assert/strict";
import { eventually } from "../../test/support/eventually.ts";
import { sharedBrowser } from "../support/shared-browser.ts";
import { asn1Time, type Made, made } from "../../test/support/certificates.ts";
import { removeCertificates } from "./busy-desk.ts";
import { type DemoServer, signIn, sizes, startDemoServer, visit } from "./browser.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

const panel = (name: string) => ({ name, level: 2 });

Deno.test("home: where one begins; what waits is walked by J and K, and Enter opens the oldest", async () => {
  await using server = await startDemoServer();
  await using browser = await sharedBrowser();
  await using ada = await visit(browser);
  const { page } = ada;
  await signIn(ada, server, "");
  await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
  for (const name of ["Waiting for a decision", "Expires soon"]) {
    await page.getByRole("heading", panel(name)).waitFor();
  }
  const first = page.locator(".is-waiting .home-link");
  await first.first().waitFor();
  await page.locator(".home-lane").nth(1).waitFor();
  await ada.show("home/home");
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("k");
  assert.equal(
    await page.evaluate(() => document.activeElement?.textContent),
    await first.first().textContent(),
  );
  await page.locator("body").click({ position: { x: 700, y: 2 } });
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/requests\/.+sort=oldest/);
  await page.getByRole("button", { name: "Approve" }).waitFor();
  await ada.check();
});

Deno.test("home: a panel that can't be read keeps its frame, and is tried again alone", async () => {
  await using server = await startDemoServer();
  await using browser = await sharedBrowser();
  await using ada = await visit(browser, { expected: /500/ });
  const { page } = ada;
  await page.route(
    "**/v1/insight/expiries",
    (route) => route.fulfill({ status: 500, contentType: "application/json", body: "{}" }),
  );
  const asked = Promise.withResolvers<void>();
  await page.route("**/v1/server", async (route) => {
    await asked.promise;
    await route.continue();
  });
  await signIn(ada, server, "/home");
  // Nothing moves for what comes later: panels are shown when the lines above them are known.
  await page.locator(".is-waiting .home-link").first().waitFor({ state: "attached" });
  await page.locator(".home-failed").waitFor({ state: "attached" });
  assert.equal(await page.locator(".home.is-coming").count(), 1);
  asked.resolve();
  await page.locator(".home:not(.is-coming)").waitFor();
  await page.locator(".is-waiting .home-link").first().waitFor();
  await page.locator(".home-failed").waitFor();
  await ada.show("home/failed");
  await page.unroute("**/v1/insight/expiries");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.locator(".home-lane").first().waitFor();
});

Deno.test("home: a backup that is late stands in amber, in red later, as damages do", async () => {
  await using server = await startDemoServer();
  await using browser = await sharedBrowser();
  await using ada = await visit(browser);
  const { page } = ada;
  const hours = (n: number) => new Date(Date.now() - n * 60 * 60 * 1000).toISOString();
  let changes: Record<string, unknown> = {};
  await page.route("**/v1/server", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...await response.json(), ...changes } });
  });
  const told = async (more: typeof changes) => {
    changes = more;
    await page.goto(`${server.url}/console/home`);
    await page.locator(".home-problems, .home-well").first().waitFor();
    return await page.locator(".home-problems li").evaluateAll((all) =>
      all.map((one) => `${one.className}: ${one.querySelector("b")?.textContent}`)
    );
  };
  await signIn(ada, server, "/home");
  const none = { at: null, missing_since: null };
  const others = await told({ backup: { ...none, at: hours(2) } });
  assert.ok(!others.some((one) => one.includes("backup")), others.join());
  const lines = async (backup: unknown, more = {}) =>
    (await told({ backup, ...more })).filter((one) => /backup|store/.test(one));
  assert.deepEqual(await lines({ ...none, missing_since: hours(23) }), []);
  assert.deepEqual(await lines({ ...none, missing_since: hours(25) }), [
    "is-soon: No backup is known",
  ]);
  assert.deepEqual(await lines({ ...none, at: hours(27.5) }), [
    "is-soon: The last backup is 27 h old",
  ]);
  const damages = ["damaged key: 1, among them x; keydesk check says what to do"];
  assert.deepEqual(await lines({ ...none, at: hours(73) }, { damages, warnings: damages }), [
    "is-bad: The store is not as it was written",
    "is-bad: The last backup is 3 days old",
  ]);
  await ada.show("home/backup");
  const fresh = { backup: { ...none, at: hours(2) } };
  const restored = { at: hours(30), known: true, reopened: false, counts: { key: 1 } };
  const put = async (more: object) =>
    (await told({ ...fresh, restored: { ...restored, ...more } })).filter((one) =>
      /copy/.test(one)
    );
  assert.deepEqual(await put({}), [], "all of it was ended again");
  for (const more of [{ known: false }, { reopened: true }]) {
    assert.match((await put(more)).join(), /^is-bad: The store was put back to a copy on /);
  }
  await ada.show("home/restored");
});

Deno.test("home: what ended and is named is red, and authorities are told apart", async () => {
  await using server = await startDemoServer();
  await using browser = await sharedBrowser();
  await using ada = await visit(browser);
  const { page } = ada;
  await removeCertificates(server);
  const id = await upload(server, { cn: "edge.example.org", dns: ["edge.example.org"] });
  await upload(server, { cn: "An authority", ca: true, to: asn1Time(Date.now() + 3 * DAY_MS) });
  const rights = { shop: { api_id: "shop", certificates: [id] } };
  await server.call("POST", "/v1/plans", { name: "Shop mTLS", access_rights: rights });
  await page.route("**/v1/insight/expiries", async (route) => {
    const response = await route.fetch();
    const answer = await response.json();
    const used_by = { object: "plan", id: "x", name: "Shop mTLS" };
    const not_after = new Date(Date.now() - 3.5 * DAY_MS).toISOString();
    answer.certificates.due.ended = 1;
    answer.certificates.due.next = [{ id, name: "edge.example.org", not_after, used_by }];
    await route.fulfill({ response, json: answer });
  });
  await signIn(ada, server, "/home");
  await page.locator(".home-problems .button").nth(1).waitFor();
  const lines = await page.locator(".home-problems li").evaluateAll((all) =>
    all.map((one) => `${one.className}: ${one.querySelector("span")?.innerText}`)
  );
  assert.deepEqual(lines.slice(0, 2), [
    "is-bad: The certificate edge.example.org expired 3 days ago The plan Shop mTLS still names it, and nothing that follows it was uploaded.",
    "is-soon: A certificate authority expires within 30 days What it issued is no longer trusted then.",
  ]);
  await page.getByRole("link", { name: "Certificates 1 to renew within 30 days" }).waitFor();
  await ada.show("home/ended");
  await page.getByRole("link", { name: "1 certificate authority" }).click();
  await page.locator(".row-link", { hasText: "An authority" }).waitFor();
  await page.locator(".row-link").nth(1).waitFor({ state: "detached" });
});

Deno.test("home: an expired certificate is not well, a denied call is counted, and Details leads to the server", async () => {
  await using server = await startDemoServer();
  await using browser = await sharedBrowser();
  await using ada = await visit(browser);
  const { page } = ada;
  await removeCertificates(server);
  await server.call("POST", "/v1/keys/verify", { key: "no one knows this" });
  await signIn(ada, server, "/home");
  await page.getByText("No certificate to renew within 30 days").waitFor();
  await page.getByRole("link", { name: "Details" }).click();
  await page.getByText("None is known").waitFor();
  await page.getByText("None of the audit log goes outside").waitFor();
  const day = (at: number) => asn1Time(Date.now() + at * DAY_MS);
  await upload(server, { cn: "old.example.org", from: day(-40), to: day(-3) });
  await upload(server, { cn: "soon.example.org", to: day(29) });
  await eventually("the call is counted", async () => {
    const path = "/v1/usage?last=day&gateway=all";
    return (await server.call("GET", path) as { total: { error: number } }).total.error > 0;
  });
  await page.goto(`${server.url}/console/home`);
  await page.locator(".home-problems li").first().waitFor();
  assert.deepEqual(await page.locator(".home-problems b").allTextContents(), [
    "A certificate has expired",
    "The certificate soon.example.org expires in 28 days",
  ]);
  await page.getByRole("link", { name: "Certificates 2 to renew within 30 days" }).waitFor();
  await page.locator(".is-day").getByText("Unknown key 1").waitFor();
  await ada.show("home/expired");
  await page.getByRole("link", { name: /A certificate has expired/ }).click();
  await page.locator(".row-link", { hasText: "old.example.org" }).waitFor();
});

/** Adds a certificate and gives its id. */
async function upload(server: DemoServer, wanted: Made): Promise<string> {
  const response = await fetch(`${server.url}/v1/certificates`, {
    method: "POST",
    headers: { authorization: server.admin },
    body: made(wanted),
  });
  const { results: [one] } = await response.json();
  return one.id;
}

Deno.test("home: who reads certificates alone begins there, and sees them alone at Home", async () => {
  await using server = await startDemoServer();
  await using browser = await sharedBrowser();
  // While nobody knows yet who is signed in, the server decides what the side bar may count.
  await using carl = await visit(browser, { expected: /403/ });
  const person = await server.call("POST", "/v1/people", {
    name: "Carl",
    permissions: ["certs:read"],
  }) as { id: string };
  const issued = await server.call("POST", `/v1/people/${person.id}/access-tokens`, {
    name: "laptop",
  }) as { id: string };
  await carl.page.goto(await server.link(issued.id));
  await carl.page.getByRole("heading", { level: 1, name: "Certificates" }).waitFor();
  await carl.page.goto(`${server.url}/console/home`);
  await carl.page.locator(".home-lane").waitFor();
  assert.deepEqual(await carl.page.locator(".home-lane-name b").allTextContents(), [
    "Certificates",
  ]);
  assert.deepEqual(await carl.page.getByRole("heading", { level: 2 }).allTextContents(), [
    "Expires soon",
  ]);
  await carl.show("home/certificates-alone");
});

Deno.test("home: who holds portal:read alone reads what waits, and nothing that administrators do", async () => {
  await using server = await startDemoServer();
  await using browser = await sharedBrowser();
  await using rita = await visit(browser);
  const { page } = rita;
  const person = await server.call("POST", "/v1/people", {
    name: "Rita",
    permissions: ["portal:read"],
  }) as { id: string };
  const issued = await server.call("POST", `/v1/people/${person.id}/access-tokens`, {
    name: "laptop",
  }) as { id: string };
  const calls: string[] = [];
  page.on("request", (one) => calls.push(new URL(one.url()).pathname));
  await signIn(rita, server, "/home", issued.id);
  await page.locator(".is-waiting .home-link").first().waitFor();
  await page.locator(".home:not(.is-coming)").waitFor();
  await page.waitForLoadState("networkidle");
  assert.equal(await page.locator(".home-top").isVisible(), false);
  assert.equal(await page.locator(".home-problems, .home-state, .home-steps").count(), 0);
  assert.deepEqual(
    calls.filter((path) => /^\/v1\/(server|deliveries|insight\/first-steps)/.test(path)),
    [],
  );
  await rita.check();
});

Deno.test("home: on a phone, upright and on its side, nothing is wider than the page", async () => {
  await using server = await startDemoServer();
  await using browser = await sharedBrowser();
  for (
    const [name, size] of [["phone", sizes.phone], ["low", { width: 844, height: 390 }]] as const
  ) {
    await using ada = await visit(browser, { size });
    await signIn(ada, server, "/home");
    await ada.page.locator(".is-waiting .home-link").first().waitFor();
    await ada.page.locator(".home-lane").nth(1).waitFor();
    assert.ok(
      await ada.page.locator(".page-scroll").evaluate((one) => one.scrollWidth <= one.clientWidth),
    );
    await ada.show(`home/${name}`);
  }
});
