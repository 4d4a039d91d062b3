import { Failure } from "../../../kernel/failure.ts";
import { requireNameable } from "../../developers/developer-names.ts";
import type { CatalogueConfig } from "../../plans/catalogue/live-catalogue.ts";
import type { Question } from "../../plans/catalogue/questions.contract.ts";
import { questionsIn } from "../../plans/catalogue/questions.ts";

/** The field of a developer's name. */
export const NAME = "name";

/** A form holds so many questions. */
const MOST_QUESTIONS = 50;

/**
 * The questions of sign-up: the name, then those of the configuration's `signup_fields`.
 */
export function signUpQuestions(configuration: string | undefined, strict: boolean): Question[] {
  // as: catalogue.transactions.ts writes a document of the contract.
  const { signup_fields = [] } = JSON.parse(configuration ?? "{}") as Partial<CatalogueConfig>;
  const others = questionsIn(signup_fields, strict)
    .filter(({ name }) => name.toLowerCase() !== NAME);
  const own: Question = { name: NAME, label: "Name", kind: "text", choices: [], required: true };
  return [own, ...others].slice(0, MOST_QUESTIONS);
}

/**
 * The fields that anyone who signs up fills in: `name`, and those of the configuration's
 * `signup_fields`, which are names or objects with one. Developers write these and no others: the
 * rest is the organisation's.
 */
export function signUpFieldsIn(configuration: string | undefined): string[] {
  // as: catalogue.transactions.ts writes a document of the contract.
  const { signup_fields = [] } = JSON.parse(configuration ?? "{}") as { signup_fields?: unknown };
  const listed = Array.isArray(signup_fields) ? signup_fields : [];
  const names = listed.map((field: unknown) => {
    if (typeof field === "string") return field.trim();
    return typeof field === "object" && field !== null && "name" in field &&
        typeof field.name === "string"
      ? field.name.trim()
      : "";
  });
  return [...new Set([NAME, ...names.filter((name) => name !== "")])];
}

/**
 * Throws `invalid_input` where a field is given that sign-up does not ask for, or a name that no
 * developer may have; `before`: what they had.
 */
export function requireSignUpFields(
  given: Readonly<Record<string, string>>,
  asked: readonly string[],
  before: Readonly<Record<string, unknown>> = {},
): void {
  requireNameable(given, before);
  const odd = Object.keys(given).filter((name) => !asked.includes(name));
  if (odd.length === 0) return;
  const details = odd.map((name) => `fields.${name}: expected one of ${asked.join(", ")}`);
  throw new Failure("invalid_input", { message: details[0] ?? "", details });
}
