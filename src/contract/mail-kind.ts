import type { MailName } from "./mail-names.ts";

/**
 * Who gets a mail; `previous`: a developer, at the address that they had before; `code`: whoever
 * asked for a code, who may be no developer yet; `invited`: who is none yet; `person`: the one whom
 * it is about; `assignee`: whoever a key request is assigned to; `mentioned`: whom a comment names;
 * `alarmed`: every administrator, and whom a rule of temporary access names; `administrators`:
 * every other administrator.
 */
export type MailedTo =
  | "approvers"
  | "developer"
  | "owner"
  | "previous"
  | "code"
  | "invited"
  | "person"
  | "assignee"
  | "mentioned"
  | "alarmed"
  | "administrators";

/** The mails of the portal's configuration (specification 2.7) that replace ours where enabled. */
export type EmailCopyName = "welcome_email" | "key_email" | "reset_password_email";

/** One kind of mail. */
export interface MailKind {
  /** What a channel's configuration calls it. */
  readonly name: MailName;
  readonly topic: string;
  readonly to: MailedTo;
  /** Whether it is sent where nobody says. */
  readonly on: boolean;
  readonly copy?: EmailCopyName;
  readonly subject: string;
  readonly text: string;
  /** What its link is called; absent: it has none. */
  readonly button?: string;
  /** Why somebody got it. */
  readonly why: string;
}
