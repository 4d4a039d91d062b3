/**
 * User names of basic auth that came as if they were keys, so that the name alone opens. The
 * gateway's interface blanks passwords, and earlier releases went by the password: what they left
 * open is found here, named, and shut.
 */
import type { RequestContext } from "../../calls/context.ts";
import { actorOf } from "../../calls/principal.ts";
import type { Connection } from "../../storage/storage.ts";
import type { Finding } from "./findings.ts";
import { type KindRun, runsOf } from "./imports.store.ts";
import type { Item } from "./items.ts";
import {
  countOpen,
  openAmong,
  openAndFound,
  organisationsWithKeys,
  reportedUserNames,
} from "./user-names.store.ts";
import { suspendUserName } from "./user-names.transactions.ts";

/**
 * Which of the keys that are here a run of an earlier release may have taken for what they are not:
 * all of them, those that are gone there since, or none.
 */
type Unsure = "all" | "gone" | "none";

/** The keys that are or may be valid by a name alone. */
export interface LeftOpen {
  org_id: string;
  /** User names, with what is to be done for their holders. */
  known: { id: string; detail: string }[];
  /** How many keys no one looked at since they came. */
  unsure: number;
  /** The source of those. */
  source: string;
}

/** The keys that earlier runs left open in an organisation, as far as the store can tell. */
export async function leftOpen(db: Connection, org_id: string): Promise<LeftOpen> {
  const runs = await runsOf(db, org_id);
  const known = await openAndFound(db, org_id, "basic_password");
  const unsure = unsureAfter(runs);
  const gone = unsure === "gone" ? await openAndFound(db, org_id, "gone_there") : [];
  const all = unsure === "all" ? await countOpen(db, org_id) - known.length : gone.length;
  const source = runs.find(({ kind }) => kind === "key")?.source ?? "";
  return { org_id, known, unsure: all, source };
}

/** The keys left open in every organisation into which keys were imported. */
export async function leftOpenOfAll(db: Connection): Promise<LeftOpen[]> {
  const all: LeftOpen[] = [];
  for (const org_id of await organisationsWithKeys(db)) all.push(await leftOpen(db, org_id));
  return all;
}

/** The doubts that the newest runs leave. */
export function unsureAfter(runs: readonly KindRun[]): Unsure {
  const keys = runs.find(({ kind }) => kind === "key");
  if (!keys) return "none";
  // as: runs write exactly this; those of earlier releases without the last.
  const [sources, over, own] = JSON.parse(keys.sources) as [object?, object?, { unsure: Unsure }?];
  if (own) return own.unsure;
  const names = Object.keys({ ...sources, ...over });
  const of = names.length > 0 ? names : keys.source.split("; ");
  return of.some((name) => mayBeGateway(name, runs)) ? "all" : "none";
}

/** The doubts that a run by every session leaves. `isOver`: it came to the end of the keys. */
export function unsureBy(before: Unsure, isOver: boolean): Unsure {
  if (before === "none") return "none";
  return isOver ? "gone" : "all";
}

/**
 * Whether a source may have been a gateway's interface: it has a host's name, and tells of no
 * certificates.
 */
function mayBeGateway(name: string, runs: readonly KindRun[]): boolean {
  if (/[\s/]/.test(name)) return false;
  const findingsOf = (kind: KindRun["kind"]) => {
    const run = runs.find((one) => one.kind === kind);
    // as: every run writes this.
    const [sources, over] = JSON.parse(run?.sources ?? "[]") as [object?, object?];
    return Object.hasOwn({ ...sources, ...over }, name);
  };
  // A dashboard of the same name has certificates too, and developers.
  return !findingsOf("certificate") || findingsOf("developer");
}

/** Suspends the keys here that are user names by a source that was just read. Returns how many. */
export async function suspendUserNames(
  ctx: RequestContext,
  findings: readonly Finding[],
): Promise<number> {
  let suspended = 0;
  for (const id of await openByName(ctx, findings)) {
    const actor = actorOf(ctx.principal, ctx.clock.now());
    if (await ctx.storage.commit(suspendUserName, { actor, id })) suspended++;
  }
  return suspended;
}

/** Keys here that are user names by a source that was just read, and are valid by themselves. */
export async function openByName(
  { storage: { reader }, principal: { org_id } }: RequestContext,
  findings: readonly Finding[],
): Promise<string[]> {
  const sources = findings.filter(({ kind, code }) => kind === "key" && code === "basic_password");
  return await openAmong(reader, org_id, sources.map(({ id }) => id));
}

/**
 * Keys that a source knows by name alone, without those that are user names by another source:
 * these are found once more.
 */
export async function withoutUserNames(
  { storage: { reader }, principal: { org_id } }: RequestContext,
  items: readonly Item[],
): Promise<{ items: Item[]; findings: Finding[] }> {
  const named = items.filter((item) => item.kind === "key" && item.isOnlyNamed);
  const sources = await reportedUserNames(reader, org_id, named.map(({ id }) => id));
  const isUserName = (item: Item) =>
    item.kind === "key" && item.isOnlyNamed === true && sources.has(item.id);
  return {
    items: items.filter((item) => !isUserName(item)),
    findings: items.filter(isUserName).map(({ id }) => ({
      kind: "key",
      id,
      code: "basic_password",
      detail: sources.get(id) ?? "",
    })),
  };
}
