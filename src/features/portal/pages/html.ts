import { plainText } from "../../../kernel/plain-text.ts";

/** A text that is HTML already: only `html` makes one, and `trusted` of what a library made. */
export class Html {
  constructor(readonly text: string) {}
}

/** The values in a template. `false`, `null` and `undefined` leave nothing. */
type Part = Html | string | number | false | null | undefined | readonly Part[];

/**
 * HTML out of a template: whatever is put in is text, escaped for elements and for attributes in
 * double quotes, and without what does not show, unless `html` made it. So no page can forget to
 * escape what a person wrote.
 */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let text = strings[0] ?? "";
  parts.forEach((part, n) => text += written(part) + (strings[n + 1] ?? ""));
  return new Html(text);
}

/** HTML that a sanitising library made; no one else says so of a text. */
export function trusted(text: string): Html {
  return new Html(text);
}

function written(part: Part): string {
  if (part === false || part === null || part === undefined) return "";
  if (part instanceof Html) return part.text;
  if (typeof part === "object") return part.map(written).join("");
  return plainText(String(part)).replaceAll(/[&<>"']/g, (one) => ESCAPED[one] ?? "");
}

const ESCAPED: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
