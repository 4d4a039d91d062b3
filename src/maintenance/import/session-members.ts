import { says } from "../../features/gateways/tyk/tyk-session.ts";
import type { SomeKeyLabels } from "../../features/keys/key-labels.ts";
import { isObject } from "./extended-json.ts";
import type { Members } from "./source.ts";

/**
 * The members of a session that are imported, those that its plans replace, and those that every
 * call changes.
 */
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
