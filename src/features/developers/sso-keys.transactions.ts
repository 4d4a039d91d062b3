import { Failure } from "../../kernel/failure.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { isUniqueViolation } from "../../storage/unique-violation.ts";
import { ssoKeyHash } from "./developer.ts";
import { canOpenStored, openStored, type StoredDeveloper } from "./developers.store.ts";
import { findSsoKeyOwner, lockUnhashed, setSsoKeyHash } from "./sso-keys.store.ts";

/**
 * Gives a chunk of the developers that wait the hash of their sso_key, from an organisation on. Of
 * several who share a key the first keeps it and the others are marked. Gives how many; throws
 * `unavailable` where another writer came in between.
 */
export const hashSsoKeys = defineTransaction(
  "developers.hash-sso-keys",
  async (tx, input: { from: string }) => {
    const rows = await lockUnhashed(tx, { from: input.from });
    try {
      for (const row of rows) await hashSsoKey(tx, row);
    } catch (error) {
      throw isUniqueViolation(error) ? new Failure("unavailable") : error;
    }
    return rows.length;
  },
);

async function hashSsoKey(tx: Tx, row: StoredDeveloper & { org_id: string }): Promise<void> {
  const { org_id, id } = row;
  // If no available sealing key opens it, no developer can be found by it.
  const hash = canOpenStored(tx.sealer, org_id, row)
    ? ssoKeyHash(openStored(tx.sealer, org_id, row).sso_key)
    : "";
  const shared = hash !== "" && await findSsoKeyOwner(tx, { org_id, hash }) !== undefined;
  await setSsoKeyHash(tx, { org_id, id }, { hash, shared });
}
