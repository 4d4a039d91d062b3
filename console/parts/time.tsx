import { useState } from "preact/hooks";
import { times } from "../api/preferences.ts";
import { signal } from "../signal.ts";
import { relativeWords } from "./relative-words.ts";

const now = signal(Date.now());
setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 30_000);

/** Dates stand as the browser's language writes them; the zone is always named. */
const DAY = { day: "numeric", month: "short", year: "numeric" } as const;
const SECOND = { ...DAY, hour: "numeric", minute: "2-digit", second: "2-digit" } as const;
/** "9:04 AM GMT+1": of what is over within hours. */
export const clockOf = writer({ hour: "numeric", minute: "2-digit", timeZoneName: "short" });

/** Writes times; made at its first use, which takes long. */
function writer(options: Intl.DateTimeFormatOptions): (at: string) => string {
  let format: Intl.DateTimeFormat | undefined;
  return (at) => (format ??= new Intl.DateTimeFormat(undefined, options)).format(new Date(at));
}

// Few of a page's times are ever pointed at: each tells its exact one when it is. In a list the
// link of the row lies over them, so it tells the one that is under the pointer, and none
// elsewhere.
globalThis.document?.addEventListener("pointermove", ({ target, clientX, clientY }) => {
  const isLink = target instanceof Element && target.matches(".row-link");
  if (!isLink && !(target instanceof Element && target.closest("time"))) return;
  const time = document.elementsFromPoint(clientX, clientY)
    .find((one) => one instanceof HTMLTimeElement);
  // as: it matches.
  const labelled = isLink ? target as HTMLElement : time;
  if (labelled) labelled.title = time ? exactTime(time.dateTime) : "";
});

// On paper nothing is pointed at, and "2 h ago" is of no use: styles/print.css shows the exact one.
globalThis.addEventListener?.("beforeprint", () => {
  for (const time of document.querySelectorAll<HTMLTimeElement>("time[datetime]")) {
    time.title = exactTime(time.dateTime);
  }
});

/** "4 min. ago", "in 3 days"; both sides of `at` are relative to now. */
export function relativeTime(at: string, from: number = now.value): string {
  return relativeWords((Date.parse(at) - from) / 1000);
}

/** "Nov 21, 2026, 9:04:11 AM GMT+1", in the zone of whoever looks. */
export const exactTime = writer({ ...SECOND, timeZoneName: "short" });

/** "Nov 21, 2026". */
export const dayOf = writer(DAY);

/** "Nov 21, 2026, 8:04:11 AM UTC": what a certificate itself says. */
export const utcTime = writer({ ...SECOND, timeZone: "UTC", timeZoneName: "short" });

/** "Nov 21, 2026", the day in UTC. */
export const utcDayOf = writer({ ...DAY, timeZone: "UTC" });

/**
 * A time, relative; the exact one on hover, and in its place while it has the focus or after a tap.
 * `inRow`: the row takes focus and tap for itself, and whoever chose so reads the exact one.
 * Nothing there: `never`.
 */
export function Time({ at, never = "never", inRow = false }: {
  at: string | null | undefined;
  never?: string;
  inRow?: boolean;
}) {
  const [isExact, setExact] = useState(false);
  if (!at) return <>{never}</>;
  if (inRow && times.value === "exact") {
    return (
      <time dateTime={at}>
        <span class="line-1">{dayOf(at)}</span>
        <span class="line-2">{clockOf(at)}</span>
      </time>
    );
  }
  if (inRow) return <time dateTime={at}>{relativeTime(at)}</time>;
  return (
    <time
      dateTime={at}
      tabIndex={0}
      onFocus={() => setExact(true)}
      onBlur={() => setExact(false)}
      onClick={() => setExact(true)}
    >
      {isExact ? exactTime(at) : relativeTime(at)}
    </time>
  );
}
