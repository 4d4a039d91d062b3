import type { Question } from "../../src/features/plans/catalogue/questions.contract.ts";
import { say } from "../said.ts";
import { CloseButton, LinkButton } from "./button.tsx";
import { CheckField, TextField } from "./fields.tsx";
import { Unfit } from "./form-problems.ts";

export type { Question };

const kinds: readonly { value: Question["kind"]; text: string }[] = [
  { value: "text", text: "One line" },
  { value: "long_text", text: "Several lines" },
  { value: "number", text: "A number" },
  { value: "choice", text: "One of several" },
];

const NEW: Question = { name: "", label: "", kind: "text", choices: [], required: false };
const MOST_OF_NAME = 100;

/** Questions, each a line that is changed and removed; more of them can be added. */
export function QuestionLines({ legend, add = "Add a question", questions, error, onChange }: {
  legend: string;
  /** The text of the button that adds one; each list of a form has its own. */
  add?: string;
  questions: readonly Question[];
  error: string | undefined;
  onChange: (questions: Question[]) => void;
}) {
  return (
    <fieldset class="lines">
      <legend class="field-label">{legend}</legend>
      {questions.map((question, at) => (
        <QuestionLine
          key={at}
          question={question}
          number={at + 1}
          onChange={(part) =>
            onChange(questions.map((one, index) => index === at ? { ...one, ...part } : one))}
          onRemove={() => onChange(questions.filter((_, index) => index !== at))}
        />
      ))}
      <LinkButton onClick={() => onChange([...questions, NEW])}>{add}</LinkButton>
      {error && <p class="field-error" role="alert">{error}</p>}
    </fieldset>
  );
}

function QuestionLine({ question, number, onChange, onRemove }: {
  question: Question;
  number: number;
  onChange: (part: Partial<Question>) => void;
  onRemove: () => void;
}) {
  const { label, kind, choices, required } = question;
  return (
    <div class="question">
      <div class="line is-question">
        <input
          class="input"
          aria-label={`Question ${number}`}
          value={label}
          maxLength={200}
          onInput={(event) => onChange({ label: event.currentTarget.value })}
        />
        <select
          class="input"
          aria-label={`Answer to question ${number}`}
          value={kind}
          onChange={(event) =>
            onChange({
              kind: kinds.find(({ value }) => value === event.currentTarget.value)?.value,
            })}
        >
          {kinds.map(({ value, text }) => <option key={value} value={value}>{text}</option>)}
        </select>
        <CheckField
          label="must"
          checked={required}
          onChange={(checked) => onChange({ required: checked })}
        />
        <CloseButton label={say`Remove ${label || `question ${number}`}`} onClick={onRemove} />
      </div>
      {kind === "choice" && (
        <TextField
          label={`Choices of question ${number}, one on a line`}
          rows={3}
          value={choices.join("\n")}
          onInput={(text) => onChange({ choices: text.split("\n") })}
        />
      )}
    </div>
  );
}

/**
 * Questions as they are sent, without empty lines; a new one gets the name of its answers from its
 * text. Throws at `place` for one that is twice, and for a choice without choices.
 */
export function askedOf(questions: readonly Question[], place: string): Question[] {
  const asked = questions.map((one) => ({ ...one, label: one.label.trim() }))
    .filter(({ label }) => label !== "");
  if (new Set(asked.map(({ label }) => label)).size < asked.length) {
    throw new Unfit({ [place]: "Two questions are the same." });
  }
  const names = new Set(asked.map(({ name }) => name));
  return asked.map(({ name, label, kind, choices, required }) => {
    const lines = choices.map((choice) => choice.trim()).filter((choice) => choice !== "");
    const chosen = kind === "choice" ? [...new Set(lines)] : [];
    if (kind === "choice" && chosen.length === 0) {
      throw new Unfit({ [place]: say`“${label}” has no choices.` });
    }
    return { name: name || nameFor(label, names), label, kind, choices: chosen, required };
  });
}

/** "What is it for?" as the name of answers: "what_is_it_for", or with a number behind it. */
function nameFor(label: string, taken: Set<string>): string {
  const words = label.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ["question"];
  const base = words.join("_").slice(0, MOST_OF_NAME - 3);
  let name = base;
  for (let n = 2; taken.has(name); n++) name = `${base}_${n}`;
  taken.add(name);
  return name;
}
