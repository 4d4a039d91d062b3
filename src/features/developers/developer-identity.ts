import type { SealedPlace, Sealer } from "../../kernel/sealing/sealer.ts";
import type { StoredRow } from "../../storage/schema.ts";

/** A developer's account at a provider as it is stored. */
export type DeveloperIdentityRow = StoredRow<"developer_identities">;

/** Accounts that a developer has at once. */
export const MOST_DEVELOPER_IDENTITIES = 10;

/** The sealed content of an account's link: the columns beside it may be changed in the store. */
interface DeveloperIdentityLink {
  developer_id: string;
  provider_id: string;
  subject: string;
}

/** The context under which it is sealed. */
export function developerIdentityPlace(org_id: string, id: string): SealedPlace {
  return { table: "developer_identities", org_id, id, column: "link" };
}

/** A link, opened; undefined: it was changed in the store, or its key is lost. */
export function openedDeveloperLink(
  sealer: Sealer,
  row: Pick<DeveloperIdentityRow, "org_id" | "id" | "developer_id" | "provider_id" | "link">,
): DeveloperIdentityLink | undefined {
  const place = developerIdentityPlace(row.org_id, row.id);
  if (row.link === null || !sealer.canOpen(place, row.link)) return undefined;
  // as: the transactions of developers' providers write it, and no one else can seal.
  const link = JSON.parse(sealer.open(place, row.link)) as DeveloperIdentityLink;
  const isTheirs = link.developer_id === row.developer_id && link.provider_id === row.provider_id;
  return isTheirs ? link : undefined;
}
