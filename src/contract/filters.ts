/**
 * Filters of lists, each declared once: the query of the list and of its export, the selection of a
 * job, the options of its command and the words of the console are made of the declaration. How the
 * store serves a filter stands beside the list. Pure, so that the console may read it.
 */

/** What a filter takes: how its text is checked, and what people may write for it. */
type Takes =
  /** An id; people may write what it is found by: a plan's name, a developer's e-mail address. */
  | { readonly takes: "plan" | "developer" }
  | { readonly takes: "text"; readonly most: number }
  /** An RFC 3339 time; a command also takes a day, and days such as 90d before now. */
  | { readonly takes: "time" }
  /** `true` or `false`. */
  | { readonly takes: "yes" }
  | { readonly takes: "choice"; readonly of: readonly string[] };

/** One filter of a list. */
export type Filter = Takes & {
  /** What it leaves, as the OpenAPI document tells it. */
  readonly description: string;
  /** Flags and help of the command's option; absent: the command does not have it. */
  readonly option?: readonly [flags: string, help: string];
  /** What it says of a selection, with `{}` for its value; where it takes `yes`, for both. */
  readonly words: string | { readonly true: string; readonly false: string };
};

/** The filters of one list by their names, in the order of its documentation. */
export type Filters = Readonly<Record<string, Filter>>;

/** What a query says of each filter. */
export type FilterValues<F extends Filters> = {
  -readonly [Name in keyof F]?:
    | (F[Name] extends { takes: "yes" } ? boolean
      : F[Name] extends { takes: "choice"; of: readonly (infer One)[] } ? One
      : string)
    | undefined;
};

/** What texts by the names of filters say; others are passed over. Texts are not checked. */
export function valuesOf<F extends Filters>(
  filters: F,
  texts: Readonly<Record<string, unknown>>,
): FilterValues<F> {
  const said = Object.keys(filters).flatMap((name) => {
    const text = texts[name];
    if (text === undefined || text === "") return [];
    return [[name, filters[name]?.takes === "yes" ? text === "true" : text]];
  });
  // as: each name has what its filter takes.
  return Object.fromEntries(said) as FilterValues<F>;
}

/**
 * What of a query is told as it stands, since it is one of few words, and what somebody typed; for
 * the audit trail.
 */
export function toldOf(
  filters: Filters,
  query: Readonly<Record<string, unknown>>,
): { told: Record<string, unknown>; typed: Record<string, string | undefined> } {
  const told: Record<string, unknown> = {};
  const typed: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(query)) {
    const takes = filters[name]?.takes ?? "choice";
    if (takes === "choice" || takes === "yes") told[name] = value;
    else typed[name] = value === undefined ? undefined : String(value);
  }
  return { told, typed };
}
