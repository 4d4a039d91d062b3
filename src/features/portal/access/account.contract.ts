import { z } from "zod";
import { text, timestamp } from "../../../contract/values.ts";

/** The profile that developers read of themselves. */
export const myProfile = z.strictObject({
  id: text,
  email: text,
  email_state: z.enum(["proved", "unproved", "reached", "agreed"]).meta({
    description: "`proved`: it is theirs. Else a change of it is still to be confirmed.",
  }),
  fields: z.record(z.string(), z.string()).meta({
    description: "The fields of sign-up: `name`, and the configuration's `signup_fields`.",
  }),
  has_password: z.boolean(),
  date_created: timestamp,
}).meta({ id: "MyProfile" });

export const mails = {
  language: z.enum(["", "en", "de"]).meta({
    description: "In which mails are written; empty: as the organisation has it.",
  }),
  quota: z.boolean().meta({
    description: "Told when four fifths of a key's quota are used, and when all of it is.",
  }),
  key_ends: z.boolean().meta({ description: "Notified before a key expires, and when it has." }),
};

/** The mails of developers. */
export const myMails = z.strictObject({
  ...mails,
  verified: z.boolean().meta({
    description: "False: nothing of quotas is mailed before a code that was mailed was entered.",
  }),
}).meta({ id: "MyMails" });

/** The body of `putMyMails`. */
export const myMailsInput = z.object(mails).meta({ id: "MyMailsInput" });
