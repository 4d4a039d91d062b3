import { parsePermissions } from "../calls/principal.ts";
import { allows } from "../contract/permissions.ts";
import { everyApprover } from "../features/access/people.store.ts";
import type { Connection } from "../storage/storage.ts";

/** People that are told by name, at the most. */
const MOST_NAMED = 5;

/**
 * Who may both file key requests and decide them, a sentence for each organisation. Nothing where
 * one person alone decides: somebody has to.
 */
export async function dutyWarnings(db: Connection): Promise<string[]> {
  const approvers = (await everyApprover(db)).map((row) => ({
    ...row,
    held: parsePermissions(row.permissions),
  })).filter(({ held }) => held.includes("approve"));
  return [...Map.groupBy(approvers, ({ org_id }) => org_id)].flatMap(([org_id, people]) => {
    const both = people.filter(({ held }) => allows(held, "portal:write"));
    if (people.length < 2 || both.length === 0) return [];
    const names = both.slice(0, MOST_NAMED).map(({ name, id }) =>
      `${JSON.stringify(name)} (${id})`
    );
    const more = both.length > MOST_NAMED ? ", …" : "";
    return [
      `Who may both file key requests and decide them in the organisation ${org_id} (${both.length}): ${
        names.join(", ")
      }${more}. The role approver decides alone.`,
    ];
  });
}
