/** What meets on one key request: calls of several people, and what happens around them. */
import type { Deed, Terms } from "../history/committee.ts";

/** One call. */
export interface Step {
  name: string;
  kind: Deed;
  /** The name of the member who makes it; absent: the administrator, or the developer by a link. */
  by?: string;
  /** The name of the member who is suspended or resumed. */
  of?: string;
  terms?: Terms;
  /** It needs the link of an offer that was made. */
  needsOffer?: boolean;
  /** It has an `Idempotency-Key`, so that it is sent again where no answer came. */
  isRepeatable?: boolean;
  /** `id`: the key request's; `token`: of the offer's link; `person`: the id of the member `of`. */
  send(id: string, token: string, person: string): { method: string; path: string; body?: unknown };
}

/** Something that happens once, at any moment. */
export interface Moment {
  name: string;
  jumpMs?: number;
  /** The process dies, or another takes over: nobody who was under way is answered. */
  isKill?: boolean;
  /** What is due of waiting requests is done. */
  isSweep?: boolean;
}

/** Steps whose every order is tried. */
export interface Scenario {
  name: string;
  /** The developer who asks; see committee-table.ts. */
  developer: string;
  /** The member who files it for them; absent: the administrator. */
  filer?: string;
  /** Done before, in this order. */
  first?: readonly Step[];
  steps: readonly Step[];
  moments?: readonly Moment[];
}

const OLDER = "/api/portal/requests";
const V1 = "/v1/key-requests";
const HOUR_MS = 60 * 60 * 1000;

/** A yes; `terms`: less than was asked, of what needs no offer. */
function yes(by: string, more: Partial<Step> = {}): Step {
  const addresses = more.terms?.addresses;
  return {
    name: `${by} approves`,
    kind: "approve",
    by,
    send: (id) => ({
      method: "POST",
      path: `${V1}/${id}/approve`,
      body: { deliver: "answer", ...addresses ? { conditions: { addresses } } : {} },
    }),
    ...more,
  };
}

const olderYes = (by: string): Step => ({
  name: `${by} approves by the older interface`,
  kind: "approve",
  by,
  send: (id) => ({ method: "PUT", path: `${OLDER}/approve/${id}`, body: {} }),
});

function offer(by: string, calls: number): Step {
  const terms = { rate: { calls, seconds: 1 } };
  return {
    name: `${by} offers ${calls} calls`,
    kind: "offer",
    by,
    terms,
    send: (id) => ({
      method: "POST",
      path: `${V1}/${id}/offer`,
      body: { conditions: terms, message: "less" },
    }),
  };
}

const withdraw = (by: string): Step => ({
  name: `${by} withdraws the offer`,
  kind: "withdraw",
  by,
  send: (id) => ({ method: "DELETE", path: `${V1}/${id}/offer` }),
});

const accept = (more: Partial<Step> = {}): Step => ({
  name: "the developer accepts",
  kind: "accept",
  needsOffer: true,
  send: (_, token) => ({ method: "POST", path: "/v1/offers/accept", body: { token } }),
  ...more,
});

const turnDown: Step = {
  name: "the developer turns it down",
  kind: "answer",
  needsOffer: true,
  send: (_, token) => ({
    method: "POST",
    path: "/v1/offers/answer",
    body: { token, turn_down: true },
  }),
};

const decline = (by: string): Step => ({
  name: `${by} declines`,
  kind: "decline",
  by,
  send: (id) => ({ method: "POST", path: `${V1}/${id}/decline`, body: {} }),
});

const reopen = (by: string): Step => ({
  name: `${by} reopens it`,
  kind: "reopen",
  by,
  send: (id) => ({ method: "POST", path: `${V1}/${id}/reopen`, body: {} }),
});

const edit = (developer: string, plan: string): Step => ({
  name: "it is edited",
  kind: "edit",
  send: (id) => ({
    method: "UPDATE",
    path: `${OLDER}/${id}`,
    body: { by_user: developer, for_plan: plan, fields: { value: "edited" } },
  }),
});

const remove: Step = {
  name: "it is deleted",
  kind: "delete",
  send: (id) => ({ method: "DELETE", path: `${OLDER}/${id}` }),
};

const suspend = (of: string): Step => ({
  name: `${of} is suspended`,
  kind: "suspend",
  of,
  send: (_id, _token, person) => ({ method: "POST", path: `/v1/people/${person}/suspend` }),
});

const kill: Moment = { name: "the process dies", isKill: true };
const sweep: Moment = { name: "what is due is done", isSweep: true };
const later: Moment = { name: "25 hours pass", jumpMs: 25 * HOUR_MS };
const repeatable = { isRepeatable: true };
const nearby = { terms: { addresses: ["10.1.0.0/16"] } };
const nearer = { terms: { addresses: ["10.1.2.0/24"] } };

/** All of them, with several hundred thousand orders in the largest. */
export const scenarios: readonly Scenario[] = [
  {
    name: "five say yes to three steps",
    developer: "dev-three",
    steps: [yes("ann"), yes("bob"), olderYes("bob"), yes("cleo"), olderYes("dan")],
  },
  {
    name: "the last steps, an edit, a decline and a removal",
    developer: "dev-three",
    first: [yes("ann")],
    steps: [
      yes("bob"),
      yes("cleo"),
      edit("dev-three", "plan-three"),
      decline("dan"),
      remove,
    ],
  },
  {
    name: "three yes for less",
    developer: "dev-three",
    first: [yes("ann", nearer)],
    steps: [yes("bob", nearby), yes("cleo")],
  },
  {
    name: "yes for less, by several, of which two are needed",
    developer: "dev-two",
    steps: [yes("ann", nearby), yes("bob", nearer), yes("cleo"), olderYes("ann"), decline("dan")],
  },
  {
    name: "an offer by two, accepted, turned down, withdrawn",
    developer: "dev-two",
    first: [offer("ann", 20)],
    steps: [offer("bob", 5), accept(), turnDown, withdraw("cleo"), yes("dan")],
  },
  {
    name: "offers of one, against each other",
    developer: "dev-one",
    first: [offer("ann", 50)],
    steps: [offer("bob", 5), accept(), yes("cleo"), decline("dan"), reopen("ann")],
  },
  {
    name: "an offer comes to its end",
    developer: "dev-one",
    first: [offer("ann", 50)],
    steps: [accept(), accept({ name: "the developer accepts twice" }), turnDown, yes("bob")],
    moments: [later],
  },
  {
    name: "a request comes to its end",
    developer: "dev-two",
    steps: [yes("ann"), yes("bob"), offer("cleo", 20), accept()],
    moments: [later, sweep],
  },
  {
    name: "a reminder, an end, and two who decide",
    developer: "dev-three",
    first: [yes("ann")],
    steps: [yes("bob"), yes("cleo")],
    moments: [later, sweep, { ...later, name: "25 hours more pass" }, {
      ...sweep,
      name: "what is due is done again",
    }],
  },
  {
    name: "who asks is among those who decide",
    developer: "dev-own",
    first: [yes("ann")],
    steps: [yes("dan"), offer("dan", 20), yes("bob"), yes("cleo"), decline("dan")],
  },
  {
    name: "who filed it is among those who decide",
    developer: "dev-two",
    filer: "ann",
    steps: [yes("ann"), yes("bob"), offer("ann", 5), yes("cleo"), decline("ann")],
  },
  {
    name: "somebody is suspended meanwhile",
    developer: "dev-three",
    steps: [yes("ann"), suspend("bob"), yes("bob"), yes("cleo"), olderYes("dan")],
  },
  {
    name: "the process dies amid two yes that are sent again",
    developer: "dev-two",
    steps: [yes("ann", repeatable), yes("bob", repeatable), decline("cleo"), offer("dan", 20)],
    moments: [kill],
  },
  {
    name: "the process dies amid an acceptance that is sent again",
    developer: "dev-one",
    first: [offer("ann", 20)],
    steps: [accept(repeatable), withdraw("bob"), yes("cleo", repeatable), turnDown],
    moments: [kill],
  },
  {
    name: "the process dies twice amid the last steps",
    developer: "dev-three",
    first: [yes("ann"), yes("cleo")],
    steps: [yes("bob", repeatable), yes("dan", repeatable)],
    moments: [kill, { ...kill, name: "another takes over" }, sweep],
  },
];
