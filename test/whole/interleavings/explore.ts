import assert from "node:assert/strict";
import { endWaitingRequests } from "../../../src/features/notifications/alerts/waiting-requests.transactions.ts";
import { statement } from "../../../src/storage/statement.ts";
import { Random } from "../../support/random.ts";
import { checkCommittee } from "../history/committee-check.ts";
import type { Decision } from "../history/committee.ts";
import type { Begun, ReplayedDesk } from "./replayed-desk.ts";
import type { Moment, Scenario, Step } from "./scenarios.ts";

/** What became of the orders of a scenario. */
export interface Explored {
  /** Orders that were carried to their end; no two are the same. */
  interleavings: number;
  acknowledged: number;
  refused: number;
  unknown: number;
  /** How many orders left the request in which state. */
  ends: Record<string, number>;
  /** The first order in which a promise was broken, and which. */
  broken?: { order: readonly string[]; problems: string[] };
}

/** A call that comes, is under way or is over. */
interface Call {
  step: Step;
  /** What is sent again has these in common. */
  once: string;
  attempt: number;
  /** What its handler gave to the store. */
  underWay?: { transaction: string; input: unknown };
  isOver: boolean;
}

/** One moment of an order. What stands in the store then is the desk's. */
interface State {
  calls: readonly Call[];
  moments: readonly Moment[];
  decisions: readonly Decision[];
  order: readonly string[];
  clock: number;
  /** Who was suspended and resumed: of what an order changes, handlers read nothing else. */
  people: string;
}

const requestSql = statement<{ id: string }>()((db, p) =>
  db.selectFrom("key_requests").select(["state", "offer"]).where("id", "=", p.id)
);

/** Which of the orders are tried; all where nothing is said. */
export interface Part {
  /** Not more than so many. */
  most?: number;
  /** At each moment so many of those that may follow, as the seed draws them. */
  width?: number;
  seed?: number;
}

/**
 * Carries the orders of a scenario to their ends. A call is under
 * way from the moment at which its handler has read what it reads to that of its commit. A process
 * that dies answers nobody any more: who has an `Idempotency-Key` sends the same again.
 */
export async function explore(
  desk: ReplayedDesk,
  scenario: Scenario,
  part: Part = {},
): Promise<Explored> {
  const told = { interleavings: 0, acknowledged: 0, refused: 0, unknown: 0, ends: {} };
  const explorer = new Explorer(desk, scenario, part, told);
  desk.mark();
  try {
    await explorer.run();
    return told;
  } finally {
    desk.takeBack();
  }
}

class Explorer {
  readonly #desk: ReplayedDesk;
  readonly #scenario: Scenario;
  readonly #most: number;
  readonly #width: number;
  readonly #random: Random;
  readonly #told: Explored;
  readonly #begun = new Map<string, Begun>();
  #request = "";

  constructor(desk: ReplayedDesk, scenario: Scenario, part: Part, told: Explored) {
    this.#desk = desk;
    this.#scenario = scenario;
    this.#most = part.most ?? Infinity;
    this.#width = part.width ?? Infinity;
    this.#random = new Random(part.seed ?? 1);
    this.#told = told;
  }

  async run(): Promise<void> {
    const { first = [], steps, moments = [] } = this.#scenario;
    const calls = [...first, ...steps].map((step, n): Call => ({
      step,
      once: `c${n + 1}`,
      attempt: 1,
      isOver: false,
    }));
    let state: State = {
      calls,
      moments,
      decisions: [await this.#ask()],
      order: [],
      clock: this.#desk.clock,
      people: "",
    };
    for (const [n, { name }] of first.entries()) {
      state = await this.#commit(await this.#begin(state, n), n);
      assert.equal(state.decisions.at(-1)?.outcome, "ok", `${this.#scenario.name}: ${name}`);
    }
    await this.#goOn(state);
  }

  /** Tries each next moment in turn. */
  async #goOn(state: State): Promise<void> {
    const nexts = await this.#nexts(state);
    if (nexts.length === 0) return await this.#check(state);
    while (nexts.length > this.#width) nexts.splice(this.#random.below(nexts.length), 1);
    for (const next of nexts) {
      if (this.#told.broken || this.#told.interleavings >= this.#most) return;
      this.#desk.mark();
      this.#desk.clock = state.clock;
      await this.#goOn(await next());
      this.#desk.takeBack();
    }
  }

  /** Each moment that may come next. */
  async #nexts(state: State): Promise<(() => Promise<State>)[]> {
    // Nobody has the link of an offer that was never made.
    const isOffered = await this.#offer() !== undefined;
    return [
      ...state.calls.flatMap(({ step, underWay, isOver }, n) => {
        if (isOver || (step.needsOffer && !underWay && !isOffered)) return [];
        return [() => underWay ? this.#commit(state, n) : this.#begin(state, n)];
      }),
      ...state.moments.map((_, n) => () => this.#happen(state, n)),
    ];
  }

  async #offer(): Promise<string | undefined> {
    const row = await this.#desk.connection.row(requestSql, { id: this.#request });
    return row?.offer ? JSON.parse(row.offer).id : undefined;
  }

  async #ask(): Promise<Decision> {
    const { developer, filer } = this.#scenario;
    const of = this.#desk.table.cases.find((one) => one.developer === developer);
    assert.ok(of, developer);
    const body = { by_user: developer, for_plan: of.plan, fields: { value: "asked" } };
    const headers = this.#headersOf("c0", filer);
    const begun = await this.#desk.begin("POST", "/api/portal/requests", body, headers);
    assert.ok("transaction" in begun, JSON.stringify(begun));
    const made = await this.#desk.commit(begun.transaction, begun.input);
    assert.ok(made.isDone, JSON.stringify(made));
    // as: what this transaction gives.
    this.#request = (made.output as { id: string }).id;
    return {
      call: "c0",
      once: "c0",
      kind: "create",
      id: this.#request,
      by: this.#memberOf(filer)?.id ?? "",
      terms: {},
      begin: 0,
      end: 1,
      outcome: "ok",
      told: "",
    };
  }

  /** A call's handler reads what it reads; where it refuses, the call is over. */
  async #begin(state: State, n: number): Promise<State> {
    const call = callOf(state, n);
    const { step, once, attempt } = call;
    const name = `${once}.${attempt}`;
    const offer = step.needsOffer ? await this.#offer() : undefined;
    const token = offer === undefined ? "" : this.#desk.tokenOf(this.#request, offer);
    const person = this.#memberOf(step.of)?.id ?? "";
    const known = [name, state.people, state.clock, token].join();
    let begun = this.#begun.get(known);
    if (!begun) {
      const { method, path, body } = step.send(this.#request, token, person);
      const headers = {
        ...this.#headersOf(name, step.by),
        ...step.isRepeatable ? { "idempotency-key": `the-only-call-of-${once}` } : {},
      };
      begun = await this.#desk.begin(method, path, body, headers);
      this.#begun.set(known, begun);
    }
    const decision: Decision = {
      call: name,
      once,
      kind: step.kind,
      id: step.of ? person : this.#request,
      by: this.#memberOf(step.by)?.id ?? "",
      terms: step.terms ?? {},
      begin: state.order.length + 2,
      end: Infinity,
      outcome: "unknown",
      told: "",
    };
    const begins: State = {
      ...state,
      calls: state.calls.with(n, { ...call, ...("transaction" in begun) && { underWay: begun } }),
      decisions: [...state.decisions, decision],
      order: [...state.order, `${step.name} …`],
    };
    if ("transaction" in begun) return begins;
    assert.ok(begun.status >= 400 && begun.status < 500, JSON.stringify(begun));
    return endOf(begins, n, "refused");
  }

  async #commit(state: State, n: number): Promise<State> {
    const { underWay, step } = callOf(state, n);
    assert.ok(underWay);
    const { isDone } = await this.#desk.commit(underWay.transaction, underWay.input);
    const ended = endOf(state, n, isDone ? "ok" : "refused");
    return step.of && isDone ? { ...ended, people: `${ended.people} ${step.name}` } : ended;
  }

  async #happen(state: State, n: number): Promise<State> {
    const moment = state.moments[n];
    assert.ok(moment);
    if (moment.isSweep) {
      const input = { org_id: this.#desk.org_id, holder: "explored", now: state.clock };
      const { isDone } = await this.#desk.commit(endWaitingRequests.id, input);
      assert.ok(isDone);
    }
    return {
      ...state,
      calls: moment.isKill ? state.calls.map(afterKill) : state.calls,
      moments: state.moments.toSpliced(n, 1),
      order: [...state.order, moment.name],
      clock: state.clock + (moment.jumpMs ?? 0),
    };
  }

  async #check({ decisions, order }: State): Promise<void> {
    const told = this.#told;
    told.interleavings++;
    for (const { outcome } of decisions) {
      told[outcome === "ok" ? "acknowledged" : outcome]++;
    }
    const { connection, table } = this.#desk;
    const state = (await connection.row(requestSql, { id: this.#request }))?.state ?? "gone";
    told.ends[state] = (told.ends[state] ?? 0) + 1;
    const what = { decisions, forgotten: new Set<string>(), seen: [] };
    const problems = await checkCommittee(connection, table, what);
    if (problems.length > 0) told.broken = { order, problems };
  }

  #headersOf(call: string, by: string | undefined): Record<string, string> {
    const member = this.#memberOf(by);
    return { "x-request-id": call, ...member ? { authorization: member.credential } : {} };
  }

  #memberOf(name: string | undefined) {
    return this.#desk.table.members.find((one) => one.name === name);
  }
}

function callOf({ calls }: State, n: number): Call {
  const call = calls[n];
  assert.ok(call);
  return call;
}

/** The call is over, and whoever made it was told how. */
function endOf(state: State, n: number, outcome: Decision["outcome"]): State {
  const { step, once, attempt } = callOf(state, n);
  const end = state.order.length + 2;
  return {
    ...state,
    calls: state.calls.with(n, { step, once, attempt, isOver: true }),
    decisions: state.decisions.map((one) =>
      one.call === `${once}.${attempt}` ? { ...one, outcome, end } : one
    ),
    order: [...state.order, `… ${step.name}: ${outcome}`],
  };
}

/** What can be is sent again, also what was answered: that answer may not have come. */
function afterKill({ step, once, attempt, underWay, isOver }: Call): Call {
  const wasSent = isOver || underWay !== undefined;
  return step.isRepeatable && wasSent
    ? { step, once, attempt: attempt + 1, isOver: false }
    : { step, once, attempt, isOver: wasSent };
}
