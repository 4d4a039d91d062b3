import { signInFailures } from "./sign-in-failures.ts";

/** Every way in which a call can fail: code → status → the sentence shown without a better one. */
export const failureCodes = {
  not_authorised: { status: 401, message: "Not authorised" },
  signature_invalid: {
    status: 403,
    message: "The signature is not one of this body by a known key.",
  },
  access_denied: { status: 403, message: "access denied: You do not have permission to access " },
  not_found: { status: 404, message: "Could not retrieve portal object." },
  not_found_for_deletion: { status: 404, message: "Could not retrieve object for deletion" },
  key_not_found: { status: 404, message: "Could not retrieve key detail." },
  key_not_owned: { status: 400, message: "Attempted access to non-owned key." },
  certificate_not_found: {
    status: 404,
    message:
      "Could not retrieve certificate details. Certificate with given SHA256 fingerprint not found.",
  },
  certificate_not_removed: { status: 404, message: "Could not delete certificate." },
  certificate_exists: {
    status: 404,
    message: "Could not create certificate. Certificate with this ID already exists.",
  },
  unknown_path: { status: 404, message: "There is nothing at this path." },
  method_not_allowed: { status: 405, message: "This path does not take this method." },
  malformed_request: { status: 400, message: "The request is malformed." },
  head_timeout: { status: 408, message: "The request's head did not arrive in time." },
  target_too_long: { status: 414, message: "The request's target is too long." },
  head_too_large: { status: 431, message: "The request's head is too large." },
  coding_unsupported: { status: 501, message: "Of transfer codings only chunked is known." },
  version_unsupported: {
    status: 505,
    message: "This port speaks HTTP/1.1 alone: for HTTP/2 put a proxy before it.",
  },
  malformed_body: { status: 400, message: "Request body malformed." },
  invalid_input: { status: 400, message: "The request is not valid." },
  body_too_large: { status: 413, message: "The request body is too large." },
  body_timeout: { status: 408, message: "The request body did not arrive in time." },
  already_processed: { status: 400, message: "Key request has already been processed." },
  already_issued: {
    status: 400,
    message: "A credential was issued for this key request: its plan, by_user and key are fixed.",
  },
  unknown_plan: { status: 400, message: "No policy found!" },
  unknown_developer: { status: 400, message: "Could not retrieve developer object" },
  email_taken: {
    status: 400,
    message: "The e-mail address of portal_developer belongs to another developer.",
  },
  sso_key_taken: {
    status: 400,
    message: "The sso_key of portal_developer belongs to another developer.",
  },
  developer_refused: { status: 400, message: "Developer object validation failed." },
  developer_exists: { status: 400, message: "A developer with this id exists already." },
  wrong_credentials: { status: 401, message: "The user name or the password is wrong." },
  plan_name_taken: {
    status: 400,
    message: "This policy name has already been used. Enter a unique policy name.",
  },
  plan_id_taken: { status: 400, message: "This policy id has already been used." },
  plan_not_offered: {
    status: 409,
    message: "No entry of the catalogue offers this plan: put it into the catalogue first.",
  },
  api_exists: { status: 409, message: "The catalogue has an API with this id already." },
  inactive_plan: { status: 400, message: "This policy is not active." },
  keyless_plan: { status: 400, message: "key requests for key-less APIs are not allowed" },
  mixed_auth_types: {
    status: 400,
    message: "The plans of one key request must have the same auth type.",
  },
  unknown_key: { status: 400, message: "key: names no active key of this developer." },
  too_many_pending: {
    status: 400,
    message: "Too many key requests wait for a decision: decide or delete some first.",
  },
  key_request_too_large: { status: 413, message: "The key request is too large." },
  already_decided: { status: 409, message: "This key request is decided already." },
  offered: {
    status: 400,
    message: "The developer was offered something else, and has not answered yet.",
  },
  offer_waits: {
    status: 409,
    message:
      "An offer waits for its developer's answer: withdraw it, decline, or make another offer.",
  },
  own_request: {
    status: 403,
    message: "This key request is your own, by its developer's address: somebody else decides it.",
  },
  filed_by_you: {
    status: 403,
    message: "You filed or changed this key request: by its policy somebody else decides it.",
  },
  not_among_approvers: {
    status: 403,
    message:
      "This key request waits for others: by its policy you don't count in its present step.",
  },
  step_given: {
    status: 409,
    message: "You have approved this key request already: it waits for somebody else.",
  },
  steps_missing: {
    status: 400,
    message: "Your approval counts, and this key request needs more of them: there is no key yet.",
  },
  too_many_comments: {
    status: 409,
    message: "There are 500 comments on this key request: that is as many as there may be.",
  },
  assignee_may_not_decide: {
    status: 400,
    message: "By its policy this person may not decide this key request.",
  },
  deleted_meanwhile: {
    status: 410,
    message: "It was done, and the key request was deleted since.",
  },
  assigned_meanwhile: {
    status: 409,
    message: "This key request is assigned to somebody else than you have seen.",
  },
  policy_unfulfillable: { status: 400, message: "Nobody could fulfil this policy." },
  still_decidable: {
    status: 409,
    message: "There is somebody who can decide this key request: it keeps its policy.",
  },
  no_offer: {
    status: 409,
    message: "This offer waits no more: it was answered, replaced, withdrawn, or its time is over.",
  },
  too_many_words: {
    status: 409,
    message: "Words were added to this key request as often as they may be.",
  },
  not_late: {
    status: 409,
    message: "Approvers are reminded of a key request that waits longer than usual: not yet.",
  },
  reminded_already: {
    status: 409,
    message: "Approvers were reminded of this key request within the last 24 hours.",
  },
  offer_link_gone: {
    status: 410,
    message: "This is no link of an offer, or the request that it is of is there no more.",
  },
  not_declined: { status: 409, message: "Only a declined key request has a reason or reopens." },
  precondition_failed: {
    status: 412,
    message: "If-Match: this has changed since it was read. Read it again.",
  },
  email_unproved: {
    status: 409,
    message:
      "Nobody has confirmed the developer's e-mail address since it changed, so no link is mailed there.",
  },
  confirmation_gone: {
    status: 410,
    message: "This link confirms nothing: it was used, has expired, or never was.",
  },
  sso_not_enabled: { status: 403, message: "SSO not enabled for org." },
  nonce_gone: {
    status: 410,
    message: "This nonce signs nobody in: it was used, has expired, or never was.",
  },
  claim_gone: {
    status: 410,
    message: "This link opens nothing: it was used, withdrawn, has expired, or never was.",
  },
  claim_closed: { status: 409, message: "This claim is no longer open." },
  wrong_auth_type: { status: 400, message: "plans: their auth type is not that of the key." },
  key_revoked: { status: 409, message: "The key is revoked, which is final." },
  key_not_revoked: { status: 409, message: "The key is not revoked." },
  developer_deleted: {
    status: 409,
    message: "The key went with its developer: bring the developer back, and it comes too.",
  },
  several_deletions: {
    status: 409,
    message: "Developers of this id were deleted several times: say which deletion is meant.",
  },
  developer_taken: {
    status: 409,
    message: "Another developer has the id, the e-mail address or the sso_key by now.",
  },
  too_many_revoked: {
    status: 429,
    message:
      "This access token, with the others of its person, has ended as many keys as it may within an hour. Somebody who may approve can end more.",
  },
  key_suspended: { status: 409, message: "The key is suspended." },
  key_suspended_by_others: {
    status: 409,
    message: "Somebody else suspended the key; ask them to resume it.",
  },
  key_not_suspended: { status: 409, message: "The key is not suspended." },
  key_expired: { status: 409, message: "The key has expired." },
  key_rotated: { status: 409, message: "The key was rotated already." },
  key_end_unchanged: { status: 409, message: "The key's end is as its plans say." },
  key_limit_reached: {
    status: 409,
    message: "You have as many keys to this plan as it allows. Lost it? Rotate it.",
  },
  key_opens_from_all: {
    status: 409,
    message: "The key opens from every address, and was granted so.",
  },
  key_damaged: {
    status: 409,
    message: "The key's row in the store is damaged: `keydesk check` says what to do.",
  },
  job_under_way: {
    status: 409,
    message: "You have a job under way: wait for its end, or stop it.",
  },
  view_name_taken: {
    status: 409,
    message: "Another view of this list has this name: choose another one.",
  },
  too_many_views: {
    status: 409,
    message: "There are 100 views already: delete one that nobody needs.",
  },
  door_name_taken: { status: 409, message: "Another door has this name: choose another one." },
  too_many_gateways: {
    status: 409,
    message: "There are 20 gateways already: remove one that nobody needs.",
  },
  too_many_doors: {
    status: 409,
    message: "There are 100 doors already: take one away that nobody needs.",
  },
  job_over: { status: 409, message: "This job has ended." },
  links_not_mailed: {
    status: 409,
    message: "No target mails developers the links of their keys: set one up, or take the links.",
  },
  not_issued: { status: 409, message: "No key was issued for this key request." },
  permission_not_held: { status: 403, message: "You can't give what you don't hold." },
  unknown_role: { status: 400, message: "There is no such role." },
  role_name_taken: { status: 409, message: "Another role has this name." },
  elevation_rule_name_taken: {
    status: 409,
    message: "Another rule has this name: choose another one.",
  },
  beyond_granted: {
    status: 409,
    message: "Several people granted this key from some addresses alone: it opens from no others.",
  },
  role_fixed: { status: 409, message: "Every organisation has this role: it can't be changed." },
  role_in_use: { status: 409, message: "Somebody has this role." },
  too_many_roles: { status: 409, message: "There are 100 roles already: remove one first." },
  elevated_already: { status: 409, message: "You are elevated already, or have asked to be." },
  elevation_gives_nothing: { status: 409, message: "The rule's role gives none of it any more." },
  elevation_over: { status: 409, message: "This elevation has ended, or waits no more." },
  not_second_person: { status: 403, message: "Somebody else says yes to this: it is your own." },
  too_many_elevation_rules: { status: 409, message: "There are 20 rules: remove one first." },
  person_holds_more: { status: 403, message: "This person holds more than you do." },
  csrf_refused: {
    status: 403,
    message: "A change by session must come from our own page, with its X-CSRF-Token.",
  },
  fresh_sign_in_required: {
    status: 403,
    message: "Sign in again: a session may do this within five minutes of its sign-in.",
  },
  person_needed: {
    status: 403,
    message: "A person says yes to this, signed in to the console: no access token does.",
  },
  host_taken: { status: 409, message: "Another organisation's pages are at this host." },
  wrong_code: {
    status: 401,
    message: "The code is wrong, was used, or is over. Ask for a new one.",
  },
  code_required: {
    status: 403,
    message: "Enter a code that is mailed to you first: a portal opened this session.",
  },
  too_many_invitations: {
    status: 409,
    message: "Withdraw an invitation first: there are as many as there may be.",
  },
  too_many_tokens: { status: 409, message: "End a token first: you have as many as one may have." },
  organisation_exists: { status: 409, message: "An organisation with this id exists already." },
  person_deactivated: { status: 409, message: "This person is deactivated." },
  person_suspended: { status: 409, message: "This person is suspended already." },
  person_not_suspended: { status: 409, message: "This person is not suspended." },
  credential_ended: { status: 409, message: "This access token has ended already." },
  credential_rotated: { status: 409, message: "This access token was rotated already." },
  ...signInFailures,
  last_administrator: {
    status: 409,
    message: "Nobody could administer the organisation any more: give somebody else admin first.",
  },
  idempotency_key_invalid: {
    status: 400,
    message: "Idempotency-Key: expected 16 to 255 printable characters.",
  },
  idempotency_key_reused: {
    status: 422,
    message: "Idempotency-Key: was used before with another path or body.",
  },
  oauth_invalid_client: { status: 401, message: "Client authentication failed." },
  oauth_unsupported_grant_type: {
    status: 400,
    message: "grant_type: expected client_credentials.",
  },
  oauth_invalid_scope: { status: 400, message: "scope: there are no scopes here; leave it out." },
  too_many_requests: { status: 429, message: "Too many attempts. Please try again later." },
  unavailable: {
    status: 503,
    message: "The service cannot answer right now. Please try again shortly.",
  },
  trail_sink_unavailable: {
    status: 503,
    message:
      "Nothing was done: the audit trail has to stand in a second place too, which takes no rows right now. Please try again shortly.",
  },
  trail_sink_behind: {
    status: 503,
    message:
      "This is done and kept, but the audit trail's second place has not confirmed it yet; its row follows. Look before you try again, or repeat it with its Idempotency-Key.",
  },
  store_damaged: {
    status: 500,
    message: "The store is damaged where this stands. Trying again at once does not help.",
  },
  internal: { status: 500, message: "Something went wrong on our side." },
} as const satisfies Record<string, { status: number; message: string }>;

/** A code out of the closed table above. */
export type FailureCode = keyof typeof failureCodes;

/** What `/v1` says in its own words, where the table has the original's: a plan is no policy. */
const ownMessages: Partial<Record<FailureCode, string>> = {
  unknown_plan: "There is no such plan.",
  plan_name_taken: "Another plan has this name already.",
  plan_id_taken: "Another plan has this id already.",
  inactive_plan: "This plan is not active.",
};

/** The public sentence of a code under `/v1`. */
export function ownMessageOf(code: FailureCode): string {
  return ownMessages[code] ?? failureCodes[code].message;
}
