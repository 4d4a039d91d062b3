import { Failure } from "../../kernel/failure.ts";

/** RFC 5321, 4.5.3.1.3: what fits into the path of a mail, without its angle brackets. */
const LONGEST = 254;

/**
 * Control and format characters (of zero width, of writing direction), blanks of every kind, and
 * what else shows as nothing: two addresses that differ by these alone look the same.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\uFFFC\u{1D159}]/u;

/**
 * What makes a new address unusable, as a sentence's end; undefined: nothing. Plain blanks at its
 * ends are left out of it.
 */
export function problemOfEmail(email: string): string | undefined {
  const bare = email.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, "");
  if (bare.length > LONGEST) return `expected at most ${LONGEST} characters`;
  return INVISIBLE.test(bare) ? "must not hold blanks or invisible characters" : undefined;
}

/** Throws `invalid_input` for what can't be anybody's address from now on. */
export function requireUsableEmail(email: string): void {
  const problem = /^[^\s@]+@[^\s@]+$/.test(email.trim())
    ? problemOfEmail(email)
    : "expected an e-mail address";
  if (problem === undefined) return;
  const message = `email: ${problem}`;
  throw new Failure("invalid_input", { message, details: [message] });
}
