const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Whether arrays and objects stand deeper in each other than `levels` in a text, which need be no JSON. It makes
 * nothing, so that it costs far less than building them only to refuse them.
 */
export function isNestedDeeper(text: string, levels: number): boolean {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (inText) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) inText = false;
    } else if (code === QUOTE) {
      inText = true;
    } else if ((code | 0x20) === 0x7b) {
      // `[` and `{` differ in one bit, as `]` and `}` do.
      if (++depth > levels) return true;
    } else if ((code | 0x20) === 0x7d) {
      depth--;
    }
  }
  return false;
}
