/**
 * How long a gateway of kind `tyk` may go on opening to a key that was ended there. It keeps
 * sessions in memory, and calls in flight write theirs back, so a read-back alone proves nothing.
 */
import { CLOSING, MISSING } from "../../contract/gateway-states.ts";
import { AGAIN_MS, type Finding, type GatewayRow } from "./gateway.ts";

/** The result of a check. */
export interface Closing {
  /** The version that the gateway reports; "": none. */
  readonly version: string;
  /** `on`: a call was let in although the key was read as gone. */
  readonly cache: "on" | "not_seen" | "not_tried";
  /** Seconds after which no call was let in; null: longer than was looked; absent: not tried. */
  readonly free?: number | null;
  /** Seconds for a key whose plans have a quota; null: as long as calls go on. */
  readonly quota?: number | null;
}

const UNKNOWN: Closing = { version: "", cache: "not_tried" };

/** How long a session stays in the gateway's memory by default, in seconds. */
const CACHED_S = 10;
/** A gateway without that memory shuts within this, in seconds. */
const AT_ONCE_S = 1;
/** From this version on no call in flight brings a deleted key back. */
const KEEPS_FROM = [5, 15] as const;
/** Under which code the facts stand among what a check has found. */
const CODE = "closing";

/** The stored part of a check: the findings for people, and the data. */
type StoredFinding = Finding | { readonly code: typeof CODE; readonly detail: string };

/** The stored form of a check's findings. */
export function findingsText(findings: readonly Finding[], facts: Closing | undefined): string {
  const stored: StoredFinding[] = [...findings];
  if (facts) stored.push({ code: CODE, detail: JSON.stringify(facts) });
  return JSON.stringify(stored);
}

/** The findings for people. */
export function findingsOf({ findings }: Pick<GatewayRow, "findings">): Finding[] {
  return read(findings).filter((one): one is Finding => one.code !== CODE);
}

/** The facts; where nothing was looked at yet nothing is known. */
export function closingOf({ findings }: Pick<GatewayRow, "findings">): Closing {
  const detail = read(findings).find(({ code }) => code === CODE)?.detail;
  // as: findingsText wrote exactly these.
  return detail === undefined ? UNKNOWN : JSON.parse(detail) as Closing;
}

function read(text: string): StoredFinding[] {
  // as: findingsText and rows from before it have nothing else.
  return JSON.parse(text) as StoredFinding[];
}

/** Whether a deleted key stays deleted at this version; one that is not known is an old one. */
function keepsDeletions({ version }: Closing): boolean {
  const [, major = 0, minor = 0] = /^v?(\d+)\.(\d+)/.exec(version)?.map(Number) ?? [];
  return major > KEEPS_FROM[0] || major === KEEPS_FROM[0] && minor >= KEEPS_FROM[1];
}

/**
 * The seconds for which a key may still be accepted there after its end; null: as long as calls go
 * on. An unmeasured value is taken for the worst known.
 */
export function opensFor(
  facts: Closing,
  { hasQuota, isDeleted }: { hasQuota: boolean; isDeleted: boolean },
): number | null {
  const isKept = isDeleted && keepsDeletions(facts);
  const isUndone = hasQuota && !isKept;
  if (facts.cache === "not_seen") {
    const seen = hasQuota ? [facts.free, facts.quota] : [facts.free];
    if (seen.includes(null)) return null;
    // A call in flight may undo it once, until it is read again.
    const least = isUndone ? AGAIN_MS / 1000 : AT_ONCE_S;
    return Math.max(least, ...seen.map((one) => one ?? 0));
  }
  // A suspension was not measured at versions that hold deletions.
  if (isUndone) return keepsDeletions(facts) ? null : facts.quota ?? null;
  const measured = hasQuota && facts.quota !== undefined ? facts.quota : facts.free;
  return measured === undefined ? CACHED_S : measured;
}

/** Whether a deleted key went on for longer than is known; `seconds` null: for all that time. */
export function isLater(
  facts: Closing,
  { hasQuota, seconds }: { hasQuota: boolean; seconds: number | null },
): boolean {
  const known = opensFor(facts, { hasQuota, isDeleted: true });
  return known !== null && (seconds === null || seconds > known);
}

/**
 * So long after its end a key is read for the last time: at that time no memory has it any more.
 */
export function lastLookMs(facts: Closing, seconds: number | null): number {
  const remembered = facts.cache === "not_seen" ? 0 : (facts.free ?? CACHED_S) + AT_ONCE_S;
  return Math.max(AGAIN_MS, 1000 * (seconds ?? remembered));
}

/**
 * The synced state that may stay valid for so long; of a map with the edition from which on the key
 * is not in it.
 */
export function closingText(seconds: number | null, stateText: string, edition?: number): string {
  return `closing ${seconds ?? "?"}${edition === undefined ? "" : `@${edition}`} ${
    broughtIn(stateText)
  }`;
}

/** The synced state that was found missing at the gateway. */
export function missingText(stateText: string): string {
  return MISSING + broughtIn(stateText);
}

/** The state that was last synced there, in the form of stateTextOf. */
export function broughtIn(stateText: string): string {
  return stateText.replace(CLOSING, "").replace(MISSING, "");
}
