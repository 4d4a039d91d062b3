import { z } from "zod";
import { text, withoutControls } from "../../../contract/values.ts";

/** The kinds of answers: one line, several lines, a decimal number, one of `choices`. */
const kinds = ["text", "long_text", "number", "choice"] as const;

/** A question to developers, at sign-up or with a key request. */
export const question = z.strictObject({
  name: text.meta({ description: "The name of the answer in `fields`." }),
  label: text.meta({
    description: "The text of the question; the name in words where none is stored.",
  }),
  kind: z.enum(kinds).meta({
    description:
      "The kind of answer: one line, several lines, a decimal number, or one of `choices`.",
  }),
  choices: z.array(text).meta({ description: "Empty for the other kinds." }),
  required: z.boolean(),
}).meta({ id: "Question" });

/** A question, with the text that its form shows. */
export type Question = z.output<typeof question>;

const oneLine = (most: number) => withoutControls(z.string().trim().min(1).max(most));

const questionInput = z.object({
  name: oneLine(100),
  label: oneLine(200).optional().meta({ description: "Absent: the name in words." }),
  kind: z.enum(kinds, { error: `expected ${kinds.join(", ")}` }).optional().meta({
    description: "Absent: that of the stored question of this name, else `long_text`.",
  }),
  choices: z.array(oneLine(200)).max(50).optional(),
  required: z.boolean(),
}).refine(({ kind, choices = [] }) => (kind === "choice") === (choices.length > 0), {
  error: "expected choices for the kind choice, and for no other",
  path: ["choices"],
}).refine(({ choices = [] }) => new Set(choices).size === choices.length, {
  error: "expected each choice once",
  path: ["choices"],
});

/** Questions as a body has them. */
export const questionsInput = z.array(questionInput).max(50).refine(
  (questions) => new Set(questions.map(({ name }) => name)).size === questions.length,
  { error: "expected each name once" },
);

/** A question as a body has it. */
export type QuestionInput = z.output<typeof questionInput>;
