import type { z } from "zod";
import { revisionOf } from "../../../kernel/entity-tag.ts";
import { type AuthType, toAuthType } from "../plan.ts";
import type { catalogueEntry } from "./catalogue.contract.ts";
import { questionsIn, USE_CASE } from "./questions.ts";

/** Specification 2.5. */
export type CatalogueEntry = z.output<typeof catalogueEntry.output>;

/** The auth type that an entry states. */
export function authTypeOf(entry: { is_keyless: boolean; auth_type: string }): AuthType {
  return entry.is_keyless ? "keyless" : toAuthType(entry.auth_type);
}

/**
 * The auth types that entries of a request state for its plans. The request's own entry without a
 * plan is for for_plan, unless it is empty.
 */
export function statedAuthTypes(
  own: CatalogueEntry | null,
  others: readonly CatalogueEntry[],
  for_plan: string,
): Map<string, AuthType> {
  const stated = new Map(others.map((entry) => [entry.policy_id, authTypeOf(entry)]));
  if (own && (own.is_keyless || own.auth_type !== "")) {
    stated.set(own.policy_id || for_plan, authTypeOf(own));
  }
  return stated;
}

/**
 * Whether a plan's requests need an administrator: the entry's own configuration where it
 * overrides, else the organisation's, else yes. Only live records count, never what a request
 * brought along.
 */
export function needsApproval(
  entry: { config: { override: boolean; require_key_approval: boolean } } | undefined,
  configuration: { require_key_approval: boolean } | undefined,
): boolean {
  if (entry?.config.override) return entry.config.require_key_approval;
  return configuration?.require_key_approval ?? true;
}

/** The revision in a plan's entity tag of how its requests are decided, and of their questions. */
export function approvalRevision(config: Asking | undefined): string {
  const { require_key_approval, key_request_fields } = askingOf(config);
  return revisionOf([require_key_approval, key_request_fields]);
}

/**
 * The rules of key requests by this configuration; without one an administrator decides, and one
 * question is asked that may stay open.
 */
export function askingOf(config: Asking | undefined): Asking {
  return {
    require_key_approval: config?.require_key_approval ?? true,
    key_request_fields: config?.key_request_fields ?? [USE_CASE],
  };
}

/** The rules of key requests in a configuration. */
type Asking = Pick<CatalogueEntry["config"], "require_key_approval" | "key_request_fields">;

/**
 * The fields that a key request must fill by this configuration: each `{name, required: true}`,
 * also in the spelling `{Name, Required}`. A bare name says nothing of its being required, so it
 * counts only where `strict`.
 */
export function requiredFields(
  config: { key_request_fields: readonly unknown[] },
  strict: boolean,
): string[] {
  return questionsIn(config.key_request_fields, strict).filter(({ required }) => required)
    .map(({ name }) => name);
}
