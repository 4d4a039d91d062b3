import { z } from "zod";
import { nullable } from "./v1.ts";
import { text } from "./values.ts";

/** A page of a list; `next_cursor` null: there are no more. */
export function pageOf<T extends z.ZodType>(item: T) {
  return z.strictObject({ data: z.array(item), next_cursor: nullable(text) });
}

/** A page as services give it. */
export interface Page<T> {
  data: T[];
  next_cursor: string | null;
}
