import { z } from "zod";
import { leak } from "../../contract/leak.ts";
import { nullable } from "../../contract/v1.ts";
import { integer, text, timestamp } from "../../contract/values.ts";

/** How many things end when. */
const lane = {
  expired: integer.describe("Those that have expired already."),
  within_7_days: integer,
  within_30_days: integer.describe("After the 7 days."),
  within_90_days: integer.describe("After the 30 days."),
  within_1_year: integer.describe("After the 90 days."),
  later: integer.describe("After the year."),
  bins: z.array(integer).describe(
    "16 of equal width on a scale of log(days / 7) from 7 days to 5 years; the last one holds those that expire later, too.",
  ),
};

/** The identifying members of a key. */
const keyNames = {
  key_id: text,
  mask: text,
  name: text.describe("Its display name; empty: none was given."),
  developer_id: text,
  developer_email: nullable(text),
  developer_name: text.describe("The field `name` of the developer; empty if there is none."),
};

/** An expiring key or certificate. */
const endingKey = z.strictObject({
  ...keyNames,
  plans: z.array(text),
  expires_at: timestamp,
});

const endingCertificate = z.strictObject({
  id: text,
  name: text.describe(
    "The common name in lower case, else another name, else unit and organisation; may be empty.",
  ),
  not_after: timestamp,
  renewed: z.boolean().describe("Another one with equal names expires later."),
});

/** Keys that leaked and still open something. */
const leakedKeys = z.strictObject({
  count: integer.describe(
    "Reports whose keys are neither rotated, revoked nor over; see `/v1/leaks`.",
  ),
  next: z.array(z.strictObject({ ...keyNames, ...leak.shape }))
    .describe("Up to 4 of them, the oldest first."),
});

/** A certificate about which a person has to do something. */
const dueCertificate = z.strictObject({
  id: text,
  name: text,
  not_after: timestamp,
  used_by: nullable(z.strictObject({
    object: z.enum(["plan", "api", "key"]),
    id: text.describe("Empty for a key where the caller may not read keys."),
    name: text.describe("Empty for a key."),
  })).describe("Of an expired one, the objects that still name it; null for the others."),
});

/** The certificates to renew. */
export const due = z.strictObject({
  ended: integer.describe("Those that have expired, and that a plan, an API or a key names."),
  expired: integer.describe("The others that have expired."),
  within_30_days: integer.describe("Those that the filter `status=expiring` of the list has, too."),
  next: z.array(dueCertificate).describe(
    "Up to 4: those that have expired and are named, then those that expire within 30 days, by expiry.",
  ),
});

/** The answer of `getExpiries`. */
export const getExpiriesResponse = z.strictObject({
  keys: nullable(z.strictObject({ ...lane, next: z.array(endingKey), leaked: leakedKeys })),
  certificates: nullable(
    z.strictObject({
      ...lane,
      never: integer,
      next: z.array(endingCertificate),
      due,
      authorities: z.strictObject({
        expired: integer.describe("Those that no other one with equal names outlasts."),
        within_30_days: integer.describe("Likewise."),
        all: integer,
      }).describe("Certificate authorities, which are counted only in this member."),
    }),
  ),
}).meta({ id: "Expiries" });
