/** Characters of a name, at the most. */
export const MOST_OF_NAME = 100;

/**
 * Control and format characters, and what separates lines or paragraphs: a name with one reads like
 * another, or like a text of ours. Joiners between two characters beyond ASCII are no such: some
 * scripts and emoji are written with them.
 */
const UNNAMEABLE =
  /[\p{Cc}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}|(?<![\u0080-\u{10ffff}])[\u200c\u200d]|[\u200c\u200d](?![\u0080-\u{10ffff}])/u;

/** Whether a text has none of what no name may hold. */
export function isNameable(text: string): boolean {
  return text.isWellFormed() && !UNNAMEABLE.test(text);
}

/**
 * The problem of a text as a new name, as a sentence's end; undefined: none. Names that came by the
 * older interface or an import need not fulfil it: they are cleaned when they are shown.
 */
export function problemOfName(text: string): string | undefined {
  if (text.length > MOST_OF_NAME) return `expected at most ${MOST_OF_NAME} characters`;
  return isNameable(text) ? undefined : HIDDEN;
}

/** The problem of a text with such characters. */
export const HIDDEN = "must not hold control or format characters";
