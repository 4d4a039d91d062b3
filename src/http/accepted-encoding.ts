import { LONGEST_HEADER } from "../kernel/input-limits.ts";

/**
 * The first of these encodings that an `Accept-Encoding` header takes by name (RFC 9110, 12.5.3); undefined: none, and
 * what is sent as it is always fits. A header that is too long to be an honest one counts as absent.
 */
export function acceptedEncoding<Encoding extends string>(
  header: string | null,
  encodings: readonly Encoding[],
): Encoding | undefined {
  if (header === null || header.length > LONGEST_HEADER) return undefined;
  const taken = header.toLowerCase().split(",").flatMap(takenOf);
  return encodings.find((encoding) => taken.includes(encoding));
}

/** The encoding's name, unless its weight is zero. */
function takenOf(item: string): string[] {
  const [name = "", ...parameters] = item.split(";").map((part) => part.trim());
  return parameters.some((parameter) => REFUSED.test(parameter)) ? [] : [name];
}

const REFUSED = /^q\s*=\s*0+(\.0*)?$/;
