import { z } from "zod";

/** A JSON object. */
export type Json = Record<string, unknown>;

/** Turns Zod schemas into JSON Schema; those with an id become components and are referred to. */
export class SchemaCollector {
  readonly #components: Record<string, Json> = {};

  /** The schema, as a reference where it has an id. */
  of(schema: z.ZodType): Json {
    // as: a JSON Schema is a JSON object.
    const { $schema: _, $defs, ...rest } = z.toJSONSchema(schema, {
      io: "input",
      unrepresentable: "any",
      reused: "inline",
      override: ({ jsonSchema }) => {
        sayDefault(jsonSchema);
        sayPattern(jsonSchema);
        sayOneBoolean(jsonSchema);
      },
    }) as Json & { $defs?: Record<string, Json> };
    for (const [name, definition] of Object.entries($defs ?? {})) {
      this.#components[name] = withoutId(rewriteReferences(definition));
    }
    const { id } = rest;
    if (typeof id !== "string") return rewriteReferences(rest);
    this.#components[id] = withoutId(rewriteReferences(rest));
    return { $ref: `#/components/schemas/${id}` };
  }

  /** Every schema with an id so far, by name. */
  all(): Record<string, Json> {
    return Object.fromEntries(
      Object.entries(this.#components).sort(([a], [b]) => a < b ? -1 : 1),
    );
  }
}

function withoutId({ id: _, ...rest }: Json): Json {
  return rest;
}

/**
 * Generators write the default of an object or a time as code that does not compile. An object's is
 * that of its members; a time's is described in words.
 */
function sayDefault(schema: { default?: unknown; format?: string; description?: string }): void {
  const { default: value, description } = schema;
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  const isTime = schema.format === "date-time" && value !== undefined;
  if (isObject || isTime) delete schema.default;
  if (isTime) {
    schema.description = [...description ? [description] : [], `Absent: ${value}.`].join(" ");
  }
}

/**
 * A time or a day is described by its format: Go's clients refuse every time that has a pattern
 * beside it. Control characters are written as numbers, since few tools read Unicode's properties.
 */
function sayPattern(schema: { pattern?: string; format?: string }): void {
  if (schema.format === "date-time" || schema.format === "date") delete schema.pattern;
  if (schema.pattern === undefined) return;
  schema.pattern = schema.pattern.replaceAll("\\p{Cc}", "\\x00-\\x1f\\x7f-\\x9f");
}

/**
 * A boolean that is always the same: generators of Java write `const` of a boolean as code that
 * does not compile.
 */
function sayOneBoolean(schema: { const?: unknown; not?: unknown }): void {
  if (typeof schema.const !== "boolean") return;
  schema.not = { const: !schema.const };
  delete schema.const;
}

function rewriteReferences(value: Json): Json {
  return JSON.parse(
    JSON.stringify(value, withoutOddBounds).replaceAll('"#/$defs/', '"#/components/schemas/'),
  );
}

/** An integer's bounds by its type are not the interface's, and tools make examples of them. */
function withoutOddBounds(name: string, value: unknown): unknown {
  const isBound = name === "minimum" || name === "maximum";
  return isBound && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER ? undefined : value;
}
