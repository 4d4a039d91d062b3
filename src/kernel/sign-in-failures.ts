/** Why somebody does not sign in, or can not change by what they do; as failureCodes has them. */
export const signInFailures = {
  sign_in_by_token_off: {
    status: 403,
    message:
      "People of this organisation do not sign in by access tokens: use a passkey, or a link of `keydesk console`.",
  },
  one_time_code_required: { status: 401, message: "Give a one-time code beside this." },
  one_time_code_refused: { status: 401, message: "Wrong or used: wait for the next code." },
  first_code_refused: { status: 400, message: "This is not what the app shows at this moment." },
  second_factor_required: {
    status: 403,
    message:
      "An access token alone signs nobody in here: use a passkey or your company's sign-in, or ask an administrator for an invitation and set up one-time codes then.",
  },
  domain_taken: { status: 409, message: "Another organisation has this domain already." },
  domain_not_listed: {
    status: 409,
    message: "A domain of an identity provider is one of the organisation's own: add it first.",
  },
  too_many_providers: {
    status: 409,
    message: "There are 10 identity providers already: remove one first.",
  },
  provider_uncalled: {
    status: 409,
    message: "This identity provider can't be called: KEYDESK_OUTBOUND does not name its host.",
  },
  providers_unavailable: {
    status: 409,
    message:
      "Nobody can come back from an identity provider to this address: set KEYDESK_PUBLIC_URL.",
  },
  provider_away: {
    status: 503,
    message: "The company's sign-in does not answer now: try again, or use another way in.",
  },
  identity_unknown: {
    status: 403,
    message:
      "Nobody here belongs to this account: ask an administrator for an invitation, and link it then.",
  },
  no_group_opens: {
    status: 403,
    message: "None of your groups opens anything here: ask whoever runs the desk.",
  },
  groups_incomplete: {
    status: 403,
    message:
      "The identity provider did not name all of your groups: ask whoever runs it. Nothing of what you may do has changed.",
  },
  provider_has_accounts: {
    status: 409,
    message: "Accounts are linked at this issuer: add another provider for another one.",
  },
  added_by_provider: {
    status: 403,
    message:
      "An identity provider added you and says when you are out: you sign in by its account alone.",
  },
  identity_taken: { status: 409, message: "This account signs somebody in already." },
  too_many_identities: {
    status: 409,
    message: "There are 10 accounts already: unlink one first.",
  },
  last_way_in: {
    status: 409,
    message: "Nothing else would let you in: have a code mailed, or choose a password, first.",
  },
  logout_refused: { status: 400, message: "This is no logout token of this identity provider." },
  passkeys_unavailable: {
    status: 409,
    message:
      "There are no passkeys at this address: open the console as http://localhost, or set KEYDESK_PUBLIC_URL to a name with https.",
  },
  passkey_refused: {
    status: 400,
    message: "This passkey was not made for this session, this address and this moment: try again.",
  },
  signature_required: {
    status: 400,
    message:
      "This organisation's approvals are signed by a passkey: decide each request by itself, in the console.",
  },
  signature_refused: {
    status: 400,
    message: "This signature does not say yes to this request, as it is now, on these terms.",
  },
  passkey_taken: { status: 409, message: "This passkey is somebody's already." },
  too_many_passkeys: { status: 409, message: "There are 20 passkeys already: remove one first." },
  session_opens_less: {
    status: 403,
    message:
      "This session opens less than you may, and a passkey opens all: sign in with an access token without limits, or by an invitation.",
  },
} as const satisfies Record<string, { status: number; message: string }>;
