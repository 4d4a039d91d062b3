/**
 * People who decide on the same key requests at the same time: by approvals in steps, offers and
 * their answers, declines, edits and removals, while an administrator suspends some of them. Every
 * call has an id of its own, which its rows of the audit log keep: committee-check.ts reads both.
 */
import assert from "node:assert/strict";
import type { Random } from "../../support/random.ts";
import type { Node } from "./clients.ts";
import type { Case, Member, Table } from "./committee-table.ts";
import type { Outcome } from "./history.ts";

/** What a call grants or offers, as it is sent. */
export interface Terms {
  addresses?: string[];
  rate?: { calls: number; seconds: number };
  plans?: string[];
  expires_at?: string;
}

/** What a call does. */
export type Deed =
  | ("create" | "edit" | "approve" | "offer" | "withdraw" | "accept" | "answer")
  | ("decline" | "reopen" | "delete" | "suspend" | "resume");

/** One call, and how it ended. */
export interface Decision {
  /** Its `X-Request-Id`. */
  call: string;
  /** What it has in common with its repeats; as `call` where it is not repeated. */
  once: string;
  kind: Deed;
  /** The key request's id, or of whom is suspended and resumed. */
  id: string;
  /** The member's id; "": the administrator's or the developer's. */
  by: string;
  terms: Terms;
  begin: number;
  end: number;
  outcome: Outcome;
  /** What it was told; what is kept as its answer to be repeated. */
  told: string;
}

/** What a reading showed at the end; null: nothing is there. */
export interface Seen {
  id: string;
  state: string | null;
}

/** What a committee may be given besides. */
export interface CommitteeOptions {
  /** Statuses that leave a call's outcome unknown, besides 429 and 503. */
  unknown?: readonly number[];
  /** On how many of the newest requests they work; 2 by default. */
  newest?: number;
  /** How many calls a request has before another is asked for, about. */
  calls?: number;
}

const OLDER = "/api/portal/requests";
const V1 = "/v1/key-requests";
/** Each lies within the one before, so that the least of some is one of them. */
const NETWORKS = ["10.0.0.0/8", "10.1.0.0/16", "10.1.2.0/24"];
const RATES = [50, 20, 5];
const MINUTE_MS = 60_000;
/** How often a call is tried at the end, when nothing disturbs any more. */
const PATIENCE = 50;

/** A request, and what is known of it so that calls find something to do. */
interface Request {
  id: string;
  of: Case;
  calls: number;
  offer: string;
  /** Until when the offer waits, 0 once it was answered; Infinity: there is none. */
  offerEnds: number;
  isDeclined: boolean;
}

/** A call that may be sent again. */
interface Repeatable {
  first: Decision;
  send(call: string): Promise<Awaited<ReturnType<Node>>>;
  generation: number;
}

/** Keeps which offer a key request has, where an answer shows one. */
function noteOffer(
  request: Request,
  { offer }: { offer?: { id: string; expires_at: string } | null },
): void {
  if (!offer || offer.id === request.offer) return;
  request.offer = offer.id;
  request.offerEnds = Date.parse(offer.expires_at);
}

/** What all of them know together. */
export class Committee {
  readonly decisions: Decision[] = [];
  readonly seen: Seen[] = [];
  /** Groups of repeats whose answers were forgotten meanwhile. */
  readonly forgotten = new Set<string>();
  acknowledged = 0;
  readonly #table: Table;
  readonly #nodes: readonly Node[];
  readonly #options: CommitteeOptions;
  /** The token of an offer's link, as its mail would tell it. */
  readonly #tokenOf: (request_id: string, offer_id: string) => string;
  readonly #requests: Request[] = [];
  #repeatable: Repeatable[] = [];
  #generation = 0;
  #serial = 0;

  constructor(
    table: Table,
    nodes: readonly Node[],
    tokenOf: (request_id: string, offer_id: string) => string,
    options: CommitteeOptions = {},
  ) {
    this.#table = table;
    this.#nodes = nodes;
    this.#tokenOf = tokenOf;
    this.#options = options;
  }

  /** From now on nobody repeats what was sent before: answers are not kept for ever. */
  forgetRepeats(): void {
    this.#repeatable = [];
    this.#generation++;
  }

  /** One seat: does one thing after the other until `isOver`, each as whoever it chooses. */
  async work(random: Random, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      if (!await this.#doSomething(random)) await new Promise((over) => setTimeout(over, 20));
    }
  }

  /** Reads every request once more; call it when nothing disturbs any more. */
  async lookAtEverything(): Promise<void> {
    for (const one of this.#repeatable) {
      for (let attempt = 1; !await this.#repeat(one); attempt++) {
        const { told } = this.decisions.at(-1) ?? {};
        // Who tried many links that are over waits for minutes; nothing was decided by it.
        if (String(told).includes("too_many_requests")) break;
        assert.ok(attempt < PATIENCE, `a node did not recover: ${told}`);
        // On a busy machine a node says for a moment that one should come back.
        await new Promise((over) => setTimeout(over, 200));
      }
    }
    for (const node of this.#nodes) {
      for (const { id } of this.#requests) {
        const { status, body } = await node("GET", `${V1}/${id}`);
        assert.ok(status === 200 || status === 404, JSON.stringify(body));
        this.seen.push({ id, state: status === 200 ? body.state : null });
      }
    }
  }

  async #doSomething(random: Random): Promise<boolean> {
    const node = random.pick(this.#nodes);
    const { newest = 2, calls = 12 } = this.#options;
    const some = this.#requests.slice(-newest).filter((one) => one.calls < calls);
    if (some.length < newest) return await this.#create(node, random);
    const request = random.pick(some);
    request.calls++;
    // A clock has jumped, or the developer has answered: nobody may accept that one any more.
    const isOver = request.offerEnds <= Date.now();
    if (isOver && random.chance(0.3)) return await this.#accept(node, random, request);
    const dice = random.next();
    const member = random.pick(this.#table.members);
    // Who needs nobody else's yes ends a request by it: there is more to offer before.
    const approves = request.of.steps.length === 0 ? 0.1 : 0.38;
    if (dice < approves) return await this.#approve(node, random, request, member);
    if (dice < 0.52) return await this.#offer(node, random, request, member);
    if (dice < 0.6) return await this.#read(node, request);
    if (dice < 0.8 && request.offer !== "") return await this.#answer(node, random, request);
    if (dice < 0.83) return await this.#edit(node, random, request);
    if (dice < 0.86) return await this.#decideAgainst(node, request, member);
    if (dice < 0.88) {
      return await this.#call(node, { kind: "delete", id: request.id }, "DELETE", OLDER, {});
    }
    if (dice < 0.91) return await this.#suspendOrResume(node, random, member);
    if (dice < 0.95 && this.#repeatable.length > 0) {
      return await this.#repeat(random.pick(this.#repeatable));
    }
    return await this.#approve(node, random, request, member);
  }

  async #create(node: Node, random: Random): Promise<boolean> {
    const { cases } = this.#table;
    const of = random.chance(0.3) ? cases.find(({ steps }) => steps.length === 0) : undefined;
    return await this.#ask(node, random, of ?? random.pick(cases));
  }

  async #ask(node: Node, random: Random, of: Case): Promise<boolean> {
    const filer = random.chance(0.4) ? random.pick(this.#table.members) : undefined;
    const body = { by_user: of.developer, for_plan: of.plan, fields: { value: this.#next() } };
    return await this.#call(node, { kind: "create", id: "", by: filer }, "POST", OLDER, body, {
      told: (answer, decision) => {
        decision.id = answer.Message;
        const none = { offer: "", offerEnds: Infinity };
        this.#requests.push({ id: answer.Message, of, calls: 0, ...none, isDeclined: false });
      },
    });
  }

  async #edit(node: Node, random: Random, { id, of }: Request): Promise<boolean> {
    const by = random.chance(0.5) ? random.pick(this.#table.members) : undefined;
    const body = { by_user: of.developer, for_plan: of.plan, fields: { value: this.#next() } };
    return await this.#call(node, { kind: "edit", id, by }, "UPDATE", OLDER, body);
  }

  /** By either interface; some grant less at once, and some can be repeated. */
  async #approve(
    node: Node,
    random: Random,
    { id }: Request,
    by: Member,
  ): Promise<boolean> {
    const what = { kind: "approve" as const, id, by };
    if (random.chance(0.3)) return await this.#call(node, what, "PUT", `${OLDER}/approve`, {});
    const terms: Terms = {
      ...random.chance(0.25) ? { addresses: [random.pick(NETWORKS)] } : {},
      ...random.chance(0.15) ? { expires_at: this.#endOf(random) } : {},
    };
    const { addresses, expires_at } = terms;
    const body = {
      deliver: "answer",
      ...addresses ? { conditions: { addresses } } : {},
      ...expires_at ? { expires_at } : {},
    };
    const isRepeated = random.chance(0.3);
    return await this.#call(node, { ...what, terms }, "POST", V1, body, {
      then: "/approve",
      ...isRepeated ? { key: `the-only-call-of-${this.#next()}` } : {},
    });
  }

  async #offer(node: Node, random: Random, request: Request, by: Member): Promise<boolean> {
    const { id } = request;
    if (random.chance(0.25)) {
      const what = { kind: "withdraw" as const, id, by };
      return await this.#call(node, what, "DELETE", V1, undefined, { then: "/offer" });
    }
    const terms: Terms = {
      ...random.chance(0.8)
        ? { rate: { calls: random.pick(RATES), seconds: 1 } }
        : { plans: [this.#table.other] },
      ...random.chance(0.3) ? { addresses: [random.pick(NETWORKS)] } : {},
      ...random.chance(0.15) ? { expires_at: this.#endOf(random) } : {},
    };
    const body = { conditions: terms, message: "less" };
    return await this.#call(node, { kind: "offer", id, by, terms }, "POST", V1, body, {
      then: "/offer",
      told: (answer) => noteOffer(request, answer),
    });
  }

  /** As the developer, by the link of the mail; sometimes of an offer that is no more. */
  async #answer(node: Node, random: Random, request: Request): Promise<boolean> {
    const { id, offer } = request;
    if (random.chance(0.65)) return await this.#accept(node, random, request);
    const token = this.#tokenOf(id, offer);
    const body = random.chance(0.5)
      ? { token, turn_down: true }
      : { token, turn_down: false, words: "More, please." };
    return await this.#call(node, { kind: "answer", id }, "POST", "/v1/offers/answer", body, {
      told: () => request.offerEnds = 0,
    });
  }

  async #accept(node: Node, random: Random, { id, offer }: Request): Promise<boolean> {
    const token = this.#tokenOf(id, offer);
    return await this.#call(node, { kind: "accept", id }, "POST", "/v1/offers/accept", { token }, {
      ...random.chance(0.3) ? { key: `the-only-call-of-${this.#next()}` } : {},
    });
  }

  async #decideAgainst(node: Node, request: Request, by: Member): Promise<boolean> {
    const { id, isDeclined } = request;
    const kind = isDeclined ? "reopen" as const : "decline" as const;
    return await this.#call(node, { kind, id, by }, "POST", V1, {}, {
      then: `/${kind}`,
      told: () => request.isDeclined = !isDeclined,
    });
  }

  async #suspendOrResume(node: Node, random: Random, { id }: Member): Promise<boolean> {
    const kind = random.chance(0.35) ? "suspend" as const : "resume" as const;
    const path = "/v1/people";
    return await this.#call(node, { kind, id }, "POST", path, undefined, { then: `/${kind}` });
  }

  /** Learns of offers that a last step made. */
  async #read(node: Node, request: Request): Promise<boolean> {
    let answer: Awaited<ReturnType<Node>>;
    try {
      answer = await node("GET", `${V1}/${request.id}`);
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      return false;
    }
    if (answer.status === 200) noteOffer(request, answer.body);
    return answer.status < 500;
  }

  /** Soon, or late enough to be there when all is over. */
  #endOf(random: Random): string {
    const inMs = random.pick([2 * MINUTE_MS, 90 * MINUTE_MS, 9000 * MINUTE_MS]);
    return new Date(Date.now() + inMs).toISOString();
  }

  async #call(
    node: Node,
    { kind, id, by, terms = {} }: {
      kind: Deed;
      id: string;
      by?: Member | undefined;
      terms?: Terms;
    },
    method: string,
    path: string,
    body: unknown,
    { then = "", key, told = () => {} }: {
      /** Behind the id. */
      then?: string;
      /** Its `Idempotency-Key`. */
      key?: string;
      // deno-lint-ignore no-explicit-any -- whatever the node sends
      told?(answer: any, decision: Decision): unknown;
    } = {},
  ): Promise<boolean> {
    const call = this.#next();
    const decision: Decision = {
      call,
      once: key ?? call,
      kind,
      id,
      terms,
      told: "",
      by: by?.id ?? "",
      begin: performance.now(),
      end: Infinity,
      outcome: "unknown",
    };
    this.decisions.push(decision);
    const isNamed = path === "/v1/people" || path.startsWith(V1) || path.startsWith(OLDER);
    const whole = kind === "create" || !isNamed ? path : `${path}/${id}${then}`;
    const send = (call: string) =>
      node(method, whole, body, {
        "x-request-id": call,
        ...by ? { authorization: by.credential } : {},
        ...key === undefined ? {} : { "idempotency-key": key },
      });
    if (key !== undefined) {
      this.#repeatable.push({ first: decision, send, generation: this.#generation });
    }
    return await this.#answered(decision, () => send(call), told);
  }

  async #repeat({ first, send, generation }: Repeatable): Promise<boolean> {
    const call = this.#next();
    const span = { begin: performance.now(), end: Infinity };
    const again: Decision = { ...first, ...span, call, outcome: "unknown", told: "" };
    this.decisions.push(again);
    const isAnswered = await this.#answered(again, () => send(call), () => {});
    if (generation !== this.#generation) this.forgotten.add(first.once);
    return isAnswered;
  }

  /** False where nobody knows what became of it. */
  async #answered(
    decision: Decision,
    send: () => Promise<Awaited<ReturnType<Node>>>,
    // deno-lint-ignore no-explicit-any -- whatever the node sends
    told: (answer: any, decision: Decision) => unknown,
  ): Promise<boolean> {
    let answer: Awaited<ReturnType<Node>>;
    try {
      answer = await send();
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      decision.told = String(error);
      return false;
    }
    const { status, body } = answer;
    decision.told = JSON.stringify(body);
    if ([429, 503, ...this.#options.unknown ?? []].includes(status)) return false;
    assert.ok(status < 500, `${decision.kind}: ${status} ${decision.told}`);
    decision.end = performance.now();
    // The older interface has no other answer for a step.
    const isStep = status === 400 && /^Your approval counts/.test(body?.Message ?? "");
    const isDeleted = body?.code === "deleted_meanwhile";
    decision.outcome = status === 200 || isStep || isDeleted ? "ok" : "refused";
    if (decision.outcome === "ok") {
      this.acknowledged++;
      if (!isDeleted) told(body, decision);
    }
    return true;
  }

  #next(): string {
    return `c${++this.#serial}`;
  }
}
