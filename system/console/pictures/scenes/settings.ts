import type { z } from "zod";
import type { listIdentityProviders } from "../../../../src/features/people/identity-providers/identity-providers.operations.ts";
import type { temporaryAccessRule } from "../../../../src/features/sign-in/temporary-access/temporary-access-rules.contract.ts";
import { type Scene, scene } from "../scene.ts";
import { button, dialog, openRow, rows, text, title } from "../sights.ts";

/** Settings, tab by tab. */
export const settingsScenes: readonly Scene[] = [
  scene(
    "Settings",
    "settings",
    "people and their permissions",
    "/console/settings?show=people",
    rows,
    {
      phone: true,
    },
  ),
  scene(
    "Settings",
    "settings-person",
    "one person, with access tokens",
    "/console/settings?show=people",
    async (page) => {
      await openRow(page, "Tomás");
      await title(page, "Tomás Ferreira");
    },
  ),
  scene(
    "Settings",
    "settings-add-person",
    "role and permissions of a new person",
    "/console/settings?show=people",
    async (page) => {
      await button(page, /^Add a person/).click();
      await dialog(page).waitFor();
    },
  ),
  scene(
    "Settings",
    "settings-token",
    "making an access token",
    "/console/settings?show=people",
    async (page) => {
      await openRow(page, "Tomás");
      await button(page, "Issue an access token").click();
      await dialog(page).waitFor();
    },
  ),
  scene(
    "Settings",
    "settings-organisations",
    "the organisations of this server",
    "/console/settings?show=organisations",
    (page) => text(page, "Yours is the only one"),
  ),
  scene(
    "Settings",
    "settings-pages",
    "the developer pages, and who signs up",
    "/console/settings?show=pages",
    (page) => page.getByRole("switch", { name: "Developers have pages of their own" }).waitFor(),
  ),
  scene(
    "Settings",
    "settings-channels",
    "notification channels",
    "/console/settings?show=channels",
    rows,
  ),
  scene(
    "Settings",
    "settings-channel",
    "a channel that fails",
    "/console/settings?show=channels",
    async (page) => {
      await openRow(page, "Gateway cache");
      await title(page, "Gateway cache");
    },
  ),
  scene(
    "Settings",
    "settings-mail",
    "which mails are sent",
    "/console/settings?show=channels",
    async (page) => {
      await openRow(page, "Mail");
      await button(page, "Words of A request waits").waitFor();
    },
  ),
  scene(
    "Settings",
    "settings-mail-words",
    "the words of a mail, with a preview",
    "/console/settings?show=channels",
    async (page) => {
      await openRow(page, "Mail");
      await button(page, "Words of A request waits").click();
      await page.frameLocator("iframe.mail-frame").getByRole("link").first().waitFor();
    },
  ),
  scene(
    "Settings",
    "settings-alerts",
    "alerts before something expires",
    "/console/settings?show=alerts",
    (page) => page.getByLabel("Days before expiry").waitFor(),
  ),
  scene(
    "Settings",
    "settings-you",
    "your session and choices",
    "/console/settings",
    (page) => page.getByRole("heading", { name: "This session" }).waitFor(),
  ),
  scene(
    "Settings",
    "settings-brand",
    "name, colour and addresses",
    "/console/settings?show=brand",
    (page) => page.getByLabel("Base URL").waitFor(),
  ),
  scene(
    "Settings",
    "settings-server",
    "version, store, health",
    "/console/settings?show=server",
    (page) => text(page, "SQLite"),
  ),
  scene(
    "Settings",
    "settings-sign-in",
    "how people sign in, and the company’s provider",
    "/console/settings?show=sign-in",
    async (page) => {
      // No provider can be called from here.
      await page.route(
        "**/v1/identity-providers",
        (route) => route.fulfill({ json: { data: [COMPANY] } }),
      );
      await page.reload();
      await text(page, "Redirect URI");
    },
  ),
  scene(
    "Settings",
    "settings-temporary-access",
    "rules of temporary access, and its use",
    "/console/settings?show=temporary-access",
    async (page) => {
      const { rules, uses } = incidents;
      await page.route("**/v1/temporary-access-rules", (route) => route.fulfill({ json: rules }));
      await page.route("**/v1/temporary-access", (route) => route.fulfill({ json: uses }));
      await page.reload();
      await text(page, "Keys of a partner leaked");
    },
    { phone: true },
  ),
  scene(
    "Settings",
    "settings-one-time-codes",
    "one-time codes of an authenticator app",
    "/console/settings?show=you",
    async (page) => {
      await page.route("**/v1/one-time-codes/secret", (route) => route.fulfill({ json: CODES }));
      await button(page, "Set up one-time codes").click();
      await dialog(page).locator("svg").waitFor();
    },
  ),
];

/** Nobody scans it: its secret is of no desk, and the same each time. */
const CODES = {
  secret: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
  uri:
    "otpauth://totp/Riverline:marit.solberg@riverline.example?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Riverline",
  ticket: "of-nobody",
  expires_at: "2026-03-12T09:50:00Z",
};

const RULE = { id: "65b0916f558a1fe916eb0f35", name: "Incidents" };
const HOLDS = {
  role: "approver",
  permissions: ["portal:read" as const, "approve" as const, "revoke" as const],
};
/** Their names are no ids of this desk: what nobody knows stands as it is. */
const incidents = {
  rules: {
    data: [{
      ...RULE,
      ...HOLDS,
      people: ["Rhys Morgan"],
      minutes: 60,
      proof: "second_person",
      seconds: ["Marit Solberg", "Tomás Ferreira"],
      receivers: ["Tomás Ferreira"],
      usable: true,
      notified: { people: 2, webhooks: 1 },
      date_created: "2026-01-05T09:00:00Z",
      date_updated: "2026-01-05T09:00:00Z",
    }] satisfies z.output<typeof temporaryAccessRule>[],
  },
  uses: {
    data: [{
      id: "65b0916f558a1fe916eb0f36",
      rule: RULE,
      person: { id: "65b0916f558a1fe916eb0f37", name: "Rhys Morgan" },
      state: "open",
      ...HOLDS,
      reason: "Incident 4711: Keys of a partner leaked",
      date_requested: "2026-03-12T09:10:00Z",
      date_started: "2026-03-12T09:12:00Z",
      expires_at: "2026-03-12T10:12:00Z",
      confirmed_by: { id: "65b0916f558a1fe916eb0f38", name: "Marit Solberg" },
      date_ended: null,
      ended_by: null,
      end_reason: null,
      actions: 3,
    }],
    next_cursor: null,
  },
};

const COMPANY: z.output<typeof listIdentityProviders.response>["data"][number] = {
  id: "65b0916f558a1fe916eb0f36",
  for: "people",
  issuer: "https://login.riverline.example",
  name: "Riverline",
  client_id: "keydesk-console",
  has_secret: true,
  domains: ["riverline.example"],
  scopes: ["profile", "email"],
  groups_claim: "groups",
  groups: [
    { group: "platform", role: null, permissions: ["portal:read", "approve"] },
    { group: "support", role: null, permissions: ["portal:read"] },
  ],
  creates_people: true,
  acr_values: [],
  amr_values: [],
  preset: "generic",
  client_auth: "auto",
  pushed_requests: false,
  response_mode: "query",
  asks_consent: false,
  groups_path: [],
  groups_form: "list",
  groups_separator: ",",
  groups_drop_slash: false,
  logout_ends: "added",
  recheck_minutes: 60,
  session_minutes: null,
  jwks_address: null,
  last_refused: null,
  problem: null,
  gives_refresh_tokens: null,
  people: 9,
  return_address: "https://keys.riverline.example/console/from/65b0916f558a1fe916eb0f36",
  logout_address:
    "https://keys.riverline.example/v1/session/provider/65b0916f558a1fe916eb0f36/logout",
  date_created: "2026-01-05T09:00:00Z",
  date_updated: "2026-02-05T09:00:00Z",
};
