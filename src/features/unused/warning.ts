import type { Connection } from "../../storage/storage.ts";
import { deliveriesBelow } from "../deliveries/deliveries.store.ts";
import type { Warning } from "./unused-rule.ts";

/** Deliveries of one message that are looked at. */
const MOST = 100;

/**
 * What became of a warning. It was sent once a mail server has taken a mail of it to its developer:
 * a webhook's answer warns nobody.
 */
export async function warningOf(
  db: Connection,
  org_id: string,
  event_id: string,
): Promise<Warning> {
  if (event_id === "") return { state: "none", at: null };
  // Ids of deliveries begin with their event's.
  const filter = { org_id, object_id: "", state: "", lowest: event_id } as const;
  const mails = (await deliveriesBelow(db, filter, `${event_id}~`, MOST))
    .filter((row) => row.event_id === event_id && row.recipient !== "");
  const sent = mails.filter(({ state }) => state === "delivered")
    .flatMap(({ ended_at }) => ended_at === null ? [] : [ended_at]).sort();
  if (sent[0] !== undefined) return { state: "sent", at: sent[0] };
  return { state: mails.some(({ state }) => state === "waiting") ? "waiting" : "none", at: null };
}
