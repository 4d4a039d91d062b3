import { z } from "zod";
import type { Filter, Filters, FilterValues } from "./filters.ts";
import { id, timestamp } from "./values.ts";

/** The members of a query that filters are, in their order. */
export function filterSchemas<F extends Filters>(
  filters: F,
): { [Name in keyof F]: z.ZodOptional<z.ZodType<NonNullable<FilterValues<F>[Name]>, string>> } {
  const schemas = Object.entries(filters).map(([name, filter]) => [
    name,
    schemaOf(filter).optional().meta({ description: filter.description }),
  ]);
  // as: each name has the schema of what its filter takes.
  return Object.fromEntries(schemas);
}

function schemaOf(filter: Filter) {
  switch (filter.takes) {
    case "plan":
    case "developer":
      return id;
    case "text":
      return z.string().trim().min(1).max(filter.most);
    case "time":
      return timestamp;
    case "yes":
      return z.enum(["true", "false"]).transform((said) => said === "true");
    case "choice":
      return z.enum(filter.of, { error: `expected ${filter.of.join(" or ")}` });
  }
}
