import { LONGEST_CREDENTIAL_HEADER } from "../../kernel/input-limits.ts";

/**
 * The presented credential: a key or an OAuth token by itself, or a user name with its password.
 */
export interface Presented {
  /** The key, the token or the user name. */
  readonly name: string;
  readonly password: string | undefined;
}

/** No credential of ours is longer; a longer text is unknown before it is hashed. */
const LONGEST = 4096;

/** True for what may be one of our credentials; all else is unknown without a look anywhere. */
export function mayBeKey({ name, password }: Presented): boolean {
  return name !== "" && name.length <= LONGEST && (password?.length ?? 0) <= LONGEST;
}

/**
 * A visitor's credential out of the header that carries it: as it is, after `Bearer`, or user name
 * and password after `Basic` (RFC 7617, UTF-8). Undefined where there is none; what can't be read,
 * or is too long to be looked at, is a credential that no one knows.
 */
export function presentedIn(header: string | null): Presented | undefined {
  const text = header === null ? "" : header.trim();
  if (text === "") return undefined;
  if (text.length > LONGEST_CREDENTIAL_HEADER) return UNKNOWN;
  // Our keys hold no blank: without one, it is the key itself.
  const blank = text.search(/\s/);
  if (blank === -1) return { name: text, password: undefined };
  const scheme = text.slice(0, blank).toLowerCase();
  const rest = text.slice(blank).trim();
  if (scheme === "bearer") return { name: rest, password: undefined };
  if (scheme === "basic") return userAndPassword(rest);
  return { name: text, password: undefined };
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function userAndPassword(base64: string): Presented {
  try {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const text = utf8.decode(bytes);
    const colon = text.indexOf(":");
    if (colon !== -1) return { name: text.slice(0, colon), password: text.slice(colon + 1) };
  } catch {
    // Not Base64, or not UTF-8.
  }
  return UNKNOWN;
}

/** Whom no one knows. */
const UNKNOWN: Presented = { name: "", password: "" };
