import type { z } from "zod";

/**
 * Takes members that are `null` out of a JSON value, in place, where the schema lists them: there `null` counts as
 * absent. An entry of a map to objects of free form becomes `{}`, since its name says something by itself: that a plan
 * opens this API. What the schema does not list, or leaves free, stays as it came.
 */
export function dropKnownNulls(schema: z.core.$ZodType, value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  // as: every schema of the contract is one of zod's own.
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "default":
    case "optional":
      return dropKnownNulls(def.innerType, value);
    case "array":
      for (const item of Array.isArray(value) ? value : []) dropKnownNulls(def.element, item);
      return;
    case "object":
      return dropIn(value, Object.entries(def.shape));
    case "record":
      emptyFreeForms(value, def.valueType);
      return dropIn(value, Object.keys(value).map((name) => [name, def.valueType]));
  }
}

function emptyFreeForms(value: object, entry: z.core.$ZodType): void {
  const { def } = (entry as z.core.$ZodTypes)._zod;
  if (def.type !== "record" || !isFree(def.valueType)) return;
  // as: JSON.parse makes plain objects and arrays only.
  const object = value as Record<string, unknown>;
  for (const name of Object.keys(object)) object[name] ??= {};
}

function dropIn(value: object, members: readonly (readonly [string, z.core.$ZodType])[]): void {
  // as: JSON.parse makes plain objects and arrays only.
  const object = value as Record<string, unknown>;
  for (const [name, schema] of members) {
    if (object[name] === null && !isFree(schema)) delete object[name];
    else dropKnownNulls(schema, object[name]);
  }
}

function isFree(schema: z.core.$ZodType): boolean {
  return (schema as z.core.$ZodTypes)._zod.def.type === "unknown";
}
