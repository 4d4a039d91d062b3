import { z } from "zod";

/** A value, or null where there is none. */
export const nullable = <T extends z.ZodType>(schema: T) => z.union([schema, z.null()]);

const PAGE = "expected a number from 1 to 100";

/** Query parameters of every list under `/v1`. */
export const pageQuery = {
  limit: z.string().regex(/^\d{1,3}$/, { error: PAGE })
    .meta({ type: "integer", minimum: 1, maximum: 100 }).transform(Number)
    .refine((n) => n >= 1 && n <= 100, { error: PAGE }).optional()
    .meta({ description: "Items on a page, 1 to 100; 20 by default." }),
  cursor: z.string().max(2048).optional()
    .meta({ description: "`next_cursor` of the page before." }),
};

/** Which way a list is sorted by the member that `sort` names. */
export const direction = z.enum(["asc", "desc"], { error: "expected asc or desc" }).optional()
  .meta({ description: "Which way `sort` goes; `asc` by default." });

/** Header that refuses a change to what has changed since it was read. */
export const ifMatch = {
  "if-match": { description: "The `ETag` of what was read; 412 when it has changed since." },
} as const;

/** Headers of a list's page: where the next one is (RFC 8288). */
export const nextPageLink = {
  link: 'The address of the next page, with `rel="next"`; absent: this is the last one.',
} as const;

/** Headers of what carries a revision. */
export const entityTag = {
  etag: "The revision of what was read or left behind, for `If-Match`.",
} as const;

/** Headers of an answer that is a file to keep. */
export const attachment = {
  "content-disposition": "`attachment`, with the name of the file.",
} as const;
