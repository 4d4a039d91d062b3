import { toTimestamp } from "../kernel/clock.ts";

const DAY_MS = 86_400_000;
/** Days for which a `security.txt` is good; RFC 9116, 2.5.5 wants less than a year. */
const GOOD_DAYS = 180;

/** Texts that programs of anybody look for at paths of their own. */
export interface WellKnown {
  /** Where reports of holes go, none: no file says so. */
  readonly contacts: readonly string[];
  /** Where people reach the server. */
  readonly publicUrl: string | undefined;
  readonly nowMs: () => number;
}

/** The text at a path; undefined: there is none. */
export function wellKnownText(path: string, { contacts, publicUrl, nowMs }: WellKnown) {
  switch (path) {
    // No page here is for a search engine.
    case "/robots.txt":
      return "User-agent: *\nDisallow: /\n";
    case SECURITY:
      return contacts.length === 0 ? undefined : [
        ...contacts.map((contact) => `Contact: ${contact}`),
        `Expires: ${toTimestamp(dayOf(nowMs()) + GOOD_DAYS * DAY_MS)}`,
        ...publicUrl === undefined ? [] : [`Canonical: ${publicUrl}${SECURITY}`],
        "",
      ].join("\n");
    default:
      return undefined;
  }
}

const SECURITY = "/.well-known/security.txt";

/** The beginning of a day: within it the text is the same. */
function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS;
}
