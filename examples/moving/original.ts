/**
 * What a dashboard holds beside its gateway, and what becomes of it when a portal works with it:
 * the part of the stand-in behind its interface. Written from the vendor's public documents; it
 * holds nothing of the real thing.
 */
import { randomBytes } from "node:crypto";
import { Gateway, type Members, type Plan, Refusal } from "./gateway.ts";
import { type Hashing, rawKey } from "./keys.ts";

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

/** Everything of one organisation, with a few objects of another. */
export class Original {
  readonly gateway: Gateway;
  readonly developers: Developer[] = [];
  readonly requests: KeyRequest[] = [];
  catalogue: Members = {};
  configuration: Members = {};
  readonly documentation: (Members & { id: string })[] = [];
  readonly certificates: Certificate[] = [];
  /** Who calls; their keys stand nowhere else, as they should. */
  readonly holders: Holder[] = [];

  constructor(readonly org_id: string, hashing: Hashing = "sha256") {
    this.gateway = new Gateway(org_id, hashing);
  }

  /** The gateway goes by the same. */
  get plans(): Plan[] {
    return this.gateway.plans;
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
    const plan = this.gateway.plan(String(members.for_plan ?? ""));
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

  /** Gives a developer a key, and gives what the gateway calls it. */
  async issue(key: string, developer_id: string, plans: readonly string[]): Promise<string> {
    const name = await this.gateway.nameOf(key);
    this.name(name, developer_id, plans);
    const session = this.gateway.newSession(developer_id, plans);
    this.gateway.records.set(`apikey-${name}`, session);
    return name;
  }

  /** Says in a developer's maps that a key is theirs. */
  name(name: string, developer_id: string, plans: readonly string[]): void {
    const { keys, subscriptions } = this.developer(developer_id);
    keys[name] = [...plans];
    for (const plan of plans) subscriptions[plan] = name;
  }

  /** Ends a key, by what the gateway calls it. Throws Refusal. */
  revoke(name: string): void {
    this.gateway.revoke(name);
    for (const { keys, subscriptions } of this.developers) {
      delete keys[name];
      for (const [plan, one] of Object.entries(subscriptions)) {
        if (one === name) delete subscriptions[plan];
      }
    }
  }
}

/** A developer of whom nothing but the address is known. */
export function newDeveloper(org_id: string, id: string, email: string): Developer {
  return {
    id,
    email,
    password: "",
    date_created: new Date().toISOString(),
    inactive: false,
    org_id,
    keys: {},
    subscriptions: {},
    fields: {},
    nonce: "",
    sso_key: "",
    oauth_clients: {},
    password_max_days: 0,
    password_updated: NO_TIME,
    PWHistory: [],
    last_login_date: NO_TIME,
  };
}

/** A request that waits. */
export function newRequest(
  org_id: string,
  id: string,
  { by_user, for_plan, date_created }: Record<"by_user" | "for_plan" | "date_created", string>,
): KeyRequest {
  return {
    id,
    key: "",
    org_id,
    for_api: "",
    for_plan,
    apply_policies: [for_plan],
    remove_policies: [],
    by_user,
    fields: {},
    approved: false,
    date_created,
    version: "v2",
    jwt_secret: "",
    certificate: "",
  };
}

/** Go's zero time. */
export const NO_TIME = "0001-01-01T00:00:00Z";

/** 24 hexadecimal digits, of which the first 8 are the second of its making. */
export function newId(): string {
  const second = Math.floor(Date.now() / 1000).toString(16).padStart(8, "0");
  return second + randomBytes(8).toString("hex");
}
