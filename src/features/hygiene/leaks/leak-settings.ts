import { z } from "zod";
import { leakActions } from "../../../contract/leak-actions.ts";
import { parsePartnerKeys } from "./partner-keys.ts";

/** The settings of leak reports, as config.ts declares settings. */
export const leakSettings = {
  LEAK_REPORTS: z.enum(["off", "on"], { error: "expected off or on" }).default("off")
    .describe("`on`: anyone may report leaked keys and access tokens at `/v1/leaks`."),
  LEAKED_TOKENS: z.enum(leakActions, { error: "expected notify, suspend or revoke" })
    .default("notify")
    .describe(
      "The action for a reported access token: `notify` alone, `suspend` its person, or `revoke` it.",
    ),
  LEAK_PARTNER_KEYS: z.string().max(1024 * 1024)
    .refine((text) => parsePartnerKeys(text) !== undefined, {
      error: 'expected {"public_keys":[{"key_identifier":…,"key":…}]} with ECDSA keys on P-256',
    }).optional()
    .describe("Public keys of a secret-scanning partner, as GitHub publishes them."),
  LEAK_PARTNER_KEYS_FILE: z.string().min(1).optional()
    .describe(
      "A file that holds the value of KEYDESK_LEAK_PARTNER_KEYS, in place of that setting.",
    ),
};
