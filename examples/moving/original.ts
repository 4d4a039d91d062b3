/**
 * What a dashboard and a gateway hold, and what becomes of it when a portal and callers work with them: the part of
 * the stand-in behind its interfaces. Written from the vendor's public documents; it holds nothing of the real thing.
 */
import { createHash, randomBytes } from "node:crypto";

/** An object as JSON has it. */
export type Members = Record<string, unknown>;

/** A developer as the dashboard shows one; the database alone knows the password. */
export interface Developer extends Members {
  id: string;
  email: string;
  /** A bcrypt hash; never shown. */
  password: string;
  /** Plans by the hash of a key. */
  keys: Record<string, string[]>;
  /** Hashes of keys by plan. */
  subscriptions: Record<string, string>;
}

/** A key request as the dashboard shows one. */
export interface KeyRequest extends Members {
  id: string;
  by_user: string;
  apply_policies: string[];
  approved: boolean;
}

/** A plan. */
export interface Plan extends Members {
  _id: string;
  id: string;
  active: boolean;
  quota_max: number;
  quota_renewal_rate: number;
  access_rights: Record<string, unknown>;
}

/** A certificate: what the dashboard shows of it, and what the gateway keeps. */
export interface Certificate {
  basics: Members & { id: string };
  pem: string;
}

/** Somebody who calls with a key. */
export interface Holder {
  key: string;
  api_id: string;
  developer_id: string;
}

/** What was asked for can't be done; `message` is the original's. */
export class Refusal extends Error {
  constructor(readonly status: number, message: string) {
    super(message);
  }
}

/** A gateway's answer to a call. */
export interface Verdict {
  status: number;
  error: string;
}

/** Everything of one organisation, with a few objects of another. */
export class Original {
  readonly plans: Plan[] = [];
  readonly developers: Developer[] = [];
  readonly requests: KeyRequest[] = [];
  catalogue: Members = {};
  configuration: Members = {};
  readonly documentation: (Members & { id: string })[] = [];
  readonly certificates: Certificate[] = [];
  /** The gateway's Redis: sessions of keys, OAuth clients, certificates in PEM. */
  readonly records = new Map<string, Members | string>();
  /** Who calls; their keys stand nowhere else, as they should. */
  readonly holders: Holder[] = [];

  constructor(readonly org_id: string) {}

  /** What a call with a key is answered. Counts it where it is let in. */
  async open(key: string, api_id: string): Promise<Verdict> {
    if (key === "") return { status: 401, error: "Authorization field missing" };
    const record = this.records.get(`apikey-${await hashOf(key)}`) ??
      this.records.get(`apikey-${key}`);
    const denied = { status: 401, error: "Access to this API has been disallowed" };
    if (typeof record !== "object") return denied;
    const { expires, quota_max, quota_remaining } = record;
    if (typeof expires === "number" && expires > 0 && expires * 1000 <= Date.now()) {
      return { status: 401, error: "Key has expired, please renew" };
    }
    if (!this.#opens(record, api_id)) return denied;
    if (typeof quota_max !== "number" || quota_max <= 0) return { status: 200, error: "" };
    const left = renewed(record, Number(quota_remaining), quota_max);
    if (left <= 0) return { status: 403, error: "Quota exceeded" };
    record.quota_remaining = left - 1;
    return { status: 200, error: "" };
  }

  /** Registers a developer and gives the id. */
  addDeveloper(members: Members): string {
    const email = String(members.email ?? "");
    if (email === "" || this.developers.some((one) => one.email === email)) {
      throw new Refusal(400, "Developer object validation failed.");
    }
    const id = newId();
    this.developers.push({ ...newDeveloper(this.org_id, id, email), fields: members.fields ?? {} });
    return id;
  }

  /** Changes members of a developer. */
  changeDeveloper(id: string, members: Members): void {
    const developer = this.developer(id);
    const { id: _, org_id: _1, keys: _2, subscriptions: _3, password: _4, ...rest } = members;
    Object.assign(developer, rest);
  }

  /** A developer. Throws Refusal. */
  developer(id: string): Developer {
    const found = this.developers.find((one) => one.id === id);
    if (!found) throw new Refusal(404, "Could not retrieve portal object.");
    return found;
  }

  /** Files a key request and gives its id. */
  addRequest(members: Members): string {
    const by_user = String(members.by_user ?? "");
    const plan = this.#plan(String(members.for_plan ?? ""));
    this.developer(by_user);
    if (!plan) throw new Refusal(400, "No policy found!");
    const id = newId();
    const date_created = new Date().toISOString();
    const request = newRequest(this.org_id, id, { by_user, for_plan: plan._id, date_created });
    this.requests.push({ ...request, fields: members.fields ?? {} });
    return id;
  }

  /** Decides a request, and gives the key that is shown this once. */
  async approve(id: string): Promise<{ RawKey: string; Password: string }> {
    const request = this.requests.find((one) => one.id === id);
    if (!request) throw new Refusal(404, "Could not retrieve portal object.");
    if (request.approved) throw new Refusal(400, "Key request has already been processed.");
    request.approved = true;
    const RawKey = rawKey(this.org_id, randomBytes(16).toString("hex"), "sha256");
    await this.issue(RawKey, request.by_user, request.apply_policies);
    return { RawKey, Password: "" };
  }

  /** Gives a developer a key, and gives its hash. */
  async issue(key: string, developer_id: string, plans: readonly string[]): Promise<string> {
    const hash = await hashOf(key);
    const developer = this.developer(developer_id);
    developer.keys[hash] = [...plans];
    for (const plan of plans) developer.subscriptions[plan] = hash;
    const session = this.newSession(developer_id, plans);
    this.records.set(`apikey-${hash}`, session);
    return hash;
  }

  /** Ends a key, by its hash. */
  revoke(hash: string): void {
    if (!this.records.delete(`apikey-${hash}`)) throw new Refusal(404, "Key not found");
    for (const { keys, subscriptions } of this.developers) {
      delete keys[hash];
      for (const [plan, name] of Object.entries(subscriptions)) {
        if (name === hash) delete subscriptions[plan];
      }
    }
  }

  /** The session of a key of these plans, as a gateway keeps it. */
  newSession(developer_id: string, plans: readonly string[]): Members {
    const plan = this.#plan(plans[0] ?? "");
    const quota_max = plan?.quota_max ?? -1;
    return {
      org_id: this.org_id,
      apply_policies: [...plans],
      alias: "",
      expires: 0,
      date_created: new Date().toISOString(),
      ...{ rate: 1000, per: 1, allowance: 1000, last_check: 0 },
      ...{ quota_max, quota_remaining: quota_max, quota_renews: 0 },
      quota_renewal_rate: plan?.quota_renewal_rate ?? -1,
      access_rights: {},
      is_inactive: false,
      basic_auth_data: { password: "", hash_type: "" },
      oauth_client_id: "",
      meta_data: developer_id === "" ? {} : { tyk_developer_id: developer_id },
      tags: [],
    };
  }

  #opens({ apply_policies, access_rights }: Members, api_id: string): boolean {
    const names = Array.isArray(apply_policies) ? apply_policies : [];
    if (names.length === 0) return Object.hasOwn(Object(access_rights), api_id);
    const plans = names.map((name) => this.#plan(String(name)));
    return plans.some((plan) => plan?.active && Object.hasOwn(plan.access_rights, api_id));
  }

  #plan(name: string): Plan | undefined {
    return this.plans.find(({ _id, id, org_id }) =>
      org_id === this.org_id && (_id === name || id === name)
    );
  }
}

/** What is left of a quota, after its period was begun anew where the last one is over. */
function renewed(session: Members, left: number, most: number): number {
  const now = Math.floor(Date.now() / 1000);
  if (Number(session.quota_renews) > now) return left;
  session.quota_renews = now + Number(session.quota_renewal_rate);
  return most;
}

/** A developer of whom nothing but the address is known. */
export function newDeveloper(org_id: string, id: string, email: string): Developer {
  return {
    ...{ id, email, password: "", date_created: new Date().toISOString(), inactive: false, org_id },
    ...{ keys: {}, subscriptions: {}, fields: {}, nonce: "", sso_key: "", oauth_clients: {} },
    ...{ password_max_days: 0, password_updated: NO_TIME, PWHistory: [], last_login_date: NO_TIME },
  };
}

/** A request that waits. */
export function newRequest(
  org_id: string,
  id: string,
  { by_user, for_plan, date_created }: Record<"by_user" | "for_plan" | "date_created", string>,
): KeyRequest {
  return {
    ...{ id, key: "", org_id, for_api: "", for_plan, apply_policies: [for_plan] },
    ...{ remove_policies: [], by_user, fields: {}, approved: false, date_created, version: "v2" },
    ...{ jwt_secret: "", certificate: "" },
  };
}

/** Go's zero time. */
export const NO_TIME = "0001-01-01T00:00:00Z";

/** 24 hexadecimal digits, of which the first 8 are the second of its making. */
export function newId(): string {
  const second = Math.floor(Date.now() / 1000).toString(16).padStart(8, "0");
  return second + randomBytes(8).toString("hex");
}

/** How keys are hashed. */
export type HashName = "sha256" | "murmur128" | "murmur64" | "murmur32";

/** A key that says how it is hashed. */
export function rawKey(org: string, id: string, h: HashName): string {
  return btoa(JSON.stringify({ org, id, h }));
}

/** A key of old: hashed by murmur32, whatever the gateway's setting. */
export function legacyKey(org_id: string, id: string): string {
  return org_id + id;
}

/** What a gateway calls a key. */
export async function hashOf(key: string): Promise<string> {
  const name = hashNamed(key) ?? "murmur32";
  if (name === "sha256") return createHash("sha256").update(key).digest("hex");
  const { murmur3128, murmur332 } = await import("@multiformats/murmur3");
  const bytes = new TextEncoder().encode(key);
  // The package gives the least byte first.
  if (name === "murmur32") return hex((await murmur332.encode(bytes)).toReversed());
  return hex(await murmur3128.encode(bytes)).slice(0, name === "murmur64" ? 16 : 32);
}

function hashNamed(key: string): HashName | undefined {
  if (!key.startsWith("ey")) return undefined;
  try {
    const { h } = JSON.parse(atob(key));
    return h === "sha256" || h === "murmur128" || h === "murmur64" ? h : undefined;
  } catch {
    return undefined;
  }
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
