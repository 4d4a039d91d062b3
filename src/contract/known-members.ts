import { z } from "zod";

/**
 * What Keydesk knows of a member by its name: what it knows of the members in it, true for all that stands there,
 * undefined for a member that is not ours.
 */
export type Known = (name: string) => Known | true | undefined;

/** What a record's schema knows of its members, and of the records in it. */
export function knownMembers(record: z.ZodObject): Known {
  const known = new Map<string, Known | true>();
  for (const [name, schema] of Object.entries(record.shape)) {
    const inner = withoutDefault(schema);
    known.set(name, inner instanceof z.ZodObject ? knownMembers(inner) : true);
  }
  return (name) => known.get(name);
}

function withoutDefault(schema: unknown): unknown {
  return schema instanceof z.ZodDefault || schema instanceof z.ZodOptional
    ? withoutDefault(schema.unwrap())
    : schema;
}
