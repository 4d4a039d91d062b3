import type { EndedSince } from "../maintenance/restored/ended-since.ts";
import { countsOf, type Ending } from "../maintenance/restored/ending.ts";
import { counted } from "./counted.ts";

/** Lines of one kind, at the most; the rest is counted. */
const MOST_LISTED = 50;

/** The keys that a copy makes valid again, and the result; `since` undefined: unknown. */
export function wordsOf(since: EndedSince | undefined, reopen: boolean): string[] {
  if (since === undefined) {
    return [
      "No store is at hand that continues from this copy: the revocations, deactivations, suspensions and narrowed permissions after the copy are unknown. All of them are valid again, but for those of the last 30 days in the file revoked-lately. Look through keys, access tokens and people. Home shows this for 7 days.",
    ];
  }
  const { endings, others } = since;
  const back = others.map(({ what, n }) => `${n} ${what}`);
  return [
    ...listOf(endings, reopen),
    ...back.length === 0
      ? []
      : [`Besides these come back as they were then: ${back.join(", ")}. Look through them.`],
  ];
}

/** Each ending in a line, by kinds, below what becomes of all. */
export function listOf(endings: readonly Ending[], reopen: boolean): string[] {
  if (endings.length === 0) return ["Nothing that was revoked since is valid again."];
  const counts = Object.entries(countsOf(endings)).map(([of, n]) =>
    of === "person" && n !== 1 ? `${n} people` : counted(n, of)
  );
  const head = `Revoked since the copy was made: ${counts.join(", ")}. ${
    reopen
      ? "They are valid again (--reopen):"
      : "They are revoked again, and all sessions with them:"
  }`;
  const kinds = Map.groupBy(endings, ({ of }) => of);
  return [
    head,
    ...[...kinds.values()].flatMap((some) => [
      ...some.slice(0, MOST_LISTED).map(lineOf),
      ...some.length > MOST_LISTED ? [`  and ${some.length - MOST_LISTED} more`] : [],
    ]),
  ];
}

function lineOf(one: Ending): string {
  const name = one.name === "" ? "" : ` ${JSON.stringify(one.name)}`;
  const at = one.what === "expires"
    ? ` at ${one.expires_at}`
    : one.at === ""
    ? ""
    : ` at ${one.at}`;
  return `  ${one.of} ${one.id}${name}: ${one.what}${at}`;
}
