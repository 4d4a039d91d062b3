/**
 * Use in Chromium: the chart of a key, a plan and a developer, by mouse, by keyboard and as a
 * table.
 */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { DemoServer } from "./browser.ts";
import { desk } from "./desk.ts";
import { eventually } from "../../test/support/eventually.ts";

/** A key that was called some 40 times and refused twice, as the server itself has counted it. */
async function usedKey(server: DemoServer) {
  const plan = await server.call("POST", "/v1/plans", { name: "Tides, pro" }) as { id: string };
  const developer = await server.call("POST", "/v1/developers", {
    email: "tides@example.org",
  }) as { id: string };
  const issued = await server.call("POST", `/v1/developers/${developer.id}/keys`, {
    plans: [plan.id],
  }) as { key_id: string; RawKey: string };
  let asked = 0;
  const ask = () => {
    asked++;
    return server.call("POST", "/v1/keys/verify", { key: issued.RawKey });
  };
  for (let call = 0; call < 40; call++) await ask();
  const suspend = (word: string) =>
    server.call("POST", `/v1/keys/${issued.key_id}/${word}`, { reason: "for a test" });
  await suspend("suspend");
  let refused = 0;
  while (refused < 2) {
    const { valid } = await ask() as { valid: boolean };
    if (!valid) refused++;
  }
  await suspend("resume");
  let hits = 0;
  await eventually("all uses are counted", async () => {
    const { total } = await server.call("GET", `/v1/usage?key=${issued.key_id}`) as {
      total: { hits: number };
    };
    hits = total.hits;
    return hits >= asked;
  }, 250);
  assert.equal(hits, asked);
  return { plan: plan.id, developer: developer.id, key: issued.key_id, hits };
}

const slider = (page: Page) => page.getByRole("slider", { name: "Calls of a day" });

Deno.test("usage: a key, a plan and a developer show what was counted, and the chart comes when it is needed", () =>
  desk(async (ada, page, server) => {
    const { plan, developer, key, hits } = await usedKey(server);
    const scripts: string[] = [];
    page.on("request", (request) => {
      if (/assets\/usage-/.test(request.url())) scripts.push(request.url());
    });
    await page.goto(`${server.url}/console/keys`);
    await page.locator(".row-link").first().waitFor();
    assert.deepEqual(scripts, []);
    for (
      const [path, name] of [[`/keys/${key}`, "key"], [`/apis/plans/${plan}`, "plan"], [
        `/developers/${developer}`,
        "developer",
      ]] as const
    ) {
      await page.goto(`${server.url}/console${path}`);
      await slider(page).waitFor();
      const total = page.locator(".usage-total");
      // Calls that were refused before a plan was looked for count for none.
      assert.equal(
        await total.innerText(),
        name === "plan" ? `${hits - 2} calls` : `${hits} calls\n2 suspended`,
      );
      await slider(page).scrollIntoViewIfNeeded();
      await ada.show(`usage/${name}`);
    }
    assert.ok(scripts.length >= 1);
    // By the hour, compared with the hours before.
    const time = page.getByRole("combobox", { name: "Time of use" });
    await time.selectOption({ label: "Last 24 hours" });
    await page.getByRole("slider", { name: "Calls of an hour" }).waitFor();
    await page.getByText(/^24 whole hours: /).waitFor();
    await ada.show("usage/hours");
    await time.selectOption({ label: "Last hour" });
    await page.getByText(/^The last whole hour: /).waitFor();
    const unused = await server.call("POST", "/v1/plans", { name: "Unused" }) as { id: string };
    await page.goto(`${server.url}/console/apis/plans/${unused.id}`);
    await page.getByText("No calls. They are counted where a gateway asks").waitFor();
    assert.equal(await slider(page).count(), 0);
    await ada.show("usage/none");
  }));

/** What busy days would answer: a month, or a year that is compared with nothing. */
function busyDays(url: string) {
  const query = new URL(url).searchParams;
  const isYear = query.get("last") === "year";
  const days = isYear ? 366 : 30;
  const to = new Date().toISOString().slice(0, 10);
  const until = Date.parse(to) + 86_400_000;
  const first = until - days * 86_400_000;
  const data = Array.from({ length: days }, (_, day) => {
    const error = day === 13 ? 3000 : day === 14 ? 150 : 0;
    const success = day % 7 < 2 ? 2500 + day * 10 : 9000 + (day * 613) % 1700;
    const at = new Date(first + day * 86_400_000).toISOString();
    const refused = { 401: 0, 403: 0, 429: error };
    const reasons = error > 0 ? [{ reason: "over_rate", calls: error }] : [];
    return { at, hits: success + error, success, error, refused, reasons, last_hit: at };
  }).filter((_, day) => day !== 5);
  const sum = (name: "hits" | "success" | "error") =>
    data.reduce((all, slot) => all + slot[name], 0);
  const total = { hits: sum("hits"), success: sum("success"), error: sum("error") };
  return {
    by: query.get("by") ?? "day",
    to,
    since: new Date(first).toISOString(),
    until: new Date(until).toISOString(),
    compared: isYear ? null : {
      now: { ...span(first, Date.parse(to)), hits: 212_000, success: 208_850, error: 3150 },
      before: { ...span(first - 29 * 86_400_000, first), hits: 100_000, success: 0, error: 0 },
    },
    from: new Date(first).toISOString().slice(0, 10),
    data,
    total: {
      ...total,
      refused: { 401: 0, 403: 0, 429: total.error },
      reasons: [{ reason: "over_rate", calls: total.error }],
      last_hit: data[0]?.at,
    },
  };
}

const span = (since: number, until: number) => ({
  since: new Date(since).toISOString(),
  until: new Date(until).toISOString(),
});

Deno.test("usage: a month is walked by arrows, by mouse and as a table; what fails is tried again", () =>
  desk(async (ada, page, server) => {
    let fails = true;
    await page.route("**/v1/usage?**", async (route) => {
      await (fails
        ? route.fulfill({ status: 500, json: { code: "internal", title: "Broken", status: 500 } })
        : route.fulfill({ json: busyDays(route.request().url()) }));
    });
    const { data } = await server.call("GET", "/v1/keys?state=active&limit=1") as {
      data: { key_id: string }[];
    };
    await page.goto(`${server.url}/console/keys/${data[0]?.key_id}`);
    const again = page.getByRole("button", { name: "Try again" });
    await again.waitFor();
    fails = false;
    await again.click();
    await slider(page).waitFor();
    await slider(page).focus();
    const said = () => slider(page).getAttribute("aria-valuetext");
    const last = await said() ?? "";
    await page.keyboard.press("ArrowLeft");
    assert.notEqual(await said(), last);
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    assert.equal(await said(), last);
    await page.keyboard.press("Home");
    for (let day = 0; day < 13; day++) await page.keyboard.press("ArrowRight");
    assert.match(await said() ?? "", /^\d+ \w+: [\d,]+ calls, 3,000 denied$/);
    assert.equal(await page.locator(".usage-axis").innerText(), await said());
    await page.getByText(
      "29 whole days: 212,000 calls, 112% more than in the 29 before (100,000). Denied: 3,150, none before.",
    ).waitFor();
    await ada.show("usage/month");
    await page.keyboard.press("End");
    await slider(page).hover({ position: { x: 2, y: 20 } });
    assert.match(await said() ?? "", /: 2,500 calls$/);
    await page.getByText("Numbers").click();
    const rows = page.getByRole("table").last().getByRole("row");
    // A day without a call has no row.
    assert.equal(await rows.count(), 30);
    assert.match(await rows.nth(1).innerText(), /^\d+ \w+\s[\d,]+\s0$/);
    await rows.last().scrollIntoViewIfNeeded();
    await ada.show("usage/figures");
    // A year has a bar for each week, and the next thing is shown by the year too.
    const time = page.getByRole("combobox", { name: "Time of use" });
    await time.selectOption({ label: "Last year" });
    await page.getByText("What was before is no longer kept.").waitFor();
    const weeks = page.getByRole("slider", { name: "Calls of a week" });
    assert.equal(await weeks.getAttribute("aria-valuemax"), "52");
    assert.match(await weeks.getAttribute("aria-valuetext") ?? "", /^Week from \d+ \w+ \d{4}: /);
    await ada.show("usage/year");
  }, { expected: /500|Failed to load resource/ }));
