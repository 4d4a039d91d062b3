import { findingText } from "../../trail/finding-text.ts";
import { TRAIL_LOGS, trailOrganisations } from "../../trail/log-reading.store.ts";
import { verifyStore } from "../../trail/verify-store.ts";
import type { Check } from "./check.ts";

const ADVICE =
  "keep the store as it is and compare the row with an earlier copy or a witness; `keydesk audit verify` tells more, docs/trail.md what it means";

/** The audit trail against its logs and their checkpoints, as `keydesk audit verify` does. */
export const trail: Check = async function* ({ connection, schema, sealer }) {
  const check = "trail";
  if (schema < TRAIL_LOGS) {
    return yield { check, verdict: "skip", text: `schema ${schema} has no logs yet` };
  }
  let [entries, waiting, wrong] = [0, 0, 0];
  for (const org_id of await trailOrganisations(connection)) {
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
      yield { check, verdict: "fail", text, advice: ADVICE };
    }
  }
  if (wrong > 0) return;
  const text = `${entries} rows are as they were taken in, ${waiting} wait for the log`;
  yield { check, verdict: "ok", text };
};
