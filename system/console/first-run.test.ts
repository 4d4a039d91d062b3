/** The newcomer's hour in Chromium: from an empty folder to a key that is valid, counted. */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { repository } from "../../test/support/command.ts";
import { sharedBrowser } from "../support/shared-browser.ts";
import { type DemoServer, signIn, signInByLink, sizes, startDemoServer, visit } from "./browser.ts";
import { Hands, tableOf } from "./hands.ts";

/** What lines print in a shell, with the administrator's token in $KEYDESK. */
async function shell(server: DemoServer, lines: string): Promise<string> {
  const { stdout } = await new Deno.Command("bash", {
    args: ["-euc", lines],
    env: { KEYDESK: server.admin },
  }).output();
  return new TextDecoder().decode(stdout).trim();
}

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const step = (page: Page, name: string) =>
  page.getByRole("listitem").filter({ has: page.getByRole("heading", { level: 3, name }) });
const isDone = (page: Page, name: string) =>
  step(page, name).getByText("Done", { exact: true }).waitFor();

Deno.test("first hour: from an empty folder to a verified key, by mouse and few words", async () => {
  const begun = performance.now();
  await using server = await startDemoServer(false);
  const started = (performance.now() - begun) / 1000;
  await using browser = await sharedBrowser();
  await using ada = await visit(browser);
  const { page } = ada;
  const hands = new Hands(page);
  hands.jobs.push({
    job: "Start the server",
    clicks: 0,
    keys: 0,
    typed: "keydesk serve\n".length,
    calls: 0,
    seconds: started,
  });
  await hands.do("Sign in by the link of the start", async () => {
    hands.count(1, 0, "npx keydesk console\n".length);
    await signInByLink(ada, server);
    await page.getByText("0 of 4 done").waitFor();
  });
  await ada.show("first-run/empty");
  const title = page.getByRole("heading", { level: 1, name: "Home" });
  await title.waitFor();
  await hands.do("An API and a plan", async () => {
    await hands.click(button(page, "Add an API"));
    await page.getByRole("dialog").waitFor();
    await hands.type("Weather");
    await hands.aside(() => ada.show("first-run/api"));
    await hands.press("Enter");
    await isDone(page, "An API and a plan");
  });
  await hands.do("A request", async () => {
    await hands.click(button(page, "Make a request"));
    await page.getByRole("dialog").waitFor();
    await hands.type("ada@example.org");
    await hands.aside(() => ada.show("first-run/request"));
    await hands.press("Enter");
    await isDone(page, "The first request");
  });
  await ada.show("first-run/half");
  await hands.do("The approval", async () => {
    await hands.click(button(page, "Approve & issue key"));
    await page.getByRole("heading", { level: 2, name: "Your first key" }).waitFor();
  });
  await hands.do("The key is valid for the API", async () => {
    await hands.click(page.getByRole("dialog").getByRole("button", { name: "Try it now" }));
    await page.getByRole("dialog").getByText(
      "It is valid for Weather. 59 of 60 calls a minute are left.",
    )
      .waitFor();
  });
  const question = await page.getByRole("dialog").locator(".copy-value").last().textContent();
  assert.match(await shell(server, question ?? ""), /"valid":true/);
  await ada.show("first-run/key");
  await hands.do("Kept", async () => {
    await hands.click(page.getByRole("checkbox"));
    await hands.click(button(page, "Done"));
    await page.getByText("All done").waitFor();
  });
  await ada.show("first-run/done");
  const file = join(repository, ".tmp/first-hour.md");
  await Deno.mkdir(join(repository, ".tmp"), { recursive: true });
  await Deno.writeTextFile(file, tableOf(hands.jobs, true));
  console.log(tableOf(hands.jobs, true));

  // What is ticked is what there is, not what was pressed: it is the same in another browser.
  await using other = await visit(browser);
  await signIn(other, server, "/start");
  await other.page.getByText("All done").waitFor();
  const { data: [weather] } = await server.call("GET", "/v1/apis") as {
    data: { id: string; plans: { valid: boolean; keys: number }[] }[];
  };
  assert.equal(weather?.id, "weather");
  assert.deepEqual(weather?.plans.map(({ valid, keys }) => [valid, keys]), [[true, 1]]);
  await hands.click(page.getByRole("link", { name: "Go to key requests" }));
  await page.getByRole("heading", { level: 1, name: "Requests" }).waitFor();
  await ada.check();
});

Deno.test("first hour: the lines of the steps lead to a key, one after the other in one shell", async () => {
  await using server = await startDemoServer(false);
  await using browser = await sharedBrowser();
  await using ada = await visit(browser);
  const { page } = ada;
  await signIn(ada, server);
  await page.getByText("0 of 4 done").waitFor();
  const [api = "", request = "", approve = "", verify = ""] = await page.locator(
    ".start-shell .copy-value",
  ).allTextContents();
  const key = `KEY=$(echo "$ANSWER" | grep -o '"RawKey":"[^"]*' | cut -d'"' -f4)`;
  const told = await shell(
    server,
    [api, request, `ANSWER=$(${approve})`, 'echo "$ANSWER"', key, verify].join("\n"),
  );
  assert.match(told, /"valid":true[^\n]*$/, told);
  await page.getByText("All done").waitFor();
  const lines = await page.locator(".start .copy-value").allTextContents();
  const ours = lines.filter((line) => /keydesk [a-z]/.test(line));
  assert.ok(ours.length > 0 && ours.every((line) => line.startsWith("keydesk ")), `${ours}`);
});

Deno.test("first hour: on a phone, what is done elsewhere is ticked here, and a kept key is tried", async () => {
  await using server = await startDemoServer(false);
  await using browser = await sharedBrowser();
  await using ada = await visit(browser, { size: sizes.phone });
  const { page } = ada;
  await signIn(ada, server);
  await page.getByText("0 of 4 done").waitFor();
  await ada.show("first-run/phone");
  // An API alone makes no key valid yet.
  await server.call("POST", "/v1/apis", { id: "tides", name: "Tides" });
  await page.getByText("Tides is added, but no active plan includes it.").waitFor();
  const rights = { access_rights: { tides: { api_id: "tides" } }, rate: 5, per: 60 };
  const plan = await server.call("POST", "/v1/plans", { name: "Free", ...rights }) as {
    id: string;
  };
  await server.call("PUT", "/v1/apis/tides", { plans: [plan.id] });
  await isDone(page, "An API and a plan");
  const ask = { by_user: "grace", for_plan: plan.id };
  await server.call("POST", "/v1/developers", { id: "grace", email: "grace@example.org" });
  const { id } = await server.call("POST", "/v1/key-requests", ask) as { id: string };
  await isDone(page, "The first request");
  await page.getByText("grace@example.org requests Free.").waitFor();
  const { key: credential } = await server.call("POST", `/v1/key-requests/${id}/approve`, {}) as {
    key: { RawKey: string };
  };
  await isDone(page, "A person approves it");
  // Whoever comes back finds the list until its last step is done, not Home's panels without
  // anything in them.
  // Also where the server says last who they are.
  const counted = page.waitForResponse(/\/v1\/key-requests\/counts/);
  await page.route(/\/v1\/session/, async (route) => {
    await counted;
    await route.continue();
  });
  await page.reload();
  await page.getByText("3 of 4 done").waitFor();
  await page.unroute(/\/v1\/session/);
  await page.getByLabel("The key that you kept").fill("not-a-key");
  await button(page, "Try it").click();
  await page.getByText("Denied: this server issued no such key.").first().waitFor();
  await ada.show("first-run/phone-refused");
  await page.getByLabel("The key that you kept").fill(credential.RawKey);
  await button(page, "Try it").click();
  await page.getByText("All done").waitFor();
  await ada.show("first-run/phone-done");
  // What is to be copied is read whole.
  const cut = await page.locator(".start .copy-value").evaluateAll((all) =>
    all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent)
  );
  assert.deepEqual(cut, []);
  const content = await page.content();
  assert.ok(!content.includes(credential.RawKey));
  await button(page, "Hide this").click();
  await page.getByText("Nothing waits.").waitFor();
  await ada.show("home/first-day-phone");
  // How people decide is told as soon as somebody asked.
  const empty = page.locator(".home-panel:not(:has(.home-pace))");
  assert.ok(await empty.count() > 0);
  const high = await empty.evaluateAll((all) =>
    all.map((one) => one.clientHeight).filter((height) => height > 200)
  );
  assert.deepEqual(high, [], "empty boxes");
});

Deno.test("first hour: a plan's name that is taken keeps what was made, and the next try goes on", async () => {
  await using server = await startDemoServer(false);
  await using browser = await sharedBrowser();
  await using ada = await visit(browser, { expected: /400/ });
  const { page } = ada;
  await server.call("POST", "/v1/plans", { name: "Free" });
  await signIn(ada, server);
  await button(page, "Add an API").click();
  await page.getByLabel("API", { exact: true }).fill("Live departures");
  await button(page, "Add").click();
  await page.getByText("Another plan has this name already").waitFor();
  await ada.show("first-run/name-taken");
  await page.getByLabel("API", { exact: true }).fill("Departures");
  await page.getByLabel("Plan", { exact: true }).fill("Departures, free");
  await button(page, "Add").click();
  await isDone(page, "An API and a plan");
  const { data } = await server.call("GET", "/v1/apis") as {
    data: { id: string; name: string; plans: { name: string; valid: boolean }[] }[];
  };
  assert.deepEqual(data.map(({ id, name }) => [id, name]), [["live-departures", "Departures"]]);
  assert.deepEqual(data[0]?.plans.map(({ name, valid }) => [name, valid]), [
    ["Departures, free", true],
  ]);
});
