/*
 * Cleans text by others so that it may be shown beside other texts. Names come in by the older
 * interface and by imports as they are, so this is done when they are shown; terminals get U+FFFD
 * instead (cli/table.ts).
 */

/**
 * Characters that turn the direction of the text beside them (bidirectional controls), or are
 * invisible: two names would look alike. Joiners between two characters beyond ASCII stay: some
 * scripts and emoji are written with them.
 */
const UNSHOWN =
  /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|(?<![\u0080-\u{10ffff}])[\u200c\u200d]|[\u200c\u200d](?![\u0080-\u{10ffff}])/gu;

/** The text without what does not show; line breaks and tabs stay, other controls become blanks. */
export function plainText(text: string): string {
  return PLAIN.test(text)
    ? text
    : text.toWellFormed().replaceAll(UNSHOWN, "").replaceAll(/[^\P{Cc}\n\r\t]/gu, " ");
}

/** The cleaned text as one line. */
export function plainLine(text: string): string {
  return plainText(text).replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ").trim();
}

/** Nothing to do, as mostly: looked for first, since lists of any length go this way. */
const PLAIN = /^[\t\n\r -~]*$/;
