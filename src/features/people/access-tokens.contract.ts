import { z } from "zod";
import { deliver } from "../../contract/one-time-link.ts";
import { leaked } from "../../contract/leak.ts";
import { permissions } from "../../contract/permissions.ts";
import { nullable } from "../../contract/v1.ts";
import { certsAnswers } from "../../contract/certs-answer.ts";
import { text, timestamp } from "../../contract/values.ts";
import { nameInput, permissionsInput, roleInput } from "./people.contract.ts";

export const tag = "People";

const certsAnswer = z.enum(certsAnswers).meta({
  description:
    "The form of the answers of `GET /api/certs` to it: `original` for readers that refuse any member beyond those of the Tyk classic portal. Null or absent: as the server is set (`KEYDESK_CERTS_ANSWER`).",
});

export const accessTokenMembers = {
  id: text,
  person_id: text,
  name: text,
  state: z.enum(["active", "suspended", "expired", "revoked"]),
  permissions: z.array(z.enum(permissions)),
  scope: nullable(z.array(z.enum(permissions))),
  role: nullable(text).meta({
    description: "The id of the role that says its scope; null: none does.",
  }),
  date_created: timestamp,
  expires_at: nullable(timestamp),
  revoked_at: nullable(timestamp),
  replaced_by: nullable(text),
  issued_by: nullable(text).meta({
    description: "The issuer, if it was issued for another person: a person's id, or `operator`.",
  }),
  addresses: nullable(z.array(text)),
  certs_answer: nullable(certsAnswer),
  expires_soon: z.boolean(),
  last_used_at: nullable(timestamp),
  last_used_from: nullable(text),
  leaked,
};

/** Networks to limit an access token to. */
export const addressesInput = z.array(z.string().trim().min(1).max(64)).max(50);

const handOver = deliver.meta({
  description:
    "`one_time_link`: a link that hands the access token over, once; the default for another person's. `answer`: in this answer; the default for one's own.",
});

/** The body of `issueAccessToken`. */
export const accessTokenInput = z.object({
  name: nameInput,
  expires_at: timestamp.optional().meta({
    description:
      "Absent: it does not end by itself, or with the longest life that the server allows.",
  }),
  scope: permissionsInput.min(1).optional()
    .meta({ description: "Absent: all permissions of the person." }),
  role: roleInput.optional().meta({
    description: "The id of a role, in the place of `scope`: it says that, now and later.",
  }),
  deliver: handOver,
  addresses: addressesInput.optional().meta({
    description:
      "Addresses and networks such as `10.0.0.0/8` from which alone it is valid, the caller's own among them. Absent or empty: from everywhere.",
  }),
  certs_answer: certsAnswer.optional(),
}).refine(({ scope, role }) => scope === undefined || role === undefined, {
  error: "expected scope or role, and not both",
}).meta({ id: "AccessTokenInput" });

/** The body of `rotateAccessToken`. */
export const rotateAccessTokenInput = z.object({
  overlap_seconds: z.int().min(0).max(24 * 60 * 60)
    .meta({ description: "How long the old one is still valid, up to a day." }),
  expires_at: timestamp.optional()
    .meta({ description: "When the fresh one expires; absent: when the old one would have." }),
  deliver: handOver,
}).meta({ id: "RotateAccessTokenInput" });
