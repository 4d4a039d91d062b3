import type { MailedTo } from "../../../src/contract/mail-kind.ts";
import type { MailName } from "../../../src/contract/mail-names.ts";
import type { MailView } from "./mail-config.ts";

/** The subject of each mail, in a few words. */
export const mailTitles: Readonly<Record<MailName, string>> = {
  "key_request.waiting": "A request waits",
  "key_request.waiting_several": "Several requests wait",
  "key_request.reminded": "A request is late",
  "key_request.approval_restarted": "Approval begins anew",
  "key_request.assigned": "A request is assigned",
  "key_request.mentioned": "Mentioned in a comment",
  "key_request.next_step": "A request waits for the next step",
  "key_request.expires_soon": "A request expires soon",
  "key_request.created": "Request received",
  "key_request.offered": "Less is offered",
  "key_request.approved": "Key approved, one-time link",
  "key_request.later_end": "Later expiry approved",
  "key_request.declined": "Request declined",
  "key_request.expired": "Request not decided in time",
  "key_request.reissued": "Key issued anew",
  "key.expires_soon": "Key expires soon",
  "key.expired": "Key has expired",
  "key.quota_nearly_used": "Quota nearly used",
  "key.quota_used": "Quota used up",
  "key.unused": "Unused key",
  "key.unused_ends": "Key that is suspended unless it is used",
  "key.suspended": "Key suspended",
  "key.resumed": "Key resumed",
  "key.revoked": "Key revoked",
  "key.review_due": "Key to be looked at again",
  "access_token.rate_limited": "Too many keys revoked",
  "gateway.silent": "Gateway is silent",
  "gateway.created": "Gateway added",
  "gateway.moved": "Gateway moved",
  "certificate.expires_soon": "Certificate expires soon",
  "certificate.expired": "Certificate has expired",
  "developer.created": "Welcome",
  "developer.password_changed": "Password changed",
  "developer.email_asked": "Address to confirm",
  "developer.email_changed": "Address changed",
  "developer.handed_over": "Account of a successor",
  "developer.code_asked": "Code to sign in with",
  "developer.invited": "Invitation to sign up",
  "temporary_access.asked": "Temporary access requested",
  "temporary_access.started": "A person has temporary access",
  "temporary_access.ended": "Temporary access has expired",
  "temporary_access_rule.updated": "Rule of temporary access changed",
  "temporary_access_rule.removed": "Rule of temporary access removed",
  "person.invited": "Invitation of a person",
  "person.signed_in_anew": "Sign-in from somewhere new",
  "person.passkey_added": "Further passkey",
  "person.passkey_removed": "Passkey removed",
  "person.one_time_codes_set_up": "One-time codes set up",
  "person.one_time_codes_removed": "One-time codes removed",
  "person.recovery_codes_renewed": "Recovery codes made anew",
  "person.account_linked": "Account linked",
  "person.account_unlinked": "Account unlinked",
  "person.made_delegate": "Deciding as a delegate",
};

/** The recipients of each mail. */
export const recipients: Readonly<Record<MailedTo, string>> = {
  approvers: "approvers",
  developer: "the developer",
  owner: "the owner",
  previous: "the address before",
  invited: "who is invited",
  code: "the address of the code",
  person: "the person",
  assignee: "the assignee",
  mentioned: "who is mentioned",
  alarmed: "administrators, and people named by a rule",
  administrators: "other administrators",
};

/** The mails that are sent wherever another one is. */
export const sentWith: Readonly<Partial<Record<MailName, MailName>>> = {
  "key_request.waiting_several": "key_request.waiting",
  "key_request.later_end": "key_request.approved",
  "key_request.expired": "key_request.declined",
  "key.unused_ends": "key.unused",
};

/**
 * Whether a mail is sent. Several requests are gathered of those that wait, and told where those
 * are.
 */
export function isOn({ mails }: MailView, name: MailName, usual: boolean): boolean {
  return mails[sentWith[name] ?? name]?.enabled ?? usual;
}
