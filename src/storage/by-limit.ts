import type { Statement } from "./statement.ts";

/**
 * One statement for each number of rows, made when first asked for. The number stands in the statement as a
 * literal: SQLite plans a statement anew at every run when its limit is bound.
 */
export function byLimit<P extends object, R>(
  make: (limit: number) => Statement<P, R>,
): (limit: number) => Statement<P, R> {
  const made = new Map<number, Statement<P, R>>();
  return (limit) => {
    const known = made.get(limit) ?? make(limit);
    made.set(limit, known);
    return known;
  };
}
