import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { certificateFilters } from "../../contract/list-filters.ts";
import { EXPIRING_DAYS, hasPrivate, isAuthority, KINDS } from "./certificate.ts";
import type { CertificateStatus } from "../../../packages/x509/certificate.ts";

/** The selection of a list, an export or a command; all absent: all, in the order of addition. */
export interface CertificateQuery {
  has_private?: boolean | undefined;
  is_ca?: boolean | undefined;
  status?: CertificateStatus | undefined;
  /** Milliseconds since 1970; only what ends before. */
  expires_before?: number | undefined;
  /** Likewise; only what ends then or later. */
  expires_after?: number | undefined;
  /** Part of a name, an issuer, a serial number or a fingerprint. */
  q?: string | undefined;
  sort?: "date_added" | "not_after" | "subject_cn" | undefined;
  direction?: "asc" | "desc" | undefined;
}

/** The columns that an index keeps certificates sorted by. */
export type Order = "position" | "not_after" | "not_before" | "subject_key";

/** Both ends of the validity, each at or after its `from` and before its `to`. */
export interface Times {
  na_from: string;
  na_to: string;
  nb_from: string;
  nb_to: string;
}

/** A query as the store takes it. */
export interface Selection {
  /** The kinds (see certificate.ts) that match: one, two or four. */
  kinds: readonly number[];
  times: Times | null;
  /** True: with `times`, only what ends before it begins; false: with `times`, nothing of that. */
  isInvalid: boolean;
  /** In lower case. */
  search: string | null;
  /** The order in which matches are found without sorting them. */
  found: Order;
  /** The order that was asked for. */
  order: Order;
  descending: boolean;
}

const SORTS = {
  date_added: "position",
  not_after: "not_after",
  subject_cn: "subject_key",
} as const;
/** After every time, and after what represents none. */
const END = "~~";
const DAY_MS = 86_400_000;

/**
 * The selection of a query at `nowMs`. Throws `invalid_input` for a search that is too short or too
 * long.
 */
export function select(query: CertificateQuery, nowMs: number): Selection {
  const times = timesOf(query, nowMs);
  const search = query.q === undefined ? null : searchOf(query.q);
  const asked = query.sort && SORTS[query.sort];
  const found = search !== null
    ? "position"
    : times !== null
    ? query.status === "not_yet_valid" ? "not_before" : "not_after"
    : asked ?? "position";
  return {
    kinds: KINDS.filter((kind) =>
      (query.has_private ?? hasPrivate(kind)) === hasPrivate(kind) &&
      (query.is_ca ?? isAuthority(kind)) === isAuthority(kind)
    ),
    times,
    isInvalid: query.status === "invalid",
    search,
    found,
    order: asked ?? found,
    descending: query.direction === "desc",
  };
}

/** True where matches must be gathered and sorted before a page can be cut. */
export function mustGather(selection: Selection): boolean {
  return selection.search !== null || selection.order !== selection.found;
}

/**
 * The index in which a selection's matches are looked for: that of texts, or the one that a
 * condition on time walks.
 */
export function finderOf({ search, found }: Selection): "text" | Order {
  return search === null ? found : "text";
}

/** The position to go on from: behind the row with these values. */
export interface After {
  key: string | number;
  position: number;
}

/** Reading a selection starts here, from either end. */
export function start(
  selection: Pick<Selection, "found" | "times">,
  descending: boolean,
): After {
  const { found, times } = selection;
  const position = descending ? Number.MAX_SAFE_INTEGER : 0;
  if (found === "position") return { key: position, position };
  // Not from the index's very end: what lies before the wanted times would be read and thrown away.
  if (found === "not_after" && times) {
    return { key: descending ? times.na_to : times.na_from, position: 0 };
  }
  if (found === "not_before" && times) {
    return { key: descending ? times.nb_to : times.nb_from, position: 0 };
  }
  return { key: descending ? LAST_TEXT : "", position };
}

/** After every name. */
export const LAST_TEXT = "\u{10ffff}".repeat(4);

function timesOf(query: CertificateQuery, nowMs: number): Times | null {
  const { status, expires_before, expires_after } = query;
  if (status === undefined && expires_before === undefined && expires_after === undefined) {
    return null;
  }
  const times = status === undefined ? { ...ALWAYS } : statusTimes(status, nowMs);
  if (expires_before !== undefined) {
    const before = secondAt(expires_before);
    if (before < times.na_to) times.na_to = before;
  }
  if (expires_after !== undefined) {
    const from = secondAt(expires_after);
    if (from > times.na_from) times.na_from = from;
  }
  return times;
}

const ALWAYS: Times = { na_from: "", na_to: END, nb_from: "", nb_to: END };

/**
 * The limits with which `statusOf` compares a validity: it has ended if its end is before `ended`,
 * has not begun if its start is `begun` or later, and ends soon if its end is before `soon`. Times
 * are whole seconds, the present is not.
 */
export function cutsOf(nowMs: number): { ended: string; begun: string; soon: string } {
  return {
    ended: secondAt(nowMs),
    begun: secondAt(Math.floor(nowMs / 1000) * 1000 + 1000),
    soon: secondAt(endOfDays(EXPIRING_DAYS, nowMs)),
  };
}

/** The validities that `statusOf` gives this status. */
function statusTimes(status: CertificateStatus, nowMs: number): Times {
  const { ended, begun, soon } = cutsOf(nowMs);
  switch (status) {
    case "invalid":
      return { ...ALWAYS };
    case "expired":
      return { ...ALWAYS, na_to: ended };
    case "not_yet_valid":
      return { ...ALWAYS, na_from: ended, nb_from: begun };
    case "expiring":
      return { ...ALWAYS, na_from: ended, na_to: soon, nb_to: begun };
    case "valid":
      return { ...ALWAYS, na_from: soon, nb_to: begun };
  }
}

/** Before it ends what ends within so many days; milliseconds since 1970. */
export function endOfDays(days: number, nowMs: number): number {
  return Math.floor((nowMs + days * DAY_MS) / 1000) * 1000 + 1000;
}

/** The first whole second at or after an instant; past 9999 what sorts after every time. */
export function secondAt(ms: number): string {
  const text = toTimestamp(Math.ceil(ms / 1000) * 1000);
  return text.startsWith("+") ? "~" : `${text.slice(0, 19)}Z`;
}

function searchOf(text: string): string {
  const trimmed = text.trim().toLowerCase();
  // As openssl prints a fingerprint or a serial number.
  const q = /^[0-9a-f]{2}(:[0-9a-f]{2}){3,}$/.test(trimmed) ? trimmed.replaceAll(":", "") : trimmed;
  const characters = [...q].length;
  const { least, most } = certificateFilters.q;
  if (
    characters >= least && characters <= most && q.isWellFormed() &&
    // deno-lint-ignore no-control-regex -- refusing control characters is the point
    !/[\u0000-\u001f]/.test(q)
  ) return q;
  const message = `q: expected ${least} to ${most} characters, none of them a control character`;
  throw new Failure("invalid_input", { message, details: [message] });
}
