/** How many keys were ended in which minutes since 1970, in any order. */
export type EndedMinutes = readonly (readonly [minute: number, keys: number])[];

const MINUTE_MS = 60_000;
/** A minute counts until it is a whole hour away to its end. */
const COUNTED_MINUTES = 61;

/** For how long a count may matter, in milliseconds. */
export const LIMIT_KEPT_MS = COUNTED_MINUTES * MINUTE_MS;

/** The part of `ended` within the last hour. */
export function withinTheHour(ended: EndedMinutes, now: number): EndedMinutes {
  return ended.filter(([minute]) => minuteOf(now) - minute < COUNTED_MINUTES);
}

/** With `keys` that are ended now. */
export function withEnded(ended: EndedMinutes, keys: number, now: number): EndedMinutes {
  const minute = minuteOf(now);
  const before = ended.filter(([other]) => other !== minute);
  const same = ended.find(([other]) => other === minute)?.[1] ?? 0;
  return [...before, [minute, same + keys] as const];
}

/**
 * How many seconds a person waits before they may end `keys`; 0: none. The first within an hour may
 * be more than `atMost`: a developer with many keys can be deleted.
 */
export function limitedFor(
  ended: EndedMinutes,
  { keys, atMost }: { keys: number; atMost: number },
  now: number,
): number {
  const counted = withinTheHour(ended, now).toSorted(([a], [b]) => a - b);
  let wait = 0;
  while (counted.length > 0 && sum(counted) + keys > atMost) {
    const [oldest = 0] = counted.shift() ?? [];
    wait = Math.ceil(((oldest + COUNTED_MINUTES) * MINUTE_MS - now) / 1000);
  }
  return wait;
}

function minuteOf(now: number): number {
  return Math.floor(now / MINUTE_MS);
}

function sum(ended: EndedMinutes): number {
  return ended.reduce((all, [, keys]) => all + keys, 0);
}
