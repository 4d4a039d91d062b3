import { shownLine } from "../../kernel/shown-text.ts";

/** Values that a template may name, by their placeholders' names. */
export type MailValues = Readonly<Record<string, string>>;

/** Our own words of one mail, in ICU's message format. */
export interface MailTexts {
  readonly subject: string;
  readonly text: string;
  readonly button?: string;
  readonly why: string;
}

/** Placeholders that a text names and nothing is known of. */
export type UnknownPlaceholders = Set<string>;

const PLACEHOLDER = /\{\{\s*([^{}]{0,100}?)\s*\}\}/g;

/**
 * A template with its values. Placeholders that are not known stay as they are, and are added to
 * `unknown`.
 */
export function filled(
  template: string,
  values: MailValues,
  unknown: UnknownPlaceholders,
): string {
  return template.replaceAll(PLACEHOLDER, (whole, name: string) => {
    if (Object.hasOwn(values, name)) return values[name] ?? "";
    unknown.add(whole);
    return whole;
  });
}

/**
 * A text for a header: one line of at most 200 characters, nothing in it that ends a line, and no
 * encoded word (RFC 2047, 2), which a mail program would show as what it stands for: `=?` is told
 * apart by a blank.
 */
export function oneLine(text: string): string {
  const line = shownLine(text).replaceAll("=?", "= ?");
  return [...line].slice(0, 200).join("");
}

/** A text as it stands in HTML, in an attribute too. */
export function escaped(text: string): string {
  return text.toWellFormed().replaceAll("&", "&amp;").replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;").replaceAll('"', "&quot;").replaceAll("'", "&#39;");
}
