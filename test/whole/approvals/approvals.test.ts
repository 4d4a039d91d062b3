/**
 * What an approval comes to, whatever it meets: each state of a request × policy × what it asks for
 * × who calls × what they send. `recorded.json` is what the code before did, on both engines; with
 * KEYDESK_RECORD=1 the test writes it anew.
 */
import assert from "node:assert/strict";
import { engines, openTestDesk } from "../../support/desk.ts";
import { signInByLink } from "../../support/developers.ts";
import { approvalOf } from "../../support/key-requests.ts";
import { testClock } from "../../support/people.ts";
import { demandSignatures } from "../../support/signing.ts";
import { type DryRun, dryRunsOf, dryRunTransaction } from "./dry-run.ts";
import {
  type Caller,
  callers,
  type Cast,
  exists,
  type Kind,
  kinds,
  leave,
  meet,
  OTHER,
  planOf,
  policies,
  setCast,
  type Situation,
  type State,
  states,
  whileClosed,
} from "./situations.ts";

const RECORDED = new URL("recorded.json", import.meta.url);

/** What was recorded. Each text stands there once, and is named by its place. */
interface Recorded {
  /** By situation, in the order of its calls: the outcome of each. */
  situations: Record<string, number[]>;
  /** What can come of a call: its answer, then the rows that it writes. */
  outcomes: number[][];
  texts: string[];
}

/** What is sent. */
type Call = (cast: Cast, situation: Situation, credential: string) => Promise<Response>;

const v1 =
  (body?: unknown, header: (one: Situation) => string | null = () => null): Call =>
  (cast, situation, credential) => {
    const revision = header(situation);
    return cast.desk.send("POST", `/v1/key-requests/${situation.id}/approve`, {
      credential,
      body,
      ...revision === null ? {} : { headers: { "if-match": `"${revision}"` } },
    });
  };

const plain: Readonly<Record<string, Call>> = {
  older: ({ desk }, { id }, credential) => desk.send("PUT", approvalOf(id), { credential }),
  v1: v1(),
};

const withTerms: Readonly<Record<string, Call>> = {
  addresses: v1({ conditions: { addresses: ["192.0.2.0/24"] }, reason: "why", message: "hello" }),
  review: v1({ conditions: { review_at: "2090-01-01T00:00:00Z" } }),
  rate: v1({ conditions: { rate: { calls: 1, seconds: 60 } } }),
  plans: v1({ conditions: { plans: [OTHER] } }),
  end: v1({ expires_at: "2090-01-01T00:00:00Z" }),
  labels: v1({ name: "pilot", deliver: "one_time_link" }),
  seen: v1(undefined, ({ revision }) => revision),
  stale: v1(undefined, () => "0".repeat(32)),
  offer: ({ desk }, { id }, credential) =>
    desk.send("POST", `/v1/key-requests/${id}/offer`, {
      credential,
      body: { conditions: { rate: { calls: 2, seconds: 60 } } },
    }),
};
/** Who sends more than a plain approval. */
const senders: readonly Caller[] = ["ann", "bob", "dan", "fay"];

/** All calls that meet a situation, by their names. */
function* callsOf(state: State, kind: Kind): Generator<[string, Caller, Call]> {
  for (const caller of Object.keys(callers) as Caller[]) {
    for (const [name, call] of Object.entries(plain)) yield [`${name} by ${caller}`, caller, call];
  }
  const hasMore = ["new key", "changed key", "later end", "two plans"].includes(kind) &&
    ["pending", "one step given", "offer waits", "issued"].includes(state);
  if (!hasMore) return;
  for (const caller of senders) {
    for (const [name, call] of Object.entries(withTerms)) {
      yield [`${name} by ${caller}`, caller, call];
    }
  }
}

for (const engine of engines) {
  Deno.test({
    name: `${engine}: approvals: each comes to what it came to when it was recorded`,
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => {
      const clock = testClock();
      const environment = { KEYDESK_OFFER_DAYS: "30" };
      const options = { clock, environment, extra: [dryRunTransaction, demandSignatures] };
      await using desk = await openTestDesk(engine, options);
      const found = await record(await setCast(desk, clock));
      if (Deno.env.get("KEYDESK_RECORD") === "1") {
        await Deno.writeTextFile(RECORDED, textOf(found));
        return;
      }
      const recorded: Recorded = JSON.parse(await Deno.readTextFile(RECORDED));
      compare(found, recorded);
    },
  });
}

async function record(cast: Cast): Promise<Recorded> {
  const texts = new Places<string>((text) => text);
  const outcomes = new Places<number[]>(String);
  const situations: Recorded["situations"] = {};
  let n = 0;
  for (const [policy, { isClosed = false }] of Object.entries(policies)) {
    for (const state of states) {
      for (const kind of kinds) {
        if (!exists(policy, state, kind)) continue;
        const situation = await meet(cast, { policy, state, kind, n: n++ });
        const numbers: number[] = [];
        const work = async () => {
          for await (const outcome of outcomesOf(cast, situation, { policy, state, kind })) {
            numbers.push(outcomes.of(outcome.map((text) => texts.of(text))));
          }
        };
        await (isClosed ? whileClosed(cast.desk, work) : work());
        situations[`${policy} | ${state} | ${kind}`] = numbers;
        await leave(cast, situation, kind);
      }
    }
  }
  return { situations, outcomes: outcomes.all, texts: texts.all };
}

/** Distinct values in the order in which they came. */
class Places<T> {
  readonly all: T[] = [];
  readonly #places = new Map<string, number>();
  readonly #keyOf: (one: T) => string;

  constructor(keyOf: (one: T) => string) {
    this.#keyOf = keyOf;
  }

  of(one: T): number {
    const key = this.#keyOf(one);
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    this.#places.set(key, this.all.length);
    return this.all.push(one) - 1;
  }
}

async function* outcomesOf(
  cast: Cast,
  situation: Situation,
  { policy, state, kind }: { policy: string; state: State; kind: Kind },
): AsyncGenerator<string[]> {
  const client = state.startsWith("offer") && kind !== "inactive developer"
    ? await signInByLink(cast.desk, situation.developer)
    : undefined;
  using dry = dryRunsOf(cast.desk);
  const run = async (caller: string, call: () => Promise<Response>) => {
    cast.clock.at++;
    const written = await dry.run(situation.id, call);
    return textsOf(written, (text) => named(cast, { ...situation, policy, caller }, text));
  };
  for (const [, caller, call] of callsOf(state, kind)) {
    yield await run(caller, () => call(cast, situation, cast.credentials.get(caller) ?? ""));
  }
  if (!client) return;
  const path = `/v1/my/requests/${situation.id}/accept`;
  const body = { offer_id: situation.offer };
  yield await run("", () => client.send("POST", path, { body }));
}

/** The answer of a call, then what it writes; where it is refused before that, the answer alone. */
function textsOf({ status, error, body, written }: DryRun, named: (text: string) => string) {
  const answer = `${status} ${error ?? ""} ${body}`;
  const { audit = [], outbox = [], request = "", keys = [] } = written ?? {};
  return [answer, request, ...audit, ...outbox, ...keys].map(named);
}

/** A text with everything that differs at each run under one name. */
function named(
  { clock, names }: Cast,
  { id, developer, policy, caller }: Situation & { policy: string; caller: string },
  text: string,
): string {
  const nameOf = (one: string, other: string) => {
    const name = names.get(one) ?? other;
    return `<${name === caller ? "caller" : name}>`;
  };
  return text.replaceAll(new Date(clock.now()).toISOString(), "<now>")
    .replaceAll(id, "<request>").replaceAll(developer, "<developer>")
    .replaceAll(planOf(policy), "<plan>")
    .replaceAll(SECRETS, '"$1":"<$1>"')
    .replaceAll(/\b[0-9a-f]{64}\b/g, (one) => nameOf(one, "hash"))
    .replaceAll(/\b[0-9a-f]{24,32}\b/g, (one) => nameOf(one, "id"))
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<call>")
    .replaceAll(/[0-9a-f]{4}…[0-9a-f]{4}/g, "<mask>")
    // How long decisions usually take is read again after some time of the clock.
    .replaceAll(/"late_from":(null|"[^"]*")/g, '"late_from":"<usual>"')
    .replaceAll(/20[2-7][0-9]-[0-9]{2}-[0-9]{2}T[0-9:.]+Z/g, (one) => relative(clock, one))
    .replaceAll(new RegExp(`"name":"${caller}"`, "g"), '"name":"<caller>"');
}

const SECRETS = /"(access_token|RawKey|key_id|mask|attempt_id|link|revision)":"[^"]+"/g;

/** A time as days from now: the clock goes on from situation to situation. */
function relative(clock: Cast["clock"], time: string): string {
  return `<${Math.round((Date.parse(time) - clock.now()) / 86_400_000)} days>`;
}

/** One line a situation, outcome and text, so that a difference can be read. */
function textOf(recorded: Recorded): string {
  const { situations, outcomes, texts } = recorded;
  const lines = (all: unknown[]) => all.map((one) => JSON.stringify(one)).join(",\n");
  const numbers = Object.entries(situations)
    .map(([name, places]) => `${JSON.stringify(name)}:${JSON.stringify(places)}`);
  return `{"situations":{\n${numbers.join(",\n")}\n},"outcomes":[\n${lines(outcomes)}\n],` +
    `"texts":[\n${lines(texts)}\n]}\n`;
}

function compare(found: Recorded, recorded: Recorded): void {
  assert.deepEqual(Object.keys(found.situations), Object.keys(recorded.situations));
  const texts = ({ outcomes, texts }: Recorded, place = -1) =>
    outcomes[place]?.map((text) => texts[text]);
  for (const [name, places] of Object.entries(recorded.situations)) {
    const [, state, kind] = name.split(" | ") as [string, State, Kind];
    const calls = [...callsOf(state, kind)].map(([call]) => call);
    const now = found.situations[name] ?? [];
    places.forEach((place, i) => {
      const call = calls[i] ?? "the developer accepts";
      assert.deepEqual(texts(found, now[i]), texts(recorded, place), `${name}: ${call}`);
    });
    assert.equal(now.length, places.length, name);
  }
}
