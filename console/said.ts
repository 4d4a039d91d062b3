import { plainText } from "../src/kernel/plain-text.ts";

/**
 * A sentence with texts in it that others wrote, such as names: none of them turns the rest of it
 * round, whatever it holds. Of names without letters from right to left, and without what does not
 * show, it is the plain template.
 */
export function say(words: TemplateStringsArray, ...put: readonly unknown[]): string {
  return words.reduce((said, part, at) => said + isolated(String(put[at - 1])) + part);
}

/** Several such texts in one line. */
export function listed(texts: readonly unknown[], between = ", "): string {
  return texts.map((text) => isolated(String(text))).join(between);
}

/**
 * The text as it may stand beside others, without what does not show; what `say` and `listed` made
 * stays as it is.
 */
export function isolated(text: string): string {
  const shown = isWhole(text) ? text : plainText(text);
  return FROM_RIGHT.test(shown) ? FIRST_STRONG + shown + POP : shown;
}

/**
 * Whether a text begins from the right somewhere, or holds a sign that turns what stands behind it.
 */
export function turns(text: string): boolean {
  return FROM_RIGHT.test(text) || TURNING.test(text);
}

const FIRST_STRONG = "\u2068";
const POP = "\u2069";

/** The blocks of scripts that are written from right to left. */
const FROM_RIGHT =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

const TURNING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/**
 * Whether nothing in it turns what stands behind it: every isolate ends, and there is no other sign
 * that turns.
 */
function isWhole(text: string): boolean {
  let open = 0;
  for (const sign of text.match(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g) ?? []) {
    if (sign !== FIRST_STRONG && sign !== POP) return false;
    open += sign === FIRST_STRONG ? 1 : -1;
    if (open < 0) return false;
  }
  return open === 0 && text.includes(POP);
}
