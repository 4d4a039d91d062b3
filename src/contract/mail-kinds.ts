import { alarmMails } from "./alarm-mails.ts";
import type { MailKind } from "./mail-kind.ts";
import type { MailName } from "./mail-names.ts";
import { personMails } from "./person-mails.ts";

const ASKED = "You get this because you asked for a key.";
const HOLDS = "You get this because the key is yours.";
const OWNS = "You get this because you are named as the owner of the certificate.";
const APPROVES = "You get this because you may approve key requests.";
const WATCHES = "You get this because you may approve and end keys.";
const ADMINISTERS = "You get this because you administer Keydesk.";
const ACCOUNT = "You get this because you have an account.";

/** Every kind of mail, with the words that it has where no one wrote others. */
export const mailKinds: readonly MailKind[] = [
  {
    name: "key_request.waiting",
    topic: "key_request.created",
    to: "approvers",
    on: true,
    subject: "{{developer}} asks for {{access}}",
    text: "{{developer}} asks for {{access}}.",
    button: "Read and decide",
    why: APPROVES,
  },
  {
    name: "key_request.waiting_several",
    // Gathered of the one above, and sent where that is.
    topic: "",
    to: "approvers",
    on: true,
    subject: "{{count}} key requests are waiting",
    text: "{{count}} key requests are waiting for a decision.",
    button: "Read and decide",
    why: APPROVES,
  },
  {
    name: "key_request.reminded",
    topic: "key_request.reminded",
    to: "approvers",
    on: true,
    subject: "{{developer}} waits for {{access}} longer than usual",
    text:
      "{{developer}} asked for {{access}} and reminds you: the request waits longer than requests for it usually do.",
    button: "Read and decide",
    why: APPROVES,
  },
  {
    name: "key_request.approval_restarted",
    topic: "key_request.approval_restarted",
    to: "approvers",
    on: true,
    subject: "{{developer}} asks for {{access}}, and now you can decide",
    text:
      "{{developer}} asks for {{access}}. Those who had to approve are gone, so the request is approved from the start by today's policy, and you count in it.",
    button: "Read and decide",
    why: APPROVES,
  },
  // Mails among people who decide key requests together.
  {
    name: "key_request.assigned",
    topic: "key_request.assigned",
    to: "assignee",
    on: true,
    subject: "Assigned to you: {{developer}} asks for {{access}}",
    text: "{{developer}} asks for {{access}}, and the request was assigned to you.",
    button: "Read and decide",
    why: "You get this because the key request is assigned to you.",
  },
  {
    name: "key_request.mentioned",
    topic: "key_request.commented",
    to: "mentioned",
    on: true,
    subject: "You are mentioned: {{developer}}’s request for {{access}}",
    text: "A comment on the request of {{developer}} for {{access}} mentions you.",
    button: "Read the comment",
    why: "You get this because you were mentioned in a comment.",
  },
  {
    name: "key_request.next_step",
    // Of approvals that complete a step alone.
    topic: "key_request.step_approved",
    to: "approvers",
    on: true,
    subject: "{{developer}} asks for {{access}}, and now it is your turn",
    text:
      "{{developer}} asks for {{access}}. Those who had to approve before you have done so; now the request waits for you.",
    button: "Read and decide",
    why: APPROVES,
  },
  {
    name: "key_request.expires_soon",
    topic: "key_request.expires_soon",
    to: "approvers",
    on: true,
    subject: "{{developer}}'s request for {{access}} expires on {{expires}}",
    text:
      "{{developer}} requested {{access}}, and it has not been decided yet. On {{expires}} the request is declined automatically. Days left: {{days}}.",
    button: "Read and decide",
    why: APPROVES,
  },
  {
    name: "key_request.created",
    topic: "key_request.created",
    to: "developer",
    on: false,
    subject: "Your request for {{access}} has arrived",
    text: "We have your request for {{access}}. We will write again once it is decided.",
    why: ASKED,
  },
  {
    name: "key_request.offered",
    topic: "key_request.offered",
    to: "developer",
    on: true,
    subject: "An offer for {{access}}",
    text:
      "You requested {{access}}, and are offered something else. You can accept it, turn it down or answer until {{expires}}; there is no key before you accept.",
    button: "Read the offer",
    why: ASKED,
  },
  {
    name: "key_request.approved",
    topic: "key_request.approved",
    to: "developer",
    on: true,
    copy: "key_email",
    subject: "Your key for {{access}} is ready",
    text: "Your request for {{access}} was approved.",
    button: "Open my key",
    why: ASKED,
  },
  {
    name: "key_request.later_end",
    // The approval of a later expiry, sent with the one above.
    topic: "",
    to: "developer",
    on: true,
    subject: "Your key {{key}} for {{access}} now expires on {{expires}}",
    text:
      "Your request for a later expiry of the key {{key}} for {{access}} was approved. You keep the key that you have; it now expires on {{expires}}.",
    why: ASKED,
  },
  {
    name: "key_request.declined",
    topic: "key_request.declined",
    to: "developer",
    on: true,
    subject: "Your request for {{access}} was declined",
    text: "Your request for {{access}} was declined.",
    why: ASKED,
  },
  {
    name: "key_request.expired",
    // Requests that were not decided in time, sent with the one above.
    topic: "",
    to: "developer",
    on: true,
    subject: "Your request for {{access}} was not decided in time",
    text:
      "Your request for {{access}} was not decided in time, so it is declined. You can request it again.",
    why: ASKED,
  },
  {
    name: "key_request.reissued",
    topic: "key_request.reissued",
    to: "developer",
    on: true,
    subject: "Your key for {{access}} was issued anew",
    text: "Your key for {{access}} was issued anew. The previous one is no longer valid.",
    why: HOLDS,
  },
  {
    name: "key.expires_soon",
    topic: "credential.ends_soon",
    to: "developer",
    on: true,
    subject: "Your key {{key}} for {{access}} expires on {{expires}}",
    text: "Your key {{key}} for {{access}} expires on {{expires}}. Days left: {{days}}.",
    why: HOLDS,
  },
  {
    name: "key.expired",
    topic: "credential.ended",
    to: "developer",
    on: true,
    subject: "Your key {{key}} for {{access}} has expired",
    text: "Your key {{key}} for {{access}} expired on {{expires}}. It is no longer valid.",
    why: HOLDS,
  },
  {
    name: "key.quota_nearly_used",
    topic: "credential.quota_nearly_used",
    to: "developer",
    on: true,
    subject: "Your key {{key}} for {{access}} has used 80% of its quota",
    text:
      "Your key {{key}} for {{access}} has used four fifths of its quota. Once all of it is used, calls are refused until the quota is renewed.",
    why: HOLDS,
  },
  {
    name: "key.quota_used",
    topic: "credential.quota_used",
    to: "developer",
    on: true,
    subject: "The quota of your key {{key}} for {{access}} is used up",
    text:
      "The quota of your key {{key}} for {{access}} is used up. Calls are refused until it is renewed.",
    why: HOLDS,
  },
  {
    name: "key.unused",
    topic: "credential.unused",
    to: "developer",
    on: true,
    subject: "Your key {{key}} for {{access}} is not used",
    text:
      "Your key {{key}} for {{access}} has not been used for a while. Days without a use: {{days}}. If you no longer need it, revoke it: the theft of an unused key is not noticed.",
    why: HOLDS,
  },
  {
    name: "key.unused_ends",
    // Of a key that is suspended next, sent where the one above is.
    topic: "",
    to: "developer",
    on: true,
    subject: "Your key {{key}} for {{access}} is suspended unless it is used",
    text:
      "Your key {{key}} for {{access}} has not been used for a while. Days without a use: {{days}}. Unless it is used before, it is suspended on {{expires}} or soon after, and is not valid then. If you still need it, use it or tell us.",
    why: HOLDS,
  },
  {
    name: "key.suspended",
    topic: "credential.suspended",
    to: "developer",
    on: true,
    subject: "Your key {{key}} for {{access}} was suspended",
    text: "Your key {{key}} for {{access}} was suspended. It is not valid until it is resumed.",
    why: HOLDS,
  },
  {
    name: "key.resumed",
    topic: "credential.resumed",
    to: "developer",
    on: false,
    subject: "Your key {{key}} for {{access}} works again",
    text: "Your key {{key}} for {{access}} was resumed and is valid as before.",
    why: HOLDS,
  },
  {
    name: "key.revoked",
    topic: "credential.revoked",
    to: "developer",
    on: true,
    subject: "Your key {{key}} for {{access}} was revoked",
    text: "Your key {{key}} for {{access}} was revoked. It is no longer valid.",
    why: HOLDS,
  },
  {
    name: "key.review_due",
    topic: "credential.review_due",
    to: "approvers",
    on: true,
    subject: "{{developer}}'s key {{key}} is to be looked at again",
    text:
      "The key {{key}} for {{access}} of {{developer}} was granted with a review date, which has come. It stays valid as before, until it is changed.",
    why: WATCHES,
  },
  {
    name: "access_token.rate_limited",
    topic: "access_token.braked",
    to: "approvers",
    on: true,
    subject: "An access token tried to end more keys than it may",
    text:
      "An access token that may not approve has revoked as many keys as it and its person's other tokens may within an hour, and tried to revoke more. The audit log says which keys. You can restore them within 7 days.",
    why: WATCHES,
  },
  {
    name: "gateway.silent",
    topic: "door.silent",
    to: "approvers",
    on: true,
    subject: "The gateway {{gateway}} is silent",
    text:
      "The gateway {{gateway}} has asked nothing for more than {{minutes}} minutes. Either there are no calls, or it allows or denies them without asking Keydesk.",
    why: WATCHES,
  },
  {
    name: "gateway.created",
    topic: "gateway.created",
    to: "administrators",
    on: true,
    subject: "{{person}} added the gateway {{gateway}} at {{organisation}}",
    text:
      "{{person}} added the gateway {{gateway}} at {{host}}. Issued keys are written to it, with the APIs for which they are valid. If an access token added it, it waits for a person's confirmation. If you did not expect this, look at it now and remove it.",
    why: ADMINISTERS,
  },
  {
    name: "gateway.moved",
    topic: "gateway.moved",
    to: "administrators",
    on: true,
    subject: "{{person}} moved the gateway {{gateway}} at {{organisation}}",
    text:
      "{{person}} changed the address of the gateway {{gateway}}, of its Redis or of the API that it is probed by, or turned certificates on for it. Its address is {{host}} now. Issued keys are written to it, with the APIs for which they are valid. If an access token moved it, it waits for a person's confirmation. If you did not expect this, look at it now.",
    why: ADMINISTERS,
  },
  {
    name: "certificate.expires_soon",
    topic: "certificate.ends_soon",
    to: "owner",
    on: true,
    subject: "The certificate {{certificate}} expires on {{expires}}",
    text: "The certificate {{certificate}} expires on {{expires}}. Days left: {{days}}.",
    why: OWNS,
  },
  {
    name: "certificate.expired",
    topic: "certificate.ended",
    to: "owner",
    on: true,
    subject: "The certificate {{certificate}} has expired",
    text: "The certificate {{certificate}} expired on {{expires}}.",
    why: OWNS,
  },
  {
    name: "developer.created",
    topic: "developer.created",
    to: "developer",
    on: false,
    copy: "welcome_email",
    subject: "Welcome to {{organisation}}",
    text: "Your account is ready.",
    why: ACCOUNT,
  },
  {
    name: "developer.password_changed",
    topic: "developer.password_changed",
    to: "developer",
    on: false,
    copy: "reset_password_email",
    subject: "Your password was changed",
    text: "Your password was changed. If it was not you, tell us.",
    why: ACCOUNT,
  },
  {
    name: "developer.email_asked",
    topic: "developer.email_asked",
    to: "developer",
    on: true,
    subject: "Confirm your e-mail address",
    text:
      "This address was entered for an account at {{organisation}}. Confirm it if that was you; otherwise do nothing.",
    button: "Confirm this address",
    why: "You get this because the address was entered at {{organisation}}.",
  },
  {
    name: "developer.email_changed",
    topic: "developer.email_changed",
    to: "previous",
    on: true,
    subject: "The e-mail address of your account was changed",
    text:
      "The e-mail address of your account at {{organisation}} is now {{address}}.\n\nIf that was you, confirm it. If it was not, do not confirm it, and tell us: until the address is confirmed, no key or token of yours is handed out to it.",
    button: "Confirm the change",
    why: "You get this because it was your account's address.",
  },
  {
    name: "developer.handed_over",
    topic: "developer.handed_over",
    to: "previous",
    on: true,
    subject: "Your account was given to another person",
    text:
      "{{organisation}} gave your account to a successor, whose address is {{address}}. Your sessions, tokens, password and linked accounts were revoked, and links that were mailed to you are no longer valid.\n\nIf that is wrong, tell us.",
    why: "You get this because it was your account's address.",
  },
  {
    name: "developer.code_asked",
    topic: "developer.code_asked",
    to: "code",
    on: true,
    subject: "Your code for {{organisation}}",
    text:
      "This code works once, for ten minutes, in the window that requested it. Keep it to yourself: anyone who asks you for it wants to sign in as you.",
    why:
      "You get this because a code was asked for with this address. If it was not you, do nothing.",
  },
  {
    name: "developer.invited",
    topic: "developer.invited",
    to: "invited",
    on: true,
    subject: "You are invited to {{organisation}}",
    text:
      "You can sign up on the developer pages of {{organisation}} until {{expires}}, with this address and no other. A code will be mailed to it.",
    button: "Sign up",
    why: "You get this because this address was invited. If you did not expect it, do nothing.",
  },
  ...alarmMails,
  ...personMails,
];

/** The kind of this name. */
export function mailKind(name: MailName): MailKind {
  const found = mailKinds.find((kind) => kind.name === name);
  if (!found) throw new Error(`there is no mail ${name}`);
  return found;
}
