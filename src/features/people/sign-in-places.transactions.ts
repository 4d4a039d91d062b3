import type { Actor } from "../../changes/audit.ts";
import { addToOutbox } from "../../changes/outbox.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { sha256 } from "../../kernel/sha256.ts";
import type { Tx } from "../../storage/storage.ts";
import { hasPlaces, insertPlace, usePlace } from "./sign-in-places.store.ts";

/** The topic of a sign-in from somewhere new. */
export const NEW_PLACE = "person.signed_in_anew";

/** For how long a place is known after the last sign-in from it. */
const KNOWN_MS = 180 * 24 * 60 * 60 * 1000;

/**
 * Keeps from where a person signs in. The person is notified of a new browser or network, but not
 * of the first that is kept. In process there is no place.
 */
export async function notePlace(
  tx: Tx,
  actor: Actor,
  { browser, network, address }: { browser: string; network: string; address: string },
): Promise<void> {
  const { org_id, user_id, now } = actor;
  if (network === "") return;
  const at = toTimestamp(now);
  const id = sha256(JSON.stringify([user_id, browser, network]));
  const times = { last_used_at: at, expires_at: toTimestamp(now + KNOWN_MS) };
  if (await usePlace(tx, { org_id, user_id, id, ...times })) return;
  const isFirst = !await hasPlaces(tx, { org_id, user_id });
  await insertPlace(tx, { org_id, id, user_id, browser, address, created_at: at, ...times });
  if (!isFirst) await addToOutbox(tx, actor, { topic: NEW_PLACE, object_id: user_id });
}
