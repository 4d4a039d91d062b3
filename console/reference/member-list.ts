import { type Document, followed, nameOf, type Schema } from "./document.ts";

/** A member of a body or an answer, or a parameter: what it may be. */
export interface Member {
  readonly name: string;
  readonly isRequired: boolean;
  /** The kind of value, in words. */
  readonly kind: string;
  /** Further limits, a short phrase for each: "at most 255 characters". */
  readonly limits: readonly string[];
  readonly description?: string;
  /** The parts of a value that has some. */
  readonly inside?: Schema;
}

/**
 * The members of a schema, one storey deep; none where it is a plain value. Of several forms all
 * members, once each.
 */
export function membersOf(document: Document, schema: Schema): Member[] {
  const whole = followed(document, schema);
  const known = Object.entries(whole.properties ?? {}).map(([name, member]) =>
    memberOf(document, name, member, whole.required?.includes(name) ?? false)
  );
  const more = whole.additionalProperties;
  if (typeof more === "object" && Object.keys(more).length > 0) {
    const names = whole.propertyNames ? limitsOf(whole.propertyNames) : [];
    const any = memberOf(document, "any name", more, false);
    known.push({ ...any, limits: [...names.map((one) => `name ${one}`), ...any.limits] });
  }
  for (const form of formsOf(whole)) {
    for (const member of membersOf(document, form)) {
      if (!known.some(({ name }) => name === member.name)) known.push(member);
    }
  }
  if (whole.items) known.push(...membersOf(document, whole.items));
  return known;
}

/** The line of one member. */
export function memberOf(
  document: Document,
  name: string,
  schema: Schema,
  isRequired: boolean,
): Member {
  const whole = followed(document, schema);
  const description = schema.description ?? whole.description;
  const hasMore = holdsMore(whole) ||
    formsOf(whole).some((one) => holdsMore(followed(document, one)));
  return {
    name,
    isRequired,
    kind: kindOf(document, schema),
    limits: limitsOf(whole),
    ...description === undefined ? {} : { description },
    ...hasMore ? { inside: schema } : {},
  };
}

/** Whether a schema holds others, in itself or in what it lists. */
function holdsMore({ properties, additionalProperties, items }: Schema): boolean {
  if (properties && Object.keys(properties).length > 0) return true;
  if (typeof additionalProperties === "object" && Object.keys(additionalProperties).length > 0) {
    return true;
  }
  return items !== undefined && (items.$ref !== undefined || holdsMore(items));
}

function formsOf({ anyOf, oneOf, allOf }: Schema): Schema[] {
  return [...anyOf ?? [], ...oneOf ?? [], ...allOf ?? []].filter(({ type }) => type !== "null");
}

/** The kind of value that a schema takes, in words: "text", "list of Plan", "integer or null". */
export function kindOf(document: Document, schema: Schema): string {
  const name = nameOf(schema);
  const whole = followed(document, schema);
  if (whole.anyOf ?? whole.oneOf) {
    const kinds = [...whole.anyOf ?? [], ...whole.oneOf ?? []].map((one) => kindOf(document, one));
    return [...new Set(kinds)].join(" or ");
  }
  if (whole.type === "array") return `list of ${kindOf(document, whole.items ?? {})}`;
  if (whole.const !== undefined) return JSON.stringify(whole.const);
  // "Not false" is true, and the other way round.
  if (whole.not?.const !== undefined) return String(whole.not.const !== true);
  if (whole.type === "object") return name ?? "object";
  if (whole.format === "binary") return "file";
  return whole.type === undefined ? name ?? "anything" : KINDS[whole.type] ?? whole.type;
}

const KINDS: Readonly<Record<string, string>> = { string: "text", boolean: "true or false" };

/** The limits of a value besides its kind, each as a short phrase. */
export function limitsOf(schema: Schema): string[] {
  const { enum: choices, format, pattern, items } = schema;
  const { minLength: from, maxLength: to, minItems, maxItems, minimum, maximum } = schema;
  return [
    ...choices ? [choices.map((one) => JSON.stringify(one)).join(", ")] : [],
    ...format && format !== "binary" ? [format] : [],
    ...between(from === 0 ? undefined : from, to, "characters"),
    // Beyond these an integer is no longer exact, which every integer's schema says.
    ...between(
      minimum === -Number.MAX_SAFE_INTEGER ? undefined : minimum,
      maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum,
      "",
    ),
    ...between(minItems, maxItems, "items"),
    ...items ? limitsOf(items).map((one) => `each ${one}`) : [],
    ...(schema.anyOf ?? []).flatMap((one) => limitsOf(one)),
    ...pattern ? [`matches ${pattern}`] : [],
    ...schema.default === undefined ? [] : [`${JSON.stringify(schema.default)} by default`],
    ...schema.deprecated ? ["deprecated"] : [],
    ...schema.writeOnly ? ["never shown"] : [],
    ...schema.readOnly ? ["set by Keydesk"] : [],
  ];
}

function between(from: number | undefined, to: number | undefined, what: string): string[] {
  const said = (words: string) => [what === "" ? words : `${words} ${what}`];
  if (from !== undefined && to !== undefined) {
    return said(from === to ? `exactly ${from}` : `${from} to ${to}`);
  }
  if (to !== undefined) return said(`at most ${to}`);
  return from === undefined ? [] : said(`at least ${from}`);
}
