import { nextOrganisation } from "../features/alerts/alerts.store.ts";
import { askedPolicyIn, presentStep, standing } from "../features/key-requests/asked-policy.ts";
import type { V1Row } from "../features/key-requests/v1.store.ts";
import { requestsOfNobody } from "../features/key-requests/whose-turn.service.ts";
import type { Connection } from "../storage/storage.ts";

/** Requests that are told by their ids, at the most. */
const MOST_NAMED = 5;

/** Key requests that wait and that nobody may decide, a sentence for each organisation. */
export async function waitingWarnings(db: Connection, now: number): Promise<string[]> {
  const sentences: string[] = [];
  for (
    let org_id = await nextOrganisation(db, { behind: "" });
    org_id !== undefined;
    org_id = await nextOrganisation(db, { behind: org_id })
  ) {
    const rows = await requestsOfNobody(db, org_id, now);
    if (rows.length === 0) continue;
    const named = rows.slice(0, MOST_NAMED).map((row) => `${row.id}${stepOf(row, now)}`);
    const more = rows.length > MOST_NAMED ? ", …" : "";
    sentences.push(
      `Key requests that nobody may decide in the organisation ${org_id} (${rows.length}): ${
        named.join(", ")
      }${more}. Give somebody the right, restart their approval by today's policy, or decline them as whoever may.`,
    );
  }
  return sentences;
}

/** Which step lacks somebody. */
function stepOf({ policy }: V1Row, now: number): string {
  const asked = askedPolicyIn(policy);
  if (asked?.outcome !== "steps") return "";
  const steps = standing(asked, now);
  return ` (${JSON.stringify(steps.steps[presentStep(steps) ?? 0]?.name ?? "")})`;
}
