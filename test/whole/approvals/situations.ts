/** Whom an approval can meet, in which state: everything but the call itself. */
import assert from "node:assert/strict";
import { addPlan, succeed } from "../../support/companions.ts";
import type { TestDesk } from "../../support/desk.ts";
import { openPages, registered, signInByLink } from "../../support/developers.ts";
import { create, pathOf } from "../../support/key-requests.ts";
import type { testClock } from "../../support/people.ts";
import { closeApprovals, openApprovals } from "../../support/signing.ts";

/** Whoever calls, by their access token. */
export const callers = {
  ann: "of the first step, who filed it",
  bob: "of both steps",
  cleo: "of the second step",
  dan: "of the second step, whose scope holds the plan",
  eve: "of no step, whose scope does not hold it",
  fay: "who may not approve",
  gil: "of no step, in ann's place",
  hal: "of no step",
  token: "an access token that may file",
  stranger: "an administrator of another organisation",
  admin: "the first administrator",
} as const;
/** One of them. */
export type Caller = keyof typeof callers;

interface Policy {
  /** "steps": two of them. Absent: the plan has none. */
  policy?: { outcome: "catalogue" | "at_once" | "one" | "steps"; not_by_filer?: boolean };
  /** By the catalogue it needs no approver. */
  isAutomatic?: boolean;
  /** The organisation had each approval signed, so that none goes through. */
  isClosed?: boolean;
}

/** What decides who must say yes, by the plan that is asked for. */
export const policies: Readonly<Record<string, Policy>> = {
  "no policy": {},
  "automatic": { isAutomatic: true },
  "at once": { policy: { outcome: "at_once" } },
  "one": { policy: { outcome: "one" } },
  "one, not who filed": { policy: { outcome: "one", not_by_filer: true } },
  "automatic, not who filed": {
    policy: { outcome: "catalogue", not_by_filer: true },
    isAutomatic: true,
  },
  "steps": { policy: { outcome: "steps" } },
  "steps, not who filed": { policy: { outcome: "steps", not_by_filer: true } },
  "closed": { isClosed: true },
  "steps, closed": { policy: { outcome: "steps" }, isClosed: true },
};

/** In which state a request is met. */
export const states = [
  "pending",
  "one step given",
  "offer waits",
  "offer over",
  "offer turned down",
  "changed since",
  "issued",
  "declined",
  "reopened",
  "deleted",
] as const;
/** One of them. */
export type State = typeof states[number];

/** What is asked for, and by whom. */
export const kinds = [
  "new key",
  "two plans",
  "changed key",
  "later end",
  "inactive developer",
  "own address",
  "unknown developer",
] as const;
/** One of them. */
export type Kind = typeof kinds[number];

/** A request as it is met. */
export interface Situation {
  id: string;
  developer: string;
  /** The offer's id; "": none was made. */
  offer: string;
  /** As it was read last; "": it can't be read. */
  revision: string;
}

/** Whether there is such a thing. */
export function exists(policy: string, state: State, kind: Kind): boolean {
  const ofExistingKey = kind === "changed key" || kind === "later end";
  if (kind === "unknown developer") {
    return policy === "no policy" && ["pending", "deleted"].includes(state);
  }
  if (state === "one step given") return hasSteps(policy);
  // Less is never offered of a key that is there, nor can its later end be edited.
  if (state.startsWith("offer")) return !ofExistingKey;
  return !(kind === "later end" && state === "changed since");
}

function hasSteps(policy: string): boolean {
  return policies[policy]?.policy?.outcome === "steps";
}

/** The id of the plan that is under a policy. */
export function planOf(policy: string): string {
  return `plan-${policy.replaceAll(/\W+/g, "-")}`;
}

/** The plan that is asked for besides, in nobody's policy. */
export const OTHER = "plan-other";
const APPROVER = ["portal:read", "portal:write", "approve"];
const DAY_MS = 86_400_000;
const v1 = (id: string, what = "") => `/v1/key-requests/${id}${what}`;

/** Everybody and their plans, in a desk of their own. */
export interface Cast {
  readonly desk: TestDesk;
  readonly clock: ReturnType<typeof testClock>;
  readonly credentials: ReadonlyMap<Caller, string>;
  /** What ids are called in a recording. */
  readonly names: Map<string, string>;
}

/** Puts people, plans and policies into a fresh desk. */
export async function setCast(
  desk: TestDesk,
  clock: ReturnType<typeof testClock>,
): Promise<Cast> {
  await openPages(desk);
  const plans = Object.keys(policies).map(planOf);
  const limits = { rate: 100, per: 1, quota_max: 1000, quota_renewal_rate: 86_400 };
  const access_rights = { tides: { api_id: "tides", api_name: "tides" } };
  for (const id of [...plans, OTHER]) {
    await addPlan(desk, { _id: id, id, name: id, active: true, access_rights, ...limits });
  }
  const credentials = new Map<Caller, string>();
  const names = new Map([[desk.org_id, "organisation"]]);
  const ids = new Map<Caller, string>();
  const add = async (name: Caller, permissions = APPROVER, more = {}) => {
    const body = { name, permissions, ...more };
    const { id } = await succeed<{ id: string }>(desk, "POST", "/v1/people", { body });
    const { access_token: credential } = await succeed<{ access_token: string }>(
      desk,
      "POST",
      `/v1/people/${id}/access-tokens`,
      { body: { name: "laptop", deliver: "answer" } },
    );
    credentials.set(name, credential);
    names.set(id, name);
    ids.set(name, id);
  };
  await add("ann", APPROVER, { email: "ann@example.org" });
  for (const name of ["bob", "cleo", "gil", "hal"] as const) await add(name);
  await add("dan", APPROVER, { scope: { plans, apis: [], tags: [] } });
  await add("eve", APPROVER, { scope: { plans: [OTHER], apis: [], tags: [] } });
  await add("fay", ["portal:read", "portal:write"]);
  const until = new Date(clock.at + 360 * DAY_MS).toISOString();
  await succeed(desk, "PUT", "/v1/me/delegation", {
    credential: credentials.get("ann"),
    body: { delegate_id: ids.get("gil"), until },
  });
  credentials.set("token", await desk.token(["portal:write"]));
  credentials.set("stranger", (await desk.otherOrganisation()).admin);
  credentials.set("admin", desk.admin);
  const people = (...of: Caller[]) => of.map((name) => ids.get(name));
  await setPolicies(desk, [
    { name: "Data", need: 1, people: people("ann", "bob") },
    { name: "Platform", need: 1, people: people("bob", "cleo", "dan") },
  ]);
  return { desk, clock, credentials, names };
}

async function setPolicies(desk: TestDesk, steps: unknown[]): Promise<void> {
  for (const [name, { policy }] of Object.entries(policies)) {
    if (!policy) continue;
    const body = policy.outcome === "steps" ? { ...policy, steps } : policy;
    await succeed(desk, "PUT", `/v1/plans/${planOf(name)}/approval-policy`, { body });
  }
  const apis = Object.keys(policies).filter((name) => policies[name]?.isAutomatic).map((name) => ({
    name,
    show: true,
    api_id: `api-of-${planOf(name)}`,
    policy_id: planOf(name),
    config: { override: true, require_key_approval: false },
  }));
  await succeed(desk, "POST", "/api/portal/catalogue", { body: { apis } });
}

/** Has approvals closed while something is done. */
export async function whileClosed(desk: TestDesk, work: () => Promise<void>): Promise<void> {
  await closeApprovals(desk);
  await work();
  await openApprovals(desk);
}

/** A request as it is met. */
export async function meet(
  cast: Cast,
  { policy, state, kind, n }: { policy: string; state: State; kind: Kind; n: number },
): Promise<Situation> {
  const { desk, clock } = cast;
  const asked = await ask(cast, policy, kind, n);
  const { id, developer } = asked;
  const giver = (name: Caller) => ({ credential: cast.credentials.get(name) ?? "" });
  const yes = (name: Caller) => succeed(desk, "POST", v1(id, "/approve"), giver(name));
  let offer = "";
  if (state.startsWith("offer")) {
    const body = { conditions: { rate: { calls: 1, seconds: 60 } }, message: "less" };
    await succeed(desk, "POST", v1(id, "/offer"), { ...giver("bob"), body });
    if (hasSteps(policy)) await yes("cleo");
    offer = (await succeed<{ offer: { id: string } }>(desk, "GET", v1(id))).offer.id;
    cast.names.set(offer, "offer");
  }
  if (state === "one step given") await yes("bob");
  if (state === "offer over") clock.at += 60 * DAY_MS;
  if (state === "offer turned down") {
    const client = await signInByLink(desk, developer);
    await client.get("POST", `/v1/my/requests/${id}/answer`, { offer_id: offer, turn_down: true });
  }
  if (state === "changed since") {
    const body = { ...asked.sent, fields: { why: "changed" } };
    await succeed(desk, "UPDATE", pathOf(id), { ...giver("hal"), body });
  }
  if (state === "issued") {
    await yes("bob");
    if (hasSteps(policy)) await yes("cleo");
  }
  if (state === "declined" || state === "reopened") {
    await succeed(desk, "POST", v1(id, "/decline"), giver("bob"));
  }
  if (state === "reopened") await succeed(desk, "POST", v1(id, "/reopen"), giver("bob"));
  if (kind === "inactive developer") {
    const body = { email: `${developer}@example.org`, inactive: true };
    await succeed(desk, "PUT", `/api/portal/developers/${developer}`, { body });
  }
  const { revision = "" } = await (await desk.send("GET", v1(id))).json();
  if (state === "deleted") await succeed(desk, "DELETE", pathOf(id));
  clock.at += 1000;
  return { id, developer, offer, revision };
}

/** Files a request: ann does, or the developer where it is theirs to ask. */
async function ask(
  { desk, clock, credentials, names }: Cast,
  policy: string,
  kind: Kind,
  n: number,
): Promise<{ id: string; developer: string; sent: Record<string, unknown> }> {
  const plan = planOf(policy);
  const by = { credential: credentials.get("ann") ?? "" };
  if (kind === "unknown developer") {
    const sent = { by_user: `dev-${n}`, for_plan: "plan-unknown" };
    const id = await create(desk, sent, by);
    names.set(id, "request");
    return { id, developer: sent.by_user, sent };
  }
  const email = kind === "own address" ? "ann@example.org" : `dev-${n}@example.org`;
  const { id: developer } = await registered(desk, `dev-${n}`, email);
  let key = "";
  if (kind === "changed key" || kind === "later end") {
    const for_plan = kind === "later end" ? plan : OTHER;
    const first = await create(desk, { by_user: developer, for_plan }, by);
    const expires_at = new Date(clock.at + 300 * DAY_MS).toISOString();
    for (const name of kind === "later end" && hasSteps(policy) ? ["bob", "cleo"] : ["bob"]) {
      // as: both are callers.
      const credential = credentials.get(name as Caller) ?? "";
      const init = { credential, body: { expires_at } };
      ({ key_id: key } = await succeed<{ key_id: string }>(
        desk,
        "POST",
        v1(first, "/approve"),
        init,
      ));
    }
    names.set(key, "key");
  }
  if (kind === "later end") {
    const client = await signInByLink(desk, developer);
    const until = new Date(clock.at + 400 * DAY_MS).toISOString();
    const path = `/v1/my/keys/${key}/later-end`;
    const { id } = await client.get<{ id: string }>("POST", path, { until });
    names.set(id, "request");
    return { id, developer, sent: {} };
  }
  const both = kind === "two plans" ? { apply_policies: [plan, OTHER] } : {};
  const sent = { by_user: developer, for_plan: plan, ...both, ...key === "" ? {} : { key } };
  const id = await create(desk, sent, by);
  names.set(id, "request");
  assert.match(id, /^[0-9a-f]{24}$/);
  return { id, developer, sent };
}

/** Makes room for the next one: an address belongs to one developer. */
export async function leave({ desk }: Cast, { developer }: Situation, kind: Kind): Promise<void> {
  if (kind === "own address") {
    await succeed(desk, "DELETE", `/v1/developers/${developer}?keys=revoke`);
  }
}
