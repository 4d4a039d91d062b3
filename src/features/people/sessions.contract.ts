import { z } from "zod";
import { permissions } from "../../contract/permissions.ts";
import { nullable } from "../../contract/v1.ts";
import { text, timestamp } from "../../contract/values.ts";
import { scope } from "./people.contract.ts";
import { sessionOpeners } from "../../contract/session-openers.ts";

const named = z.strictObject({ id: text, name: text });

const who = {
  person: named,
  organisation: named,
  permissions: z.array(z.enum(permissions)),
  scope: nullable(scope).meta({
    description: "The scope in which they see and decide; null: everything.",
  }),
};

/** A browser's session. */
export const session = z.strictObject({
  ...who,
  csrf_token: text,
  expires_at: timestamp,
  signed_in_by: z.enum(sessionOpeners).meta({
    description: "The way of signing in that began it.",
  }),
  idle_minutes: z.int().meta({
    description: "After so many minutes without use it expires earlier; 0: it does not.",
  }),
  fresh: z.boolean().meta({
    description: "True: signed in within the last 5 minutes, as some changes ask for.",
  }),
  temporary_access: nullable(z.strictObject({ id: text, expires_at: timestamp })).meta({
    description: "The temporary access of its person, in this session alone; null: none.",
  }),
  approvals_closed: z.boolean().meta({
    description:
      "True: no approval goes through, since each was to be signed by a passkey, until an administrator sets that anew (`signed_approvals` of `PUT /v1/sign-in-rules`).",
  }),
  in_steps: z.boolean().meta({
    description: "True: an approval policy has a step that its person's approval counts in.",
  }),
  moving: z.boolean().meta({
    description:
      "True: the organisation migrates from an old gateway, which the migration report shows; see `connected` there.",
  }),
}).meta({ id: "Session" });

export const caller = z.strictObject({
  ...who,
  access_token: z.strictObject({ id: text, name: text, expires_at: nullable(timestamp) }),
}).meta({ id: "Caller" });

/** One of the caller's sessions, as they read of it. */
export const ownSession = z.strictObject({
  id: text,
  current: z.boolean().meta({ description: "True: this call comes by it." }),
  browser: text.meta({ description: "Such as `Firefox on Linux`; empty: not known." }),
  address: text.meta({
    description:
      "From where it began, as far as the audit log may keep addresses; empty: not known.",
  }),
  signed_in_by: z.enum(sessionOpeners).meta({
    description: "The way of signing in that began it.",
  }),
  date_created: timestamp,
  last_used_at: timestamp.meta({ description: "To the minute." }),
  expires_at: timestamp,
}).meta({ id: "OwnSession" });

/** The answer of `previewSignIn`. */
export const signInPreview = z.strictObject({ person: named, organisation: named }).meta({
  id: "SignInPreview",
});
