import { toTimestamp } from "../../../kernel/clock.ts";
import { defineTransaction } from "../../../storage/storage.ts";
import { findProvider } from "./identity.store.ts";
import type { SaidBy } from "./provider-refusal.ts";
import {
  findProviderState,
  type ProviderStateRow,
  putProviderState,
} from "./provider-states.store.ts";

/** The news of a provider's state; absent members stay as they were. */
export interface ProviderNews {
  /** Why a sign-in was refused, and who says so. */
  refused?: { readonly reason: string; readonly by: SaidBy };
  /** Its problem; null: none. */
  problem?: string | null;
  /** Whether it gave a refresh token. */
  refreshes?: boolean;
  /** It was tried, and works: no problem is left, and any later refusal counts. */
  works?: true;
}

/** An equal state is written again after so many milliseconds at the earliest. */
const AGAIN_MS = 60_000;
/** The words of a browser alone are written so often at the most. */
const BROWSER_MS = 10_000;
/** For so long it takes no place of what the provider itself said. */
const PROVIDER_FIRST_MS = 24 * 60 * 60_000;
/** How often it is written that a problem is still there. */
const SEEN_MS = 60 * 60_000;

/** Keeps how a provider fares; of one that is gone nothing. */
export const noteProvider = defineTransaction(
  "identity.note-provider",
  async (tx, input: ProviderNews & { org_id: string; id: string; now: number }): Promise<null> => {
    const { org_id, id, now, ...news } = input;
    if (!await findProvider(tx, { org_id, id })) return null;
    const known = await findProviderState(tx, { org_id, id });
    const row = withNews({ org_id, id }, known, news, now);
    if (row) await putProviderState(tx, row);
    return null;
  },
  { withoutRoom: true },
);

/** How a provider fares with what is new of it; undefined: all of it is known. */
export function withNews(
  place: { org_id: string; id: string },
  known: ProviderStateRow | undefined,
  news: ProviderNews,
  now: number,
): ProviderStateRow | undefined {
  const row = known ?? { ...place, ...NOTHING };
  const next = {
    ...row,
    ...refusalOf(row, news, now),
    ...problemOf(row, news.works ? { ...news, problem: null } : news, now),
    ...news.refreshes === undefined ? {} : { refreshes: news.refreshes ? "yes" : "no" },
  };
  const isSame = known !== undefined &&
    (Object.keys(NOTHING) as (keyof typeof NOTHING)[]).every((name) => next[name] === known[name]);
  return isSame ? undefined : next;
}

const NOTHING = {
  refused_at: null,
  refused: null,
  refused_by: null,
  problem_since: null,
  problem: null,
  problem_seen: null,
  refreshes: null,
};

function refusalOf(
  { refused, refused_at, refused_by }: ProviderStateRow,
  { refused: news, works }: ProviderNews,
  now: number,
): Partial<ProviderStateRow> {
  if (!news) return works ? { refused_by: null } : {};
  const { reason, by } = news;
  const ageMs = refused_at === null ? Infinity : now - Date.parse(refused_at);
  const restMs = refused_by === "provider"
    ? PROVIDER_FIRST_MS
    : refused_by === "browser"
    ? BROWSER_MS
    : 0;
  const isLater = by === "browser" && ageMs < restMs;
  if (isLater || refused === reason && refused_by === by && ageMs < AGAIN_MS) return {};
  return { refused: reason, refused_by: by, refused_at: toTimestamp(now) };
}

function problemOf(
  row: ProviderStateRow,
  { problem }: ProviderNews,
  now: number,
): Partial<ProviderStateRow> {
  if (problem === undefined) return {};
  if (problem === null) return { problem, problem_since: null, problem_seen: null };
  const at = toTimestamp(now);
  if (problem !== row.problem) return { problem, problem_since: at, problem_seen: at };
  const isLately = row.problem_seen !== null && now - Date.parse(row.problem_seen) < SEEN_MS;
  return isLately ? {} : { problem_seen: at };
}
