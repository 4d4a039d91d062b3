import { z } from "zod";
import { text } from "./values.ts";

const BOUNDS = { error: "expected a number from 1 to 100" };

/** Query parameters of a list that goes on by cursor. */
export const pagingQuery = {
  limit: z.string().regex(/^\d{1,3}$/, BOUNDS).transform(Number)
    .refine((n) => n >= 1 && n <= 100, BOUNDS).optional()
    .meta({ description: "Items on a page, 1 to 100; 20 by default." }),
  cursor: z.string().max(1024).optional()
    .meta({ description: "`next_cursor` of the page before." }),
};

/** Items on a page where the query names no `limit`. */
export const DEFAULT_LIMIT = 20;

/** A page of a list; `next_cursor` null: there are no more. */
export function pageOf<T extends z.ZodType>(item: T) {
  return z.strictObject({ data: z.array(item), next_cursor: nullable(text) });
}

/** A page as services give it. */
export interface Page<T> {
  data: T[];
  next_cursor: string | null;
}

/** A value, or null where there is none. */
export function nullable<T extends z.ZodType>(schema: T) {
  return z.union([schema, z.null()]);
}
