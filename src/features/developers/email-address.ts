import { Failure } from "../../kernel/failure.ts";
import { problemOfAddress } from "../../kernel/mail-address.ts";

/** RFC 5321, 4.5.3.1.3: what fits into the path of a mail, without its angle brackets. */
const LONGEST = 254;

/**
 * Control and format characters (of zero width, of writing direction), blanks of every kind, and
 * what else shows as nothing: two addresses that differ by these alone look the same.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\uFFFC\u{1D159}]/u;

/**
 * The hidden or overlong part of an address, as a sentence's end; undefined: none. Plain blanks at
 * its ends are left out of it.
 */
export function hiddenInEmail(email: string): string | undefined {
  const bare = bareEmail(email);
  if (bare.length > LONGEST) return `expected at most ${LONGEST} characters`;
  return INVISIBLE.test(bare) ? "must not hold blanks or invisible characters" : undefined;
}

/**
 * The problem of a new address, likewise: the one rule for every input. It accepts an address that
 * a mail can be sent to, without a name, brackets or quotation marks.
 */
export function problemOfEmail(email: string): string | undefined {
  const isOne = problemOfAddress(bareEmail(email)) === undefined;
  return hiddenInEmail(email) ?? (isOne ? undefined : "expected an e-mail address");
}

/** Throws `invalid_input` for what can't be anybody's address from now on. */
export function requireUsableEmail(email: string): void {
  const problem = problemOfEmail(email);
  if (problem === undefined) return;
  const message = `email: ${problem}`;
  throw new Failure("invalid_input", { message, details: [message] });
}

function bareEmail(email: string): string {
  return email.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, "");
}
