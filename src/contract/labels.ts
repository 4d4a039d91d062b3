import { z } from "zod";
import { MOST_TAGS } from "../kernel/input-limits.ts";
import { text } from "./values.ts";
import { HIDDEN, isNameable, MOST_OF_NAME } from "../kernel/name-text.ts";

/** Control characters, line and paragraph separators, and what turns a text's direction round. */
const UNSHOWABLE = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

const isWhole = (text: string) => text.isWellFormed();
const HALF = { error: "must not hold half a surrogate pair" };

/** A text of one line, shown to people as it is written. */
export const line = (most: number) =>
  z.string().trim().max(most).refine((text) => !UNSHOWABLE.test(text), {
    error: "must not hold control characters",
  }).refine(isWhole, HALF);

/** A name that people read: the one rule for what pages, console and `/v1` take. */
export const nameText = (most = MOST_OF_NAME) =>
  z.string().trim().max(most).refine(isNameable, { error: HIDDEN });

/** Words under which something is filed: up to 10, each of up to 50 characters. */
export const tags = z.array(
  z.string().trim().min(1).max(50).regex(/^[^\p{Cc}]*$/u, {
    error: "must not hold control characters",
  }).refine(isWhole, HALF),
).max(MOST_TAGS);

/** The name and labels of a key. */
export const keyLabels = {
  name: nameText().meta({ description: "Its name, up to 100 characters." }),
  environment: line(50).meta({
    description: "The environment, such as production or test, up to 50 characters.",
  }),
  note: z.string().trim().max(2000).refine(
    (text) => !/[\p{Cc}]/u.test(text.replace(/[\n\r\t]/g, "")),
    {
      error: "must not hold control characters other than line breaks and tabs",
    },
  ).refine(isWhole, HALF).meta({
    description: "For administrators, up to 2,000 characters; no developer sees it.",
  }),
  tags: tags.meta({ description: "Up to 10 words, each of up to 50 characters." }),
};

/** The labels of a key as it is shown. */
export const labelsView = {
  name: text.meta({ description: "Its display name; empty: none was given." }),
  environment: text.meta({ description: "The environment, such as production; may be empty." }),
  note: text.meta({
    description:
      "For administrators, and never for developers; empty for callers with neither `approve` nor `admin`.",
  }),
  tags: z.array(text),
};

/** All labels, as they are replaced: one that is not said is emptied. */
export const replacedLabels = {
  name: keyLabels.name.default(""),
  environment: keyLabels.environment.default(""),
  note: keyLabels.note.default(""),
  tags: keyLabels.tags.default([]),
};

/** The labels, all optional. */
export const someKeyLabels = {
  name: keyLabels.name.optional(),
  environment: keyLabels.environment.optional(),
  note: keyLabels.note.optional(),
  tags: keyLabels.tags.optional(),
};
