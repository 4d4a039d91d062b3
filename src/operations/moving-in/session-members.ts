import type { SomeKeyLabels } from "../../features/keys/key-labels.ts";
import { isObject } from "./extended-json.ts";
import type { Members } from "./source.ts";

/** What comes along of a session, what its plans say in its place, and what every call changes. */
const ACCOUNTED_FOR: ReadonlySet<string> = new Set([
  "org_id",
  "key_id",
  "apply_policies",
  "apply_policy_id",
  "expires",
  "date_created",
  "is_inactive",
  "oauth_client_id",
  "alias",
  "tags",
  "quota_max",
  "quota_remaining",
  "quota_renews",
  "quota_renewal_rate",
  "rate",
  "per",
  "access_rights",
  "throttle_interval",
  "throttle_retry_limit",
  "last_check",
  "allowance",
  "last_updated",
  "id_extractor_deadline",
]);

/** The names of a session's members that say something and are not kept. */
export function notKept(session: Members, { name = "", tags = [] }: SomeKeyLabels): string[] {
  const { meta_data, alias, tags: given } = session;
  const { tyk_developer_id: _, ...meta } = isObject(meta_data) ? meta_data : {};
  const left = Object.entries({ ...session, meta_data: meta })
    .filter(([member, value]) => !ACCOUNTED_FOR.has(member) && says(value))
    .map(([member]) => member);
  if (typeof alias === "string" && alias.trim() !== name) left.push("alias");
  if (Array.isArray(given) && new Set(given).size > tags.length) left.push("tags");
  return left;
}

/** The names of a record's members that say something, beside those that are kept. */
export function otherMembers(record: Members, kept: readonly string[]): string[] {
  return Object.entries(record)
    .filter(([member, value]) => !kept.includes(member) && says(value))
    .map(([member]) => member);
}

/** Whether a member says more than that nothing is set: sessions carry every member there is. */
function says(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isObject(value)) return Object.values(value).some(says);
  return ![undefined, null, false, "", 0, -1].some((nothing) => nothing === value);
}

/**
 * Whether a session is that of a user name, which opened nothing there without its password. The
 * interface blanks the password, so whatever else stands beside it says so.
 */
export function isUserName({ basic_auth_data }: Members): boolean {
  return says(basic_auth_data);
}

/**
 * The member by which a key opened nothing there by itself: its calls are signed, or made with a
 * client certificate. Undefined for a key that is presented alone.
 */
export function boundBy(session: Members): string | undefined {
  const { jwt_data, hmac_enabled, hmac_string, enable_http_signature_validation } = session;
  if (says(session.certificate)) return "certificate";
  if (says(session.mtls_static_certificate_bindings)) return "mtls_static_certificate_bindings";
  if (hmac_enabled === true && says(hmac_string)) return "hmac_string";
  if (enable_http_signature_validation === true && says(session.rsa_certificate_id)) {
    return "rsa_certificate_id";
  }
  return isObject(jwt_data) && says(jwt_data.secret) ? "jwt_data" : undefined;
}
