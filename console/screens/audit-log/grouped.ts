import type { z } from "zod";
import type { auditEvent } from "../../../src/features/audit-log/audit-log.contract.ts";

/** One event of the audit log. */
export type Event = z.output<typeof auditEvent>;

/** An event as the list shows it. Refused sign-ins from one place stand together. */
export type GroupedEvent = Event & {
  /** The others that stand with it, newest first. */
  readonly others?: readonly Event[];
};

/** Refused sign-ins further apart are not of one attempt. */
const APART_MS = 15 * 60_000;

/**
 * Puts refused sign-ins by one address and access token together, under the newest, while less than
 * 15 minutes apart.
 */
export function grouped(events: readonly Event[]): GroupedEvent[] {
  const shown: { event: Event; others: Event[] }[] = [];
  const open = new Map<string, { event: Event; others: Event[] }>();
  for (const event of events) {
    const place = placeOf(event);
    const known = place === undefined ? undefined : open.get(place);
    const last = known?.others.at(-1) ?? known?.event;
    if (known && last && Date.parse(last.at) - Date.parse(event.at) < APART_MS) {
      known.others.push(event);
      continue;
    }
    const one = { event, others: [] };
    shown.push(one);
    if (place !== undefined) open.set(place, one);
  }
  return shown.map(({ event, others }) => others.length === 0 ? event : { ...event, others });
}

/**
 * From where and with what it was tried; undefined for any other event, and if the place is
 * unknown.
 */
function placeOf({ action, client_address, token_id }: Event): string | undefined {
  return action === "sign_in.refused" && client_address !== ""
    ? `${client_address} ${token_id}`
    : undefined;
}
