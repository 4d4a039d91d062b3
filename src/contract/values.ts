import { z } from "zod";
import { parseTimestamp } from "../kernel/timestamps.ts";

/** Free text. */
export const text = z.string();

// deno-lint-ignore no-control-regex -- refusing control characters is the point
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** The text schema that refuses control characters. */
export function withoutControls(schema: z.ZodString): z.ZodString {
  return schema.refine((value) => !CONTROL.test(value), {
    error: "must not hold control characters",
  });
}

/** An id as a client may send it: 1–255 characters without control characters. */
export const id = withoutControls(z.string().min(1).max(255));

/** An id, or the empty text where there is none. */
export const idOrEmpty = withoutControls(z.string().max(255));

/**
 * Ids in one parameter of a query, with commas between them; a repeated one counts once. `longest`:
 * characters of one.
 */
export function idsWithCommas(most: number, longest = 255) {
  return withoutControls(z.string())
    .transform((all) => [...new Set(all.split(",").filter((one) => one !== ""))])
    .pipe(z.array(z.string().max(longest)).min(1).max(most))
    .meta({ pattern: `^[^,]+(,[^,]+){0,${most - 1}}$` });
}

/** An RFC 3339 time; another offset than `Z` is turned into `Z`. */
export const timestamp = z.string()
  .refine((value) => parseTimestamp(value) !== undefined, {
    error: "expected an RFC 3339 time such as 2026-01-31T09:00:00Z",
  })
  .overwrite((value) => parseTimestamp(value)?.text ?? value)
  .meta({ format: "date-time" });

/** A domain of e-mail addresses, in lower case. */
export const MAIL_DOMAIN =
  /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/;

/** An integer that both JSON and the engines can give back. */
export const integer = z.int();

/** Member of the query of each call that answers with a CSV file. */
export const bom = z.enum(["true", "false"], { error: "expected true or false" })
  .transform((value) => value === "true").optional().meta({
    description:
      "`true`: a CSV file begins with a byte-order mark, by which spreadsheets know that it is UTF-8. Other formats have none.",
  });

/** Any JSON value. */
export const json = z.unknown().meta({ id: "Json" });

/** A JSON object of free form. */
export const freeForm = z.record(z.string(), json);

/** Members of a record: each with its schema and the value that is where a client sent none. */
type Members = Record<string, readonly [schema: z.ZodType, absent: unknown]>;

type InputShape<M extends Members> = { [K in keyof M]: z.ZodDefault<M[K][0]> };
type OutputShape<M extends Members> = { [K in keyof M]: M[K][0] };

/**
 * A record of the interface, declared once in the order of its table: `input` fills absent members
 * and drops unknown ones, `output` wants every member and no other. The open editions keep unknown
 * members as they came.
 */
export function record<M extends Members>(members: M): {
  input: z.ZodObject<InputShape<M>>;
  output: z.ZodObject<OutputShape<M>, z.core.$strict>;
  openInput: z.ZodObject<InputShape<M>, z.core.$loose>;
  openOutput: z.ZodObject<OutputShape<M>, z.core.$loose>;
} {
  const input: Record<string, z.ZodType> = {};
  const output: Record<string, z.ZodType> = {};
  for (const [name, [schema, absent]] of Object.entries(members)) {
    // as: anyone who declares a record pairs each schema with a value of it.
    input[name] = schema.default(absent as never);
    output[name] = schema;
  }
  // as: the loop builds exactly the shapes that the types describe.
  return {
    input: z.object(input as InputShape<M>),
    output: z.strictObject(output as OutputShape<M>),
    openInput: z.looseObject(input as InputShape<M>),
    openOutput: z.looseObject(output as OutputShape<M>),
  };
}
