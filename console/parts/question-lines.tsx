import { say } from "../said.ts";
import { CloseButton, LinkButton } from "./button.tsx";
import { CheckField } from "./fields.tsx";
import { Unfit } from "./form-problems.ts";

/** A question to a developer, and whether it must be answered. */
export interface Question {
  name: string;
  required: boolean;
}

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
      {questions.map((question, at) => {
        const change = (part: Partial<Question>) =>
          onChange(questions.map((one, index) => index === at ? { ...one, ...part } : one));
        return (
          <div key={at} class="line is-question">
            <input
              class="input"
              aria-label={`Question ${at + 1}`}
              value={question.name}
              maxLength={100}
              onInput={(event) => change({ name: event.currentTarget.value })}
            />
            <CheckField
              label="must"
              checked={question.required}
              onChange={(required) => change({ required })}
            />
            <CloseButton
              label={say`Remove ${question.name || `question ${at + 1}`}`}
              onClick={() => onChange(questions.filter((_, index) => index !== at))}
            />
          </div>
        );
      })}
      <LinkButton onClick={() => onChange([...questions, { name: "", required: false }])}>
        {add}
      </LinkButton>
      {error && <p class="field-error" role="alert">{error}</p>}
    </fieldset>
  );
}

/** Questions as they are sent, without empty lines. Throws at `place` for one that is twice. */
export function askedOf(questions: readonly Question[], place: string): Question[] {
  const asked = questions.filter(({ name }) => name.trim() !== "")
    .map(({ name, required }) => ({ name: name.trim(), required }));
  if (new Set(asked.map(({ name }) => name)).size < asked.length) {
    throw new Unfit({ [place]: "Two questions have the same name." });
  }
  return asked;
}
