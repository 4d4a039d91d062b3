import type { ShownCanary } from "../features/gateways/canary.service.ts";

type Took = { readonly opened_ms: number | null; readonly shut_ms: number | null };

/** How long a gateway took to open to a key and to shut, for people. */
export function canaryLines(
  name: string,
  { tried, runs, last, median }: ShownCanary,
): string[] {
  if (tried === "not_tried") {
    return [
      `${name} is not tried: its door takes its map by itself, and no map has the canary.`,
    ];
  }
  if (!last || !median) return [`${name} was not tried in the last hour.`];
  const how = tried === "called" ? "called with" : "read back";
  return [
    last.how === null
      ? `${last.at}: no key could be made at ${name}.`
      : `${last.at}: ${told(last)}, ${how}.`,
    `Median of ${runs} in the last hour: ${told(median)}.`,
  ];
}

function told({ opened_ms, shut_ms }: Took): string {
  return `opened ${within(opened_ms)}, shut ${within(shut_ms)}`;
}

function within(ms: number | null): string {
  if (ms === null) return "not within 15 s";
  return ms < 10 ? "at once" : `after ${(ms / 1000).toFixed(2)} s`;
}

/** For how long a key that was ended there may still open. */
export function mayOpen(
  { may_open_until: until, reason }: { may_open_until: string | null; reason: string },
): string {
  if (until !== null) return `may open until ${until.slice(0, 19)}Z`;
  return reason === "" ? "may open while calls go on" : `may open: ${reason}`;
}
