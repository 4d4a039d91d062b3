import { questionOf } from "../../../kernel/question-words.ts";
import { Failure } from "../../../kernel/failure.ts";
import type { Question, QuestionInput } from "./questions.contract.ts";

/** Asked by an organisation that has stored no questions. */
export const USE_CASE: Question = {
  name: "use_case",
  label: "What will you use it for?",
  kind: "long_text",
  choices: [],
  required: false,
};

/** A portal's question: a bare name, or an object with one. */
type Stored = unknown;

/**
 * The questions of a stored list. A portal may have written names alone, of which it says nothing
 * more, so that they are required only where `strict`; or `{Name, Required}`. What is no question
 * is left out.
 */
export function questionsIn(stored: readonly Stored[], strict: boolean): Question[] {
  return stored.flatMap((field) => {
    const described = typeof field === "string" ? { name: field, required: strict } : field;
    if (typeof described !== "object" || described === null) return [];
    // as: any object has members by name, and each is looked at before it is used.
    const { name: own, Name, required, Required, label, kind, choices } = described as Record<
      string,
      unknown
    >;
    const name = own ?? Name;
    if (typeof name !== "string" || name === "") return [];
    const texts = Array.isArray(choices) ? choices.filter((one) => typeof one === "string") : [];
    return {
      name,
      label: typeof label === "string" && label !== "" ? label : questionOf(name),
      ...kind === "choice" && texts.length > 0
        ? { kind, choices: texts }
        : { kind: kind === "text" || kind === "number" ? kind : "long_text", choices: [] },
      required: (required ?? Required) === true,
    };
  });
}

/**
 * The stored list of these questions. Of a question that was stored everything stays that the input
 * does not name, also what a portal knows of it and Keydesk does not.
 */
export function storedQuestions(
  wanted: readonly QuestionInput[],
  before: readonly Stored[],
  strict: boolean,
): Stored[] {
  return wanted.map((one) => {
    const stored = before.find((field) => questionsIn([field], strict)[0]?.name === one.name);
    return storedQuestion(one, stored, strict);
  });
}

function storedQuestion(
  { name, label, kind, choices, required }: QuestionInput,
  before: Stored,
  strict: boolean,
): Stored {
  const [known] = questionsIn([before], strict);
  const changes = {
    ...label === undefined || label === (known?.label ?? questionOf(name)) ? {} : { label },
    ...kind === undefined || kind === (known?.kind ?? "long_text") ? {} : { kind },
    ...choices === undefined || isSame(choices, known?.choices ?? []) ? {} : { choices },
  };
  if (known?.required === required && Object.keys(changes).length === 0) return before;
  const kept = typeof before === "object" && before !== null ? before : { name };
  return { ...kept, ["Required" in kept ? "Required" : "required"]: required, ...changes };
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((one, at) => one === others[at]);
}

/**
 * The answers that do not fit their questions, each with the expected kind. An answer of
 * blanks is none.
 */
export function wrongAnswers(
  questions: readonly Question[],
  answers: Readonly<Record<string, string>>,
): { question: Question; problem: string }[] {
  return questions.flatMap((question) => {
    const answer = Object.hasOwn(answers, question.name) ? answers[question.name] : undefined;
    const problem = problemOf(question, answer?.trim() ?? "");
    return problem === undefined ? [] : [{ question, problem }];
  });
}

/** Throws `invalid_input` for answers that don't fit their questions. */
export function requireFitting(
  questions: readonly Question[],
  answers: Readonly<Record<string, string>>,
): void {
  const details = wrongAnswers(questions, answers).map(({ question: { name }, problem }) =>
    `fields.${name}: ${problem}`
  );
  if (details.length > 0) throw new Failure("invalid_input", { message: details[0], details });
}

function problemOf({ kind, choices }: Question, answer: string): string | undefined {
  if (answer === "") return undefined;
  if (kind === "number" && !/^-?\d{1,15}(\.\d{1,15})?$/.test(answer)) return "expected a number";
  if (kind === "choice" && !choices.includes(answer)) {
    return `expected one of ${choices.join(", ")}`;
  }
  return undefined;
}
