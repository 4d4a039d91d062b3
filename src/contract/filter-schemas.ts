import { z } from "zod";
import {
  type Filter,
  type Filters,
  type FilterValues,
  type Selecting,
  selecting,
} from "./filters.ts";
import { tags } from "./labels.ts";
import { id, text, timestamp, withoutControls } from "./values.ts";

/** The members of a query that filters are, in their order. */
export function filterSchemas<F extends Filters>(
  filters: F,
): { [Name in keyof F]: z.ZodOptional<z.ZodType<NonNullable<FilterValues<F>[Name]>, string>> } {
  const schemas = Object.entries(filters).map(([name, filter]) => [
    name,
    schemaOf(filter).optional().meta({ ...boundsOf(filter), description: filter.description }),
  ]);
  // as: each name has the schema of what its filter takes.
  return Object.fromEntries(schemas);
}

/**
 * The members of a job's selection over these lists: texts, checked as in the first list that has
 * the filter. `only`: replaces the description of a list's filters.
 */
export function selectionSchemas<L extends Readonly<Record<string, Filters>>>(
  lists: L,
  only: { readonly [Of in keyof L]?: string },
): Record<
  { [Of in keyof L]: Extract<Selecting<L[Of]>, string> }[keyof L],
  z.ZodOptional<z.ZodType<string, string>>
> {
  const members: Record<string, z.ZodType> = {};
  for (const [of, filters] of Object.entries(lists)) {
    for (const [name, filter] of selecting(filters)) {
      const { words = {}, description } = filter;
      const schema = filter.takes === "yes"
        ? oneOf(["true", "false"])
        : filter.takes === "choice" && typeof words !== "string"
        ? oneOf(filter.of.filter((one) => one in words))
        : schemaOf(filter);
      members[name] ??= schema.optional().meta({ description: only[of] ?? description });
    }
  }
  // as: each name has the schema of its filter.
  return members as never;
}

/** The bounds of what the list itself checks. */
function boundsOf(filter: Filter) {
  return filter.takes === "search" ? { minLength: filter.least, maxLength: filter.most } : {};
}

const oneOf = (words: readonly string[]) =>
  z.enum(words, { error: `expected ${words.join(" or ")}` });

function schemaOf(filter: Filter) {
  switch (filter.takes) {
    case "plan":
    case "developer":
    case "id":
      return id;
    case "tag":
      return tags.element;
    case "text": {
      const line = z.string().trim().min(1).max(filter.most);
      return filter.isLine ? withoutControls(line) : line;
    }
    case "whole":
      return text.max(filter.most);
    case "search":
      return text;
    case "time":
      return timestamp;
    case "days":
      return days(filter.most);
    case "yes":
      return oneOf(["true", "false"]).transform((said) => said === "true");
    case "choice":
      return oneOf(filter.of);
  }
}

function days(most: number) {
  const error = `expected a number of days from 0 to ${most}`;
  return text.regex(new RegExp(`^\\d{1,${String(most).length}}$`), { error })
    .meta({ type: "integer", minimum: 0, maximum: most }).transform(Number)
    .refine((number) => number <= most, { error });
}
