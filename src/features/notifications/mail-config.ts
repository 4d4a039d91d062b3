import { presentAction, presentName } from "../../contract/former-names.ts";
import {
  mailDefaults,
  type MailName,
  mailNames,
  type MailWord,
} from "../../contract/mail-names.ts";
import { withPresentNames } from "./mail-words.ts";

/** The settings of one kind of mail in a channel. */
interface MailTemplate {
  enabled?: boolean | undefined;
  subject?: string | undefined;
  text?: string | undefined;
  button?: string | undefined;
}

/** The configuration of a mail channel. */
export interface MailConfig {
  /** The sender's address; "": as the portal's configuration says, else the server's settings. */
  from: string;
  from_name: string;
  reply_to: string;
  /** Minutes between two mails to an approver: what comes between is gathered. */
  digest_minutes: number;
  /** Mails to one address within an hour, at the most. */
  per_hour: number;
  /** By BCP 47: how dates are written, and what the mails say of themselves. */
  language: string;
  time_zone: string;
  /** The fixed words in another language. */
  words: Readonly<Partial<Record<MailWord, string>>>;
  mails: Readonly<Partial<Record<MailName, MailTemplate>>>;
}

/**
 * The configuration of a stored channel. Members that earlier code did not know have their
 * defaults. Mails, fixed words and placeholders have their present names; mails that are gone are
 * left out.
 */
export function mailConfigOf({ config }: { config: string }): MailConfig {
  // as: channels.transactions.ts writes it.
  const { mail } = JSON.parse(config) as { mail?: Partial<MailConfig> };
  const { mails, words, ...others } = { ...mailDefaults, ...mail };
  const known = Object.entries<MailTemplate>(mails).map(([name, template]) =>
    [presentAction(name), presentTemplate(template)] as const
  ).filter(([name]) => mailNames.some((one) => one === name));
  const present = Object.entries(words).map(([name, text]) =>
    [presentName("mails", name) ?? name, text] as const
  );
  return { ...others, words: Object.fromEntries(present), mails: Object.fromEntries(known) };
}

function presentTemplate({ subject, text, ...others }: MailTemplate): MailTemplate {
  return {
    ...others,
    ...subject === undefined ? {} : { subject: withPresentNames(subject) },
    ...text === undefined ? {} : { text: withPresentNames(text) },
  };
}
