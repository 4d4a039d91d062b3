import type { Connection } from "../../storage/storage.ts";

/** The address of a certificate's owner; undefined: it has none. */
export function findOwnerAddress(
  _db: Connection,
  _org_id: string,
  _certificate_id: string,
): Promise<string | undefined> {
  // Certificates have no owner yet.
  return Promise.resolve(undefined);
}
