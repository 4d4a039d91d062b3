/** RFC 5321, 4.5.3.1.3: what fits into the path of a mail, without its angle brackets. */
const LONGEST = 254;

/**
 * The problem of a text as the address of a mail, as a sentence's end; undefined: none. It accepts
 * an address without a name, quotation marks or comments, which can't be read as two.
 */
export function problemOfAddress(text: string): string | undefined {
  if (text === "") return "there is none";
  if (text.length > LONGEST || !text.isWellFormed()) return "it is none";
  // Whatever separates addresses or headers, ends a command, or shows as nothing.
  if (/[\s\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}<>()[\]\\,;:"]/u.test(text)) {
    return "it is none";
  }
  return /^[^@]{1,64}@[^@.]+(\.[^@.]+)*$/u.test(text) ? undefined : "it is none";
}
