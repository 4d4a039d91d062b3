import { z } from "zod";
import { nameText } from "../../contract/labels.ts";
import { mailDefaults, mailNames, mailWords } from "../../contract/mail-names.ts";
import { text } from "../../contract/values.ts";
import { problemOfAddress } from "../../kernel/mail-address.ts";

// as: Object.keys forgets that the keys are the names.
const wordNames = Object.keys(mailWords) as (keyof typeof mailWords)[];

const address = z.string().trim().refine(
  (one) => one === "" || problemOfAddress(one) === undefined,
  { error: "expected an e-mail address such as keys@example.org, or nothing" },
);

const line = (longest: number) =>
  z.string().trim().max(longest).refine((one) => !/[\p{Cc}\u2028\u2029]/u.test(one), {
    error: "expected one line",
  });

const template = z.object({
  enabled: z.boolean().optional().meta({
    description: "Absent: as it is usual. `key_request.created` is off unless it is switched on.",
  }),
  subject: line(200).optional(),
  text: z.string().max(10_000).optional(),
  button: line(100).optional(),
}).meta({
  description: "Texts that replace those of the mail; `{{plan}}` and others are placeholders.",
});

const members = {
  from: address.default(mailDefaults.from).meta({
    description:
      "The sender of mails; empty: `mail_options` of the portal's configuration, else `KEYDESK_MAIL_FROM`.",
  }),
  from_name: nameText().default(mailDefaults.from_name),
  reply_to: address.default(mailDefaults.reply_to),
  digest_minutes: z.int().min(0).max(1440).default(mailDefaults.digest_minutes).meta({
    description: "Minutes between two mails to an approver: what comes between is gathered.",
  }),
  per_hour: z.int().min(1).max(1000).default(mailDefaults.per_hour).meta({
    description: "Mails to one address within an hour, at the most; what is over waits.",
  }),
  language: z.string().refine(isLanguage, { error: "expected a language such as en or pt-BR" })
    .default(mailDefaults.language),
  time_zone: z.string().refine(isTimeZone, { error: "expected a zone such as Europe/Berlin" })
    .default(mailDefaults.time_zone),
  words: z.partialRecord(z.enum(wordNames), line(300)).default({}).meta({
    description: "The fixed words in another language.",
  }),
  mails: z.partialRecord(z.enum(mailNames), template).default({}).meta({
    description: "By mail, what of it is worded otherwise.",
  }),
};

/** The configuration of a mail channel. */
export const mailInput = z.object(members).meta({ id: "MailInput" });

/** The view of the configuration. */
export const mailView = z.strictObject({
  from: text,
  from_name: text,
  reply_to: text,
  digest_minutes: z.int(),
  per_hour: z.int(),
  language: text,
  time_zone: text,
  words: z.record(z.string(), text),
  mails: z.record(
    z.string(),
    z.strictObject({
      enabled: z.boolean().optional(),
      subject: text.optional(),
      text: text.optional(),
      button: text.optional(),
    }),
  ),
  unknown_placeholders: z.array(z.strictObject({ mail: text, placeholders: z.array(text) }))
    .meta({ description: "Texts that stay in the mails as they were written." }),
}).meta({ id: "Mail" });

function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1 && tag.length <= 35;
  } catch {
    return false;
  }
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).format(0) !== "";
  } catch {
    return false;
  }
}

/** The body of `previewMail`. */
export const mailPreviewInput = z.object({ mail: z.enum(mailNames), draft: mailInput.optional() })
  .meta({ id: "MailPreviewInput" });

/** The answer of `previewMail`. */
export const mailPreview = z.strictObject({
  from: text,
  subject: text,
  text,
  html: text.meta({ description: "For a frame that runs no scripts: it holds none." }),
  placeholders: z.array(text).meta({ description: "The placeholders that this mail fills." }),
  unknown_placeholders: z.array(text).meta({
    description: "Text that stays in the mail as it was written.",
  }),
  worded_by: z.enum(["keydesk", "channel", "configuration"]),
}).meta({ id: "MailPreview" });
