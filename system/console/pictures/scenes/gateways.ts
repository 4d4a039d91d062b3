import type { Page } from "playwright-core";
import { type Scene, scene } from "../scene.ts";
import { button, dialog, rows, text } from "../sights.ts";

/** Gateways that hold keys of their own. No desk has one: what it would say stands here. */
export const gatewayScenes: readonly Scene[] = [
  scene(
    "Gateways",
    "gateways",
    "keys at a gateway, and problems",
    "/console/gateways",
    async (page) => {
      await told(page);
      await rows(page);
      await page.locator(".row-link").first().click();
      await text(page, "No policy for the plan");
    },
    { phone: true },
  ),
  scene(
    "Gateways",
    "gateway-canary",
    "how long a key takes to be valid and to be denied",
    "/console/gateways",
    async (page) => {
      await told(page);
      await rows(page);
      await page.locator(".row-link").first().click();
      await text(page, /worst 5\.6 s/);
      await page.getByRole("heading", { name: "Canary" }).scrollIntoViewIfNeeded();
      await page.getByRole("heading", { name: "Canary" }).evaluate((one) => one.scrollIntoView());
    },
  ),
  scene(
    "Gateways",
    "gateway-add-synced",
    "adding one that holds keys",
    "/console/gateways",
    async (page) => {
      await button(page, /^Add a gateway/).first().click();
      await dialog(page).getByLabel("Product").selectOption({ label: "Tyk Gateway" });
      await dialog(page).getByRole("button", { name: "Next" }).click();
      await dialog(page).getByLabel("Name", { exact: true }).fill("City gateway");
    },
  ),
];

const at = (time: string) => `2026-03-12T${time}.000Z`;
const gateway_id = "69b28a60a1b2c3d4e5f60718";
const gateway = {
  id: gateway_id,
  name: "City gateway",
  connection: "synced",
  kind: "tyk",
  map: null,
  url: "https://gw.riverline.example",
  probe_url: "https://gw.riverline.example/probe",
  plans: null,
  policies: "compare",
  calls_per_second: 200,
  state: "active",
  failing_since: null,
  failure: "",
  filling: false,
  counts: { waiting: 3, delivered: 806, stuck: 2, diverged: 1, gone: 41 },
  reading: 0,
  waits_since: at("09:39:56"),
  checked_at: at("03:00:41"),
  findings: [{ code: "no_policy", detail: "Disruptions, push" }],
  reconciled_at: at("03:00:41"),
  reconciled: {
    compared: 812,
    missing: 0,
    returned: 0,
    foreign: 7,
    foreign_names: [],
    dry_run: false,
  },
  missing_outbound: null,
  unconfirmed_since: null,
  redis_url: "",
  certificates: false,
  created_at: "2026-01-12T08:00:00.000Z",
  created_by: "",
};

/** A restart an hour ago is seen. */
const runs = Array.from({ length: 60 }, (_, n) => ({
  at: new Date(Date.parse(at("08:40:02")) + n * 60_000).toISOString(),
  how: "called",
  valid_after_ms: n === 25 ? 5600 : n === 26 ? 1100 : 380 + n % 7 * 20,
  invalid_after_ms: n === 25 ? 2100 : 560 + n % 5 * 30,
}));
const canary = {
  tried: "called",
  runs: runs.length,
  last: runs.at(-1),
  median: { valid_after_ms: 410, invalid_after_ms: 620 },
};

const stuck = {
  gateway_id,
  gateway: gateway.name,
  state: "stuck",
  remote_id: "",
  delivered_at: null,
};
const keys = [
  {
    ...stuck,
    key_id: "5b0c7d9d61f0b7a1c2e94fd0a3b81e6f2d77c05b49e18a3c6f9d204b7e51d2a7",
    reason: "no_policy Disruptions, push",
    since: at("08:58:00"),
    tries: 14,
  },
  {
    ...stuck,
    key_id: "8f14e45fceea167a5a36dedd4bea2543c1dfd96eea8cc2b62785275bca38ac26",
    reason: "secret_gone",
    since: at("09:12:00"),
    tries: 1,
  },
];

async function told(page: Page): Promise<void> {
  const data = [{ ...gateway, canary }];
  await page.route("**/v1/gateways", (route) => route.fulfill({ json: { data } }));
  await page.route(
    "**/v1/gateways/*/canary?*",
    (route) => route.fulfill({ json: { data: runs } }),
  );
  await page.route(
    "**/v1/gateways/*/keys?*",
    (route) => route.fulfill({ json: { data: keys, next_cursor: null } }),
  );
  await page.reload();
}
