import type { PagedList } from "../api/paged-list.ts";

/** Lists that were left, by where they stood, the newest last. */
const kept = new Map<string, PagedList<unknown>>();

/** The way back is short. */
const KEPT = 4;

let isBack = false;
globalThis.addEventListener?.("popstate", () => isBack = true);
// The router's own event: whoever follows a link comes to a fresh list.
globalThis.addEventListener?.("pushState", () => isBack = false);

/** The address of a screen and its filters: `/keys?state=active`, without the open row. */
export function placeOf({ pathname, search }: Pick<Location, "pathname" | "search">): string {
  return pathname.split("/").slice(0, 3).join("/") + search;
}

/** The list that was left at a place, for whoever comes back to it by the browser's own way. */
export function takeKept<Row>(place: string): PagedList<Row> | undefined {
  if (!isBack) return undefined;
  // as: one place shows one kind of rows.
  return kept.get(place) as PagedList<Row> | undefined;
}

/** Keeps a list that is left. */
export function keep<Row>(place: string, list: PagedList<Row>): void {
  kept.delete(place);
  // as: what is taken out is of the same place.
  kept.set(place, list as PagedList<unknown>);
  for (const oldest of kept.keys()) if (kept.size > KEPT) kept.delete(oldest);
}

/** Forgets all, before another person uses the page. */
export function forgetLists(): void {
  kept.clear();
}
