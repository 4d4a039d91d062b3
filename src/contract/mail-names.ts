/** Every name of a mail. */
export const mailNames = [
  "key_request.waiting",
  "key_request.waiting_several",
  "key_request.reminded",
  "key_request.created",
  "key_request.offered",
  "key_request.approved",
  "key_request.later_end",
  "key_request.declined",
  "key_request.reissued",
  "credential.ends_soon",
  "credential.ended",
  "credential.quota_nearly_used",
  "credential.quota_used",
  "credential.suspended",
  "credential.resumed",
  "credential.revoked",
  "credential.review_due",
  "access_token.braked",
  "door.silent",
  "certificate.ends_soon",
  "certificate.ended",
  "developer.created",
  "developer.password_changed",
  "developer.email_asked",
  "developer.email_changed",
  "developer.code_asked",
  "developer.invited",
  "person.invited",
  "person.signed_in_anew",
  "person.passkey_added",
  "person.passkey_removed",
  "person.account_linked",
  "person.account_unlinked",
] as const;
/** One of them. */
export type MailName = typeof mailNames[number];

/** The fixed words of mails. */
export const mailWords = {
  hello: "Hello",
  api: "API",
  plan: "Plan",
  ends: "Ends",
  begins_anew: "Begins anew",
  key: "Key",
  reason: "Reason",
  message: "Message",
  asked: "Asked",
  changed: "Changed",
  changed_by: "Changed by",
  certificate: "Certificate",
  link_ends: "The link works once and ends on",
  copy_link: "Or copy this address:",
  sign_in: "The link asks you to sign in; this mail decides nothing by itself.",
  not_asked: "Did not ask for a key? Do not open it, and tell us.",
  support: "Questions?",
  browser: "Browser",
  from: "From",
  at: "At",
  missing: "Earlier mails about this could not be delivered:",
} as const;
/** One of them. */
export type MailWord = keyof typeof mailWords;

/** What a target of mails is configured with where nobody says otherwise. */
export const mailDefaults = {
  from: "",
  from_name: "",
  reply_to: "",
  digest_minutes: 15,
  per_hour: 30,
  language: "en",
  time_zone: "UTC",
  words: {},
  mails: {},
};
