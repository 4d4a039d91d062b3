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

/** A value with the values of its references. Throws `invalid_input` for one without a value. */
export function resolved(value: unknown, values: Readonly<Record<string, string>>): unknown {
  if (typeof value === "string") {
    return value.replaceAll(REFERENCE, (whole, name: string) => {
      const meant = Object.hasOwn(values, name) ? values[name] : undefined;
      if (meant !== undefined) return meant;
      const message = `references: there is no value for ${whole}`;
      throw new Failure("invalid_input", { message, details: [message] });
    });
  }
  if (Array.isArray(value)) return value.map((one) => resolved(one, values));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, resolved(one, values)]),
  );
}
