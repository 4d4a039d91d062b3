import { allows, type Permission } from "../../contract/permissions.ts";
import { revisionOf } from "../../kernel/entity-tag.ts";
import { filtersOfRow, type List, listOfRow, lists } from "../../contract/view-lists.ts";
import type { StoredRow } from "../../storage/schema.ts";

/** The input of a view. */
export interface ViewInput {
  name: string;
  /** Filters, search and order by the names that the console's address has for them. */
  query: Record<string, string>;
  shared: boolean;
}

/** A view as stored, with the name of its maker; null where no one has that id any more. */
export type ViewRow = Omit<StoredRow<"views">, "org_id" | "columns"> & {
  owner_name: string | null;
};

/** Whom a view is shown to. */
interface Viewer {
  readonly user_id: string;
  readonly permissions: readonly Permission[];
}

/** Own views of a person, at the most. */
export const MOST_OWN = 100;
/** Shared views of an organisation, at the most. */
export const MOST_SHARED = 100;

/** Whether a person sees this view at all: their own and shared ones, of lists they may read. */
export function isFor({ user_id, permissions }: Viewer, view: ViewRow): boolean {
  const list = listOfRow(view.list);
  return list !== undefined && allows(permissions, lists[list]) &&
    (view.shared === 1 || view.owner === user_id);
}

/** Whether a person may share views with the whole organisation, and change shared ones. */
export function mayShare({ permissions }: Pick<Viewer, "permissions">): boolean {
  return allows(permissions, "admin");
}

/** A view as anyone who looks sees it. */
export function toView(view: ViewRow, viewer: Viewer) {
  const { id, name, owner, owner_name, created_at, changed_at } = view;
  const shared = view.shared === 1;
  // as: isFor lets known lists through alone.
  const list = listOfRow(view.list) as List;
  return {
    id,
    list,
    name,
    // as: the contract's record was stored.
    query: filtersOfRow(list, JSON.parse(view.query) as Record<string, string>),
    shared,
    owner,
    owner_name: owner_name ?? "",
    mine: owner === viewer.user_id,
    may_change: shared ? mayShare(viewer) : owner === viewer.user_id,
    date_created: created_at,
    date_changed: changed_at,
    revision: viewRevision(view),
  };
}

/** A view as shown. */
export type View = ReturnType<typeof toView>;

/** The revision of what is stored, the same for everybody. */
export function viewRevision({ name, query, shared, changed_at }: ViewRow): string {
  return revisionOf([name, query, shared, changed_at]);
}
