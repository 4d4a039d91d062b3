import { isStoreDamage } from "../../../storage/engines/inspection.ts";
import { type Check, type CheckedStore, type CheckFinding, notThereYet, RESTORE } from "./check.ts";
import { checksums } from "./checksums.ts";
import { counters } from "./counters.store.ts";
import { danglingReferences } from "./references.store.ts";
import { findingText } from "../../audit-log/finding-text.ts";
import { AUDIT_LOG_LOGS, auditLogOrganisations } from "../../audit-log/log-reading.store.ts";
import { verifyStore } from "../../audit-log/verify-store.ts";

const ADVICE =
  "keep the store as it is and compare the row with an earlier copy or a witness; `keydesk audit verify` shows more, docs/audit-log.md explains it";

/** The audit log against its logs and their checkpoints, as `keydesk audit verify` does. */
const auditLog: Check = async function* ({ connection, schema, sealer }) {
  const check = "audit-log";
  if (schema < AUDIT_LOG_LOGS) {
    return yield { check, result: "skip", text: `schema ${schema} has no logs yet` };
  }
  let [entries, waiting, wrong] = [0, 0, 0];
  for (const org_id of await auditLogOrganisations(connection)) {
    const { verified, findings } = await verifyStore(
      { storage: { reader: connection }, sealer },
      org_id,
      {},
    );
    entries += verified.entries;
    waiting += verified.waiting;
    wrong += findings.length;
    for (const finding of findings) {
      const text = `organisation ${org_id}, ${findingText(finding)}`;
      yield { check, result: "fail", text, advice: ADVICE };
    }
  }
  if (wrong > 0) return;
  const text = `${entries} rows are unchanged, ${waiting} wait for the log`;
  yield { check, result: "ok", text };
};

/** Pages, tables and indexes, as the engine itself sees them. */
const structure: Check = async function* ({ connection, problems }) {
  const check = "structure";
  let count = 0;
  for await (const text of problems()) {
    count++;
    yield { check, result: "fail", text, advice: RESTORE };
  }
  if (count === 0) {
    const looked = connection.dialect === "sqlite" ? "every page and index" : "tables and indexes";
    yield { check, result: "ok", text: `${looked} can be read and agree` };
  }
};

/** The checks of `keydesk check`, in this order. A further check is a line here. */
const checks: readonly [name: string, check: Check][] = [
  ["structure", structure],
  ["checksums", checksums],
  ["counters", counters],
  ["references", danglingReferences],
  ["audit-log", auditLog],
];

/** Everything that is found in a store. Throws what is no damage: that it can't be reached. */
export async function* checkStore(
  store: CheckedStore,
): AsyncGenerator<CheckFinding, void, void> {
  for (const [name, check] of checks) {
    try {
      yield* check(store);
    } catch (error) {
      // Damage that a check meets is reported as its own; those behind it are made all the same.
      yield notThereYet(store, error, name) ?? damagedBy(error);
    }
  }
}

/** The finding that an error is which tells of damage. Throws every other one. */
export function damagedBy(error: unknown): CheckFinding {
  if (!isStoreDamage(error)) throw error;
  return { check: "structure", result: "fail", text: error.message, advice: RESTORE };
}
