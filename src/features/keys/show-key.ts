import type { z } from "zod";
import { may, type Principal } from "../../calls/principal.ts";
import { showLeak } from "../../contract/show-leak.ts";
import { labelsOf } from "../credentials/key-labels.ts";
import type { KeyRow } from "../credentials/key-list.store.ts";
import { keyRevision, stateOf } from "./key.ts";
import type { key } from "./keys.contract.ts";

/** A key as it is shown. */
export type Key = z.output<typeof key>;

/** Whether notes of keys are shown to a caller: to who may write them, and to administrators. */
export function seesNotes(caller: Principal): boolean {
  return may(caller, "approve") || may(caller, "admin");
}

/** A key as it is shown to a caller at `now`. */
export function showKey(row: KeyRow, caller: Principal, now: string): Key {
  const labels = labelsOf(row);
  return {
    key_id: row.key_id,
    mask: row.mask,
    kind: row.kind,
    state: stateOf(row, now),
    plans: plansOf(row),
    developer_id: row.developer_id,
    developer_email: row.developer_email ?? "",
    request_id: row.request_id === "" ? null : row.request_id,
    created: row.issued_at,
    expires_at: row.expires_at,
    last_used_at: row.last_used_at,
    state_changed_at: row.state_changed_at,
    reason: row.state_reason,
    replaced_by: row.replaced_by,
    algorithm: row.algorithm,
    use_before: row.use_before,
    leaked: showLeak(row),
    ...labels,
    note: seesNotes(caller) ? labels.note : "",
    revision: keyRevision(row),
  };
}

/** The ids of the plans that a key opens. */
export function plansOf({ plans }: Pick<KeyRow, "plans">): string[] {
  // as: the credentials' store writes exactly this.
  return JSON.parse(plans) as string[];
}
