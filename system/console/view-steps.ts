/** What one does, or what the server says, until a view is seen: steps of views.ts. */
import type { Page } from "playwright-core";
import type { DemoServer } from "./browser.ts";
import { differenceFigures, meterFigures } from "./meter-figures.ts";

/** What one does at a page until a view is seen; `address`: of the page. */
export type Step = (page: Page, server: DemoServer, address: string) => Promise<unknown>;

/** As where the server says something else of each in a list. */
export const rowsSay = (url: string, more: object) => (page: Page) =>
  page.route(url, async (route) => {
    const address = new URL(route.request().url());
    // What is asked for is in no demo.
    address.searchParams.delete("waits_for");
    const response = await route.fetch({ url: address.href });
    const { data, ...rest } = await response.json();
    const rows = data.map((row: object) => ({ ...row, ...more }));
    await route.fulfill({ response, json: { ...rest, data: rows } });
  });

/** A canary that was slow to open, slow to shut, and could not be made. */
const canaryRuns = [
  { at: "2026-01-05T09:00:00.000Z", how: "called", valid_after_ms: 410, invalid_after_ms: 600 },
  { at: "2026-01-05T09:01:00.000Z", how: "called", valid_after_ms: 7100, invalid_after_ms: 600 },
  { at: "2026-01-05T09:02:00.000Z", how: "called", valid_after_ms: 410, invalid_after_ms: null },
  { at: "2026-01-05T09:03:00.000Z", how: null, valid_after_ms: null, invalid_after_ms: null },
];
export const tried = {
  tried: "called",
  runs: 4,
  last: canaryRuns[3],
  median: { valid_after_ms: 410, invalid_after_ms: 600 },
};

/** A mail server that people set, which may not be reached. */
export const mailServer = {
  source: "stored",
  host: "mail.example.org",
  port: 465,
  security: "tls",
  user: "keydesk",
  has_password: true,
  from: "keys@example.org",
  missing_outbound: "mail.example.org:465",
};
/** A gateway at which everything is wrong that can be. */
export const gatewayProblem = {
  missing_outbound: null,
  failing_since: "2026-01-01T00:00:00.000Z",
  failure: "the gateway answers 502",
  counts: { waiting: 1, delivered: 806, stuck: 2, diverged: 1, gone: 4 },
  reading: 100,
  findings: [
    { code: "cache_on", detail: "undone" },
    { code: "no_policy", detail: "Tides" },
    { code: "no_list", detail: "" },
  ],
  reconciled_at: "2026-01-01T00:00:00.000Z",
  reconciled: {
    compared: 812,
    missing: 1,
    returned: 0,
    foreign: 1,
    foreign_names: ["39f3725c6d570d6268c76314ac5af38f"],
    dry_run: true,
  },
};

/** Opens what says why nothing was sent, in a drawer. */
export const toldWhy = (page: Page) => page.locator(".drawer .alerts summary").first().click();

export const press = (name: string | RegExp) => (page: Page) =>
  page.getByRole("button", { name, exact: true }).first().click();
export const key = (...keys: string[]) => async (page: Page) => {
  for (const one of keys) await page.keyboard.press(one);
};
export const text = (words: string | RegExp) => (page: Page) =>
  page.getByText(words).first().waitFor();
export const fill = (label: string, words: string) => (page: Page) =>
  page.getByLabel(label, { exact: true }).locator("visible=true").first().fill(words);
export const check = (label: string) => (page: Page) =>
  page.getByLabel(label).and(page.locator("input")).first().check();
export const inDialog = (name: string | RegExp) => (page: Page) =>
  page.getByRole("dialog").getByRole("button", { name, exact: true }).click();
export const options = (page: Page) => page.locator("[role=option]").first().waitFor();
export const dialog = (page: Page) => page.getByRole("dialog").waitFor();
export const drawer = (page: Page) => page.locator(".drawer .facts").first().waitFor();
/** What a low window folds is open there too. */
export const unfolded = async (page: Page) => {
  const size = page.viewportSize();
  await page.setViewportSize({ width: 320, height: 256 });
  await press("Filters")(page);
  if (size) await page.setViewportSize(size);
};
export const menu = (page: Page) => page.locator(".menu:popover-open").waitFor();
export const openedFold = (page: Page) =>
  page.getByText("Name and tags", { exact: true }).click().then(() =>
    page.getByLabel("Environment").last().waitFor()
  );
export const row = (page: Page) => page.locator(".row-link").first().waitFor();
/** One after the other. */
export const then = (...steps: readonly Step[]): Step => async (page, server, address) => {
  for (const step of steps) await step(page, server, address);
};
/** What the server answers here is something else. */
export const answers =
  (url: string, status: number, json: unknown, code = "internal") => (page: Page) =>
    page.route(
      url,
      (route) => route.fulfill({ status, json, headers: { "x-keydesk-error": code } }),
    );
/** Screens are read ahead, and kept: this one is not there when the server is away. */
export const withoutAuditLog = (page: Page) =>
  page.route(/\/audit-log-[^/]*\.js$/, (one) => one.abort());
/** As where approvals were to be signed by a passkey. */
export const closed = (page: Page) =>
  page.route("**/v1/session", async (route) => {
    const response = await route.fetch();
    const session = await response.json();
    await route.fulfill({ response, json: { ...session, approvals_closed: true } });
  });
export const again = async (page: Page, _: DemoServer, address: string) => {
  await page.goto("about:blank");
  await page.goto(address);
};
/** What one thing is answered with besides. */
export const oneSays = (url: string, more: object) => (page: Page) =>
  page.route(url, async (route) => {
    if (route.request().method() !== "GET") return await route.fallback();
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...await response.json(), ...more } });
  });
const learned = {
  gateway_id: "6b0916f558a1fe916eb0f36d",
  on: true,
  started_at: "2026-01-05T09:00:00Z",
  started_by: "ada",
  ends_at: "2027-01-05T09:00:00Z",
  questions_per_second: 50,
  migrated: 1204,
  waiting: 0,
  alarms: 0,
  not_followed: 0,
  awaiting: 0,
  awaiting_since: null,
};
export const learning = answers("**/v1/gateways/*/lazy-migration", 200, learned);
export const losses = answers("**/v1/gateways/*/lazy-migration", 200, {
  ...learned,
  awaiting: 212,
  awaiting_since: "2026-01-05T09:00:00Z",
});
/** As after some weeks of a move. */
export const moving = then(
  answers("**/v1/migration", 200, meterFigures(Date.now())),
  answers("**/v1/migration/differences?*", 200, differenceFigures(Date.now())),
  again,
);
export const runs = answers("**/v1/gateways/*/canary?*", 200, { data: canaryRuns });
export const fails = (url: string) => then(answers(url, 500, {}), again);

/** Of the only organisation; there are two by then. */
export const brand = {
  name: "Coastal Data",
  logo: "",
  colour: "#0b6b5c",
  support: "help@example.org",
};
/** As a mailed link reads it. */
export const offer = {
  state: "waiting",
  organisation: brand,
  asked: [{ id: "plan", name: "Departures, professional" }],
  terms: {
    rate: { calls: 300, seconds: 60 },
    quota: { calls: 1_000_000, seconds: 2_592_000 },
    addresses: ["192.0.2.0/24"],
    review_at: null,
    expires_at: "2027-02-19T00:00:00Z",
    plans: null,
  },
  plans: null,
  message: "Welcome back. You get 1,000,000 calls until February.",
  expires_at: "2026-12-04T09:00:00Z",
};
/** Of nobody: a browser without an authenticator makes none. */
export const passkey = {
  id: "6b0916f558a1fe916eb0f36b",
  name: "Laptop",
  host: "desk.example.org",
  date_created: "2026-01-05T09:00:00Z",
  last_used_at: "2026-02-05T09:00:00Z",
};

/** Somebody has one-time codes, and makes recovery codes anew. */
export const withCodes = async (page: Page) => {
  const codes = { set_up_at: passkey.date_created, last_used_at: null, recovery_codes: 7 };
  await answers("**/v1/one-time-codes", 200, codes)(page);
  const made = Array.from({ length: 10 }, (_, n) => `abcd-efgh-ijkl-mnop-qrst-uv${n}x`);
  await answers("**/v1/one-time-codes/recovery", 200, { codes: made })(page);
};

/** One of the organisation's own. */
export const ownRole = {
  id: "6b0916f558a1fe916eb0f36c",
  name: "First line",
  description: "",
  permissions: ["portal:read"],
  preset: false,
  used_by: { people: 0, access_tokens: 0, identity_providers: 0 },
  date_created: "2026-01-05T09:00:00Z",
  date_updated: null,
};

/** Of break-glass: its rule, who has temporary access by it, and what somebody may do of it. */
const temporaryAccessRule = {
  id: "6b0916f558a1fe916eb0f36d",
  name: "Incidents",
  people: ["6b0916f558a1fe916eb0f36e"],
  role: "approver",
  permissions: ["portal:read", "approve"],
  minutes: 60,
  proof: "second_person",
  seconds: ["6b0916f558a1fe916eb0f36f"],
  receivers: ["6b0916f558a1fe916eb0f36f"],
  usable: false,
  notified: { people: 0, webhooks: 0 },
  date_created: "2026-01-05T09:00:00Z",
  date_updated: "2026-01-05T09:00:00Z",
};
const temporaryAccess = {
  id: "6b0916f558a1fe916eb0f370",
  rule: { id: temporaryAccessRule.id, name: "Incidents" },
  person: { id: temporaryAccessRule.people[0], name: "Hedy" },
  state: "asked",
  role: "approver",
  permissions: ["portal:read", "approve"],
  reason: "Incident 4711: keys of a partner leaked",
  date_requested: "2026-01-05T09:00:00Z",
  date_started: null,
  expires_at: "2036-01-05T10:00:00Z",
  confirmed_by: null,
  date_ended: null,
  ended_by: null,
  end_reason: null,
  actions: 0,
};
export const ownTemporaryAccess = {
  temporary_access: null,
  here: false,
  rules: [{
    id: temporaryAccessRule.id,
    name: "Incidents",
    role: { id: "approver", name: "Approver" },
    permissions: temporaryAccessRule.permissions,
    minutes: 60,
    proof: "passkey",
  }],
  to_confirm: [temporaryAccess],
};
export const withRule = then(
  answers("**/v1/temporary-access-rules", 200, { data: [temporaryAccessRule] }),
  answers("**/v1/temporary-access", 200, { data: [temporaryAccess] }),
  again,
);
export const withTemporaryAccess = (page: Page) =>
  page.route("**/v1/session", async (route) => {
    const response = await route.fetch();
    const session = await response.json();
    const { id, expires_at } = temporaryAccess;
    await route.fulfill({ response, json: { ...session, temporary_access: { id, expires_at } } });
  });

/** A role that a file manages and another person changed, and branding. */
const managedThing = {
  kind: "roles",
  id: "86b0916f558a1fe916eb0f36",
  name: "First line",
  source: "platform.yaml",
  revision: "3f9c1e2",
  made: true,
  declared: true,
  applied_at: "2026-02-05T09:00:00Z",
  drifted_at: "2026-02-06T09:00:00Z",
  drift: [{ member: "permissions", before: ["portal:read"], after: ["portal:read", "revoke"] }],
};
export const branding = { kind: "branding", id: "", name: "branding", drifted_at: null, drift: [] };
export const managed = {
  changes: "warn",
  data: [managedThing, { ...managedThing, ...branding, declared: false }],
};
export const configReview = {
  digest: "775e4602133841a54d3d99145ad08a5caff5564953ac9fe4bb73953f3dac6d23",
  source: "platform.yaml",
  revision: "3f9c1e2",
  changes: [
    { kind: "plans", noun: "plan", name: "Gold", action: "delete", index: null, members: [] },
    {
      kind: "roles",
      noun: "role",
      name: "First line",
      action: "update",
      index: 0,
      members: managedThing.drift,
    },
  ],
  loses_access: [{
    plan: "Gold",
    because: "it is deleted",
    keys: 1000,
    developers: 1,
    pending_requests: 0,
  }],
  asked_by: "96b0916f558a1fe916eb0f36",
  asked_at: "2026-02-06T09:00:00Z",
  confirmed_by: null,
  confirmed_at: null,
};
export const withFiles = then(
  answers("**/v1/config/managed", 200, managed),
  answers("**/v1/config/reviews", 200, { data: [configReview] }),
  answers("**/v1/config/reviews/*", 200, configReview),
  again,
);

/** One that nobody comes by. */
export const company = {
  id: "65b0916f558a1fe916eb0f36",
  issuer: "https://login.example.org",
  name: "Veldhaven Transit",
  client_id: "keydesk-console",
  has_secret: true,
  domains: ["example.org"],
  scopes: ["profile", "email"],
  groups_claim: "groups",
  groups: [{ group: "timetable-desk", permissions: ["portal:read", "approve"] }],
  creates_people: true,
  acr_values: [],
  amr_values: ["hwk"],
  preset: "keycloak",
  client_auth: "private_key_jwt",
  pushed_requests: false,
  response_mode: "query",
  asks_consent: false,
  groups_path: [],
  groups_form: "separated",
  groups_separator: ",",
  groups_drop_slash: true,
  logout_ends: "all",
  recheck_minutes: 20,
  session_minutes: null,
  jwks_address: "https://desk.example.org/v1/session/provider/65b0916f558a1fe916eb0f36/jwks",
  last_refused: {
    at: "2026-02-05T09:00:00Z",
    reason: 'no group of the claim "groups" gives anything here: it names "timetable", "staff"',
  },
  problem: {
    since: "2026-02-05T09:00:00Z",
    reason: "its clock is 90 seconds ahead of this server's",
  },
  gives_refresh_tokens: false,
  people: 9,
  return_address: "https://desk.example.org/console/from/65b0916f558a1fe916eb0f36",
  logout_address: "https://desk.example.org/v1/session/provider/65b0916f558a1fe916eb0f36/logout",
  date_created: "2026-01-05T09:00:00Z",
  date_updated: "2026-02-05T09:00:00Z",
};
export const linked = {
  data: [{
    id: "75b0916f558a1fe916eb0f36",
    provider_id: company.id,
    provider: company.name,
    date_created: "2026-01-05T09:00:00Z",
    last_used_at: "2026-02-05T09:00:00Z",
  }],
  providers: [{ id: company.id, name: company.name }],
};
export const withCompany = then(
  answers("**/v1/identity-providers", 200, { data: [company] }),
  again,
  text("Redirect URI"),
);
