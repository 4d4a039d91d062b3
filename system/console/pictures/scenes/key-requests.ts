import type { Page, Route } from "playwright-core";
import { type Scene, scene, type SceneDesk } from "../scene.ts";
import { button, dialog, rows, text } from "../sights.ts";

/** Key requests. */
export const keyRequestScenes: readonly Scene[] = [
  scene(
    "Requests",
    "key-requests",
    "requests that wait for a decision",
    "/console/requests",
    rows,
    { phone: true },
  ),
  scene("Requests", "key-request", "one request", "/console/requests", async (page) => {
    await page.locator(".row-link").nth(2).click();
    await button(page, /^Approve/).first().waitFor();
    await text(page, "Request id");
    // The one that README shows: the desk that `keydesk seed` makes.
  }, { desk: "calm", phone: true }),
  scene(
    "Requests",
    "key-request-approve",
    "approving one",
    "/console/requests",
    async (page) => {
      await page.locator(".row-link").nth(2).click();
      await button(page, /^Approve/).first().click();
      await dialog(page).waitFor();
    },
  ),
  scene(
    "Requests",
    "key-request-steps",
    "approval in steps, with comments of the team",
    "/console/requests",
    async (page, desk) => {
      await inSteps(page, desk);
      await page.reload();
      await page.locator(".row-link").nth(2).click();
      await text(page, "1 of 2");
      await text(page, "Who knows their security contact?");
      await page.getByRole("heading", { name: "Steps" }).evaluate((one) => {
        // The drawer alone is scrolled.
        for (let at = one.parentElement; at; at = at.parentElement) {
          if (getComputedStyle(at).overflowY === "auto") {
            at.scrollTop += one.getBoundingClientRect().top - at.getBoundingClientRect().top - 12;
            break;
          }
        }
      });
    },
    { phone: true },
  ),
  scene(
    "Requests",
    "key-requests-several",
    "deciding several at once",
    "/console/requests",
    async (page) => {
      for (const n of [1, 2, 4]) await page.locator(".row-pick").nth(n).click();
      await text(page, "3 selected");
    },
  ),
  scene(
    "Requests",
    "key-requests-approved",
    "approved requests",
    "/console/requests?state=issued",
    rows,
  ),
  scene(
    "Requests",
    "key-requests-declined",
    "declined requests",
    "/console/requests?state=declined",
    rows,
  ),
  scene(
    "Requests",
    "key-requests-no-match",
    "a search without a result",
    "/console/requests?q=tram+depot",
    (page) => text(page, "Nothing matches"),
  ),
  scene(
    "Requests",
    "key-requests-empty",
    "no request yet",
    "/console/requests",
    (page) => page.locator(".state").first().waitFor(),
    { desk: "empty" },
  ),
];

const MARIT = { id: "65b0916f558a1fe916eb0f31", name: "Marit Solberg" };
const TOMAS = { id: "65b0916f558a1fe916eb0f32", name: "Tomás Ferreira" };
const JANA = { id: "65b0916f558a1fe916eb0f33", name: "Jana Novák" };

/** Of a policy of two steps: what other pictures show stays decided by one person. */
async function inSteps(page: Page, desk: SceneDesk): Promise<void> {
  const said = (who: object, at: string, reason: string) => [
    { ...who, at, reason, in_place_of: null, message: null, granted: null },
  ];
  const product = said(TOMAS, "2026-03-11T15:20:00Z", "Their contract is signed.");
  const security = said(JANA, "2026-03-12T08:05:00Z", "Their addresses are known.");
  const shown = {
    approval: {
      outcome: "steps",
      not_by_filer: true,
      present_step: 1,
      steps: [
        { name: "API product", need: 1, missing: 0, approved: product },
        { name: "Security", need: 2, missing: 1, approved: security },
      ],
    },
    may_approve: [MARIT],
    assignee: MARIT,
  };
  const read = (route: Route) => {
    const { pathname, search } = new URL(route.request().url());
    return desk.call("GET", pathname + search);
  };
  await page.route("**/v1/key-requests?*", async (route) => {
    const { data, ...rest } = await read(route);
    const rows = data.map((row: object, at: number) => at === 2 ? { ...row, ...shown } : row);
    await route.fulfill({ json: { ...rest, data: rows } });
  });
  await page.route(/\/v1\/key-requests\/(?!counts)[^/?]+$/, async (route) => {
    await route.fulfill({ json: { ...await read(route), ...shown } });
  });
  const comment = {
    id: "65b0916f558a1fe916eb0f34",
    author: TOMAS,
    at: "2026-03-11T15:24:00Z",
    words: "Their lead asked for it by phone. Who knows their security contact?",
    mentions: [MARIT],
    may_remove: false,
    removed_by_name: null,
  };
  const comments = { data: [comment], next_cursor: null };
  await page.route("**/comments?*", (route) => route.fulfill({ json: comments }));
}
