import { recordAudit } from "../../changes/audit.ts";
import { personalValues, withoutPersonal } from "../../changes/audit-content.ts";
import { defineTransaction } from "../../storage/storage.ts";
import { lockEvent, setPersonal } from "./erasing.store.ts";

/** Rows and personal values that were erased. */
export interface Erased {
  rows: number;
  values: number;
}

/**
 * Takes the named personal values out of rows that are in the log, or have their hash; their salted
 * hashes stay. The audit log records counts alone (`trail.erased`). Values that are gone already
 * are left out, so that doing it twice does no harm.
 */
export const eraseFromAuditLog = defineTransaction(
  "trail.erase",
  async (
    tx,
    input: {
      org_id: string;
      /** By id, so that two of these wait for each other in one order. */
      rows: readonly { id: string; names: readonly string[] }[];
      by: string;
      now: number;
    },
  ): Promise<Erased> => {
    const { org_id, by, now } = input;
    const erased = { rows: 0, values: 0 };
    for (const { id, names } of input.rows) {
      const row = await lockEvent(tx, { org_id, id });
      if (!row) continue;
      const there = Object.keys(personalValues(row)).filter((name) => names.includes(name));
      if (there.length === 0) continue;
      await setPersonal(tx, withoutPersonal(row, there));
      erased.rows++;
      erased.values += there.length;
    }
    if (erased.rows > 0) {
      await recordAudit(tx, { org_id, user_id: by, token_id: "", now }, {
        action: "trail.erased",
        object: "table",
        object_id: "audit_events",
        detail: { ...erased },
      });
    }
    return erased;
  },
);
