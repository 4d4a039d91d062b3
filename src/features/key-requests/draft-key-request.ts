import type { z } from "zod";
import type { EventNames } from "../../changes/event-names.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { parseTimestamp, timeGiven } from "../../kernel/timestamps.ts";
import { statedAuthTypes } from "../plans/catalogue/catalogue-entry.ts";
import { toKeyId } from "../keys/key-kinds.ts";
import {
  type Developer,
  type DeveloperSecrets,
  joinSecrets,
  splitSecrets,
} from "../developers/developer.ts";
import { namesOfDeveloper } from "../developers/developer-names.ts";
import type { AuthType } from "../plans/plan.ts";
import type { keyRequestInput } from "./key-requests.contract.ts";
import { type Kept, storedCatalogues, storedTexts } from "./stored-request.ts";

/** A key request as a client sends it, checked and normalised by the contract. */
export type KeyRequestInput = z.output<typeof keyRequestInput>;

/** The secrets of a key request that are sealed at rest. */
export interface KeyRequestSecrets {
  jwt_secret?: string;
  developer?: DeveloperSecrets;
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
  /** The stored-request columns of sent_catalogues; see stored-request.ts. */
  head: string;
  tail: string;
  sent_developer: string | null;
  sent_entry: string | null;
  sent_catalogues: string;
}

/**
 * A key request ready to be written: its columns, the plain secrets still to be sealed, and what
 * create looks at.
 */
export interface KeyRequestDraft {
  columns: KeyRequestColumns;
  secrets: KeyRequestSecrets | null;
  /** `key` as it is kept; empty where there is none. */
  key: string;
  /** for_plan and apply_policies together, each once. */
  plans: string[];
  /** The plans that its key is to lose. */
  removePlans: readonly string[];
  /** The names that were sent, of the developer and of the plan. */
  names: EventNames;
  /** The auth types that the embedded entries state, by plan. */
  statedAuthTypes: readonly (readonly [plan: string, type: AuthType])[];
  /** Whether the embedded developer is the one who asks, and so may be registered. */
  registers: boolean;
}

/** The defaults of a new request. */
export function initially(nowMs: number): Kept {
  return { date_created: toTimestamp(nowMs), version: "v2" };
}

/**
 * Turns what a client sent into a draft. `plan` is the plan that a legacy `for_api` represents;
 * `key_id` the id of the key that is to be changed, where it is known already: an imported one may
 * be called by another hash. Throws `invalid_input` when no one asks or no plan is named.
 */
export function draft(
  input: KeyRequestInput,
  identity: { org_id: string; id: string; key_id?: string },
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

  const date_created = timeGiven(input.date_created) ?? absent.date_created;
  const key = identity.key_id ?? (input.key ? toKeyId(input.key) : "");
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
      ...storedTexts(head, tail),
      sent_developer: developer && JSON.stringify(developer.document),
      sent_entry,
      sent_catalogues: storedCatalogues(entries, sent_entry),
    },
    secrets: Object.keys(secrets).length > 0 ? secrets : null,
    key,
    plans: [...new Set([for_plan, ...apply_policies])],
    removePlans: head.remove_policies,
    names: { ...namesOfDeveloper(developer?.document), plan: input.catalogue_entry?.name },
    statedAuthTypes: [...statedAuthTypes(input.catalogue_entry ?? null, entries, for_plan)],
    registers: sent?.id === by_user,
  };
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
