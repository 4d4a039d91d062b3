/** The form of a declaration: what a file says of an organisation. */
import { z } from "zod";
import { describeIssues } from "../../http/call.ts";
import { knownNamesOf, refusalOf, sayMember, unknownMembersIn } from "../../http/unknown-names.ts";
import { Failure } from "../../kernel/failure.ts";
import { everyKind } from "./every-kind.ts";
import type { Kind, Members } from "./kind.ts";
import { isReference, resolved } from "./references.ts";

/** Things of one kind, at the most. */
export const MOST = 20_000;

/** The version of the form. */
const VERSION = 1;

function withoutDefault(schema: z.core.$ZodType): z.ZodType {
  // as: every schema of the contract is one of zod's own.
  const one = schema as z.ZodType;
  if (one instanceof z.ZodDefault || one instanceof z.ZodOptional) {
    return withoutDefault(one.unwrap());
  }
  return one;
}

/** A kind's schema, all of whose members may be left out but those that name the thing. */
function looseOf({ schema, needs = [] }: Kind): z.ZodObject {
  const shape = Object.fromEntries(
    Object.entries(schema.shape).map(([name, member]) => {
      const described = z.globalRegistry.get(member as z.ZodType)?.description;
      const bare = withoutDefault(member);
      const one = needs.includes(name) ? bare : bare.optional();
      return [name, described === undefined ? one : one.meta({ description: described })];
    }),
  );
  return new z.ZodObject({ ...schema.def, shape });
}

/** A whole declaration. What it leaves out it says nothing of. */
export const declaration = z.strictObject({
  $schema: z.string().max(2000).optional().meta({ description: "For editors." }),
  version: z.literal(VERSION, { error: `expected ${VERSION}` }).optional()
    .meta({ description: "The version of this form." }),
  ...Object.fromEntries(everyKind.map((kind) => {
    const one = looseOf(kind);
    return [kind.name, kind.single ? one.optional() : z.array(one).max(MOST).optional()];
  })),
}).meta({
  title: "Keydesk organisation",
  description:
    "What an organisation of Keydesk is to be: plans, APIs, policies, channels and the rest, by their names. Members that are left out stay as they are.",
});

/** One thing as a declaration says it. */
export interface Declared {
  readonly kind: Kind;
  /** Its members, each reference replaced by its value. */
  readonly members: Members;
  /** As it was written. */
  readonly written: Members;
  /** Its place in its list. */
  readonly index: number;
}

/**
 * The things that a declaration names, in the order in which they are made. `values`: what its
 * references are. Throws `invalid_input`, with the place of each mistake.
 */
export function readDeclaration(
  written: Members,
  values: Readonly<Record<string, string>>,
): Declared[] {
  const unknown = knownNamesOf(declaration);
  const slips = unknown ? unknownMembersIn(written, unknown) : [];
  if (slips.length > 0) throw refusalOf(slips, (slip) => sayMember(slip, []));
  requireReferences(written);
  const read = declaration.safeParse(resolved(written, values));
  if (!read.success) {
    const details = describeIssues(read.error.issues);
    throw new Failure("invalid_input", { message: details[0] ?? "", details });
  }
  // as: the schema has a member of every kind.
  const parsed = read.data as Members;
  return everyKind.flatMap((kind) => {
    const all = itemsOf(parsed, kind);
    const asWritten = itemsOf(written, kind);
    return all.map((members, index) => ({ kind, members, written: asWritten[index] ?? {}, index }));
  });
}

function itemsOf(declared: Members, { name, single }: Kind): Members[] {
  const value = declared[name];
  if (value === undefined) return [];
  // as: the schema says that it is an object, or a list of them.
  return single ? [value as Members] : value as Members[];
}

/** Throws `invalid_input` for a secret in plain text: files are kept where many can read them. */
function requireReferences(written: Members): void {
  for (const kind of everyKind) {
    for (const [at, item] of Object.entries(written[kind.name] ?? {})) {
      for (const secret of kind.secrets ?? []) {
        const value = typeof item === "object" && item !== null ? item[secret] : undefined;
        if (value === undefined || value === null || isReference(value)) continue;
        const message =
          `${kind.name}[${at}].${secret}: expected a reference such as \${env:NAME} or \${file:PATH}, and no secret itself`;
        throw new Failure("invalid_input", { message, details: [message] });
      }
    }
  }
}

let schema: string | undefined;

/** The JSON Schema of a declaration, for editors, as text. It is made once: anybody may read it. */
export function declarationSchema(): string {
  return schema ??= JSON.stringify(
    z.toJSONSchema(declaration, { io: "input", unrepresentable: "any" }),
  );
}
