import { type AuthType, toAuthType } from "../plans/plan.ts";
import type { catalogueEntry } from "./catalogue.contract.ts";
import type { z } from "zod";

/** Specification 2.5. */
export type CatalogueEntry = z.output<typeof catalogueEntry.output>;

/** The auth type that an entry states. */
export function authTypeOf(entry: { is_keyless: boolean; auth_type: string }): AuthType {
  return entry.is_keyless ? "keyless" : toAuthType(entry.auth_type);
}

/**
 * Whether a plan's requests need an administrator: the entry's own configuration where it overrides, else the
 * organisation's, else yes. Only live records count, never what a request brought along.
 */
export function needsApproval(
  entry: { config: { override: boolean; require_key_approval: boolean } } | undefined,
  configuration: { require_key_approval: boolean } | undefined,
): boolean {
  if (entry?.config.override) return entry.config.require_key_approval;
  return configuration?.require_key_approval ?? true;
}
