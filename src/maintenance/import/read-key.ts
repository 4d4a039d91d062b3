import { labelsIn } from "../../features/gateways/tyk/tyk-labels.ts";
import {
  boundBy,
  endOfSession,
  isUserName,
  policiesNamed,
  quotaOfSession,
  says,
} from "../../features/gateways/tyk/tyk-session.ts";
import { isTooShort, isWeak } from "../../features/keys/chosen-keys.ts";
import { isOfPlainForm } from "../../features/keys/key-form.ts";
import { sha256 } from "../../kernel/sha256.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { digestOf } from "./digests.ts";
import { isObject } from "./extended-json.ts";
import type { Difference, Finding } from "./findings.ts";
import type { KeyItem, Reading } from "./items.ts";
import { type NamedKey, namedKey, unwrapped } from "./key-names.ts";
import { nobodysId } from "../../features/developers/nobodys-id.ts";
import type { Owners } from "./owners.ts";
import { emptyReading, madeAt, type ReadBy, Refused } from "./read-common.ts";
import { notKept, otherMembers } from "./session-members.ts";
import type { Members } from "./source.ts";

/**
 * A session of a key: `{name, session}` of a gateway's Redis, or `{key_hash, data}` of its
 * interface. Throws Refused.
 */
export function readKey(members: Members, by: ReadBy, owners: Owners): Reading {
  const { name, session } = sessionOf(members);
  const named = namedKey(name, by.org_id);
  const reading = emptyReading();
  const report = (code: Finding["code"], detail = "") =>
    reading.findings.push({ kind: "key", id: named.id, code, detail });
  const refuse = (code: Finding["code"], detail = "") => {
    report(code, detail);
    return reading;
  };
  const owner = owners.take(named.id);
  if (textOf(session, "oauth_client_id") !== "") return refuse("oauth_token");
  const meta = isObject(session.meta_data) ? session.meta_data : {};
  const developer_id = textOf(meta, "tyk_developer_id") || owner?.developer_id || "";
  const plans = policiesNamed(session, owner?.plans);
  if (isUserName(session)) {
    return refuse("basic_password", newUserName(userNameIn(name, by.org_id), developer_id, plans));
  }
  const bound = boundBy(session);
  if (bound !== undefined) return refuse("key_bound", bound);
  const refused = refusedKey(named, plans, by);
  if (refused) return refuse(refused);
  if (named.secret !== undefined && isTooShort(named.secret)) return refuse("key_too_short");
  if (named.wasPlain) report("plain_key");
  if (named.secret !== undefined && isWeak(named.secret)) report("key_weak");
  if (developer_id === "") report("key_without_owner");
  if (owner && [...owner.plans].sort().join("\n") !== [...plans].sort().join("\n")) {
    report("key_plans_differ");
  }
  if (session.is_inactive === true) report("key_inactive");
  const there = digestOf({ session: lasting(session), owner: owner ?? null });
  const item = keyItem(named, {
    developer_id: developer_id || nobodysId(by.org_id),
    plans,
    there,
  }, by);
  const labels = labelsIn(session, name);
  reading.dropped = notKept(session, labels);
  reading.items.push({
    ...item,
    key: {
      ...item.key,
      issued_at: madeAt(session.date_created, "", by.now),
      expires_at: endOf(session),
      labels,
    },
    quota: quotaOfSession(session, members.used, by.now),
    ...named.wrapping === undefined ? {} : { wrapping: named.wrapping },
  });
  return reading;
}

/**
 * The user name of basic auth in a key's name; undefined where it is hashed, or could be a key
 * itself.
 */
function userNameIn(name: string, org_id: string): string | undefined {
  const user = unwrapped(name, org_id)?.secret ?? "";
  const mayBeKey = user.length > 64 || /^[0-9a-f]{32}$/.test(user) || isOfPlainForm(user);
  return user === "" || mayBeKey ? undefined : user;
}

/** The advice for the owner of a user name; undefined: its name is not known. */
export function newUserName(
  user: string | undefined,
  developer_id: string,
  plans: readonly string[],
): string {
  const who = user === undefined ? "" : `user name ${JSON.stringify(user)}: `;
  if (developer_id === "") return `${who}belongs to no developer: register its holder, issue then`;
  const words = [developer_id, ...plans];
  // It is meant to be copied into a shell.
  return words.every((word) => /^[0-9A-Za-z][0-9A-Za-z._-]{0,63}$/.test(word))
    ? `${who}keydesk keys issue ${words.join(" ")}`
    : `${who}keydesk keys issue, for its developer and plans`;
}

/** Why a key can't come; undefined: it can. */
export function refusedKey(
  { algorithm }: NamedKey,
  plans: readonly string[],
  { murmurUntil }: ReadBy,
): Difference | undefined {
  if (algorithm === "murmur32") return "key_32_bits";
  if (algorithm !== "sha256" && murmurUntil === null) return "key_murmur";
  return plans.length === 0 ? "key_without_plans" : undefined;
}

/** An active token key of these plans. `named` is none of murmur32, which refusedKey names. */
export function keyItem(
  named: NamedKey,
  { developer_id, plans, there }: { developer_id: string; plans: string[]; there: string },
  { murmurUntil, now }: ReadBy,
): KeyItem {
  const { id, algorithm, mask } = named;
  if (algorithm === "murmur32") throw new Refused("key_32_bits");
  return {
    kind: "key",
    id,
    there,
    key: {
      key_id: id,
      algorithm,
      kind: "token",
      secret_hash: null,
      mask,
      developer_id,
      plans: [...new Set(plans)],
      issued_at: toTimestamp(now),
      expires_at: null,
      use_before: algorithm === "sha256" ? null : murmurUntil,
      state: "active",
      client: null,
      isWeak: false,
      labels: {},
    },
    quota: null,
  };
}

/**
 * A record of an OAuth client, `{api, client}`. Nothing of one that came with its developer. Throws
 * Refused.
 */
export function readClient({ client }: Members, by: ReadBy, owners: Owners): Reading {
  const members = isObject(client) ? client : {};
  const client_id = textOf(members, "id");
  if (client_id === "") throw new Refused("no_id");
  const key_id = sha256(client_id);
  if (owners.hasClient(key_id)) return emptyReading();
  const owner = owners.take(key_id);
  const policy = textOf(members, "policyid");
  const plans = owner?.plans ?? (policy === "" ? [] : [policy]);
  const secret = textOf(members, "secret");
  const reading = emptyReading();
  const report = (code: Finding["code"]) =>
    reading.findings.push({ kind: "client", id: key_id, code, detail: "" });
  if (secret === "") report("client_without_secret");
  else if (plans.length === 0) report("key_without_plans");
  else {
    if (!owner) report("key_without_owner");
    const developer_id = owner?.developer_id ?? nobodysId(by.org_id);
    // Records and the gateway's interface spell it differently.
    const redirect_uri = textOf(members, "redirecturi") || textOf(members, "redirect_uri");
    const known = { client_id, secret, redirect_uri, plans, date_created: "" };
    reading.items.push(clientItem(key_id, known, developer_id, by));
    const read = ["id", "secret", "policyid", "redirecturi", "redirect_uri"];
    reading.dropped = otherMembers(members, read);
  }
  return reading;
}

/** An OAuth client as a key. */
export function clientItem(
  key_id: string,
  { client_id, secret, redirect_uri = "", plans, date_created }: {
    client_id: string;
    secret: string;
    redirect_uri?: string;
    plans: string[];
    date_created: string;
  },
  developer_id: string,
  by: ReadBy,
): KeyItem {
  const { mask } = namedKey(client_id, by.org_id);
  const named = { id: key_id, algorithm: "sha256", mask, wasPlain: true } as const;
  const there = digestOf([client_id, secret, plans]);
  const item = keyItem(named, { developer_id, plans, there }, by);
  const secret_hash = sha256(secret);
  const issued_at = madeAt(date_created, "", by.now);
  const client = { client_id, secret, redirect_uri };
  const key = { ...item.key, kind: "oauth", secret_hash, issued_at, client } as const;
  return { ...item, kind: "client", key };
}

/** The name of a key's session, and the session. Throws Refused. */
export function sessionOf(members: Members): { name: string; session: Members } {
  const { name, session, data, key_hash, hash, key_id, key } = members;
  const own = [name, key_hash, hash, key, key_id].find((one) =>
    typeof one === "string" && one !== ""
  );
  const inner = [session, data].find(isObject);
  if (typeof own === "string" && inner) return { name: own, session: inner };
  throw new Refused("unreadable", "is no session of a key: expected key_hash and data");
}

/**
 * A session without what every call changes, and without what its policies say in its place. A
 * member that is absent, null or zero says the same: one source has it, and another one leaves it
 * out.
 */
function lasting(session: Members): Members {
  const apply_policies = policiesNamed(session);
  const left = Object.entries(session).filter(([name, value]) =>
    says(value) && !OF_CALLS.has(name) && !(apply_policies.length > 0 && OF_POLICIES.has(name))
  );
  return { ...Object.fromEntries(left), apply_policies };
}

const OF_CALLS: ReadonlySet<string> = new Set([
  "last_check",
  "allowance",
  "quota_remaining",
  "quota_renews",
  "last_updated",
]);
/** Beside policies these have no effect, and the interface shows what the policies say. */
const OF_POLICIES: ReadonlySet<string> = new Set([
  "apply_policy_id",
  "rate",
  "per",
  "quota_max",
  "quota_renewal_rate",
  "access_rights",
  "is_inactive",
  "throttle_interval",
  "throttle_retry_limit",
]);

/** From when on a key opens nothing; null: never. */
function endOf(session: Members): string | null {
  const end = endOfSession(session);
  return end === null ? null : toTimestamp(end);
}

function textOf(members: Members, name: string): string {
  const value = members[name];
  return typeof value === "string" ? value : "";
}
