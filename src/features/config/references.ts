import { Failure } from "../../kernel/failure.ts";

/** `${env:NAME}` and `${file:PATH}`, wherever a text has them. */
const REFERENCE = /\$\{((?:env|file):[^{}\n]{1,500})\}/g;

/** Whether a text is one reference and nothing else. */
const ALONE = /^\$\{(?:env|file):[^{}\n]{1,500}\}$/;

/** Whether a value has a reference in it. */
export function hasReference(value: unknown): boolean {
  if (typeof value === "string") return value.search(REFERENCE) >= 0;
  return typeof value === "object" && value !== null && Object.values(value).some(hasReference);
}

/** Whether a value is a reference and nothing else. */
export function isReference(value: unknown): boolean {
  return typeof value === "string" && ALONE.test(value);
}

/** The names of all references in a value, each once. */
export function referencesIn(value: unknown, found = new Set<string>()): ReadonlySet<string> {
  if (typeof value === "string") {
    for (const [, name = ""] of value.matchAll(REFERENCE)) found.add(name);
  } else if (typeof value === "object" && value !== null) {
    for (const one of Object.values(value)) referencesIn(one, found);
  }
  return found;
}

/** Characters that the references of one declaration may come to: a value may be named often. */
const MOST = 16 * 1024 * 1024;

/**
 * A value with the values of its references. Throws `invalid_input` for one without a value, and
 * for more text than a declaration may have.
 */
export function resolved(
  value: unknown,
  values: Readonly<Record<string, string>>,
  budget = { left: MOST },
): unknown {
  if (typeof value === "string") {
    return value.replaceAll(REFERENCE, (whole, name: string) => {
      const meant = Object.hasOwn(values, name) ? values[name] : undefined;
      if (meant === undefined) throw invalid(`references: there is no value for ${whole}`);
      budget.left -= meant.length;
      if (budget.left < 0) throw invalid("references: expected values of 16 MiB in all");
      return meant;
    });
  }
  if (Array.isArray(value)) return value.map((one) => resolved(one, values, budget));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, resolved(one, values, budget)]),
  );
}

function invalid(message: string): Failure {
  return new Failure("invalid_input", { message, details: [message] });
}
