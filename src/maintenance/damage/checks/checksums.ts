import { presentObject } from "../../../contract/former-names.ts";
import { type CheckedTable, isWhole } from "../../../changes/checked-rows.ts";
import { demandsChecksums } from "../../../changes/checksum-demand.store.ts";
import { objectsOf } from "../../../changes/damages.store.ts";
import type { Sealer } from "../../../kernel/sealing/sealer.ts";
import { CHECKSUMS_DEMANDED } from "../../../storage/migrations/list.ts";
import type { Connection } from "../../../storage/storage.ts";
import {
  type AnyCheckedRow,
  checkedRowsBehind,
  checkedTables,
  idOf,
} from "../checked-rows.store.ts";
import type { Check, CheckFinding } from "./check.ts";

/** Rows of one look. */
const ROWS = 500;

/** The checksum of every row that decides who gets in. */
export const checksums: Check = async function* ({ connection, sealer, schema }) {
  const check = "checksums";
  if (schema < CHECKSUMS_DEMANDED) {
    return yield { check, result: "skip", text: `schema ${schema} has no checksums yet` };
  }
  if (!sealer) {
    const advice =
      "put the store's sealing key into the data directory, or give it by KEYDESK_SEALING_KEY";
    return yield { check, result: "skip", text: "there is no sealing key", advice };
  }
  const isDemanded = await demandsChecksums(connection, sealer);
  let [rows, wrong, keyless] = [0, 0, 0];
  for await (const { row, isRight } of lookedAt(connection, sealer)) {
    rows++;
    if (!isRight) wrong++;
    if (row.checksum !== null && !sealer.hasKeyOf(row.checksum)) keyless++;
  }
  if (rows > 0 && keyless === rows) {
    const text =
      `the store's newest sealing key is missing: its ${rows} keys, access tokens and people cannot be verified and are not valid`;
    const advice =
      "put the key back; if it is lost, run keydesk reseal --accept-loss before the next start";
    return yield { check, result: "fail", text, advice };
  }
  // Reported at a second look, so that no more than a chunk is kept.
  if (isDemanded && wrong > 0) {
    for await (const { table, row, isRight } of lookedAt(connection, sealer)) {
      if (!isRight) yield damaged(table, row.org_id, idOf(table, row), row.checksum);
    }
  }
  if (!isDemanded) {
    const text = `${wrong} of ${rows} rows have no checksum yet, and none is required`;
    const advice = "once no node and no command of an earlier release runs: keydesk check --demand";
    yield { check, result: "warn", text, advice };
  } else if (wrong === 0) {
    yield {
      check,
      result: "ok",
      text: `${rows} keys, access tokens and people are unchanged`,
    };
  }
};

interface LookedAt {
  table: CheckedTable;
  row: AnyCheckedRow;
  isRight: boolean;
}

async function* lookedAt(
  connection: Connection,
  sealer: Sealer,
): AsyncGenerator<LookedAt, void, void> {
  for (const table of checkedTables) {
    for (let behind = { org_id: "", id: "" }, isLast = false; !isLast;) {
      const chunk = await checkedRowsBehind(connection, table, behind, ROWS);
      for (const row of chunk) yield { table, row, isRight: isWhole(sealer, table, row) };
      const last = chunk.at(-1);
      isLast = last === undefined || chunk.length < ROWS;
      if (last) behind = { org_id: last.org_id, id: idOf(table, last) };
    }
  }
}

function damaged(
  table: CheckedTable,
  org_id: string,
  id: string,
  checksum: string | null,
): CheckFinding {
  const object = presentObject(objectsOf[table]);
  const name = `${object} ${id} of organisation ${org_id}`;
  const what = checksum === null
    ? "has no checksum: another program added it"
    : "was changed by another program, or its sealing key is lost";
  return {
    check: "checksums",
    result: "fail",
    text: `${name} ${what}; it is not valid`,
    advice:
      `compare it with the audit log and the last copy, then revoke it, correct the row by hand, or accept it: keydesk check --accept ${object}:${org_id}:${id}`,
  };
}
