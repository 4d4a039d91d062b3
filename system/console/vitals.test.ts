/**
 * What makes pages quick and calm, whatever the machine: nothing waits in line that need not, and
 * nothing jumps.
 */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { sharedBrowser } from "../support/shared-browser.ts";
import { startServerProcess } from "../../test/support/command.ts";
import { signIn, startDemoServer, visit } from "./browser.ts";
import { fillDesk } from "./busy-desk.ts";
import { vitalsOf, watchVitals } from "./vitals.ts";

/** The most that a page may jump, as browsers sum it up. */
const MOST_SHIFT = 0.01;

/**
 * A round trip that is longer than whatever a busy machine puts between two requests of one moment.
 */
const ROUND_TRIP_MS = 500;

/** Home hides its panels for a second at the most: a visit with later answers is made again. */
const SOON_MS = 800;
const TURNS = 20;

/** When the last answer came, since the visit began. */
function lastAnswerMs(page: Page): Promise<number> {
  return page.evaluate(() => {
    // as: entries of this type.
    const all = performance.getEntriesByType("resource") as PerformanceResourceTiming[];
    return Math.max(0, ...all.map(({ responseEnd }) => responseEnd));
  });
}

const settled = { waitUntil: "networkidle" } as const;

/** What a page asks the API for on its way, sorted. */
async function askedBy(page: Page, url: string): Promise<string[]> {
  const asked: string[] = [];
  const note = (request: { url(): string }) => {
    const { pathname, search } = new URL(request.url());
    // Of the rows that are seen, once they are there, is asked later by design.
    const isOfRows = pathname === "/v1/usage/keys";
    if (pathname.startsWith("/v1/") && !isOfRows) asked.push(pathname + timeless(search));
  };
  await page.goto("about:blank");
  page.on("request", note);
  await page.goto(url, settled);
  page.off("request", note);
  return asked.toSorted();
}

/** Moments are others each time. */
function timeless(search: string): string {
  return search.replaceAll(/\d{4}-\d\d-\d\dT[^&]*/g, "T");
}

Deno.test("vitals: screens stand still while they load, and what is asked for early is what they take", async (t) => {
  await using server = await startDemoServer(true, {}, startServerProcess);
  await fillDesk(server);
  const { data: [first, second] } = await server.call(
    "GET",
    "/v1/key-requests?state=pending&limit=2",
  ) as { data: { id: string }[] };
  const { one_time_link } = await server.call("POST", `/v1/key-requests/${first?.id}/approve`, {
    deliver: "one_time_link",
  }) as { one_time_link: { link: string } };
  await using browser = await sharedBrowser();
  await using ada = await visit(browser);
  await watchVitals(ada.page);
  await signIn(ada, server, "/settings");
  await ada.page.waitForLoadState("networkidle");
  const screens = [
    "home",
    "requests",
    `requests/${second?.id}`,
    "keys",
    "certificates",
    "audit-log",
    "settings?show=deliveries",
    "settings?show=people",
  ];
  for (const screen of screens) {
    await t.step(screen, async () => {
      const url = `${server.url}/console/${screen}`;
      let early = new Set(await askedBy(ada.page, url));
      for (let turn = 0; turn < TURNS && await lastAnswerMs(ada.page) > SOON_MS; turn++) {
        early = new Set(await askedBy(ada.page, url));
      }
      const { cls, shifts } = await vitalsOf(ada.page);
      assert.ok(cls <= MOST_SHIFT, JSON.stringify(shifts, undefined, 1));
      // Behind a fragment nothing is asked for early.
      const late = new Set(await askedBy(ada.page, `${url}#none`));
      // Half a second of silence comes amid a page too, on a busy machine: who lacks something is
      // heard again.
      for (
        const [heard, other, again] of [[early, late, url], [late, early, `${url}#none`]] as const
      ) {
        if (other.isSubsetOf(heard)) continue;
        for (const path of await askedBy(ada.page, again)) heard.add(path);
      }
      assert.deepEqual(early, late, "console/api/early.ts");
      assert.deepEqual(ada.complaints, []);
    });
  }

  await t.step("a request stands still where the session is answered last", async () => {
    const { page } = ada;
    await page.goto("about:blank");
    await page.route("**/v1/session", async (route) => {
      await page.waitForResponse(/\/hints/);
      await route.continue();
    });
    await page.goto(`${server.url}/console/requests/${second?.id}`, settled);
    await page.unrouteAll();
    const { cls, shifts } = await vitalsOf(page);
    assert.ok(cls <= MOST_SHIFT, JSON.stringify(shifts, undefined, 1));
  });

  await t.step(
    "the rows wait for page, script and answer, and for nothing else in line",
    async () => {
      const cdp = await ada.context.newCDPSession(ada.page);
      await cdp.send("Network.enable");
      await cdp.send("Network.clearBrowserCache");
      await cdp.send("Network.emulateNetworkConditions", {
        offline: false,
        latency: ROUND_TRIP_MS,
        downloadThroughput: -1,
        uploadThroughput: -1,
      });
      await ada.page.goto(`${server.url}/console/requests`, settled);
      await ada.page.locator(".row-link").first().waitFor();
      const before = await ada.page.evaluate(() => {
        // as: entries of these two types.
        const all = [...performance.getEntriesByType("navigation")].concat(
          performance.getEntriesByType("resource"),
        ) as PerformanceResourceTiming[];
        const list = all.find(({ name }) => name.includes("/v1/key-requests?"));
        const chain: string[] = [];
        let ended = -1;
        for (const one of all.toSorted((a, b) => a.responseEnd - b.responseEnd)) {
          if (!list || one.responseEnd > list.startTime) break;
          if (one.startTime < ended) continue;
          chain.push(new URL(one.name).pathname);
          ended = one.responseEnd;
        }
        return chain;
      });
      assert.equal(before.length, 2, before.join("\n"));
    },
  );

  for (
    const [what, path] of [["sign-in", "/console"], [
      "page of a one-time link",
      one_time_link.link,
    ]] as const
  ) {
    await t.step(what, async () => {
      await using guest = await visit(browser);
      await watchVitals(guest.page);
      await guest.page.goto(new URL(path, server.url).href, settled);
      await guest.page.getByRole(what === "sign-in" ? "textbox" : "button").first().waitFor();
      const { cls, shifts } = await vitalsOf(guest.page);
      assert.ok(cls <= MOST_SHIFT, JSON.stringify(shifts, undefined, 1));
    });
  }
});
