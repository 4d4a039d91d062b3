import { z } from "zod";
import { bodyErrors } from "../../contract/endpoint.ts";
import { id, idOrEmpty, text, timestamp } from "../../contract/values.ts";
import { catalogueEntry } from "../plans/catalogue/catalogue.contract.ts";
import { developer } from "../developers/developers.contract.ts";

const oauthInfo = { redirect_uri: text };

/**
 * Specification 2.3 as a client sends it. Everything may be absent here; what a request needs at
 * the least (who asks, and one plan) is a rule of draft-key-request.ts, because it can come from
 * several members.
 */
export const keyRequestInput = z.object({
  key: z.string().max(1024).optional(),
  for_api: idOrEmpty.optional(),
  for_plan: idOrEmpty.optional(),
  apply_policies: z.array(id).optional(),
  remove_policies: z.array(id).optional(),
  by_user: idOrEmpty.optional(),
  fields: z.record(z.string(), z.string()).optional(),
  approved: z.boolean().optional(),
  date_created: timestamp.optional(),
  version: z.string().max(255).optional(),
  jwt_secret: text.optional(),
  certificate: text.optional(),
  oauth_info: z.object({ redirect_uri: text.optional() }).optional(),
  portal_developer: developer.input.optional(),
  catalogue_entry: catalogueEntry.input.optional(),
  // Each entry fills up to about 900 bytes when shown, however little was sent.
  catalogues: z.array(catalogueEntry.input).max(100).optional(),
}).meta({ id: "KeyRequestInput" });

/** Specification 2.3 as it is shown. */
export const keyRequest = z.strictObject({
  id,
  key: text,
  org_id: text,
  for_api: text,
  for_plan: text,
  apply_policies: z.array(text),
  remove_policies: z.array(text),
  by_user: text,
  fields: z.record(z.string(), z.string()),
  approved: z.boolean(),
  date_created: timestamp,
  version: text,
  jwt_secret: text,
  certificate: text,
  oauth_info: z.strictObject(oauthInfo).optional(),
  portal_developer: developer.output,
  catalogue_entry: catalogueEntry.output,
  catalogues: z.array(catalogueEntry.output),
}).meta({ id: "ClassicKeyRequest" });

/** The failures of what creates or replaces a key request. */
export const draftErrors = [
  ...bodyErrors,
  "unknown_plan",
  "unknown_developer",
  "inactive_plan",
  "email_taken",
  "sso_key_taken",
  "keyless_plan",
  "mixed_auth_types",
  "too_many_pending",
  "key_request_too_large",
] as const;
