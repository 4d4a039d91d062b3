import { GONE_THERE } from "../../../contract/gateway-states.ts";
import { randomBytes, toHex } from "../../../kernel/ids.ts";
import type { Plan } from "../../plans/plan.ts";
import type { KnownPlan } from "../wanted-key.ts";
import type { PlanNames, Wanted } from "../gateway.ts";
import {
  type Brought,
  type Checked,
  GatewayAway,
  type KeyThere,
  type Kind,
  type Opened,
  Stuck,
  type Trial,
  Undone,
} from "../kind.ts";
import {
  comparePolicies,
  type Policy,
  policyDifference,
  policyFor,
  policyOf,
  readPolicies,
} from "./tyk-policies.ts";
import { differencesOf, ENDED, limitTerms, type Terms } from "./tyk-terms.ts";
import { byName, LIST, membersOf, type TykCalls } from "./tyk-calls.ts";
import { functionOf, innerOf, namesMade } from "./tyk-names.ts";
import type { TykRedis } from "./tyk-redis.ts";
import { hasQuota, policiesNamed, type Session } from "./tyk-session.ts";
import { probeRevocations } from "./tyk-probe.ts";
import { leftTrial, trialOf, UNHASHED } from "./tyk-trial.ts";

/** So many of its calls are under way at the same time. */
const AT_ONCE = 16;
/** The list of policies is cached for so long. */
const POLICIES_MS = 5000;
/** Deletions of one turn: a call in flight brings a key back, and the next one takes it again. */
const DELETIONS = 3;

/**
 * The original's gateway by its own interface. It answers 404 for every key while its Redis is
 * away, so that counts only beside a canary which reads 200; and a call in flight undoes deletions
 * and suspensions, so everything is read back.
 */
export class TykGateway implements Kind {
  readonly atOnce = AT_ONCE;
  #canary = "";
  #policies: { at: number; all: Policy[] } | undefined;

  /** `redis`: where keys may be made that no one has any more; undefined: nowhere. */
  constructor(
    private readonly calls: TykCalls,
    private readonly org_id: string,
    private readonly redis?: Pick<TykRedis, "plant" | "problem" | "close">,
  ) {
  }

  async open(canary: string): Promise<Opened> {
    this.#canary = canary;
    const asked = canary === "" ? undefined : await this.calls.send("GET", byName(canary));
    if (asked?.status === 200) return { canary, date: asked.date };
    if (asked && asked.status !== 404) throw answered(asked.status);
    return await this.#makeCanary();
  }

  /** One that is missing is made anew; where that fails, its Redis is away. */
  async #makeCanary(): Promise<Opened> {
    const [policy] = await this.#readPolicies();
    if (!policy) throw new GatewayAway("the gateway has no policy, or lists none now");
    const inner = toHex(randomBytes(16));
    const body = { org_id: this.org_id, apply_policies: [policy.id], alias: "keydesk-canary" };
    const path = `${LIST}/${inner}?suppress_reset=1`;
    const made = await this.calls.send("POST", path, body);
    const { key_hash: name } = membersOf(made.json);
    if (made.status !== 200) throw answered(made.status);
    if (typeof name !== "string" || functionOf(name) === undefined) throw new GatewayAway(UNHASHED);
    const read = await this.calls.send("GET", byName(name));
    if (read.status !== 200) throw answered(read.status);
    this.#canary = name;
    return { canary: name, date: read.date };
  }

  async nameOf(key: KeyThere): Promise<string> {
    const [name = "", ...others] = await this.#namesOf(key);
    return others.length === 0 ? name : "";
  }

  /** Each name that the gateway may have given a key; none: no one can tell. */
  async #namesOf(key: KeyThere): Promise<string[]> {
    if (key.remote_id !== "") return [key.remote_id];
    if (key.kind === "oauth") return key.secret ? [key.secret.key] : [];
    if (key.secret) return await namesMade(this.org_id, this.#canary, key.secret.key);
    // A plain token's key id is the hash that its own text asks for.
    return key.kind === "token" ? [key.key_id] : [];
  }

  /** The first of these names that has a session, with that. */
  async #firstOf(names: readonly string[]) {
    for (const name of names) {
      const session = await this.#session(name);
      if (session) return { name, session };
    }
    return undefined;
  }

  nameIn(row: { remote_id: string }): string {
    return row.remote_id;
  }

  async finish(): Promise<void> {
    await this.redis?.close();
  }

  async bring(key: KeyThere, wanted: Wanted): Promise<Brought> {
    if (key.kind === "oauth") return await this.#bringClient(key, wanted);
    const names = await this.#namesOf(key);
    const [first = ""] = names;
    if (first === "") throw new Stuck(wanted.is === "open" ? "secret_gone" : "unknown_there");
    if (wanted.is === "absent") {
      const had: boolean[] = [];
      for (const name of names) had.push(await this.#remove(name));
      return { hasQuota: had.includes(true) };
    }
    const isPlanted = wanted.is === "open" && this.#isPlantable(key, first);
    const found = isPlanted
      ? { name: first, session: await this.#planted(key, first) }
      : await this.#firstOf(names);
    if (!found && wanted.is === "closed") return { hasQuota: true };
    const terms = await this.#termsOf(wanted);
    const name = found?.name ?? await this.#make(key, names, terms);
    if (found) await this.#replace(name, { ...found.session, ...terms });
    const differs = await this.compare({ ...key, remote_id: name }, wanted);
    if (differs !== "") throw new Undone(differs);
    return { name, hasQuota: !found || await this.#isCounted(found.session) };
  }

  async compare(key: KeyThere, wanted: Wanted): Promise<string> {
    if (key.kind === "oauth") return await this.#compareClient(key, wanted);
    const found = await this.#firstOf(await this.#namesOf(key));
    if (wanted.is === "absent") return found ? "it exists there" : "";
    if (!found) return wanted.is === "closed" ? "" : GONE_THERE;
    return differencesOf(found.session, await this.#termsOf(wanted), wanted.is === "closed");
  }

  async names(): Promise<ReadonlySet<string> | undefined> {
    const { status, json } = await this.calls.send("GET", LIST);
    if (status === 404) return undefined;
    const { keys } = membersOf(json);
    const names = new Set(Array.isArray(keys) ? keys.map(String) : []);
    if (status !== 200) throw answered(status);
    // A list without the canary is one of another Redis, or of none.
    if (!names.has(this.#canary)) {
      throw new GatewayAway("the gateway lists keys, and not its canary");
    }
    return names;
  }

  async writePlans(plans: readonly Plan[]): Promise<string[]> {
    return await writePolicies(this.calls, this.org_id, plans, () => {
      this.#policies = undefined;
      return this.#readPolicies();
    });
  }

  async check(plans: readonly KnownPlan[], probe_url: string): Promise<Checked> {
    const policies = await this.#readPolicies();
    const findings = comparePolicies(policies, plans);
    const problem = await this.redis?.problem(this.#canary) ?? "";
    if (problem !== "") findings.push({ code: "redis_unusable", detail: problem });
    const { status, json } = await this.calls.send("GET", "/hello");
    const { version } = membersOf(json);
    const said = status === 200 && typeof version === "string" ? version.slice(0, 40) : "";
    const probe = { calls: this.calls, org_id: this.org_id, url: probe_url, version: said };
    const found = await probeRevocations(probe, policies, (name) => this.#remove(name));
    return { findings: [...findings, ...found.findings], closing: found.closing };
  }

  async trial(probe_url: string, left = ""): Promise<Trial> {
    const remove = (name: string) => this.#remove(name);
    if (left !== "") return leftTrial(left, remove);
    const policies = await this.#readPolicies();
    const { calls, org_id } = this;
    return await trialOf({ calls, org_id, canary: this.#canary, probe_url, policies, remove });
  }

  /** The members of a session that are set; all others stay. */
  async #termsOf(wanted: Exclude<Wanted, { is: "absent" }>): Promise<Terms> {
    const policies = await this.#policiesOf(wanted);
    const ids = policies.map(({ id }) => id);
    if (wanted.is === "closed") return { apply_policies: ids, expires: ENDED };
    const { limits, certificate } = wanted;
    const terms = { expires: wanted.expires, ...certificate ? { certificate } : {} };
    if (limits === null) return { apply_policies: ids, ...terms };
    // Policies would overrule limits of the session's own.
    return { apply_policies: [], ...terms, ...limitTerms(limits, policies) };
  }

  /**
   * The session of a key; undefined: it is not there, which its canary confirms. Asked once more
   * behind that, so that a Redis that came back in between hides nothing.
   */
  async #session(name: string): Promise<Session | undefined> {
    const found = await this.#find(name);
    if (found) return found;
    await this.#confirm();
    return await this.#find(name);
  }

  async #find(name: string): Promise<Session | undefined> {
    const { status, json } = await this.calls.send("GET", byName(name));
    if (status === 200) return membersOf(json);
    if (status !== 404) throw answered(status);
    return undefined;
  }

  /** Whether calls with a key are counted, as its session or its policies say. */
  async #isCounted(session: Session): Promise<boolean> {
    if (hasQuota(session)) return true;
    const named = policiesNamed(session);
    const policies = await this.#readPolicies();
    return policies.some(({ names, quota }) =>
      quota > 0 && names.some((one) => named.includes(one))
    );
  }

  /** Throws unless the canary reads 200 at this moment. */
  async #confirm(): Promise<void> {
    const { status } = await this.calls.send("GET", byName(this.#canary));
    if (status !== 200) {
      throw new GatewayAway("the gateway knows no key now, so nothing is believed");
    }
  }

  /** Tells whether its calls were counted; of one that is not there they may have been. */
  async #remove(name: string): Promise<boolean> {
    let had = true;
    for (let n = 0; n < DELETIONS; n++) {
      const session = await this.#session(name);
      if (!session) return had;
      had = await this.#isCounted(session);
      await this.calls.send("DELETE", byName(name));
    }
    if (await this.#session(name)) throw new Undone("calls in flight brought it back");
    return had;
  }

  /** `basic_auth_data` is shown without its password, which stays where none is sent. */
  async #replace(
    name: string,
    { basic_auth_data: _, ...session }: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const { status } = await this.calls.send("PUT", byName(name, "&suppress_reset=1"), session);
    if (status !== 200) await this.#refused(status);
  }

  /** Whether a key that no one has any more can be made by what it is called here. */
  #isPlantable({ kind, secret, hash }: KeyThere, name: string): boolean {
    const isKnown = functionOf(this.#canary) === "sha256" && hash === name;
    return this.redis !== undefined && secret === undefined && kind === "token" && isKnown;
  }

  /**
   * The session of such a key as the gateway shows it: that which is there, else a seed in its
   * Redis. Throws Stuck where there is neither.
   */
  async #planted(key: KeyThere, name: string): Promise<Readonly<Record<string, unknown>>> {
    const seed = { org_id: this.org_id, ...labelsOf(key) };
    // One that is there is changed without it.
    const problem = await this.redis?.plant(this.#canary, name, seed);
    const session = await this.#session(name);
    // A copy of its Redis has the canary too.
    if (!session) throw new Stuck(problem || "another_redis", true);
    return session;
  }

  /** Gives what the gateway calls it, which is one of these names. */
  async #make(key: KeyThere, names: readonly string[], terms: Terms): Promise<string> {
    const { secret } = key;
    if (!secret) throw new Stuck("secret_gone", true);
    const inner = innerOf(secret.key);
    const path = `${LIST}/${encodeURIComponent(inner?.id ?? secret.key)}?suppress_reset=1`;
    const { status, json } = await this.calls.send("POST", path, {
      org_id: this.org_id,
      ...terms,
      ...labelsOf(key),
      ...key.kind === "basic" ? { basic_auth_data: { password: secret.password } } : {},
    });
    if (status !== 200) return await this.#refused(status);
    const made = membersOf(json);
    const name = names.find((one) => one === made.key_hash);
    if (name !== undefined && (!inner || made.key === secret.key)) return name;
    // The new key is valid for nothing, and should not stay.
    if (typeof made.key_hash === "string") await this.#remove(made.key_hash);
    throw new Stuck("hashed_otherwise", true);
  }

  /** The gateway has one text for an unknown plan, a foreign one and a Redis that is away. */
  async #refused(status: number): Promise<never> {
    await this.#confirm();
    throw new Undone(`the gateway answers ${status}`);
  }

  async #bringClient(key: KeyThere, wanted: Wanted): Promise<Brought> {
    const name = await this.nameOf(key);
    if (name === "") throw new Stuck(wanted.is === "open" ? "secret_gone" : "unknown_there");
    if (wanted.is === "open") {
      const [policy] = await this.#policiesOf(wanted);
      if (!key.secret) throw new Stuck("secret_gone");
      const { password: secret, redirect_uri } = key.secret;
      const body = { client_id: name, secret, redirect_uri, policy_id: policy?.id };
      const made = await this.calls.send("POST", "/tyk/oauth/clients/create", body);
      if (made.status !== 200) await this.#refused(made.status);
    } else {
      for (const api of await this.#apisOfClient(name)) {
        await this.calls.send(
          "DELETE",
          `/tyk/oauth/clients/${encodeURIComponent(api)}/${encodeURIComponent(name)}`,
        );
      }
    }
    const differs = await this.#compareClient(key, wanted);
    if (differs !== "") throw new Undone(differs);
    return {};
  }

  async #compareClient(key: KeyThere, wanted: Wanted): Promise<string> {
    const name = await this.nameOf(key);
    const apis = name === "" ? [] : await this.#apisOfClient(name);
    if (apis.length === 0) await this.#confirm();
    if (wanted.is === "open") return apis.length > 0 ? "" : GONE_THERE;
    return apis.length > 0 ? "it exists there" : "";
  }

  /** The APIs that have a client of this id. */
  async #apisOfClient(name: string): Promise<string[]> {
    const apis = new Set((await this.#readPolicies()).flatMap(({ rights }) => Object.keys(rights)));
    const found: string[] = [];
    for (const api of apis) {
      const { status, json } = await this.calls.send(
        "GET",
        `/tyk/oauth/clients/${encodeURIComponent(api)}`,
      );
      const list = status === 200 && Array.isArray(json) ? json : [];
      if (list.some((one) => membersOf(one).client_id === name)) found.push(api);
    }
    return found;
  }

  /** The gateway's ids of these plans. It would accept an unknown one without an error. */
  async #policiesOf({ is, plans }: Exclude<Wanted, { is: "absent" }>): Promise<Policy[]> {
    const policies = await this.#readPolicies();
    const there = (names: PlanNames) =>
      policies.find(({ names: theirs }) => names.some((one) => theirs.includes(one)));
    const missing = plans.find((names) => !there(names));
    // A change that closes a key goes through whatever policies the gateway has.
    if (missing && is === "open") throw new Stuck(`no_policy ${missing[0]}`);
    return plans.flatMap((names) => there(names) ?? []);
  }

  async #readPolicies(): Promise<Policy[]> {
    const now = performance.now();
    if (this.#policies && now - this.#policies.at < POLICIES_MS) return this.#policies.all;
    const { status, json } = await this.calls.send("GET", "/tyk/policies");
    if (status !== 200) throw answered(status);
    this.#policies = { at: now, all: readPolicies(json) };
    return this.#policies.all;
  }
}

/** The labels of a key in its session, for people. */
function labelsOf({ name, developer_id, key_id }: KeyThere) {
  return {
    alias: name,
    meta_data: { tyk_developer_id: developer_id, keydesk_key_id: key_id },
  };
}

function answered(status: number): GatewayAway {
  return new GatewayAway(`the gateway answers ${status}`);
}

const POLICIES = "/tyk/policies";

/**
 * Makes the policies of these plans, changes those that differ, and reads them back once the
 * gateway has loaded them. A policy keeps the id that it has there; a new one gets the plan's
 * `_id`. Gives the names of plans that have no such policy afterwards.
 */
async function writePolicies(
  calls: TykCalls,
  org_id: string,
  plans: readonly Plan[],
  read: () => Promise<Policy[]>,
): Promise<string[]> {
  const isOff = (policies: readonly Policy[], plan: Plan) => {
    const policy = policyFor(policies, plan);
    return !policy || policyDifference(policy, plan) !== "";
  };
  const before = await read();
  const off = plans.filter((plan) => isOff(before, plan));
  if (off.length === 0) return [];
  for (const plan of off) {
    const known = policyFor(before, plan);
    const id = known?.id ?? plan._id;
    const path = known ? `${POLICIES}/${encodeURIComponent(id)}` : POLICIES;
    await calls.send(known ? "PUT" : "POST", path, policyOf(plan, org_id, id));
  }
  // Until then it goes by those that it had.
  await calls.send("GET", "/tyk/reload/?block=true");
  const after = await read();
  return off.filter((plan) => isOff(after, plan)).map(({ name }) => name);
}
