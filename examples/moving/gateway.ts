/**
 * What a gateway keeps in its Redis, and what it makes of a call: with the traits that a move has
 * to reckon with. Written from the vendor's public documents and what was seen at a running
 * gateway; it holds nothing of the real thing.
 */
import { Buffer } from "node:buffer";
import { createHash, createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";
import { type Hashing, type HashName, hashOf, organisationIn, wrapped } from "./keys.ts";

/** An object as JSON has it. */
export type Members = Record<string, unknown>;

/** A plan, which the gateway calls a policy. */
export interface Plan extends Members {
  _id: string;
  id: string;
  active: boolean;
  quota_max: number;
  quota_renewal_rate: number;
  access_rights: Record<string, unknown>;
}

/** An API as the gateway lists it. */
export interface Api {
  api_id: string;
  org_id: string;
  use_oauth2: boolean;
  /** Whether it takes user names with passwords. */
  use_basic_auth?: boolean;
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
  /** What the caller is told of the quota: of its most, what is left, and when it begins anew. */
  quota?: readonly [most: number, left: number, anew: number];
}

const OPEN: Verdict = { status: 200, error: "" };
const DENIED: Verdict = { status: 403, error: "Access to this API has been disallowed" };
const NO_BASIC: Verdict = {
  status: 400,
  error: "Attempted access with malformed header, header not in basic auth format.",
};

/** A gateway of one organisation. */
export class Gateway {
  /** Its Redis: sessions of keys, what is used of quotas, OAuth clients, certificates in PEM. */
  readonly records = new Map<string, Members | string>();
  readonly plans: Plan[] = [];
  readonly apis: Api[] = [];
  /** Whether a user's session is shown with an empty password, or with none. */
  showsEmptyPassword = true;
  /**
   * Whether sessions that calls have used are kept in memory, as a gateway does that nobody told
   * otherwise: then the end of a key reaches no call that goes on.
   */
  cachesSessions = false;
  /** How long memory has a session that was read last, in milliseconds. */
  cachedMs = 10_000;
  /** What it says of itself. From 5.15 on no call in flight brings a deleted key back. */
  version = "v5.14.0";
  /** Whether its Redis is away: then it knows no key, and says so as if none were there. */
  redisIsAway = false;
  /** Whether its policies are a dashboard's, so that it writes none itself. */
  policiesAreElsewhere = false;
  /** The function of its setting, which also stands in keys that are not hashed; "": none. */
  wrapsBy: HashName | "";
  readonly #written = new Map<string, Plan>();
  /** When keys that have a rate were called. */
  readonly #calls = new Map<string, number[]>();
  readonly #cached = new Map<string, { session: Members; until: number }>();

  constructor(readonly org_id: string, readonly hashing: Hashing = "sha256") {
    this.wrapsBy = hashing === "none" ? "murmur64" : hashing;
  }

  /** What the record of a key is called behind `apikey-`. */
  async nameOf(key: string): Promise<string> {
    return this.hashing === "none" ? key : await hashOf(key);
  }

  /** What it makes of a text that somebody chose, as a key or a user name. */
  wrapped(text: string): string {
    return wrapped(this.org_id, text, this.wrapsBy);
  }

  /** What it calls its keys. */
  names(): string[] {
    if (this.redisIsAway) return [];
    return [...this.records.keys()].filter((one) => one.startsWith("apikey-"))
      .map((one) => one.slice("apikey-".length));
  }

  /** The session of a key by its record's name. */
  session(name: string): Members | undefined {
    if (this.redisIsAway) return undefined;
    const record = this.records.get(`apikey-${name}`);
    return typeof record === "object" ? record : undefined;
  }

  /**
   * A session as the interface shows it: without its password, and with what the record of its
   * quota says.
   */
  shown(name: string): Members | undefined {
    const session = this.session(name);
    if (!session) return undefined;
    const { allowance: _, last_check: _1, ...kept } = session;
    const { password: _2, ...basic } = Object(session.basic_auth_data);
    const basic_auth_data = this.showsEmptyPassword ? { password: "", ...basic } : basic;
    const { quota_max, quota_renews, quota_renewal_rate } = session;
    const hasQuota = typeof quota_max === "number" && quota_max > 0;
    const quota_remaining = hasQuota ? Math.max(0, quota_max - this.#used(name)) : 0;
    // Before its first call a session does not say what is left.
    const left = Number(quota_renews) > 0 ? quota_remaining : 0;
    const shown = { ...kept, basic_auth_data, quota_remaining: left };
    const plans = this.#plansOf(session);
    if (plans.length === 0) return withoutZeros(shown);
    const { rate, per } = rateOf(session, plans);
    const quota = { quota_max, quota_remaining, quota_renews, quota_renewal_rate };
    const limit = withoutZeros({ rate, per, ...quota });
    const rights = plans.flatMap((plan) => Object.entries(plan.access_rights));
    const access_rights = Object.fromEntries(
      rights.map(([api, right]) => [api, { versions: Object(right).versions, limit }]),
    );
    // What its plans say counts.
    const is_inactive = plans.some(({ active }) => active === false);
    return withoutZeros({ ...shown, rate, per, is_inactive, access_rights });
  }

  /**
   * Keeps a session under a text that somebody chose, or a user name, and gives the key and its
   * record's name.
   */
  async add(text: string, session: Members): Promise<{ key: string; name: string }> {
    if (this.redisIsAway) throw new Refusal(500, NOT_MADE);
    const key = this.wrapped(text);
    const name = await this.nameOf(key);
    this.records.set(`apikey-${name}`, await withHashedPassword(session, this.session(name)));
    this.#forget(name);
    return { key, name };
  }

  /** Puts a session in the place of one. Throws Refusal. */
  async replace(name: string, session: Members): Promise<void> {
    const before = this.session(name);
    if (!before) throw new Refusal(404, "Key is not found");
    this.records.set(`apikey-${name}`, await withHashedPassword(session, before));
    this.#forget(name);
  }

  /** Ends a key, by its record's name. Throws Refusal. */
  revoke(name: string): void {
    if (this.redisIsAway || !this.records.delete(`apikey-${name}`)) {
      throw new Refusal(404, "There is no such key found");
    }
    this.records.delete(`quota-${name}`);
    this.#forget(name);
  }

  /** What is kept in memory is dropped with a key; but for one function of hashing it is not. */
  #forget(name: string): void {
    if (this.hashing === "murmur64") this.#cached.delete(name);
  }

  /** The session that a call is let in by: what memory has of it comes first. */
  #inUse(name: string): Members | undefined {
    const kept = this.#cached.get(name);
    if (this.cachesSessions && kept && kept.until > Date.now()) return kept.session;
    const session = this.session(name);
    if (this.cachesSessions && session) this.#keep(name, session);
    return session;
  }

  #keep(name: string, session: Members): void {
    const until = Date.now() + this.cachedMs;
    this.#cached.set(name, { session: structuredClone(session), until });
  }

  /** Adds an OAuth client to each API of a plan; gives it as it is kept. Throws Refusal. */
  addClient(client: { id: string; secret: string; redirecturi: string; policyid: string }): void {
    const plan = this.plan(client.policyid);
    if (this.redisIsAway || !plan) throw new Refusal(500, "Failed to create client");
    for (const api_id of Object.keys(plan.access_rights)) {
      this.records.set(clientRecord(api_id, client.id), { ...client });
    }
  }

  /** Takes an OAuth client away from an API; one that is not there is no problem. May throw. */
  removeClient(api_id: string, id: string): void {
    if (this.redisIsAway) throw new Refusal(500, "Delete failed");
    this.records.delete(clientRecord(api_id, id));
  }

  /** Its Redis is another one, which is empty: whatever is asked for, it knows nothing. */
  loseRecords(): void {
    this.records.clear();
  }

  /** A user name with its password, of these plans. Gives the record's name. */
  async addUser(
    user: string,
    password: string,
    developer_id: string,
    plans: readonly string[],
  ): Promise<string> {
    const session = { ...this.newSession(developer_id, plans), basic_auth_data: { password } };
    return (await this.add(user, session)).name;
  }

  /** The session of a key of these plans. */
  newSession(developer_id: string, plans: readonly string[]): Members {
    const plan = this.plan(plans[0] ?? "");
    const quota_max = plan?.quota_max ?? 0;
    return {
      org_id: this.org_id,
      apply_policies: [...plans],
      alias: "",
      expires: 0,
      date_created: new Date().toISOString(),
      rate: 0,
      per: 0,
      allowance: 0,
      last_check: 0,
      quota_max,
      quota_remaining: quota_max,
      quota_renews: plans.length === 0 ? seconds() : 0,
      quota_renewal_rate: plan?.quota_renewal_rate ?? 0,
      access_rights: {},
      is_inactive: false,
      basic_auth_data: { password: "", hash_type: "" },
      oauth_client_id: "",
      meta_data: developer_id === "" ? {} : { tyk_developer_id: developer_id },
      tags: [],
    };
  }

  /** A certificate in PEM, by its id. */
  certificate(id: string): string | undefined {
    const pem = this.redisIsAway ? undefined : this.records.get(`cert-raw-${id}`);
    return typeof pem === "string" ? pem : undefined;
  }

  /** The ids of all of them. */
  certificates(): string[] {
    if (this.redisIsAway) return [];
    return [...this.records.keys()].filter((one) => one.startsWith("cert-raw-"))
      .map((one) => one.slice("cert-raw-".length));
  }

  /** Keeps a certificate with what comes with it, and gives its id. Throws Refusal. */
  addCertificate(pem: string): string {
    const id = this.org_id + fingerprintOf(pem);
    if (this.redisIsAway) throw new Refusal(500, "Could not create certificate");
    if (this.certificate(id) !== undefined) {
      throw new Refusal(403, `Certificate with ${id} id already exists`);
    }
    this.records.set(`cert-raw-${id}`, pem);
    return id;
  }

  /** Whether a public key is there that can't be parsed: then details are listed for none. */
  hasUnreadCertificate(): boolean {
    return this.certificates().some((id) => {
      const pem = this.certificate(id) ?? "";
      if (!pem.includes("BEGIN PUBLIC KEY")) return false;
      try {
        return !createPublicKey(pem);
      } catch {
        return true;
      }
    });
  }

  /** Takes a certificate away; one that is not there is no problem. */
  removeCertificate(id: string): void {
    if (!this.redisIsAway) this.records.delete(`cert-raw-${id}`);
  }

  /** Keeps a plan in a file, from where it is loaded later. */
  writePlan(sent: Members): void {
    const id = String(sent.id);
    // as: whoever sends a plan sends these members.
    this.#written.set(id, { ...sent, _id: id, id } as Plan);
  }

  /** Loads the plans that were written. */
  reload(): void {
    for (const [id, plan] of this.#written) {
      const at = this.plans.findIndex(({ _id }) => _id === id);
      if (at < 0) this.plans.push(plan);
      else this.plans[at] = plan;
    }
    this.#written.clear();
  }

  /** A plan of the organisation, by either id. */
  plan(name: string): Plan | undefined {
    return this.plans.find(({ _id, id, org_id }) =>
      org_id === this.org_id && (_id === name || id === name)
    );
  }

  /**
   * The record that a presented text leads to. One that does not name the organisation is wrapped
   * first; a record may also be named by the key itself, from before keys were hashed.
   */
  async find(text: string): Promise<string | undefined> {
    const keys = organisationIn(text) === this.org_id ? [text] : [this.wrapped(text), text];
    for (const key of keys) {
      const name = [await this.nameOf(key), key].find((one) => this.#inUse(one));
      if (name !== undefined) return name;
    }
    return undefined;
  }

  /** What a call with a key is answered; `upstream` is the API's work on one that is let in. */
  async open(text: string, api_id: string, upstream = NOTHING): Promise<Verdict> {
    if (text === "") return { status: 401, error: "Authorization field missing" };
    if (new TextEncoder().encode(text).length < SHORTEST_TEXT) return DENIED;
    const name = await this.find(text);
    const session = this.#inUse(name ?? "");
    if (name === undefined || !session) return DENIED;
    // A user name opens with its password alone.
    if (isUser(session)) return NO_BASIC;
    const client = session.oauth_client_id;
    if (typeof client === "string" && client !== "" && !this.client(api_id, client)) {
      return { status: 403, error: "server_error" };
    }
    return await this.#serve(name, session, api_id, upstream);
  }

  /** What a call with user name and password is answered. */
  async openAsUser(
    user: string,
    password: string,
    api_id: string,
    upstream = NOTHING,
  ): Promise<Verdict> {
    const name = await this.nameOf(this.wrapped(user));
    const session = this.#inUse(name);
    const { compare } = await import("bcryptjs");
    const { password: hash } = Object(session?.basic_auth_data);
    if (!session || typeof hash !== "string" || !await compare(password, hash)) {
      return { status: 401, error: "User not authorised" };
    }
    return await this.#serve(name, session, api_id, upstream);
  }

  /** The record of an OAuth client. */
  client(api_id: string, client_id: string): Members | undefined {
    const record = this.records.get(clientRecord(api_id, client_id));
    return typeof record === "object" ? record : undefined;
  }

  /** The OAuth clients of an API. */
  clients(api_id: string): Members[] {
    const prefix = clientRecord(api_id, "");
    return [...this.records].flatMap(([name, record]) =>
      name.startsWith(prefix) && typeof record === "object" ? [record] : []
    );
  }

  async #serve(
    name: string,
    session: Members,
    api_id: string,
    upstream: () => Promise<void>,
  ): Promise<Verdict> {
    const { expires, quota_max } = session;
    if (typeof expires === "number" && expires > 0 && expires * 1000 <= Date.now()) {
      return { status: 401, error: "Key has expired, please renew" };
    }
    const plans = plansOf(session).map((one) => this.plan(one));
    if (plans.some((plan) => plan?.active === false)) {
      return { status: 403, error: "Key is inactive, please renew" };
    }
    // `is_inactive` beside plans closes nothing.
    const rights = plans.length === 0
      ? [session.access_rights]
      : plans.map((plan) => plan?.access_rights);
    if (!rights.some((one) => Object.hasOwn(Object(one), api_id))) return DENIED;
    if (!this.#isInRate(name, session)) return { status: 429, error: "Rate Limit Exceeded" };
    if (typeof quota_max !== "number" || quota_max <= 0) {
      await upstream();
      return { ...OPEN, quota: [Number(quota_max ?? 0), 0, Number(session.quota_renews ?? 0)] };
    }
    if (!this.#count(name, session, quota_max)) return { status: 403, error: "Quota exceeded" };
    const left = quota_max - this.#used(name);
    // What a call took along is written back at its end, over whatever became of the key meanwhile:
    // so a key that was deleted or suspended comes back. Without a quota nothing is written.
    const taken = structuredClone(session);
    await upstream();
    if (this.#isUndone(name)) {
      this.records.set(`apikey-${name}`, taken);
      if (this.cachesSessions) this.#keep(name, taken);
    }
    return { ...OPEN, quota: [quota_max, left, Number(taken.quota_renews)] };
  }

  /** Whether what a call writes back counts: from 5.15 on a key that was deleted stays so. */
  #isUndone(name: string): boolean {
    const [, major = 0, minor = 0] = /^v(\d+)\.(\d+)/.exec(this.version)?.map(Number) ?? [];
    const isOld = major < 5 || major === 5 && minor < 15;
    return isOld || this.records.has(`apikey-${name}`);
  }

  /** The plans of a session that are known. */
  #plansOf(session: Members): Plan[] {
    return plansOf(session).flatMap((one) => this.plan(one) ?? []);
  }

  /** Counts a call, in memory. False where there were as many as the rate lets in. */
  #isInRate(name: string, session: Members): boolean {
    const { rate, per } = rateOf(session, this.#plansOf(session));
    if (rate <= 0 || per <= 0) return true;
    const now = performance.now();
    const calls = (this.#calls.get(name) ?? []).filter((at) => at > now - per * 1000);
    this.#calls.set(name, calls);
    return calls.length < rate && calls.push(now) > 0;
  }

  /** Counts a call. False where nothing is left; a period that is over begins anew. */
  #count(name: string, session: Members, most: number): boolean {
    const now = seconds();
    if (Number(session.quota_renews) <= now) {
      session.quota_renews = now + Number(session.quota_renewal_rate);
      this.records.delete(`quota-${name}`);
    }
    const used = this.#used(name);
    if (used >= most) return false;
    this.records.set(`quota-${name}`, String(used + 1));
    return true;
  }

  /** A record of its own says so, which ends with the period; the session does not. */
  #used(name: string): number {
    return Number(this.records.get(`quota-${name}`) ?? 0);
  }
}

/**
 * The SHA-256 of the first certificate of a file; of a file with a public key alone that of the
 * key, which is not read. Throws Refusal for a member that has ended or is of a curve that it does
 * not know, for two private keys, and for one of another kind or not of the first certificate.
 */
function fingerprintOf(pem: string): string {
  const certificates = certificatesIn(pem);
  const [first] = certificates;
  const [, open] = /-----BEGIN PUBLIC KEY-----([^-]+)-----END PUBLIC KEY-----/.exec(pem) ?? [];
  if (!first && open !== undefined) {
    return createHash("sha256").update(Buffer.from(open, "base64")).digest("hex");
  }
  const keys = pem.match(/-----BEGIN [A-Z ]*PRIVATE KEY-----[^]+?-----END [A-Z ]*-----/g) ?? [];
  const [key] = keys;
  if (keys.length > 1) throw new Refusal(403, "Found multiple private keys");
  if (!first || certificates.some(({ validTo }) => Date.parse(validTo) < Date.now())) {
    throw new Refusal(403, "certificate is expired");
  }
  if (!certificates.every(hasKnownCurve)) {
    throw new Refusal(403, "x509: unsupported elliptic curve");
  }
  if (key && !["rsa", "ec", "ed25519"].includes(kindOf(first))) {
    throw new Refusal(403, "tls: failed to parse private key");
  }
  if (key && !isKeyOf(first, key)) {
    throw new Refusal(403, "tls: private key does not match public key");
  }
  return first.fingerprint256.replaceAll(":", "").toLowerCase();
}

function isKeyOf({ publicKey }: X509Certificate, key: string): boolean {
  const form = { type: "spki", format: "der" } as const;
  const own = createPublicKey(createPrivateKey(key)).export(form);
  return own.equals(publicKey.export(form));
}

/** Its language reads elliptic keys on these curves alone, where they are named. */
const CURVES = ["secp224r1", "prime256v1", "secp384r1", "secp521r1"];

function hasKnownCurve(one: X509Certificate): boolean {
  if (kindOf(one) !== "ec") return true;
  return CURVES.includes(String(one.publicKey.asymmetricKeyDetails?.namedCurve));
}

/** The kind of a certificate's key; empty for one that this runtime can't read. */
function kindOf(one: X509Certificate): string {
  try {
    return one.publicKey.asymmetricKeyType ?? "";
  } catch {
    return "";
  }
}

/** The certificates of a file, in their order. */
function certificatesIn(pem: string): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((one) => new X509Certificate(one));
}

/** The name of an OAuth client's record. */
export function clientRecord(api_id: string, client_id: string): string {
  return `oauth-data.${api_id}.oauth-clientid.${client_id}`;
}

/** The plans that a session names. */
export function plansOf({ apply_policies }: Members): string[] {
  return Array.isArray(apply_policies) ? apply_policies.map(String) : [];
}

/** That of its plans; without plans its own. */
function rateOf(session: Members, plans: readonly Plan[]): { rate: number; per: number } {
  const limits = plans.length === 0 ? [session] : plans;
  const { rate, per } = limits.find((one) => Number(one.rate) > 0) ?? {};
  return { rate: Number(rate ?? 0), per: Number(per ?? 0) };
}

/** Now, as the gateway counts it. */
export function seconds(): number {
  return Math.floor(Date.now() / 1000);
}

/** What every key that can't be made is answered, whatever the cause. */
export const NOT_MADE = "Failed to create key, ensure security settings are correct.";
/** A shorter text is let in by nothing, unless its setting says otherwise. */
const SHORTEST_TEXT = 3;
const NOTHING = () => Promise.resolve();

/** A session as it is shown: what is zero is left out. */
function withoutZeros(session: Members): Members {
  return Object.fromEntries(
    Object.entries(session).filter(([, value]) =>
      typeof value === "object" && value !== null
        ? Object.keys(value).length > 0 && !Object.values(value).every((one) => one === "")
        : value !== 0 && value !== "" && value !== false && value !== null && value !== undefined
    ),
  );
}

function isUser({ basic_auth_data }: Members): boolean {
  return Object.values(Object(basic_auth_data)).some((value) => value !== "");
}

/**
 * A session whose password is hashed, or is still that of the session before it where it says none.
 */
async function withHashedPassword(session: Members, before: Members | undefined): Promise<Members> {
  const { password } = Object(session.basic_auth_data);
  if (typeof password === "string" && password !== "") {
    const { hash } = await import("bcryptjs");
    const basic_auth_data = { password: await hash(password, CHEAPEST), hash_type: "bcrypt" };
    return { ...session, basic_auth_data };
  }
  const { basic_auth_data = { password: "", hash_type: "" } } = before ?? {};
  return { ...session, basic_auth_data };
}

/** A stand-in has no secrets to keep. */
const CHEAPEST = 4;
