/** Values that a template may name, by their placeholders' names. */
export type MailValues = Readonly<Record<string, string>>;

/** Placeholders that a text names and nothing is known of. */
export type UnknownPlaceholders = Set<string>;

const PLACEHOLDER = /\{\{\s*([^{}]{0,100}?)\s*\}\}/g;

/** A template with its values. Placeholders that are not known stay as they are, and are added to `unknown`. */
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

/** A text for a header: one line of at most 200 characters, and nothing in it that ends a line. */
export function oneLine(text: string): string {
  const line = text.toWellFormed().replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ").trim();
  return [...line].slice(0, 200).join("");
}

/** A text as it stands in HTML, in an attribute too. */
export function escaped(text: string): string {
  return text.toWellFormed().replaceAll("&", "&amp;").replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;").replaceAll('"', "&quot;").replaceAll("'", "&#39;");
}
