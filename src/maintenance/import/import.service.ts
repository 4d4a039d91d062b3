import type { RequestContext } from "../../calls/context.ts";
import { actorOf } from "../../calls/principal.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { decide } from "./decide.ts";
import type { Difference, Finding } from "./findings.ts";
import { hereOf } from "./here.store.ts";
import { importedOf, leftOut, openKeysAfter, places, runsOf } from "./imports.store.ts";
import { type Item, kindOf, type Reading } from "./items.ts";
import { Forecast } from "./forecast.ts";
import { isOurs } from "./ours.ts";
import { Reader, type ReadOptions } from "./readings.ts";
import { type Comparison, Sides } from "./sides.ts";
import { type Kind, kinds, type Source } from "./source.ts";
import { forgetFound, noteRun, takeIn } from "./take-in.transactions.ts";
import {
  openByName,
  suspendUserNames,
  unsureAfter,
  unsureBy,
  withoutUserNames,
} from "./user-names.ts";
import { type Wrapping, wrappings } from "../../features/keys/chosen-keys.ts";
import { markedOf, unmarkedOf } from "../../features/keys/chosen-keys.store.ts";
import { markTokens } from "./mark-tokens.transactions.ts";

/**
 * Objects of one transaction, and about so many characters of them: a large transaction holds
 * everybody else up.
 */
const BATCH = 250;
const BATCH_LENGTH = 1024 * 1024;
/** Names of members that are not kept, of one kind; a source with more has no fixed members. */
const MOST_NAMES = 200;

/** How a source is moved in. */
export interface MovingOptions extends ReadOptions {
  /** True: what was changed here gives way to what is there. */
  theirs: boolean;
}

/** The result for a kind. */
export interface KindSummary {
  kind: Kind;
  /** Documents of the organisation, and of others, which are left out. */
  seen: number;
  others: number;
  /** Those of the organisation that could be read. */
  readable: number;
  added: number;
  replaced: number;
  /** As they were at the last import. */
  same: number;
  /** Left as they are here, or refused; each is a finding. */
  kept: number;
  /** Keys that came as such by an earlier release and are user names: the name alone opened. */
  suspended: number;
  /** Names of members that are not kept, and how often each was met. */
  dropped: Record<string, number>;
  /**
   * If several sources are read together: the number of documents of each, and of those that
   * another had first.
   */
  sources: Record<string, number>;
  passed_over: Record<string, number>;
}

/** The listener to the progress. */
export interface Listener {
  /** So many documents of a kind were read. */
  read(kind: Kind, documents: number): void;
  found(finding: Finding): void;
  /** True: to be ended after the batch under way; what is in stays in. */
  readonly isOver: boolean;
}

/** Reads everything and writes nothing: what `run` would do. */
export async function planMoving(
  ctx: RequestContext,
  source: Source,
  options: MovingOptions,
  listener: Listener,
): Promise<KindSummary[]> {
  const forecast = new Forecast(ctx.storage.reader, ctx.principal.org_id);
  return await eachKind(ctx, source, options, listener, async (kind, items, findings) => {
    for (const finding of findings) listener.found(finding);
    const { added, replaced, kept } = await judge(ctx, kind, items, options.theirs);
    for (const finding of kept) listener.found(finding);
    for (const finding of await forecast.of(kind, added)) listener.found(finding);
    const suspended = (await openByName(ctx, findings)).length;
    return { added: added.length, replaced, kept: kept.length, suspended };
  });
}

/**
 * Moves in what is new or was changed there. Committed objects stay, wherever this ends; the next
 * run goes on.
 */
export async function runMoving(
  ctx: RequestContext,
  source: Source,
  options: MovingOptions,
  listener: Listener,
): Promise<KindSummary[]> {
  const { principal, storage } = ctx;
  const actor = actorOf(principal, ctx.clock.now());
  const run = newId(actor.now);
  const began_at = toTimestamp(actor.now);
  const unsure = unsureAfter(await runsOf(storage.reader, principal.org_id));
  const note = async (summary: KindSummary, ended_at: string | null) => {
    const { kind, seen, others } = summary;
    const dropped = JSON.stringify(summary.dropped);
    const doubt = kind === "key" ? [{ unsure: unsureBy(unsure, ended_at !== null) }] : [];
    const sources = JSON.stringify([summary.sources, summary.passed_over, ...doubt]);
    const row = { kind, source: source.name, began_at, ended_at, seen, others, dropped, sources };
    await storage.commit(noteRun, { org_id: principal.org_id, run: row });
  };
  return await eachKind(ctx, source, options, listener, async (kind, items, findings) => {
    const { theirs } = options;
    const batch = { actor: { ...actor, now: ctx.clock.now() }, kind, items, findings, theirs, run };
    const taken = await storage.commit(takeIn, batch);
    return { ...taken, suspended: await suspendUserNames(ctx, findings) };
  }, {
    note,
    mark: (items, findings) => noteTokens(ctx, items, findings),
    forget: async (kind, codes) => {
      await storage.commit(forgetFound, { org_id: principal.org_id, kind, codes });
    },
  });
}

type Work = (
  kind: Kind,
  items: Item[],
  findings: Finding[],
) => Promise<{ added: number; replaced: number; kept: number; suspended: number }>;

/** The notes that a run writes besides batches. */
interface Notes {
  note(summary: KindSummary, ended_at: string | null): Promise<void>;
  /** After a batch of keys: of all that were read, changed or not. */
  mark(items: readonly Item[], findings: readonly Finding[]): Promise<void>;
  /** Before it is found out anew of which objects of a kind this is so. */
  forget(kind: Kind, codes: readonly Difference[]): Promise<void>;
}

const nothing = () => Promise.resolve();
const NO_NOTES: Notes = { note: nothing, mark: nothing, forget: nothing };

/**
 * Reported by the position in a file, which another document may have since, or for a whole source.
 */
const BY_PLACE = ["unreadable", "no_id", "quotas_unknown"] as const;

async function eachKind(
  ctx: RequestContext,
  source: Source,
  options: MovingOptions,
  listener: Listener,
  work: Work,
  { note, mark, forget }: Notes = NO_NOTES,
): Promise<KindSummary[]> {
  const reader = await Reader.open(ctx, source, options);
  const summaries = new Map(kinds.map((kind) => [kind, emptySummary(kind)]));
  const queues = new Queues(ctx, options.theirs, summaries, { work, mark });
  for (const kind of kinds) {
    const summary = summaries.get(kind) ?? emptySummary(kind);
    const isHere = source.kinds.has(kind);
    if (isHere) {
      await note(summary, null);
      await forget(kind, BY_PLACE);
    }
    for await (const reading of reader.readings(kind)) {
      count(summary, reading);
      queues.add(kind, reading);
      await queues.flush(kind, BATCH);
      listener.read(kind, 1);
      if (listener.isOver) break;
    }
    await queues.flush(kind, 0);
    if (listener.isOver) break;
    // If no source has sessions of keys, none says which keys there are.
    if (kind === "key" && isHere) {
      await forget(kind, ["gone_there"]);
      for await (const gone of goneThere(ctx, queues.metKeys)) await work(kind, [], gone);
    }
    if (isHere) await note(summary, toTimestamp(ctx.clock.now()));
  }
  return [...summaries.values()].filter(({ kind, seen, others, added, same, kept }) =>
    source.kinds.has(kind) || seen + others + added + same + kept > 0
  );
}

function emptySummary(kind: Kind): KindSummary {
  const read = { seen: 0, others: 0, readable: 0 };
  const done = { added: 0, replaced: 0, same: 0, kept: 0, suspended: 0 };
  return { kind, ...read, ...done, dropped: {}, sources: {}, passed_over: {} };
}

function count(summary: KindSummary, reading: Reading): void {
  if (reading.isForeign) {
    summary.others++;
    return;
  }
  const { from, isPassedOver = false } = reading;
  if (from !== undefined) {
    const { sources, passed_over } = summary;
    sources[from] = (sources[from] ?? 0) + (isPassedOver ? 0 : 1);
    passed_over[from] = (passed_over[from] ?? 0) + (isPassedOver ? 1 : 0);
  }
  if (isPassedOver) return;
  if (isOurs(reading)) summary.readable++;
  if (reading.items.length + reading.findings.length > 0) summary.seen++;
  for (const name of reading.dropped) {
    const known = Object.hasOwn(summary.dropped, name);
    if (!known && Object.keys(summary.dropped).length >= MOST_NAMES) continue;
    summary.dropped[name] = (summary.dropped[name] ?? 0) + 1;
  }
}

/**
 * The objects that were read and not yet worked on, by kind: a developer's keys are of another
 * kind, and come behind them.
 */
class Queues {
  /** Hashes of the keys that exist there. */
  readonly metKeys = new Set<string>();
  readonly #waiting = new Map<Kind, { items: Item[]; findings: Finding[]; length: number }>();

  constructor(
    readonly ctx: RequestContext,
    readonly theirs: boolean,
    readonly summaries: ReadonlyMap<Kind, KindSummary>,
    readonly does: { work: Work } & Pick<Notes, "mark">,
  ) {}

  add(kind: Kind, { items, findings }: Reading): void {
    for (const item of items) {
      const own = kindOf(item);
      const queue = this.#of(own);
      queue.items.push(item);
      if (kind === own) queue.length += lengthOf(item);
      if (own === "key") this.metKeys.add(item.id);
    }
    for (const finding of findings) {
      this.#of(finding.kind).findings.push(finding);
      const exists = finding.kind === "key" && finding.code !== "key_not_in_gateway";
      if (exists) this.metKeys.add(finding.id);
    }
  }

  /** Works on what waits where `kind`, or what came with it, has `most` objects or more. */
  async flush(kind: Kind, most: number): Promise<void> {
    const own = this.#of(kind);
    const others = [...this.#waiting].filter(([other]) => other !== kind);
    const isFull = [own, ...others.map(([, queue]) => queue)].some(({ items, findings, length }) =>
      items.length + findings.length >= Math.max(most, 1) || length > BATCH_LENGTH
    );
    if (!isFull) return;
    await this.#work(kind);
    for (const [other] of others) await this.#work(other);
    // The terminal's signals are delivered between two turns of the event loop.
    await new Promise((resolve) => setTimeout(resolve, 0));
  }

  async #work(kind: Kind): Promise<void> {
    const waiting = this.#of(kind);
    this.#waiting.delete(kind);
    const { items, findings: others } = await withoutUserNames(this.ctx, waiting.items);
    const findings = [...waiting.findings, ...others];
    const summary = this.summaries.get(kind);
    if (items.length + findings.length === 0 || !summary) return;
    const changed = this.theirs ? items : await this.#changedThere(kind, items);
    const isChanged = new Set(changed.map(({ id }) => id));
    const isSame = new Set(items.map(({ id }) => id).filter((id) => !isChanged.has(id)));
    summary.same += items.length - changed.length;
    const news = findings.filter(({ id }) => !isSame.has(id));
    if (changed.length + news.length > 0) {
      const { added, replaced, suspended } = await this.does.work(kind, changed, news);
      summary.added += added;
      summary.replaced += replaced;
      summary.kept += changed.length - added - replaced;
      summary.suspended += suspended;
    }
    if (kind === "key") await this.does.mark(items, findings);
  }

  async #changedThere(kind: Kind, items: Item[]): Promise<Item[]> {
    const { storage: { reader }, principal: { org_id } } = this.ctx;
    const known = await importedOf(reader, org_id, kind, items.map(({ id }) => id));
    return items.filter(({ id, there }) => known.get(id)?.there !== there);
  }

  #of(kind: Kind) {
    const known = this.#waiting.get(kind) ?? { items: [], findings: [], length: 0 };
    this.#waiting.set(kind, known);
    return known;
  }
}

function lengthOf(item: Item): number {
  if (item.kind === "request") {
    return item.columns.head.length + item.columns.sent_catalogues.length;
  }
  if (item.kind === "certificate") return item.entry.certificate.length + item.entry.chain.length;
  if (item.kind === "own") return JSON.stringify(item.rows).length;
  return item.kind === "documentation" ? item.document.documentation.length : 0;
}

async function judge(
  { storage: { reader }, sealer, principal: { org_id } }: RequestContext,
  kind: Kind,
  items: readonly Item[],
  theirs: boolean,
): Promise<{ added: Item[]; replaced: number; kept: Finding[] }> {
  const ids = items.map(({ id }) => id);
  const known = await importedOf(reader, org_id, kind, ids);
  const here = await hereOf(reader, sealer, org_id, kind, ids);
  const added: Item[] = [];
  const kept: Finding[] = [];
  let replaced = 0;
  for (const item of items) {
    const { id } = item;
    const decision = decide(item, known.get(id), here.get(id), theirs);
    if (typeof decision !== "string") kept.push({ kind, id, ...decision });
    else if (decision === "add") added.push(item);
    else if (decision === "replace") replaced++;
  }
  return { added, replaced, kept };
}

/**
 * A kind on both sides, and how many documents there could be read and are of the organisation, or
 * of others.
 */
type Verified = Comparison & Pick<KindSummary, "readable" | "others">;

/**
 * Reads both sides and compares them: the digests are equal where everything that can come is here
 * as it came.
 */
export async function verifyMoving(
  ctx: RequestContext,
  source: Source,
  options: ReadOptions,
  listener: Listener,
): Promise<Verified[]> {
  const { storage: { reader }, sealer, principal: { org_id } } = ctx;
  const sides = new Map(kinds.map((kind) => [kind, new Sides(kind)]));
  const work: Work = async (kind, items, findings) => {
    const ids = items.map(({ id }) => id);
    const known = await importedOf(reader, org_id, kind, ids);
    const here = await hereOf(reader, sealer, org_id, kind, ids);
    const left = await leftOut(reader, org_id, kind, ids);
    const side = sides.get(kind);
    for (const { id, there } of items) {
      side?.add(id, there, known.get(id), here.get(id), left.has(id));
    }
    const came = new Set(ids);
    const gone = new Set(findings.filter(({ code }) => code === "gone_there").map(({ id }) => id));
    const refused = new Set(
      findings.filter(({ code }) => code !== "quotas_unknown").map(({ id }) => id)
        .filter((id) => !came.has(id) && !gone.has(id)),
    );
    if (side) {
      side.refused += refused.size;
      side.gone += gone.size;
      side.openByName.push(...await openByName(ctx, findings));
    }
    return { added: 0, replaced: 0, kept: 0, suspended: 0 };
  };
  // Everything is looked at, unchanged or not.
  const summaries = await eachKind(ctx, source, { ...options, theirs: true }, listener, work);
  const read = new Map(summaries.map((summary) => [summary.kind, summary]));
  return [...sides.values()].map((side) => {
    const { readable = 0, others = 0 } = read.get(side.kind) ?? {};
    return { ...side.comparison(), readable, others };
  }).filter(({ kind, there, refused }) => source.kinds.has(kind) || there + refused > 0);
}

/** Keys that are read at once. */
const CHUNK = 500;

/** Keys that came with an earlier run, are active here, and are not among those `met` there. */
async function* goneThere(
  { storage: { reader }, principal: { org_id } }: RequestContext,
  met: ReadonlySet<string>,
): AsyncGenerator<Finding[], void, void> {
  for (const place of places) {
    let ids: string[] = [];
    do {
      ids = await openKeysAfter(reader, org_id, place, ids.at(-1) ?? "", CHUNK);
      const gone = ids.filter((id) => !met.has(id));
      if (gone.length > 0) {
        yield gone.map((id) => ({ kind: "key", id, code: "gone_there", detail: "" }));
      }
    } while (ids.length === CHUNK);
  }
}

/**
 * Notes which of the keys that came are tokens, as these items and findings tell: only of those is
 * a text that people chose looked up as it was wrapped there. Nothing is written where it is known.
 */
async function noteTokens(
  { storage, principal: { org_id } }: RequestContext,
  items: readonly Item[],
  findings: readonly Finding[],
): Promise<void> {
  const tokens: { id: string; wrapping: Wrapping }[] = [];
  for (const wrapping of wrappings) {
    const ids = items.filter((item) => item.kind === "key" && item.wrapping === wrapping)
      .map(({ id }) => id);
    const unmarked = await unmarkedOf(storage.reader, org_id, ids, wrapping);
    tokens.push(...unmarked.map((id) => ({ id, wrapping })));
  }
  const news = findings.filter(({ code }) => code === "basic_password").map(({ id }) => id);
  const userNames = await markedOf(storage.reader, org_id, news);
  if (tokens.length + userNames.length === 0) return;
  await storage.commit(markTokens, { org_id, tokens, userNames });
}
