import type { EntryRow } from "../../features/catalogue/catalogue.store.ts";
import { type Attempt, kindOf, mint, newAttempt } from "../../features/keys/credential.ts";
import type { Developer } from "../../features/developers/developer.ts";
import {
  draft,
  initially,
  type KeyRequestDraft,
} from "../../features/key-requests/draft-key-request.ts";
import { keyRequestInput } from "../../features/key-requests/key-requests.contract.ts";
import type { PlanRow } from "../../features/plans/plans.store.ts";
import { type CalledKey, callsOf, type DemoCalls } from "./demo-calls.ts";
import { certificatesOf, type DemoCertificate } from "./demo-certificates.ts";
import { demoDevelopers, developerId, developersOf } from "./demo-developers.ts";
import { DAY_MS, demoId } from "./demo-ids.ts";
import { type DemoKey, keysOf } from "./demo-keys.ts";
import {
  apiId,
  configurationOf,
  type DemoPlanName,
  demoPlans,
  entryOf,
  entryRows,
  planId,
  planRows,
  PORTAL_EMAIL,
} from "./demo-plans.ts";
import { demoRequests, type DemoRequestText } from "./demo-requests.ts";

/** One request of the demo, ready to be written. */
export interface DemoRequest {
  state: DemoRequestText["state"];
  draft: KeyRequestDraft;
  /** Milliseconds: when it was sent, and when it was approved or declined. */
  sentAt: number;
  decidedAt: number;
  attempt: Attempt;
}

/** A whole demo organisation. Equal `org_id` and `now` give the same, but for secrets. */
export interface Demo {
  org_id: string;
  plans: PlanRow[];
  catalogue: { org_id: string; id: string; email: string; entries: EntryRow[] };
  configuration: { org_id: string; id: string; document: string };
  developers: Developer[];
  certificates: DemoCertificate[];
  /** Keys that nobody asked for. */
  keys: DemoKey[];
  requests: DemoRequest[];
  calls: DemoCalls;
}

/** Makes the demo of an organisation as of `now`. */
export function makeDemo(org_id: string, now: number): Demo {
  const configuration = configurationOf(org_id, now);
  const { id } = configuration;
  const keys = keysOf(now);
  const requests = demoRequests.map((text, index) => makeRequest(text, index, org_id, now));
  const asked = requests.flatMap(({ attempt, decidedAt, state }, index): CalledKey[] => {
    const text = demoRequests[index];
    if (state !== "issued" || text === undefined) return [];
    const calls = Math.round(usualCalls[text.plan] * (0.6 + index * 37 % 80 / 100));
    return [{ ...calledKey(org_id, text, attempt, now), calls, since: decidedAt, until: null }];
  });
  const byHand = keys.map((key): CalledKey => ({
    ...calledKey(org_id, key, key.attempt, now),
    calls: key.calls,
    since: key.issuedAt,
    until: key.expires_at === null ? null : Date.parse(key.expires_at),
  }));
  return {
    org_id,
    plans: planRows(org_id, now),
    catalogue: { org_id, id, email: PORTAL_EMAIL, entries: entryRows(org_id, now) },
    configuration: { org_id, id, document: JSON.stringify(configuration) },
    developers: developersOf(org_id, now),
    certificates: certificatesOf(org_id, now),
    keys,
    requests,
    calls: callsOf([...byHand, ...asked], now),
  };
}

/** Calls of a usual day by a key that was asked for, more or less. */
const usualCalls: Record<DemoPlanName, number> = {
  free: 260,
  professional: 9_400,
  fares: 3_100,
  sandbox: 240,
  live: 2_300,
  open: 0,
};

function calledKey(
  org_id: string,
  { developer, plan }: Pick<DemoRequestText, "developer" | "plan">,
  attempt: Attempt,
  now: number,
) {
  return {
    org_id,
    key_id: mint(kindOf(demoPlans[plan].auth_type), attempt, org_id).key_id,
    developer_id: developerId(developer, now),
    plan_id: planId(plan, now),
    api_id: apiId(demoPlans[plan], now),
  };
}

function makeRequest(
  text: DemoRequestText,
  index: number,
  org_id: string,
  now: number,
): DemoRequest {
  const sentAt = sentTime(text.daysAgo, index, now);
  const entry = entryOf(text.plan, org_id, now);
  const isOauth = demoPlans[text.plan].auth_type === "oauth";
  const input = keyRequestInput.parse({
    for_api: entry.api_id,
    for_plan: planId(text.plan, now),
    by_user: developerId(text.developer, now),
    fields: {
      company: demoDevelopers[text.developer].company,
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
    attempt: newAttempt({ name: "legacy" }),
  };
}

const MINUTE_MS = 60 * 1000;

/** In office hours of its day (UTC); within the last hours for today. */
function sentTime(daysAgo: number, index: number, now: number): number {
  if (daysAgo === 0) return now - (4 + index * 53) * MINUTE_MS;
  const midnight = now - now % DAY_MS - daysAgo * DAY_MS;
  const minuteOfDay = 7 * 60 + (index * 137) % (11 * 60);
  // A thousandth for each request keeps times that would be equal apart.
  return midnight + minuteOfDay * MINUTE_MS + (index * 7919) % MINUTE_MS;
}
