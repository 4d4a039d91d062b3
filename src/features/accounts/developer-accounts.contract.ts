import { z } from "zod";
import { freeForm, id, idOrEmpty, integer, text, timestamp } from "../../contract/values.ts";
import { oauthClient } from "../developers/developers.contract.ts";

export const password = z.string().max(1024).meta({ format: "password", writeOnly: true });

/**
 * Specification 2.4 as a client sends it, and a password. The optional members are a rule of
 * account.ts.
 */
export const developerAccountInput = z.object({
  id: idOrEmpty.optional(),
  email: z.string().max(320).optional(),
  date_created: timestamp.optional(),
  inactive: z.boolean().optional(),
  keys: z.record(id, z.array(id)).optional(),
  subscriptions: z.record(id, id).optional(),
  fields: freeForm.optional(),
  nonce: text.optional(),
  sso_key: text.optional(),
  oauth_clients: z.record(id, z.array(oauthClient.input)).optional(),
  password_max_days: integer.optional(),
  password_updated: timestamp.optional(),
  last_login_date: timestamp.optional(),
  password: password.optional(),
}).meta({ id: "DeveloperAccountInput" });
