import type { ServiceContext } from "../../../calls/context.ts";
import type { Storage } from "../../../storage/storage.ts";
import type { Provider } from "./identity-provider.ts";
import { findProviderState } from "./provider-states.store.ts";
import { noteProvider, type ProviderNews, withNews } from "./provider-states.transactions.ts";

/** So many refusals of a provider are written in so many milliseconds, by one process. */
const MOST_NOTES = 30;
const WITHIN_MS = 60_000;

/** When the last of them were, by the provider. */
const writtenAt = new WeakMap<Storage, Map<string, number[]>>();

/**
 * Keeps how a provider fares, where that is new. It never throws: a store that takes no changes now
 * keeps no one from being answered.
 */
export async function notifyOfProvider(
  { storage, clock }: Pick<ServiceContext, "storage" | "clock">,
  { org_id, id }: Pick<Provider, "org_id" | "id">,
  news: ProviderNews,
): Promise<void> {
  try {
    const now = clock.now();
    const known = await findProviderState(storage.reader, { org_id, id });
    const place = { org_id, id };
    if (!withNews(place, known, news, now)) return;
    const { refused: _, ...others } = news;
    const bounded = news.refused && !mayWrite(storage, `${org_id} ${id}`, now) ? others : news;
    await storage.commit(noteProvider, { ...bounded, ...place, now });
  } catch {
    // It is reported again at the next sign-in.
  }
}

/**
 * Limits the writes, since a person who may sign in at the provider can have it refuse without end.
 */
function mayWrite(storage: Storage, name: string, now: number): boolean {
  const all = writtenAt.get(storage) ?? new Map<string, number[]>();
  writtenAt.set(storage, all);
  const lately = (all.get(name) ?? []).filter((at) => at <= now && at > now - WITHIN_MS);
  if (lately.length >= MOST_NOTES) return false;
  all.set(name, [...lately, now]);
  return true;
}

/** A problem that did not occur for this long is not reported any more. */
const PROBLEM_MS = 7 * 24 * 60 * 60_000;

/** Whether a problem is one still: it was seen lately. */
export function isProblem(
  { problem, problem_since, problem_seen }: {
    problem: string | null;
    problem_since: string | null;
    problem_seen: string | null;
  },
  now: number,
): boolean {
  const seen = problem_seen ?? problem_since;
  return problem !== null && seen !== null && now - Date.parse(seen) < PROBLEM_MS;
}
