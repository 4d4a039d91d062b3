import { one } from "../../storage/statement-functions.ts";
import type { Connection } from "../../storage/storage.ts";

const findGranted = one((db, p: { org_id: string; id: string }) =>
  db.selectFrom("key_requests").select(["policy", "granted"])
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/**
 * From which addresses alone people granted a key in steps; undefined: one person did, or they
 * named none. `id`: of its key request; "": it has none.
 */
export async function grantedInSteps(
  db: Connection,
  org_id: string,
  id: string,
): Promise<readonly string[] | undefined> {
  if (id === "") return undefined;
  const { policy = null, granted = null } = await findGranted(db, { org_id, id }) ?? {};
  if (policy === null || granted === null) return undefined;
  // as: decisions write the texts of exactly these, with more members.
  const { outcome } = JSON.parse(policy) as { outcome: string };
  const { addresses } = JSON.parse(granted) as { addresses: string[] | null };
  return outcome === "steps" ? addresses ?? undefined : undefined;
}
