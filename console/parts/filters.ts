import { useLocation, useSearch } from "wouter-preact";

/**
 * The query of the address as texts, and how to change it: "" takes a parameter away. Filters live
 * nowhere else, so that reloading, back and a link that is passed on show the same. Each change is
 * a place in the history, which Back undoes; `isTyped`: it changes the place where one is, so that
 * Back does not go letter by letter.
 *
 *     const [filters, setFilters] = useFilters(["state", "q"]);
 *     setFilters({ q: "ada" }, true);
 */
export function useFilters<Name extends string>(
  names: readonly Name[],
): [
  Readonly<Record<Name, string>>,
  (changes: Partial<Record<Name, string>>, isTyped?: boolean) => void,
] {
  const search = useSearch();
  const [path, navigate] = useLocation();
  const query = new URLSearchParams(search);
  // as: the loop fills each of the names.
  const filters = Object.fromEntries(names.map((name) => [name, query.get(name) ?? ""])) as Record<
    Name,
    string
  >;
  const change = (changes: Partial<Record<Name, string>>, isTyped = false) => {
    const next = new URLSearchParams(location.search);
    const before = next.toString();
    for (const [name, value] of Object.entries<string | undefined>(changes)) {
      if (value) next.set(name, value);
      else next.delete(name);
    }
    const text = next.toString();
    navigate(text === "" ? path : `${path}?${text}`, { replace: isTyped || text === before });
  };
  return [filters, change];
}

/** The address's value of each filter, for a query. */
export function saidOf<Name extends string>(
  filters: Readonly<Record<Name, string>>,
  ...names: Name[]
): { [One in Name]?: string } {
  // as: each stands by its name.
  return Object.fromEntries(names.map((name) => [name, filters[name] || undefined])) as {
    [One in Name]?: string;
  };
}
