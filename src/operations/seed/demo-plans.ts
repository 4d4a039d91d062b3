import { type CatalogueEntry } from "../../features/catalogue/catalogue-entry.ts";
import { catalogueConfig, catalogueEntry } from "../../features/catalogue/catalogue.contract.ts";
import type { EntryRow } from "../../features/catalogue/catalogue.store.ts";
import type { AuthType } from "../../features/plans/plan.ts";
import type { PlanRow } from "../../features/plans/plans.store.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { DAY_MS, demoId } from "./demo-ids.ts";

/** One plan of the demo: a regional transport network that opens its data to other companies. */
interface DemoPlan {
  name: string;
  api: string;
  summary: string;
  description: string;
  auth_type: AuthType;
  /** Calls per `per` seconds. */
  rate: number;
  per: number;
  /** Calls per `quota_renewal_rate` seconds; -1: no limit. */
  quota_max: number;
  quota_renewal_rate: number;
  tags: string[];
  /** True: an access token without `approve` may approve it too. */
  automatic?: boolean;
}

const DAY_SECONDS = 24 * 60 * 60;
const MONTH_SECONDS = 30 * DAY_SECONDS;

/** By short name, in the order of the catalogue. */
export const demoPlans = {
  free: {
    name: "Departures, free",
    api: "Departures",
    summary: "Live departures of every stop, for trying things out",
    description: "The next twenty departures of a stop with delays, platforms and cancellations. " +
      "Enough for a prototype, a classroom or a display at home.",
    auth_type: "authToken",
    rate: 60,
    per: 60,
    quota_max: 20_000,
    quota_renewal_rate: MONTH_SECONDS,
    tags: ["departures", "self-service"],
    automatic: true,
  },
  professional: {
    name: "Departures, professional",
    api: "Departures",
    summary: "Live departures for products with many users",
    description: "The same data as the free plan, ten times the rate, disruption texts in three " +
      "languages and an answer from the support desk within one working day.",
    auth_type: "authToken",
    rate: 600,
    per: 60,
    quota_max: 2_000_000,
    quota_renewal_rate: MONTH_SECONDS,
    tags: ["departures", "paid"],
  },
  fares: {
    name: "Fares, partner",
    api: "Fares",
    summary: "Prices between any two stops, for contracted partners",
    description: "Single, day and season tickets with all reductions, as they are sold at the " +
      "counter. For companies that have signed the sales partner agreement.",
    auth_type: "basic",
    rate: 120,
    per: 60,
    quota_max: 300_000,
    quota_renewal_rate: MONTH_SECONDS,
    tags: ["fares", "partner"],
  },
  sandbox: {
    name: "Ticket shop, sandbox",
    api: "Ticket shop",
    summary: "Buy test tickets on behalf of a passenger",
    description: "The whole purchase with made-up money: sign-in, basket, payment, barcode. " +
      "Test tickets are refused by every inspector's device.",
    auth_type: "oauth",
    rate: 30,
    per: 60,
    quota_max: 5_000,
    quota_renewal_rate: DAY_SECONDS,
    tags: ["tickets", "sandbox"],
  },
  live: {
    name: "Ticket shop, live",
    api: "Ticket shop",
    summary: "Sell valid tickets on behalf of a passenger",
    description: "Real purchases with the passenger's own account. Granted after a review of the " +
      "app in the sandbox.",
    auth_type: "oauth",
    rate: 300,
    per: 60,
    quota_max: 500_000,
    quota_renewal_rate: MONTH_SECONDS,
    tags: ["tickets", "paid"],
  },
  open: {
    name: "Timetables, open data",
    api: "Timetables",
    summary: "All stops and planned timetables, without a key",
    description: "The timetable of the current and the next season, refreshed every night. Free " +
      "for everybody under the open data licence; no key is needed.",
    auth_type: "keyless",
    rate: 10,
    per: 60,
    quota_max: -1,
    quota_renewal_rate: MONTH_SECONDS,
    tags: ["timetables", "open-data"],
  },
} as const satisfies Record<string, DemoPlan>;

/** The short name of one of these plans. */
export type DemoPlanName = keyof typeof demoPlans;

const OPENED_DAYS_AGO = 240;

/** The id of a plan. */
export function planId(name: DemoPlanName, now: number): string {
  return demoId(`plan ${name}`, now - OPENED_DAYS_AGO * DAY_MS);
}

/** The id of a plan's API. */
export function apiId(plan: Pick<DemoPlan, "api">, now: number): string {
  return demoId(`api ${plan.api}`, now - OPENED_DAYS_AGO * DAY_MS);
}

/** The rows of all plans. */
export function planRows(org_id: string, now: number): PlanRow[] {
  return names.map((name) => {
    const plan: DemoPlan = demoPlans[name];
    const id = planId(name, now);
    const api_id = apiId(plan, now);
    const document = {
      _id: id,
      id,
      name: plan.name,
      active: true,
      rate: plan.rate,
      per: plan.per,
      quota_max: plan.quota_max,
      quota_renewal_rate: plan.quota_renewal_rate,
      access_rights: { [api_id]: { api_id, api_name: plan.api, versions: ["Default"] } },
      auth_type: plan.auth_type,
      tags: plan.tags,
      key_expires_in: 0,
    };
    const date_created = toTimestamp(now - OPENED_DAYS_AGO * DAY_MS);
    const { auth_type } = plan;
    const text = JSON.stringify(document);
    return { org_id, id, given_id: id, name: plan.name, auth_type, document: text, date_created };
  });
}

/** The catalogue entry of a plan. */
export function entryOf(name: DemoPlanName, org_id: string, now: number): CatalogueEntry {
  const plan: DemoPlan = demoPlans[name];
  return catalogueEntry.input.parse({
    name: plan.name,
    short_description: plan.summary,
    long_description: plan.description,
    show: true,
    api_id: apiId(plan, now),
    policy_id: planId(name, now),
    version: "v2",
    is_keyless: plan.auth_type === "keyless",
    config: {
      ...configurationOf(org_id, now),
      override: plan.automatic === true,
      require_key_approval: plan.automatic !== true,
    },
    auth_type: plan.auth_type,
  });
}

/** The rows of the whole catalogue. */
export function entryRows(org_id: string, now: number): EntryRow[] {
  return names.map((name) => {
    const entry = entryOf(name, org_id, now);
    const { api_id, policy_id } = entry;
    return { api_id, policy_id, document: JSON.stringify(entry) };
  });
}

/** The organisation's portal configuration. */
export function configurationOf(org_id: string, now: number) {
  return catalogueConfig.input.parse({
    id: demoId("configuration", now - OPENED_DAYS_AGO * DAY_MS),
    org_id,
    key_request_fields: ["company", "use_case", "expected_calls"],
    require_key_approval: true,
    email: PORTAL_EMAIL,
    mail_options: {
      mail_from_name: "Riverline open services",
      mail_from_email: PORTAL_EMAIL,
      email_copy: {
        welcome_email: mail("Welcome to Riverline", "Your account is ready. Have a look around."),
        key_email: mail("Your key", "Your request was approved. Keep the key to yourself."),
        reset_password_email: mail("A new password", "Follow the link to choose a new password."),
      },
    },
    HashKeys: true,
  });
}

/** Where the demo's portal writes from. */
export const PORTAL_EMAIL = "apis@riverline.example";

// as: Object.keys forgets that the keys are the names.
const names = Object.keys(demoPlans) as DemoPlanName[];

function mail(subject: string, body: string) {
  return { enabled: true, subject, body, sign_off: "The Riverline team" };
}
