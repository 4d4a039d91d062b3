import type { Actor } from "../../changes/audit.ts";
import type { Personal } from "../../changes/personal.ts";
import { recordChange } from "../../changes/record-change.ts";
import { requireRevision } from "../../kernel/entity-tag.ts";
import { Failure } from "../../kernel/failure.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { type LockedKeyRow, lockKey } from "./key-life.store.ts";
import {
  calledKey,
  columnsOf,
  type KeyLabels,
  labelsOf,
  type SomeKeyLabels,
} from "./key-labels.ts";
import { setLabels } from "./key-labels.store.ts";
import { namesOfDeveloper } from "../developers/developer-names.ts";
import type { Developer } from "../developers/developer.ts";
import { lockSeenKey } from "./lock-key.transactions.ts";
import { keyRevision } from "./key.ts";

/**
 * Gives a key these labels in place of its own, whatever its state is: labels also distinguish
 * revoked keys. `ifMatch` as ifMatchOf gives it. Throws `not_found` and `precondition_failed`.
 */
export const changeLabels = defineTransaction(
  "keys.change-labels",
  async (
    tx,
    input: { actor: Actor; key_id: string; ifMatch: string[] | null; labels: KeyLabels },
  ) => {
    const { actor, key_id, ifMatch, labels } = input;
    const locked = await lockSeenKey(tx, actor, key_id);
    if (!locked) throw new Failure("not_found");
    const { credential: key, developer } = locked;
    requireRevision(ifMatch, keyRevision({ ...key, ...key.stored }));
    await replaceLabels(tx, actor, key, developer, labels);
    return null;
  },
);

/**
 * Gives a key, whose developer this transaction holds, these labels; it keeps those of which
 * nothing is said.
 */
export async function relabel(
  tx: Tx,
  actor: Actor,
  { key_id, developer }: { key_id: string; developer: Developer | undefined },
  labels: SomeKeyLabels,
): Promise<void> {
  const key = await lockKey(tx, actor.org_id, key_id);
  if (!key) return;
  const said = Object.fromEntries(
    Object.entries(labels).filter(([, value]) => value !== undefined),
  );
  await replaceLabels(tx, actor, key, developer, { ...labelsOf(key), ...said });
}

async function replaceLabels(
  tx: Tx,
  actor: Actor,
  key: LockedKeyRow,
  developer: Developer | undefined,
  labels: KeyLabels,
): Promise<void> {
  const columns = columnsOf(labels);
  const [before, after] = [labelsOf(key), labelsOf(columns)];
  if (JSON.stringify(before) === JSON.stringify(after)) return;
  await setLabels(tx, key, columns);
  // The rights of keys have not changed: verifying nodes need no notice.
  await recordChange(tx, actor, {
    action: "credential.labels_changed",
    object_id: key.key_id,
    detail: { before: logged(before), after: logged(after) },
    personal: { ...personalNote("/before", before), ...personalNote("/after", after) },
    names: {
      object: calledKey({ name: columns.name, mask: key.mask }),
      ...namesOfDeveloper(developer),
    },
  });
}

/** The part that may stay in the audit log for ever. People write about people in notes. */
function logged({ note: _, ...labels }: KeyLabels) {
  return labels;
}

function personalNote(place: string, { note }: KeyLabels): Personal {
  return note === "" ? {} : { [`${place}/note`]: note };
}
