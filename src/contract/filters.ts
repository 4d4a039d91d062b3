/**
 * Filters of lists, each declared once: the query of the list and of its export, the selection of a
 * job, the options of its command and the words of the console are made of the declaration. How the
 * store serves a filter is beside the list. Pure, so that the console may read it.
 */

/**
 * The kind of a filter's value: how its text is checked, and the names that people may write for
 * it.
 */
type Takes =
  /** An id; people may write what it is found by: a plan's name, a developer's e-mail address. */
  | { readonly takes: "plan" | "developer" | "id" | "tag" }
  /** Trimmed and not empty; `isLine`: without control characters. */
  | { readonly takes: "text"; readonly most: number; readonly isLine?: true }
  /** As it is written, and the empty text too. */
  | { readonly takes: "whole"; readonly most: number }
  /** A text that the list itself checks, since it converts it first. */
  | { readonly takes: "search"; readonly least: number; readonly most: number }
  /** An RFC 3339 time; a command also takes a day, and days such as 90d before now. */
  | { readonly takes: "time" }
  | { readonly takes: "days"; readonly most: number }
  /** `true` or `false`. */
  | { readonly takes: "yes" }
  /** One of few words; of one alone, its option takes no value. */
  | { readonly takes: "choice"; readonly of: readonly string[] };

/** One filter of a list. */
export type Filter = Takes & {
  /** The effect of the filter, for the OpenAPI document. */
  readonly description: string;
  /** Flags and help of the command's option; absent: the command does not have it. */
  readonly option?: readonly [flags: string, help: string];
  /**
   * Its words in a job's selection, with `{}` for its value, or by its values, of which a choice
   * then takes no other there; `else`: of any other. Absent: no job is selected by it.
   */
  readonly words?: string | Readonly<Record<string, string>>;
};

/** The filters of one list by their names, in the order of its documentation. */
export type Filters = Readonly<Record<string, Filter>>;

/** The values of the filters in a query. */
export type FilterValues<F extends Filters> = {
  -readonly [Name in keyof F]?:
    | (F[Name] extends { takes: "yes" } ? boolean
      : F[Name] extends { takes: "days" } ? number
      : F[Name] extends { takes: "choice"; of: readonly (infer One)[] } ? One
      : string)
    | undefined;
};

/** The names of those that select for a job. */
export type Selecting<F extends Filters> = {
  [Name in keyof F]: F[Name] extends { words: unknown } ? Name : never;
}[keyof F];

/** Those that select for a job, with their names. */
export function selecting(filters: Filters): [name: string, filter: Filter][] {
  return Object.entries(filters).filter(([, { words }]) => words !== undefined);
}

/** The values of texts by the names of filters; other names are ignored. Texts are not checked. */
export function valuesOf<F extends Filters>(
  filters: F,
  texts: Readonly<Record<string, unknown>>,
): FilterValues<F> {
  const said = Object.entries(filters).flatMap(([name, { takes }]) => {
    const text = texts[name];
    if (text === undefined || (text === "" && takes !== "whole")) return [];
    return [[name, takes === "yes" ? text === "true" : takes === "days" ? Number(text) : text]];
  });
  // as: each name has what its filter takes.
  return Object.fromEntries(said) as FilterValues<F>;
}

/**
 * Splits a query for the audit log: `told` holds values that can only be a word, a number or a
 * time; `typed` holds free text.
 */
export function detailOf(
  filters: Filters,
  query: Readonly<Record<string, unknown>>,
): { detail: Record<string, unknown>; typed: Record<string, string | undefined> } {
  const detail: Record<string, unknown> = {};
  const typed: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(query)) {
    const takes = filters[name]?.takes ?? "choice";
    if (LOGGED.has(takes)) detail[name] = value;
    else typed[name] = value === undefined ? undefined : String(value);
  }
  return { detail, typed };
}

const LOGGED: ReadonlySet<Filter["takes"]> = new Set(["choice", "yes", "time", "days"]);
