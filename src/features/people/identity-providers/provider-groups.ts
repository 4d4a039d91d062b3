import type { ProviderTerms } from "./identity-provider.ts";

type Claims = Readonly<Record<string, unknown>>;

/**
 * The form of a groups claim: none, no claim, some alone, or names; `other`: its form, in the place
 * of the one that is set.
 */
export type GroupsAnswer = "missing" | "empty" | "incomplete" | "named" | {
  readonly other: string;
};

/** A person's groups as a provider names them; `names` null: some of them are not named. */
interface ReadGroups {
  names: string[] | null;
  answered: GroupsAnswer;
}

/** Groups that are looked at. */
const MOST_GROUPS = 500;

/** The groups of these claims, in the form that is set and no other. */
export function groupsIn(claims: Claims, terms: ProviderTerms): ReadGroups {
  // Elsewhere there are more than a token holds (OpenID Connect Core 1.0, 5.6.2).
  if (isDistributed(claims, terms)) return { names: null, answered: "incomplete" };
  const value = valueOf(claims, terms);
  if (value === undefined || value === null) return { names: [], answered: "missing" };
  const read = inForm(value, terms);
  if (read === undefined) return { names: [], answered: { other: formOf(value) } };
  if (read.length > MOST_GROUPS) return { names: null, answered: "incomplete" };
  const names = read.map((name) => terms.groups_drop_slash ? name.replace(/^\//, "") : name)
    .filter((name) => name !== "");
  return { names, answered: names.length === 0 ? "empty" : "named" };
}

/** Whether these claims say nothing at all of groups. */
export function areGroupsMissing(claims: Claims, terms: ProviderTerms): boolean {
  return !isDistributed(claims, terms) && (valueOf(claims, terms) ?? null) === null;
}

function isDistributed(claims: Claims, { groups_claim }: ProviderTerms): boolean {
  const names = claims._claim_names;
  return isObject(names) && Object.hasOwn(names, groups_claim);
}

function valueOf(claims: Claims, { groups_claim, groups_path }: ProviderTerms): unknown {
  let value: unknown = claims;
  for (const member of [groups_claim, ...groups_path]) {
    // An own member: what every object has is no claim.
    if (!isObject(value) || !Object.hasOwn(value, member)) return undefined;
    value = value[member];
  }
  return value;
}

function isObject(value: unknown): value is Claims {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The texts of a claim in this form; undefined: it is of another. */
function inForm(
  value: unknown,
  { groups_form, groups_separator }: ProviderTerms,
): string[] | undefined {
  switch (groups_form) {
    case "list":
      return textsOf(typeof value === "string" ? [value] : value);
    case "separated":
      if (typeof value !== "string") return undefined;
      return value.split(groups_separator).map((one) => one.trim()).filter((one) => one !== "");
    case "objects":
      if (!Array.isArray(value)) return undefined;
      return textsOf(value.map((one: unknown) => isObject(one) ? one.name : undefined));
    case "keys":
      return isObject(value) ? Object.keys(value) : undefined;
  }
}

function textsOf(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const texts = value.filter((one): one is string => typeof one === "string");
  return texts.length === value.length ? texts.filter((one) => one !== "") : undefined;
}

function formOf(value: unknown): string {
  if (typeof value === "string") return "one text";
  if (!Array.isArray(value)) return typeof value === "object" ? "an object" : `a ${typeof value}`;
  const of: unknown = value.find((one) => typeof one !== "string");
  return of === undefined ? "a list of texts" : `a list with ${formOf(of)}`;
}
