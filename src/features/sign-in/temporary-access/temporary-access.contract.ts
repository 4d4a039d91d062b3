import { z } from "zod";
import {
  MOST_TEMPORARY_ACCESS_MINUTES,
  temporaryAccessEnds,
  temporaryAccessProofs,
  temporaryAccessStates,
} from "../../../contract/temporary-access.ts";
import { permissions } from "../../../contract/permissions.ts";
import { nullable } from "../../../contract/v1.ts";
import { id, text, timestamp } from "../../../contract/values.ts";
import { assertionInput } from "../../people/passkeys.contract.ts";

const named = z.strictObject({ id: text, name: text });

/** Temporary access as it is read. */
export const temporaryAccess = z.strictObject({
  id: text,
  rule: z.strictObject({ id: text, name: text.meta({ description: "Empty: it was removed." }) })
    .meta({ id: "NamedRule" }),
  person: named,
  state: z.enum(temporaryAccessStates).meta({
    description: "`asked`: a second person has to say yes until `expires_at`.",
  }),
  role: nullable(text).meta({ description: "Null of one that is over, as the next two are." }),
  permissions: nullable(z.array(z.enum(permissions))),
  reason: nullable(text),
  date_requested: timestamp,
  date_started: nullable(timestamp),
  expires_at: timestamp,
  confirmed_by: nullable(named).meta({ description: "The second person; null: there was none." }),
  date_ended: nullable(timestamp),
  ended_by: nullable(text).meta({
    description: "The one who ended it, by the name of the audit log.",
  }),
  end_reason: nullable(z.enum(temporaryAccessEnds)),
  actions: z.int().meta({ description: "How many rows of the audit log were written in it." }),
}).meta({ id: "TemporaryAccess" });

export const reason = z.string().trim().min(5).max(500);

export const minutes = z.int().min(1).max(MOST_TEMPORARY_ACCESS_MINUTES).meta({
  description: "How long; at most as long as the rule says.",
});

/** The passkey's signature of temporary access. */
const signature = z.object({
  nonce: z.string().min(1).max(160),
  access_expires_at: timestamp.meta({
    description: "The `access_expires_at` of the challenge.",
  }),
  ...assertionInput.shape,
}).meta({ id: "TemporaryAccessSignature" });

export const asked = { rule_id: id, reason, minutes };

/** The answer of `getOwnTemporaryAccess`. */
export const ownTemporaryAccess = z.strictObject({
  temporary_access: nullable(temporaryAccess).meta({
    description: "Requested or active, in whichever session of the caller; null: none.",
  }),
  in_this_session: z.boolean(),
  rules: z.array(z.strictObject({
    id: text,
    name: text,
    role: named,
    permissions: z.array(z.enum(permissions)),
    minutes: z.int(),
    proof: z.enum(temporaryAccessProofs),
  })),
  to_confirm: z.array(temporaryAccess),
}).meta({ id: "OwnTemporaryAccess" });

/** The answer of `challengeForTemporaryAccess`. */
export const temporaryAccessChallenge = z.strictObject({
  nonce: text,
  challenge: text.meta({ description: "base64url." }),
  rp_id: text.meta({ description: "The host that passkeys are made for." }),
  access_expires_at: timestamp.meta({ description: "When the temporary access will expire." }),
  expires_at: timestamp.meta({ description: "Until when it can be signed." }),
  content: text.meta({ description: "JSON text in the form of RFC 8785." }),
}).meta({ id: "TemporaryAccessChallenge" });

/** The body of `startTemporaryAccess`. */
export const temporaryAccessInput = z.object({ ...asked, signature: signature.optional() }).meta({
  id: "TemporaryAccessInput",
});
