import type { z } from "zod";

/** Which names a JSON value may hold, level by level. */
export interface KnownNames {
  /** The members that an object lists, each with what holds inside it. */
  readonly members: ReadonlyMap<string, KnownNames | undefined>;
  /** True: an object may have others too. */
  readonly isOpen: boolean;
  /** What holds for each item of an array, and each entry of a map. */
  readonly inside: KnownNames | undefined;
}

/**
 * The names that a schema lists, at every depth; undefined where it lists none. Of several alternatives each gives its
 * own. Made once for each schema.
 */
export function knownNamesOf(schema: z.core.$ZodType): KnownNames | undefined {
  if (cache.has(schema)) return cache.get(schema);
  const names: KnownNames = { ...FREE };
  // A schema that holds itself finds this while it is made.
  cache.set(schema, names);
  const read = namesIn(schema);
  cache.set(schema, read && Object.assign(names, read));
  return read && names;
}

/** Any names at all. */
const FREE: KnownNames = { members: new Map(), isOpen: true, inside: undefined };
const cache = new WeakMap<z.core.$ZodType, KnownNames | undefined>();

function namesIn(schema: z.core.$ZodType): KnownNames | undefined {
  // as: every schema of the contract is one of zod's own.
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "object": {
      const members = new Map(
        Object.entries(def.shape).map(([name, member]) => [name, knownNamesOf(member)]),
      );
      const isOpen = def.catchall !== undefined && def.catchall._zod.def.type !== "never";
      return { members, isOpen, inside: undefined };
    }
    case "array":
      return { ...FREE, inside: knownNamesOf(def.element) };
    case "record":
      return recordNames(def);
    case "unknown":
    case "any":
      return FREE;
    case "optional":
    case "nullable":
    case "default":
    case "prefault":
    case "nonoptional":
    case "readonly":
    case "catch":
      return knownNamesOf(def.innerType);
    case "pipe":
      return knownNamesOf(def.in);
    case "lazy":
      return knownNamesOf(def.getter());
    case "union":
      return def.options.map(knownNamesOf).reduce(either, undefined);
    default:
      return undefined;
  }
}

/** A map whose names are an enum lists those. */
function recordNames({ keyType, valueType }: z.core.$ZodRecordDef): KnownNames {
  const inside = knownNamesOf(valueType);
  // as: every schema of the contract is one of zod's own.
  const { def } = (keyType as z.core.$ZodTypes)._zod;
  if (def.type !== "enum") return { ...FREE, inside };
  const members = new Map(Object.values(def.entries).map((name) => [String(name), inside]));
  return { members, isOpen: false, inside: undefined };
}

function either(a: KnownNames | undefined, b: KnownNames | undefined): KnownNames | undefined {
  if (!a || !b) return a ?? b;
  const members = new Map(a.members);
  for (const [name, names] of b.members) members.set(name, either(members.get(name), names));
  return { members, isOpen: a.isOpen || b.isOpen, inside: either(a.inside, b.inside) };
}
