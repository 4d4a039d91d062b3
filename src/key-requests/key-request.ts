import type { z } from "zod";
import { type CatalogueEntry, statedAuthTypes } from "../catalogue/catalogue-entry.ts";
import { toKeyId } from "../credentials/credential.ts";
import {
  type Developer,
  type DeveloperSecrets,
  emptyDeveloper,
  joinSecrets,
  splitSecrets,
} from "../developers/developer.ts";
import { toTimestamp } from "../lib/clock.ts";
import { Failure } from "../lib/failure.ts";
import { parseTimestamp } from "../lib/timestamps.ts";
import type { AuthType } from "../plans/plan.ts";
import type { keyRequestInput } from "./key-requests.contract.ts";

/** Setting: `open` takes any developer and plan id, `strict` refuses those that nobody knows. */
export type References = "open" | "strict";

/** A key request as a client sends it, checked and normalised by the contract. */
export type KeyRequestInput = z.output<typeof keyRequestInput>;

/** The secrets of a key request that are sealed at rest. */
export interface KeyRequestSecrets {
  jwt_secret?: string;
  developer?: DeveloperSecrets;
}

/** What an approval needs to know of a request. */
export interface KeyRequestTerms {
  key: string;
  by_user: string;
  plans: string[];
  remove_policies: string[];
  oauth: boolean;
  redirect_uri: string;
  app_description: string;
  use_case: string;
}

/** The columns of a key request that follow from what a client sent. */
export interface KeyRequestColumns {
  org_id: string;
  id: string;
  /** 0 or 1. */
  approved: number;
  by_user: string;
  /** The instant of date_created, as text that sorts like it. */
  instant: string;
  for_plan: string;
  /** JSON text: the members before the value of `approved`, and those after it up to `portal_developer`. */
  head: string;
  tail: string;
  sent_developer: string | null;
  sent_entry: string | null;
  /** One line an entry: its policy_id, a tab, its JSON text; no text where that is sent_entry's. */
  sent_catalogues: string;
}

/** A key request ready to be written: its columns, the plain secrets still to be sealed, and what create looks at. */
export interface KeyRequestDraft {
  columns: KeyRequestColumns;
  secrets: KeyRequestSecrets | null;
  /** `key` as it is kept; empty where there is none. */
  key: string;
  /** for_plan and apply_policies together, each once. */
  plans: string[];
  /** The auth types that the embedded entries state, by plan. */
  statedAuthTypes: readonly (readonly [plan: string, type: AuthType])[];
  /** Whether the embedded developer is the one who asks, and so may be registered. */
  registers: boolean;
}

/** What stays of a request that is replaced. */
export interface Kept {
  date_created: string;
  version: string;
}

/** What a new request has where the client sent nothing. */
export function initially(nowMs: number): Kept {
  return { date_created: toTimestamp(nowMs), version: "v2" };
}

/**
 * Turns what a client sent into a draft. `plan` is the plan that a legacy `for_api` stands for. Throws
 * `invalid_input` when nobody asks or no plan is named.
 */
export function draft(
  input: KeyRequestInput,
  identity: { org_id: string; id: string },
  absent: Kept,
  plan?: string,
): KeyRequestDraft {
  const { org_id, id } = identity;
  const by_user = input.by_user || input.portal_developer?.id || "";
  // An embedded developer without an id is the one who asks.
  const sent = input.portal_developer &&
    { ...input.portal_developer, id: input.portal_developer.id || by_user, org_id };
  const { for_plan, apply_policies } = namedPlans(input, plan);
  requireAll([
    [by_user !== "", "by_user: required, or portal_developer.id"],
    [for_plan !== "", "for_plan: required, or apply_policies, or catalogue_entry.policy_id"],
  ]);

  const developer = sent ? splitSecrets(sent) : null;
  const secrets: KeyRequestSecrets = {};
  if (input.jwt_secret) secrets.jwt_secret = input.jwt_secret;
  if (developer?.secrets) secrets.developer = developer.secrets;

  const date_created = input.date_created ?? absent.date_created;
  const key = input.key ? toKeyId(input.key) : "";
  const head = {
    id,
    key,
    org_id,
    for_api: input.for_api ?? "",
    for_plan,
    apply_policies,
    remove_policies: input.remove_policies ?? [],
    by_user,
    fields: input.fields ?? {},
  };
  const tail = {
    date_created,
    version: input.version ?? absent.version,
    jwt_secret: "",
    certificate: input.certificate ?? "",
    oauth_info: input.oauth_info && { redirect_uri: input.oauth_info.redirect_uri ?? "" },
  };
  const entries = input.catalogues ?? [];
  const sent_entry = input.catalogue_entry ? JSON.stringify(input.catalogue_entry) : null;
  return {
    columns: {
      org_id,
      id,
      approved: input.approved ? 1 : 0,
      by_user,
      instant: parseTimestamp(date_created)?.instant ?? "",
      for_plan,
      // The value of `approved` goes between the two, portal_developer and what follows behind them.
      head: `${JSON.stringify(head).slice(0, -1)},"approved":`,
      tail: `,${JSON.stringify(tail).slice(1, -1)}`,
      sent_developer: developer && JSON.stringify(developer.document),
      sent_entry,
      sent_catalogues: entries.map((entry) => lineOf(entry, sent_entry)).join("\n"),
    },
    secrets: Object.keys(secrets).length > 0 ? secrets : null,
    key,
    plans: [...new Set([for_plan, ...apply_policies])],
    statedAuthTypes: [...statedAuthTypes(input.catalogue_entry ?? null, entries, for_plan)],
    registers: sent?.id === by_user,
  };
}

/** Portals send the entry of the request among the catalogues again: its text is kept once. */
function lineOf(entry: CatalogueEntry, sent_entry: string | null): string {
  const text = JSON.stringify(entry);
  return `${entry.policy_id}\t${text === sent_entry ? "" : text}`;
}

/** The plan and the JSON text of each entry that came as `catalogues`. */
export function sentCatalogues(
  row: { sent_entry: string | null; sent_catalogues: string },
): { policy_id: string; text: string }[] {
  if (row.sent_catalogues === "") return [];
  return row.sent_catalogues.split("\n").map((line) => {
    const tab = line.indexOf("\t");
    const text = line.slice(tab + 1);
    return { policy_id: line.slice(0, tab), text: text === "" ? row.sent_entry ?? "" : text };
  });
}

/** The embedded developer, where it may be registered. */
export function developerToRegister(draft: KeyRequestDraft): Developer | null {
  const { sent_developer } = draft.columns;
  if (!draft.registers || sent_developer === null) return null;
  // as: draft wrote exactly this.
  const document = JSON.parse(sent_developer) as Developer;
  const secrets = draft.secrets?.developer;
  return secrets ? joinSecrets(document, secrets) : document;
}

/** The terms out of the two stored texts. */
export function termsOf(row: { head: string; tail: string }): KeyRequestTerms {
  // as: draft wrote exactly this.
  const stored = JSON.parse(`${row.head}false${row.tail}}`) as {
    key: string;
    by_user: string;
    for_plan: string;
    apply_policies: string[];
    remove_policies: string[];
    fields: Record<string, string>;
    oauth_info?: { redirect_uri: string };
  };
  return {
    key: stored.key,
    by_user: stored.by_user,
    plans: [...new Set([stored.for_plan, ...stored.apply_policies])],
    remove_policies: stored.remove_policies,
    oauth: stored.oauth_info !== undefined,
    redirect_uri: stored.oauth_info?.redirect_uri ?? "",
    app_description: stored.fields.oauth_app_description ?? "",
    use_case: stored.fields.oauth_use_case ?? "",
  };
}

/** The date and version out of the stored texts, for a replacement that does not name them. */
export function keptOf(row: { tail: string }): Kept {
  // as: draft wrote exactly this.
  const { date_created, version } = JSON.parse(`{${row.tail.slice(1)}}`) as Kept;
  return { date_created, version };
}

/**
 * The list in which a request is counted: by what the interface can filter, and by state. The rows of one
 * list are never split further.
 */
export function listOf(state: "pending" | "issued" | "declined", approved: number): string {
  return `key_requests/${state}/${approved}`;
}

/**
 * The one auth type of a request's plans. Throws `keyless_plan` when one of them needs no key, and
 * `mixed_auth_types` when they differ. A request with oauth_info asks for an OAuth client.
 */
export function commonAuthType(types: readonly AuthType[], oauth: boolean): AuthType {
  if (types.includes("keyless")) throw new Failure("keyless_plan");
  const [first = "authToken"] = types;
  if (types.some((type) => type !== first)) throw new Failure("mixed_auth_types");
  return oauth ? "oauth" : first;
}

/** The developer to show where the store knows none: what was sent, else the id with empty values. */
export function sentOrEmptyDeveloper(sent: string | null, by_user: string): string {
  return sent ?? JSON.stringify(emptyDeveloper(by_user));
}

function namedPlans(input: KeyRequestInput, planOfApi: string | undefined) {
  const fallback = input.catalogue_entry?.policy_id || planOfApi || "";
  const for_plan = input.for_plan || input.apply_policies?.[0] || fallback;
  const apply_policies = input.apply_policies?.length
    ? input.apply_policies
    : for_plan === ""
    ? []
    : [for_plan];
  return { for_plan, apply_policies };
}

function requireAll(conditions: readonly (readonly [boolean, string])[]): void {
  const details = conditions.filter(([holds]) => !holds).map(([, text]) => text);
  const [message] = details;
  if (message !== undefined) throw new Failure("invalid_input", { message, details });
}
