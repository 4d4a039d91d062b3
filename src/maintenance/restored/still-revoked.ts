import type { Revocable, RevokedLately } from "../../calls/revoked-lately.ts";
import { TimeSlices } from "../../kernel/time-slices.ts";
import type { Connection } from "../../storage/storage.ts";
import type { Ending } from "./ending.ts";
import { type Behind, keysInForce, peopleInForce, tokensInForce } from "./still-revoked.store.ts";

/** Rows that are looked at together. */
const AT_ONCE = 1000;

interface RestoreContext {
  readonly storage: { readonly reader: Connection };
  readonly revokedLately: RevokedLately;
}

/**
 * Keys, access tokens and people that the store calls open although they were revoked in the last
 * 30 days: the file `revoked-lately` knows, on either engine. Of suspensions and narrower
 * permissions it knows nothing.
 */
export async function stillRevoked(
  { storage: { reader }, revokedLately }: RestoreContext,
): Promise<Ending[]> {
  if (revokedLately.size === 0) return [];
  const found: Ending[] = [];
  const slices = new TimeSlices();
  for (const [object, { rowsBehind, of, what }] of LOOKED_AT) {
    for (let behind: Behind = { org_id: "", id: "" };;) {
      const rows = await rowsBehind(reader, behind, AT_ONCE);
      for (const row of rows) {
        const { org_id, id } = row;
        const at = revokedLately.since({ org_id, object, object_id: id });
        // as: each kind has its own word for its end.
        if (at !== undefined) found.push({ of, what, ...row, at } as Ending);
      }
      const last = rows.at(-1);
      if (!last || rows.length < AT_ONCE) break;
      behind = { org_id: last.org_id, id: last.id };
      await slices.pause();
    }
  }
  return found;
}

const LOOKED_AT: ReadonlyMap<
  Revocable,
  { rowsBehind: typeof keysInForce } & Pick<Ending, "of" | "what">
> = new Map([
  ["credential", { rowsBehind: keysInForce, of: "key", what: "revoked" }],
  ["access_token", { rowsBehind: tokensInForce, of: "access token", what: "revoked" }],
  ["person", { rowsBehind: peopleInForce, of: "person", what: "deactivated" }],
]);
