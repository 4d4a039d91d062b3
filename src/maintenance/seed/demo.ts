/**
 * The demo as of a moment: demo.json says who is in it and what they asked for, in days before now.
 * An archive could not hold it: its keys are minted, its certificates signed and its calls counted
 * anew each time, so that no one has its secrets and nothing in it ends by growing old.
 */
import { Buffer } from "node:buffer";
import type { CatalogueEntry } from "../../features/plans/catalogue/catalogue-entry.ts";
import {
  catalogueConfig,
  catalogueEntry,
} from "../../features/plans/catalogue/catalogue.contract.ts";
import type { EntryRow } from "../../features/plans/catalogue/catalogue.store.ts";
import { type CertificateEntry, toEntry } from "../../features/certificates/certificate-entry.ts";
import { readCertificate } from "../../../packages/x509/x509.ts";
import type { Developer } from "../../features/developers/developer.ts";
import { developer } from "../../features/developers/developers.contract.ts";
import {
  draft,
  initially,
  type KeyRequestDraft,
} from "../../features/key-requests/draft-key-request.ts";
import { keyRequestInput } from "../../features/key-requests/key-requests.contract.ts";
import { type Attempt, kindOf, mint, newAttempt } from "../../features/keys/key-kinds.ts";
import type { SomeKeyLabels } from "../../features/keys/key-labels.ts";
import type { AuthType } from "../../features/plans/plan.ts";
import type { PlanRow } from "../../features/plans/plans.store.ts";
import { HOUR_MS } from "../../features/verification/usage/usage.ts";
import { newSecret } from "../../features/notifications/webhook-sender.ts";
import type { PortalDocument } from "../../features/plans/catalogue/documents.store.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { sha256 } from "../../kernel/sha256.ts";
import { type CalledKey, callsOf, type DemoCalls } from "./demo-calls.ts";
import { signCertificate } from "./sign-certificate.ts";
import file from "./demo.json" with { type: "json" };

interface DemoData {
  gateway: { name: string; kind: "nginx" };
  /** `minutes_ago`: when its messages were delivered, the last one not. */
  channel: { name: string; url: string; minutes_ago: number[] };
  leaks: { request_of: string; plan: string; url: string; hours_ago: number }[];
  /** OpenAPI documents of the APIs of these plans. */
  documents: Record<string, object>;
  portal: {
    email: string;
    name: string;
    mails: Record<string, { subject: string; body: string }>;
  };
  /**
   * In the order of the catalogue. `automatic`: anyone who may send requests may approve its own.
   */
  plans: Record<string, {
    automatic: boolean;
    name: string;
    api: string;
    summary: string;
    description: string;
    auth_type: AuthType;
    rate: number;
    per: number;
    quota_max: number;
    quota_renewal_rate: number;
    tags: string[];
    calls_a_day: number;
  }>;
  developers: Record<string, {
    name: string;
    company: string;
    email: string;
    registered_days_ago: number;
    last_login_days_ago: number;
    inactive: boolean;
    app: string | null;
    app_tags: string[];
  }>;
  /** Issued by hand, one after the other. Those without an end never end. */
  keys: { developer: string; plan: string; ends_in_days: number | null; calls_a_day: number }[];
  certificates: { cn: string; ends_in_days: number; owner: string; tags: string[] }[];
  /** Newest first, as an inbox shows them. */
  requests: {
    developer: string;
    plan: string;
    days_ago: number;
    state: "pending" | "issued" | "declined";
    use_case: string;
    expected_calls: string;
    app?: string;
    redirect_uri?: string;
    /** Why it was declined. */
    reason?: string;
  }[];
}

/**
 * The content of the file: a regional transport network that opens its data to other companies.
 */
// as: the file holds nothing else.
export const demoData = file as DemoData;

/** One certificate of the demo, ready to be written. */
interface DemoCertificate {
  entry: CertificateEntry;
  /** Milliseconds: when it was uploaded. */
  addedAt: number;
  /** Its owner and tags; empty: none. */
  owner: string;
  tags: string[];
}

/** One key of the demo that no one asked for. */
interface DemoKey {
  developer_id: string;
  plan_id: string;
  labels: SomeKeyLabels;
  attempt: Attempt;
  /** Milliseconds: when it was issued. */
  issuedAt: number;
  /** When it ends; null: never. */
  expires_at: string | null;
}

/** One request of the demo, ready to be written. */
interface DemoRequest {
  state: "pending" | "issued" | "declined";
  draft: KeyRequestDraft;
  /** Milliseconds: when it was sent, and when it was approved or declined. */
  sentAt: number;
  decidedAt: number;
  /** Why it was declined; null: it was not. */
  reason: string | null;
  attempt: Attempt;
}

/** A whole demo organisation. Equal `org_id` and `now` give the same, but for secrets. */
export interface Demo {
  org_id: string;
  /** Milliseconds: when everything else began. */
  openedAt: number;
  plans: PlanRow[];
  catalogue: { org_id: string; id: string; email: string; entries: EntryRow[] };
  configuration: { org_id: string; id: string; document: string };
  developers: Developer[];
  certificates: DemoCertificate[];
  keys: DemoKey[];
  requests: DemoRequest[];
  calls: DemoCalls;
  /** The gateway through which all calls came; null: none. */
  gateway: { name: string; kind: "nginx" } | null;
  /** OpenAPI documents of public APIs. The developer portal is on with them; null: it is off. */
  documents: PortalDocument[] | null;
  /** A paused webhook, and when its newest messages were delivered; null: there is none. */
  channel: { name: string; url: string; secret: string; deliveredMs: number[] } | null;
  /** Keys that were found in public, and where. */
  leaks: { key_id: string; url: string; at: number }[];
}

const MINUTE_MS = 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const OPENED_DAYS_AGO = 240;

/** Makes the demo of an organisation as of `now`. */
export function makeDemo(org_id: string, now: number): Demo {
  const { portal, plans, developers, gateway, channel, documents } = demoData;
  const configuration = configurationOf(org_id, now);
  const { id } = configuration;
  const entries = Object.keys(plans).map((name) => {
    const entry = entryOf(name, org_id, now);
    const { api_id, policy_id } = entry;
    return { api_id, policy_id, document: JSON.stringify(entry) };
  });
  const keys = demoData.keys.map((key, index) => makeKey(key, index, now));
  const requests = demoData.requests.map((text, index) => makeRequest(text, index, org_id, now));
  return {
    org_id,
    openedAt: now - OPENED_DAYS_AGO * DAY_MS,
    plans: Object.keys(plans).map((name) => planRow(name, org_id, now)),
    catalogue: { org_id, id, email: portal.email, entries },
    configuration: { org_id, id, document: JSON.stringify(configuration) },
    developers: Object.keys(developers).map((name) => makeDeveloper(name, org_id, now)),
    certificates: makeCertificates(org_id, now),
    keys,
    requests,
    calls: callsOf(calledKeys(keys, requests, org_id, now), gateway.name, now),
    gateway,
    documents: Object.keys(documents).map((plan) => documentOf(plan, now)),
    channel: {
      ...channel,
      secret: newSecret(),
      deliveredMs: channel.minutes_ago.map((minutes) => now - minutes * MINUTE_MS),
    },
    leaks: demoData.leaks.map((leak) => leakOf(leak, requests, org_id, now)),
  };
}

/** An id in the shape of our own: the creation second, then 64 bits made of the name alone. */
function demoId(name: string, createdMs: number): string {
  const second = Math.floor(createdMs / 1000) >>> 0;
  return second.toString(16).padStart(8, "0") + sha256(`demo ${name}`).slice(0, 16);
}

function planId(name: string, now: number): string {
  return demoId(`plan ${name}`, now - OPENED_DAYS_AGO * DAY_MS);
}

function apiId(plan: string, now: number): string {
  return demoId(`api ${named(demoData.plans, plan).api}`, now - OPENED_DAYS_AGO * DAY_MS);
}

function developerId(name: string, now: number): string {
  const { registered_days_ago } = named(demoData.developers, name);
  return demoId(`developer ${name}`, now - registered_days_ago * DAY_MS);
}

function planRow(name: string, org_id: string, now: number): PlanRow {
  const { api, rate, per, quota_max, quota_renewal_rate, auth_type, tags, ...plan } = named(
    demoData.plans,
    name,
  );
  const id = planId(name, now);
  const api_id = apiId(name, now);
  const document = JSON.stringify({
    _id: id,
    id,
    name: plan.name,
    active: true,
    rate,
    per,
    quota_max,
    quota_renewal_rate,
    access_rights: { [api_id]: { api_id, api_name: api, versions: ["Default"] } },
    auth_type,
    tags,
    key_expires_in: 0,
  });
  const date_created = toTimestamp(now - OPENED_DAYS_AGO * DAY_MS);
  return { org_id, id, given_id: id, name: plan.name, auth_type, document, date_created };
}

function entryOf(name: string, org_id: string, now: number): CatalogueEntry {
  const plan = named(demoData.plans, name);
  return catalogueEntry.input.parse({
    name: plan.api,
    short_description: plan.summary,
    long_description: plan.description,
    show: true,
    api_id: apiId(name, now),
    policy_id: planId(name, now),
    documentation: documentId(name, now),
    version: "v2",
    is_keyless: plan.auth_type === "keyless",
    config: {
      ...configurationOf(org_id, now),
      override: plan.automatic,
      require_key_approval: !plan.automatic,
    },
    auth_type: plan.auth_type,
  });
}

function configurationOf(org_id: string, now: number) {
  const { email, name, mails } = demoData.portal;
  const copies = Object.entries(mails).map(([mail, { subject, body }]) => [
    mail,
    { enabled: true, subject, body, sign_off: "The Riverline team" },
  ]);
  return catalogueConfig.input.parse({
    id: demoId("configuration", now - OPENED_DAYS_AGO * DAY_MS),
    org_id,
    key_request_fields: ["company", "use_case", "expected_calls"],
    require_key_approval: true,
    email,
    mail_options: {
      mail_from_name: name,
      mail_from_email: email,
      email_copy: Object.fromEntries(copies),
    },
    HashKeys: true,
  });
}

/** A developer as they are before any key was issued. */
function makeDeveloper(name: string, org_id: string, now: number): Developer {
  const one = named(demoData.developers, name);
  const registered = toTimestamp(now - one.registered_days_ago * DAY_MS);
  return developer.input.parse({
    id: developerId(name, now),
    email: one.email,
    date_created: registered,
    inactive: one.inactive,
    org_id,
    fields: { name: one.name, company: one.company },
    password_updated: registered,
    last_login_date: toTimestamp(now - one.last_login_days_ago * DAY_MS - 40 * MINUTE_MS),
  });
}

/** The certificates with their authorities, signed now. */
function makeCertificates(org_id: string, now: number): DemoCertificate[] {
  const organisation = "Riverline";
  const begin = now - 170 * DAY_MS;
  const root = signCertificate({
    cn: "Riverline Root CA",
    organisation,
    from: begin - 365 * DAY_MS,
    to: begin + 3650 * DAY_MS,
    isAuthority: true,
  });
  const partners = signCertificate({
    cn: "Riverline Partner CA",
    organisation,
    from: begin - 90 * DAY_MS,
    to: begin + 1825 * DAY_MS,
    isAuthority: true,
    issuer: root.signer,
  });
  const entryOf = (der: Uint8Array, at: number) => toEntry(org_id, readCertificate(der), at);
  const authorities = [root, partners].map(({ der }) => ({
    entry: entryOf(der, begin),
    addedAt: begin,
    owner: "",
    tags: [],
  }));
  const leaves = demoData.certificates.map(({ cn, ends_in_days, owner, tags }, index) => {
    const addedAt = begin + (index + 1) * 187 * MINUTE_MS;
    // Always with some hours left of its last day, so that it stays as many days as it says.
    const to = now + ends_in_days * DAY_MS + 5 * HOUR_MS;
    const from = Math.min(addedAt, to - 365 * DAY_MS);
    const issuer = partners.signer;
    const { der } = signCertificate({ cn, organisation, from, to, isAuthority: false, issuer });
    return { entry: entryOf(der, addedAt), addedAt, owner, tags };
  });
  return [...authorities, ...leaves];
}

function makeKey(
  { developer, plan, ends_in_days }: DemoData["keys"][number],
  index: number,
  now: number,
): DemoKey {
  const { app, app_tags } = named(demoData.developers, developer);
  const isTest = /free|sandbox/i.test(plan);
  return {
    developer_id: developerId(developer, now),
    plan_id: planId(plan, now),
    labels: app === null ? {} : {
      name: isTest ? `${app}, trial` : app,
      environment: isTest ? "test" : "production",
      tags: app_tags,
    },
    attempt: newAttempt({ name: "legacy" }),
    issuedAt: now - 156 * DAY_MS + index * (2 * DAY_MS + 5 * HOUR_MS),
    expires_at: ends_in_days === null ? null : toTimestamp(now + ends_in_days * DAY_MS + HOUR_MS),
  };
}

function makeRequest(
  text: DemoData["requests"][number],
  index: number,
  org_id: string,
  now: number,
): DemoRequest {
  const sentAt = sentTime(text.days_ago, index, now);
  const entry = entryOf(text.plan, org_id, now);
  const isOauth = entry.auth_type === "oauth";
  const input = keyRequestInput.parse({
    for_api: entry.api_id,
    for_plan: planId(text.plan, now),
    by_user: developerId(text.developer, now),
    fields: {
      company: named(demoData.developers, text.developer).company,
      use_case: text.use_case,
      expected_calls: text.expected_calls,
      ...isOauth ? { oauth_app_description: text.app, oauth_use_case: text.use_case } : {},
    },
    ...isOauth ? { oauth_info: { redirect_uri: text.redirect_uri } } : {},
    catalogue_entry: entry,
    catalogues: [entry],
  });
  const identity = { org_id, id: demoId(`request ${index}`, sentAt) };
  return {
    state: text.state,
    draft: draft(input, identity, initially(sentAt)),
    sentAt,
    // Decided after two to two and a half days, but never in the future.
    decidedAt: Math.min(sentAt + 2 * DAY_MS + (index * 47 % 720) * MINUTE_MS, now),
    reason: text.reason ?? null,
    attempt: newAttempt({ name: "legacy" }),
  };
}

/** In office hours of its day (UTC); within the last hours for today. */
function sentTime(daysAgo: number, index: number, now: number): number {
  if (daysAgo === 0) return now - (4 + index * 53) * MINUTE_MS;
  const midnight = now - now % DAY_MS - daysAgo * DAY_MS;
  const minuteOfDay = 7 * 60 + (index * 137) % (11 * 60);
  // A thousandth for each request keeps times that would be equal apart.
  return midnight + minuteOfDay * MINUTE_MS + (index * 7919) % MINUTE_MS;
}

/** The document of a plan's API. */
function documentOf(plan: string, now: number): PortalDocument {
  return {
    id: documentId(plan, now),
    api_id: apiId(plan, now),
    doc_type: "swagger",
    documentation: Buffer.from(JSON.stringify(named(demoData.documents, plan))).toString("base64"),
  };
}

/** The id of the document of an API, by any of its plans; "": it has none. */
function documentId(plan: string, now: number): string {
  const { api } = named(demoData.plans, plan);
  const isIt = (other: string) => named(demoData.plans, other).api === api;
  return Object.keys(demoData.documents).some(isIt)
    ? demoId(`document ${api}`, now - OPENED_DAYS_AGO * DAY_MS)
    : "";
}

function leakOf(
  { request_of, plan, url, hours_ago }: DemoData["leaks"][number],
  requests: readonly DemoRequest[],
  org_id: string,
  now: number,
): Demo["leaks"][number] {
  const index = demoData.requests.findIndex((one) =>
    one.developer === request_of && one.plan === plan && one.state === "issued"
  );
  const attempt = requests[index]?.attempt;
  if (!attempt) throw new Error(`demo.json has no key of ${request_of} by ${plan}`);
  const kind = kindOf(named(demoData.plans, plan).auth_type);
  return { key_id: mint(kind, attempt, org_id).key_id, url, at: now - hours_ago * HOUR_MS };
}

/** The keys that were issued by hand, then those that were asked for. */
function calledKeys(
  keys: readonly DemoKey[],
  requests: readonly DemoRequest[],
  org_id: string,
  now: number,
): CalledKey[] {
  const called = (of: { developer: string; plan: string }, attempt: Attempt) => ({
    org_id,
    key_id: mint(kindOf(named(demoData.plans, of.plan).auth_type), attempt, org_id).key_id,
    developer_id: developerId(of.developer, now),
    plan_id: planId(of.plan, now),
    api_id: apiId(of.plan, now),
    limits: named(demoData.plans, of.plan),
    otherApi: apiId(of.plan === "fares" ? "free" : "fares", now),
  });
  const byHand = keys.flatMap(({ attempt, issuedAt, expires_at }, index) => {
    const key = demoData.keys[index];
    if (!key) return [];
    const until = expires_at === null ? null : Date.parse(expires_at);
    return [{ ...called(key, attempt), calls: key.calls_a_day, since: issuedAt, until }];
  });
  const asked = requests.flatMap(({ state, attempt, decidedAt }, index) => {
    const text = demoData.requests[index];
    if (!text || state !== "issued") return [];
    const usual = named(demoData.plans, text.plan).calls_a_day;
    const calls = Math.round(usual * (0.6 + index * 37 % 80 / 100));
    return [{ ...called(text, attempt), calls, since: decidedAt, until: null }];
  });
  return [...byHand, ...asked];
}

/** The one of this short name. Throws where the file has none. */
function named<T>(all: Readonly<Record<string, T>>, name: string): T {
  const one = all[name];
  if (one === undefined) throw new Error(`demo.json has no ${name}`);
  return one;
}
