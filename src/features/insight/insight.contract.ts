import { z } from "zod";
import { defineEndpoint } from "../../contract/endpoint.ts";
import { leak } from "../../contract/leak.ts";
import { nullable } from "../../contract/v1.ts";
import { integer, text, timestamp } from "../../contract/values.ts";

/** How many things end when. */
const lane = {
  expired: integer.describe("Those that have ended already."),
  within_7_days: integer,
  within_30_days: integer.describe("After the 7 days."),
  within_90_days: integer.describe("After the 30 days."),
  within_1_year: integer.describe("After the 90 days."),
  later: integer.describe("After the year."),
  bins: z.array(integer).describe(
    "16 of equal width on a scale of log(days / 7) from 7 days to 5 years; the last one holds what ends later, too.",
  ),
};

/** What a key is recognised by. */
const keyNames = {
  key_id: text,
  mask: text,
  name: text.describe("What people call it; empty: nobody said."),
  developer_id: text,
  developer_email: nullable(text),
  developer_name: text.describe("The field `name` of the developer; empty where there is none."),
};

/** What a key or certificate that ends is recognised by. */
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
  renewed: z.boolean().describe("Another one of the same names ends later."),
});

/** Keys that leaked and still open something. */
const leakedKeys = z.strictObject({
  count: integer.describe(
    "Reports whose keys are neither rotated, revoked nor over; see `/v1/leaks`.",
  ),
  next: z.array(z.strictObject({ ...keyNames, ...leak.shape }))
    .describe("Up to 4 of them, the oldest first."),
});

/** A certificate about which somebody has to do something. */
const dueCertificate = z.strictObject({
  id: text,
  name: text,
  not_after: timestamp,
  used_by: nullable(z.strictObject({
    object: z.enum(["plan", "api", "key"]),
    id: text.describe("Empty for a key where the caller may not read keys."),
    name: text.describe("Empty for a key."),
  })).describe("Of one that has ended, what still names it; null for the others."),
});

/** What of certificates is still to do. */
const due = z.strictObject({
  ended: integer.describe("Those that have ended, and that a plan, an API or a key names."),
  within_14_days: integer,
  within_30_days: integer.describe("After the 14 days."),
  next: z.array(dueCertificate).describe(
    "Up to 4 of those that have ended or end within 14 days, by their end.",
  ),
});

/** What ends when. */
export const getEnds = defineEndpoint({
  id: "getEnds",
  method: "GET",
  path: "/v1/insight/ends",
  tag: "Use",
  summary: "How many keys and certificates end when, and which do so next",
  description:
    "Keys for callers with `portal:read`, certificates for those with `certs:read`; null for others. Revoked keys and certificate authorities are left out. Keys are counted up to 1,000 between two ends. `due` counts what is still to do: certificates that no other one of the same names outlasts, of the 1,000 that ended last and the 1,000 that end next, with a private key and without.",
  permission: ["portal:read", "certs:read"],
  withinScope: true,
  withinElevation: true,
  response: z.strictObject({
    keys: nullable(z.strictObject({ ...lane, next: z.array(endingKey), leaked: leakedKeys })),
    certificates: nullable(
      z.strictObject({
        ...lane,
        never: integer,
        next: z.array(endingCertificate),
        due,
        authorities: z.strictObject({ within_14_days: integer, all: integer })
          .describe("Certificate authorities, which are counted nowhere else here."),
      }),
    ),
  }).meta({ id: "Ends" }),
  errors: [],
});

/** Whether a step is done, and since when where that is known. */
const step = z.strictObject({ done: z.boolean(), at: nullable(timestamp) });

/** What a desk needs before others rely on it. */
export const getFirstSteps = defineEndpoint({
  id: "getFirstSteps",
  method: "GET",
  path: "/v1/insight/first-steps",
  tag: "Use",
  summary: "Which of the steps are done that a desk needs before others rely on it",
  description:
    "Read from what there is now: what is revoked is open again. Of access tokens the 1,000 oldest in force are looked at, of deliveries the newest 200.",
  permission: ["portal:read"],
  withinElevation: true,
  response: z.strictObject({
    approver: step.describe("An access token may approve."),
    portal_token: step.describe("One that does not administer has `portal:write`."),
    gateway: step.describe("One that does not administer has `verify` and was used."),
    mail: step.describe("A mail server has taken a mail."),
    pages: step.describe("Developers have pages of their own; `at` is not known."),
    not_by_filer: nullable(step).describe(
      "By the default approval policy nobody decides what they filed; null: it was set otherwise, or fewer than two people may approve.",
    ),
  }).meta({ id: "FirstSteps" }),
  errors: [],
});

/** How people decided within a time. */
const decided = {
  approved: integer,
  declined: integer,
  more: z.boolean().describe("True: there were more, which are not counted."),
  median_seconds: nullable(integer).describe("Null: people decided fewer than 5."),
  approved_share: nullable(z.number()).describe(
    "The share of approvals, from 0 to 1, of the time in which all are counted; null likewise.",
  ),
};

/** How people decided lately. */
export const getDecisions = defineEndpoint({
  id: "getDecisions",
  method: "GET",
  path: "/v1/insight/decisions",
  tag: "Use",
  summary:
    "How long people took to decide key requests within the last 30 days, and how many asked",
  description:
    "Of the newest 2,000 approvals and as many declines. What nobody had to decide, and what ended by itself, is not among them.",
  permission: ["portal:read"],
  response: z.strictObject({
    since: timestamp,
    ...decided,
    before: z.strictObject(decided).describe("The same of the 30 days before."),
    asked: z.strictObject({
      week: integer.describe("Key requests that are dated within the last 7 days, to the minute."),
      before: integer.describe("In the 7 days before."),
    }),
  }).meta({ id: "Decisions" }),
  errors: [],
});
