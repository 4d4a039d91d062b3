import type { MailName } from "./mail-names.ts";

/**
 * The recipient of a mail; `previous`: a developer, at their previous address; `code`: the person
 * who requested a code, who may be no developer yet; `invited`: who is none yet; `person`: the one
 * whom it is about; `assignee`: the assignee of a key request; `mentioned`: whom a comment names;
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
  /** Its name in a channel's configuration. */
  readonly name: MailName;
  readonly topic: string;
  readonly to: MailedTo;
  /** Whether it is sent where no one says. */
  readonly on: boolean;
  readonly copy?: EmailCopyName;
  readonly subject: string;
  readonly text: string;
  /** The text of its link; absent: it has none. */
  readonly button?: string;
  /** Why a person got it. */
  readonly why: string;
}
