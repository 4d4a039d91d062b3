/** The parts of a session of the original's gateway about a key, and how a key is presented. */
import { toTimestamp } from "../../../kernel/clock.ts";
import { NO_TIME } from "../../../kernel/timestamps.ts";
import { membersOf } from "./tyk-calls.ts";

/** A session as the gateway shows it. */
export type Session = Readonly<Record<string, unknown>>;

/** Whether a member says more than that nothing is set: sessions carry every member there is. */
export function says(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === "object" && value !== null) return Object.values(value).some(says);
  return ![undefined, null, false, "", 0, -1, NO_TIME].some((nothing) => nothing === value);
}

/**
 * Whether a session is that of a user name, which opened nothing there without its password. The
 * interface blanks the password, so whatever else is beside it says so.
 */
export function isUserName({ basic_auth_data }: Session): boolean {
  return says(basic_auth_data);
}

/**
 * The member by which a key opened nothing there by itself: its calls are signed, or made with a
 * client certificate. Undefined for a key that is presented alone.
 */
export function boundBy(session: Session): string | undefined {
  const { jwt_data, hmac_enabled, hmac_string, enable_http_signature_validation } = session;
  if (says(session.certificate)) return "certificate";
  if (says(session.mtls_static_certificate_bindings)) return "mtls_static_certificate_bindings";
  if (hmac_enabled === true && says(hmac_string)) return "hmac_string";
  if (enable_http_signature_validation === true && says(session.rsa_certificate_id)) {
    return "rsa_certificate_id";
  }
  return says(membersOf(jwt_data).secret) ? "jwt_data" : undefined;
}

/** The policies that a session names; `otherwise`: where it names none. */
export function policiesNamed(
  { apply_policies, apply_policy_id }: Session,
  otherwise: readonly string[] = [],
): string[] {
  const several = Array.isArray(apply_policies)
    ? apply_policies.filter((one) => typeof one === "string" && one !== "")
    : [];
  if (several.length > 0) return several;
  return typeof apply_policy_id === "string" && apply_policy_id !== ""
    ? [apply_policy_id]
    : [...otherwise];
}

/** Whether calls with a key are counted, by its policies or by limits of its own. */
export function hasQuota({ quota_max, access_rights }: Session): boolean {
  const limits = Object.values(membersOf(access_rights)).map((one) =>
    membersOf(membersOf(one).limit)
  );
  return [quota_max, ...limits.map((one) => one.quota_max)].some((most) => Number(most ?? 0) > 0);
}

/** From when on a session opens nothing, in milliseconds; null: it does not end. */
export function endOfSession({ expires }: Session): number | null {
  if (typeof expires !== "number" || expires <= 0 || expires > LAST_SECOND) return null;
  return expires * 1000;
}

const LAST_SECOND = Date.UTC(9999, 11, 31) / 1000;

/** The used part of a quota's running period, and when that period began. */
export interface QuotaThere {
  readonly from: string;
  readonly used: number;
}

/**
 * The quota of a session at `now`; null: no period runs. `counted`: the value of the record beside
 * it, which takes precedence. The gateway leaves out zeros, so an absent `quota_remaining` of a
 * running period means that all of it is used.
 */
export function quotaOfSession(session: Session, counted: unknown, now: number): QuotaThere | null {
  const numbers = NUMBERS.map((name) => session[name] ?? 0);
  if (!numbers.every((one) => typeof one === "number")) return null;
  const [most = 0, left = 0, renews = 0, seconds = 0] = numbers;
  const from = (renews - seconds) * 1000;
  const isRunning = most > 0 && seconds > 0 && renews * 1000 > now && from <= now;
  if (!isRunning || from < 0) return null;
  const usedThere = typeof counted === "number" ? counted : most - left;
  const used = Math.floor(Math.max(0, Math.min(most, usedThere)));
  return { from: toTimestamp(from), used };
}

const NUMBERS = ["quota_max", "quota_remaining", "quota_renews", "quota_renewal_rate"] as const;

/** The developer whom a session names; "": none. */
export function developerNamed({ meta_data }: Session): string {
  const { tyk_developer_id: id } = membersOf(meta_data);
  return typeof id === "string" ? id : "";
}
