import { locationOf } from "../../src/open-server.ts";
import { checkStore } from "../../src/maintenance/damage/checks/all.ts";
import type { CheckFinding } from "../../src/maintenance/damage/checks/check.ts";
import { openInspection } from "../../src/storage/open-inspection.ts";
import { tampered, type TestDesk } from "./desk.ts";
import { runSql } from "./stores.ts";

/** Changes rows of a desk's store by something else than Keydesk. */
export function tamper(desk: TestDesk, ...texts: string[]): Promise<void> {
  tampered.add(desk.app);
  return runSql(locationOf(desk.config), texts);
}

/** What `keydesk check` finds in a desk's store and is not in order. */
export async function findings(desk: TestDesk, copy?: string): Promise<CheckFinding[]> {
  const inspection = await openInspection(locationOf(desk.config), copy);
  try {
    const { connection, problems, frozen } = inspection;
    const schema = (await inspection.steps()).at(-1)?.version ?? 0;
    const store = { connection, problems, frozen, schema, sealer: desk.app.ctx.sealer };
    const found: CheckFinding[] = [];
    for await (const finding of checkStore(store)) {
      if (finding.result !== "ok") found.push(finding);
    }
    return found;
  } finally {
    await inspection.close();
  }
}
