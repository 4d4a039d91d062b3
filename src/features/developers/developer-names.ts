import type { EventNames } from "../../changes/event-names.ts";
import { Failure } from "../../kernel/failure.ts";
import { problemOfName } from "../../kernel/name-text.ts";
import type { Developer } from "./developer.ts";
import { ends } from "./developer-text.ts";

/**
 * Throws `invalid_input` for fields that give a new name which no developer may have; `before`: the
 * fields that they had, whose names stay whatever they are.
 */
export function requireNameable(
  fields: Readonly<Record<string, unknown>>,
  before: Readonly<Record<string, unknown>> = {},
): void {
  for (const [key, value] of Object.entries(fields)) {
    if (!NAME_FIELD.test(key) || typeof value !== "string") continue;
    const isKept = Object.hasOwn(before, key) && before[key] === value;
    const problem = isKept ? undefined : problemOfName(value.trim());
    if (problem === undefined) continue;
    const message = `fields.${key}: ${problem}`;
    throw new Failure("invalid_input", { message, details: [message] });
  }
}

/** The fields in which portals keep a developer's name. */
const NAME_FIELD = /^((full|first|last)[ _-]?)?name$/i;

/** The names of a developer in the audit log; undefined: unknown. */
export function namesOfDeveloper(
  developer: Pick<Developer, "email" | "fields"> | undefined,
): EventNames | undefined {
  if (!developer) return undefined;
  const { name } = developer.fields;
  return { developer: typeof name === "string" ? name : undefined, email: developer.email };
}

/**
 * The names in the stored text, without parsing all of it: a developer's keys may be thousands.
 */
export function namesInText(document: string): EventNames | undefined {
  // as: the store wrote this object.
  const found = ends(document) ?? JSON.parse(document) as Partial<Developer>;
  return namesOfDeveloper({ email: found.email ?? "", fields: found.fields ?? {} });
}

/** The name that a developer gave; "": none. */
export function nameOfDeveloper(document: string): string {
  return namesInText(document)?.developer ?? "";
}

/** The name of a developer for people: their name, else their address; "": neither. */
export function calledDeveloper(names: EventNames | undefined): string {
  return names?.developer?.trim() || names?.email || "";
}
