import type { EmailCopyName } from "../../contract/mail-kind.ts";
import { withPresentNames } from "./mail-words.ts";

/** A mail as the portal's configuration words it (specification 2.7). */
export interface EmailCopy {
  subject: string;
  body: string;
  sign_off: string;
  hide_token_data: boolean;
}

interface MailOptions {
  mail_from_name?: string;
  mail_from_email?: string;
  email_copy?: Partial<Record<EmailCopyName, Partial<EmailCopy> & { enabled?: boolean }>>;
}

/** The options for mails in the portal's configuration; empty if it has none. */
export function mailOptionsIn(configuration: string | undefined): MailOptions {
  if (configuration === undefined) return {};
  // as: the contract of the configuration lets nothing else in.
  return (JSON.parse(configuration) as { mail_options?: MailOptions }).mail_options ?? {};
}

/** The words for a mail in the portal's configuration; undefined where they are not enabled. */
export function emailCopyIn(
  configuration: string | undefined,
  name: EmailCopyName,
): EmailCopy | undefined {
  const { enabled, subject = "", body = "", sign_off = "", hide_token_data = false } =
    mailOptionsIn(configuration).email_copy?.[name] ?? {};
  if (!enabled) return undefined;
  return {
    subject: withPresentNames(subject),
    body: withPresentNames(body),
    sign_off: withPresentNames(sign_off),
    hide_token_data,
  };
}
