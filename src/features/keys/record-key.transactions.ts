import type { Actor } from "../../changes/audit.ts";
import { invalidate } from "../../changes/invalidation.ts";
import type { EventNames } from "../../changes/event-names.ts";
import type { Personal } from "../../changes/personal.ts";
import { recordChange } from "../../changes/record-change.ts";
import type { Tx } from "../../storage/storage.ts";
import { calledKey } from "./key-labels.ts";
import { namesOfDeveloper } from "../developers/developer-names.ts";
import type { Developer } from "../developers/developer.ts";

/** The audit log's data of a key, beside its changes. */
interface RecordedKey {
  credential: { key_id: string; mask: string; name: string | null };
  developer: Developer | undefined;
}

/**
 * The change of a key that others may remember: audit, outbox, and the word to those who verify
 * from memory.
 */
export async function recordKey(
  tx: Tx,
  actor: Actor,
  action: string,
  { credential: key, developer }: RecordedKey,
  detail: Readonly<Record<string, unknown>>,
  personal?: Personal,
): Promise<void> {
  const { key_id } = key;
  const names: EventNames = { object: calledKey(key), ...namesOfDeveloper(developer) };
  await recordChange(tx, actor, { action, object_id: key_id, detail, personal, names });
  await invalidate(tx, { org_id: actor.org_id, kind: "key", object_id: key_id, now: actor.now });
}
