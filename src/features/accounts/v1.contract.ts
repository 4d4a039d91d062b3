import { z } from "zod";
import { direction, nullable, pageQuery } from "../../contract/v1.ts";
import { filterSchemas } from "../../contract/filter-schemas.ts";
import { developerFilters } from "../../contract/list-filters.ts";
import { emailState } from "../developers/developers.contract.ts";
import { freeForm, text, timestamp } from "../../contract/values.ts";

const counted = z.int().min(0).max(1000);

const members = {
  id: text,
  email: text,
  email_state: emailState,
  email_changed_at: nullable(timestamp)
    .meta({ description: "When the address became what it is; null: they always had it." }),
  inactive: z.boolean().meta({ description: "True: the portal does not let them sign in." }),
  fields: freeForm,
  date_created: timestamp,
  last_login_date: nullable(timestamp),
  has_password: z.boolean(),
  tags: z.array(text).meta({ description: "Tags of the team; no developer sees them." }),
  requests: counted.meta({ description: "Key requests in any state; 1000: so many or more." }),
  keys: counted.meta({ description: "Keys that are not revoked; 1000: so many or more." }),
};

/** A developer with what they have; none of their secrets. */
export const v1Developer = z.strictObject(members).meta({ id: "Developer" });

/** One developer, with the key for each plan. */
export const developerDetail = z.strictObject({
  ...members,
  suspended_keys: counted.meta({
    description:
      "Keys that were suspended as the developer was deactivated, and are so still; 1000: so many or more. Reactivating with `keys: resume` resumes them.",
  }),
  has_former_keys: z.boolean().meta({
    description:
      "True: the developer was registered under an id that had keys, and confirming the address gives them those.",
  }),
  confirmation_asks: z.boolean().meta({
    description: "True: confirming the address has to say whose the account is with it.",
  }),
  subscriptions: z.record(z.string(), text).meta({ description: "The newest key for each plan." }),
  revision: text.meta({ description: "The value of `ETag` and `If-Match`, without the quotes." }),
}).meta({ id: "DeveloperDetail" });

/** The filters of a list. */
export const listQuery = z.object({
  ...pageQuery,
  ...filterSchemas(developerFilters),
  sort: z.enum(["newest", "oldest", "email"], { error: "expected newest or oldest or email" })
    .optional().meta({
      description:
        "`newest`, by date_created, by default; who has no `email` comes first by it. With `q` by the words found.",
    }),
  direction: direction.meta({ description: "Which way `email` goes; `asc` by default." }),
});

/** The owner of an account with another address. */
export const handOverMembers = {
  account: z.enum(["same_person", "successor"], {
    error: "expected same_person or successor: whose the account is with this address",
  }).optional().meta({
    description:
      "Required if there was another address before. `same_person`: everything stays. `successor`: previous sessions, tokens, password and linked accounts are revoked, open links are withdrawn, and the previous address is notified.",
  }),
  predecessor_keys: z.enum(["keep", "suspend", "revoke"], {
    error: "expected keep, suspend or revoke: what becomes of the predecessor's keys",
  }).optional().meta({
    description:
      "Has to be said of a successor: the predecessor may still have the keys. More than `keep` needs the permission `revoke`, and counts as revoking does.",
  }),
};
