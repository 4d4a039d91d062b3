import { presentName } from "../../contract/former-names.ts";
import { plainLine } from "../../kernel/plain-text.ts";

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

/** A stored template whose placeholders have their present names. */
export function withPresentNames(template: string): string {
  return template.replaceAll(PLACEHOLDER, (whole, name: string) => {
    const present = presentName("mails", name);
    return present === undefined ? whole : `{{${present}}}`;
  });
}

/**
 * A text for a header: one line of at most 200 characters, nothing in it that ends a line, and no
 * encoded word (RFC 2047, 2), which a mail program would decode: a blank goes between `=` and `?`.
 */
export function oneLine(text: string): string {
  const line = plainLine(text).replaceAll("=?", "= ?");
  return [...line].slice(0, 200).join("");
}

/** Characters of a name in a mail. */
const MOST_OF_NAME = 60;

/** A name that another person wrote: one line, cut, and no web address that programs link. */
export function nameInMail(text: string): string {
  const whole = [...plainLine(text).replaceAll(/:\/\/+/g, ":")];
  return whole.length <= MOST_OF_NAME
    ? whole.join("")
    : `${whole.slice(0, MOST_OF_NAME - 1).join("")}…`;
}

/** The name in quotation marks, if a stranger wrote it: no part of our own sentence. */
export function quotedName(text: string, language = "en"): string {
  const name = nameInMail(text);
  if (name === "") return "";
  return language.startsWith("de") ? `„${name}“` : `“${name}”`;
}

/** A text as it is in HTML, in an attribute too. */
export function escaped(text: string): string {
  return text.toWellFormed().replaceAll("&", "&amp;").replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;").replaceAll('"', "&quot;").replaceAll("'", "&#39;");
}
