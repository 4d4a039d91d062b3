import { MOST_OF_NAME } from "../../../kernel/name-text.ts";
import type { Question } from "../../plans/catalogue/questions.contract.ts";
import { USE_CASE } from "../../plans/catalogue/questions.ts";
import { NAME } from "../access/sign-up-fields.ts";
import { type Html, html } from "./html.ts";
import type { Texts } from "./texts.ts";

/** The most characters of an answer. */
const MOST = { text: 1000, long_text: 2000, number: 31, choice: 200 };

/**
 * The text of a question. Keydesk's own ones are in the reader's language, an organisation's as
 * they were written.
 */
export function labelOf(t: Texts, { name, label }: Question): string {
  if (name === NAME) return t.say("account.name");
  return name === USE_CASE.name && label === USE_CASE.label ? t.say("ask.use_case") : label;
}

/** The error of an answer that does not fit its question. */
export function complaintOf(t: Texts, question: Question): string {
  return t.say(question.kind === "number" ? "ask.number" : "ask.choice", {
    label: labelOf(t, question),
  });
}

/** The field of a question, by the name `name` in its form; `said` is the answer so far. */
export function questionField(
  t: Texts,
  question: Question,
  { name, id = `f-${name}`, said }: { name: string; id?: string; said: string },
): Html {
  const { required } = question;
  return html`
    <label for="${id}">${labelOf(t, question)}${!required && html`
      <small>${t.say("field.optional")}</small>
    `}</label>
    ${inputOf(t, question, { name, id, said })}
  `;
}

function inputOf(
  t: Texts,
  { name: of, kind, choices, required }: Question,
  { name, id, said }: { name: string; id: string; said: string },
): Html {
  const must = required && html`
    required
  `;
  const most = of === NAME ? MOST_OF_NAME : MOST[kind];
  if (kind === "long_text") {
    return html`
      <textarea id="${id}" name="${name}" rows="2" maxlength="${most}"
        ${must}>${said}</textarea>
    `;
  }
  if (kind === "choice") {
    return html`
      <select id="${id}" name="${name}"
        ${must}><option value="">${required ? t.say("field.choose") : ""}</option>${choices.map((
          choice,
        ) =>
          html`<option ${
            choice === said && html`
              selected
            `
          }>${choice}</option>`
        )}</select>
    `;
  }
  const number = kind === "number" && html`
    inputmode="decimal" pattern="-?[0-9]+(\\.[0-9]+)?"
  `;
  return html`
    <input id="${id}" name="${name}" value="${said}" maxlength="${most}" ${must}
      ${number} ${of === NAME && html`
        autocomplete="name"
      `}>
  `;
}
