import { type Scene, scene } from "../scene.ts";
import { button, dialog, openRow, rows, text, title } from "../sights.ts";

/** Settings, tab by tab. */
export const settingsScenes: readonly Scene[] = [
  scene("Settings", "settings", "people and what they may do", "/console/settings", rows, {
    phone: true,
  }),
  scene(
    "Settings",
    "settings-person",
    "one of them, with access tokens",
    "/console/settings",
    async (page) => {
      await openRow(page, "Tomás");
      await title(page, "Tomás Ferreira");
    },
  ),
  scene(
    "Settings",
    "settings-add-person",
    "roles and permissions",
    "/console/settings",
    async (page) => {
      await button(page, /^Add a person/).click();
      await dialog(page).waitFor();
    },
  ),
  scene(
    "Settings",
    "settings-token",
    "an access token is issued",
    "/console/settings",
    async (page) => {
      await openRow(page, "Tomás");
      await button(page, "Issue an access token").click();
      await dialog(page).waitFor();
    },
  ),
  scene(
    "Settings",
    "settings-organisations",
    "whom this server serves",
    "/console/settings?show=organisations",
    (page) => text(page, "Yours is the only one"),
  ),
  scene(
    "Settings",
    "settings-pages",
    "whether developers have pages of their own, and who signs up there",
    "/console/settings?show=pages",
    (page) => text(page, "Off: no developer is signed in"),
  ),
  scene(
    "Settings",
    "settings-targets",
    "who is told of changes",
    "/console/settings?show=targets",
    rows,
  ),
  scene(
    "Settings",
    "settings-target",
    "one that fails",
    "/console/settings?show=targets",
    async (page) => {
      await openRow(page, "Gateway cache");
      await title(page, "Gateway cache");
    },
  ),
  scene(
    "Settings",
    "settings-mail",
    "which mails are sent",
    "/console/settings?show=targets",
    async (page) => {
      await openRow(page, "Mail");
      await button(page, /^A request waits/).waitFor();
    },
  ),
  scene(
    "Settings",
    "settings-mail-words",
    "the words of a mail, and how it looks",
    "/console/settings?show=targets",
    async (page) => {
      await openRow(page, "Mail");
      await button(page, /^A request waits/).click();
      await page.frameLocator("iframe.mail-frame").getByRole("link").first().waitFor();
    },
  ),
  scene(
    "Settings",
    "settings-alerts",
    "when somebody is told of ends",
    "/console/settings?show=alerts",
    (page) => text(page, "60, 30, 14, 7, 3, 1 days"),
  ),
  scene(
    "Settings",
    "settings-you",
    "one’s own session and choices",
    "/console/settings?show=you",
    (page) => page.getByRole("heading", { name: "This session" }).waitFor(),
  ),
  scene(
    "Settings",
    "settings-brand",
    "name, colour and addresses",
    "/console/settings?show=brand",
    (page) => text(page, "https://api.riverline.example"),
  ),
  scene(
    "Settings",
    "settings-server",
    "versions, store, health",
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
];

const COMPANY = {
  id: "65b0916f558a1fe916eb0f36",
  issuer: "https://login.riverline.example",
  name: "Riverline",
  client_id: "keydesk-console",
  has_secret: true,
  domains: ["riverline.example"],
  scopes: ["profile", "email"],
  groups_claim: "groups",
  groups: [
    { group: "platform", permissions: ["portal:read", "approve"] },
    { group: "support", permissions: ["portal:read"] },
  ],
  creates_people: true,
  acr_values: [],
  amr_values: [],
  people: 9,
  return_address: "https://keys.riverline.example/console/from/65b0916f558a1fe916eb0f36",
  logout_address:
    "https://keys.riverline.example/v1/session/provider/65b0916f558a1fe916eb0f36/logout",
  date_created: "2026-01-05T09:00:00Z",
  date_updated: "2026-02-05T09:00:00Z",
};
