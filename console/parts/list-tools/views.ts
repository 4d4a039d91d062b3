import { useEffect } from "preact/hooks";
import type { z } from "zod";
import type { view } from "../../../src/features/people/views.operations.ts";
import { api, decisionKey } from "../../api/client.ts";
import { keep, kept } from "../../api/kept.ts";
import { queries, useQuery } from "../../api/queries.ts";
import { hasScope, known } from "../../api/session.ts";
import {
  createView,
  deleteView,
  listColumns,
  listViews,
  putColumns,
  updateView,
} from "../../api/view-endpoints.ts";
import { facts, knownOf, type ListName } from "./facts.ts";

/** A saved view. */
export type View = z.output<typeof view>;

/** The input of a view. */
export interface Draft {
  readonly name: string;
  readonly query: Record<string, string>;
  readonly shared: boolean;
}

const VIEWS = ["views"] as const;

/** Every view that one has, of all lists; within a scope there is none. */
export async function readViews(): Promise<readonly View[]> {
  return hasScope() ? [] : (await api.call(listViews, {})).data;
}

/** The views, kept and read again as other queries are; undefined: not known yet. */
export function useViews(): readonly View[] | undefined {
  return useQuery({ queryKey: VIEWS, queryFn: readViews, enabled: known() !== undefined }).data;
}

/** Saves a new view. */
export async function addView(list: ListName, draft: Draft): Promise<View> {
  const added = await api.call(createView, {
    body: { list, ...bodyOf(draft) },
    headers: decisionKey(),
  });
  await queries.invalidateQueries({ queryKey: VIEWS });
  return added;
}

/** Replaces a view, unless another person changed it meanwhile. */
export async function changeView(before: View, draft: Draft): Promise<View> {
  try {
    return await api.call(updateView, {
      params: { id: before.id },
      body: bodyOf(draft),
      headers: { "if-match": `"${before.revision}"` },
    });
  } finally {
    await queries.invalidateQueries({ queryKey: VIEWS });
  }
}

/** Deletes a view, as it was seen. */
export async function dropView({ id, revision }: View): Promise<void> {
  try {
    await api.call(deleteView, { params: { id }, headers: { "if-match": `"${revision}"` } });
  } finally {
    await queries.invalidateQueries({ queryKey: VIEWS });
  }
}

function bodyOf({ name, query, shared }: Draft) {
  return { name, query, shared };
}

/**
 * The address of a view, which one can send: what it filters by is in it, so that it lasts longer
 * than the view.
 */
export function hrefOfView({ id, list, query }: Pick<View, "id" | "list" | "query">): string {
  const name = list as ListName;
  const { known } = name in facts ? knownOf(name, query) : { known: query };
  return `${
    (facts[name] as { path: string } | undefined)?.path ?? `/${list}`
  }?${new URLSearchParams({ ...known, view: id })}`;
}

/** The list that a view is of, in words. */
export function titleOfList({ list }: Pick<View, "list">): string {
  return facts[list as ListName]?.title ?? list;
}

const COLUMNS = ["columns"] as const;

const placeOf = (list: ListName) => `keydesk.columns.${known()?.person.id ?? ""}.${list}`;

/**
 * The columns that one chose for a list, and how to choose others; null: the usual ones. The server
 * keeps them; what this browser remembers stands in until the server has said.
 */
export function useOwnColumns(
  list: ListName,
): [readonly string[] | null, (columns: readonly string[] | null) => Promise<void>] {
  const { data } = useQuery({
    queryKey: COLUMNS,
    queryFn: async () => (await api.call(listColumns, {})).data,
  });
  const own = data?.find((one) => one.list === list)?.columns ?? null;
  const text = own === null ? "" : own.join(" ");
  useEffect(() => {
    if (data) keep(placeOf(list), text);
  }, [data, list, text]);
  const remembered = kept(placeOf(list))?.split(" ").filter((word) => word !== "");
  const shown = data ? own : remembered && remembered.length > 0 ? remembered : null;
  const choose = async (columns: readonly string[] | null) => {
    const others = (data ?? []).filter((one) => one.list !== list);
    queries.setQueryData(
      COLUMNS,
      columns === null ? others : [...others, { list, columns: [...columns] }],
    );
    const body = { list, ...columns === null ? {} : { columns: [...columns] } };
    try {
      await api.call(putColumns, { body });
    } catch (error) {
      await queries.invalidateQueries({ queryKey: COLUMNS });
      throw error;
    }
  };
  return [shown, choose];
}
