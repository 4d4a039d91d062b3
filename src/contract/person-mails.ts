import type { MailKind } from "./mail-kind.ts";
import type { MailName } from "./mail-names.ts";

const SIGNS_IN = "You get this because you sign in to Keydesk.";

/** The mails to people about themselves. */
export const personMails: readonly MailKind[] = [
  {
    name: "person.invited",
    topic: "person.invited",
    to: "person",
    on: true,
    subject: "You are invited to {{organisation}}",
    text:
      "You are invited to Keydesk at {{organisation}}, where requests for API keys are decided. The link signs you in once; keep it to yourself.",
    button: "Accept the invitation",
    why: "You get this because an administrator of Keydesk entered your address.",
  },
  signInMail(
    "person.signed_in_anew",
    "person.signed_in_anew",
    "A sign-in from somewhere new at {{organisation}}",
    "Your account was signed in to from a new place. If that was you, do nothing. If it was not, sign out everywhere in the settings, under You, and tell your administrator.",
  ),
  signInMail(
    "person.passkey_added",
    "passkey.created",
    "A passkey was added for you at {{organisation}}",
    "A further passkey signs in as you. If that was you, do nothing. If it was not, remove it in the settings, under You, and tell your administrator.",
  ),
  signInMail(
    "person.passkey_removed",
    "passkey.deleted",
    "A passkey of yours was removed at {{organisation}}",
    "An administrator removed one of your passkeys, and its sessions are signed out. If you did not ask for it, tell your administrator.",
  ),
  signInMail(
    "person.one_time_codes_set_up",
    "person.one_time_codes_set_up",
    "One-time codes were set up for you at {{organisation}}",
    "From now on you give a code of an authenticator app beside an access token. If that was you, do nothing. If it was not, tell your administrator: another administrator removes them.",
  ),
  signInMail(
    "person.one_time_codes_removed",
    "person.one_time_codes_removed",
    "Your one-time codes were removed at {{organisation}}",
    "You no longer need a code of an authenticator app, and your recovery codes are not valid any more. If you do not know of it, tell your administrator.",
  ),
  signInMail(
    "person.recovery_codes_renewed",
    "person.recovery_codes_renewed",
    "Your recovery codes were made anew at {{organisation}}",
    "The previous ones are no longer valid. If that was you, keep the new ones. If it was not, sign out everywhere in the settings, under You, and tell your administrator.",
  ),
  signInMail(
    "person.account_linked",
    "identity.created",
    "An account was linked to you at {{organisation}}",
    "An account at your company's sign-in signs in as you from now on. If that was you, do nothing. If it was not, unlink it in the settings, under You, and tell your administrator.",
  ),
  signInMail(
    "person.account_unlinked",
    "identity.deleted",
    "An account of yours was unlinked at {{organisation}}",
    "An administrator unlinked an account at your company's sign-in from you: it no longer signs you in. If you did not ask for it, tell your administrator.",
  ),
  signInMail(
    "person.made_delegate",
    "person.made_delegate",
    "You approve for an absent person at {{organisation}}",
    "A person who is away named you to approve key requests in their place. The settings, under You, say for whom and until when; requests that wait for them wait for you, too.",
  ),
];

/** A mail to a person about their sign-in. */
function signInMail(name: MailName, topic: string, subject: string, text: string): MailKind {
  return { name, topic, to: "person", on: true, subject, text, why: SIGNS_IN };
}
