import { Failure } from "../../kernel/failure.ts";
import type { SealedPlace, Sealer } from "../../kernel/sealing/sealer.ts";
import type { Connection } from "../../storage/storage.ts";
import { identitiesOf, type IdentityRow } from "./identities.store.ts";

/** The sealed content of an account's link: the columns beside it may be changed in the store. */
export interface IdentityLink {
  user_id: string;
  provider_id: string;
  subject: string;
  /** True: the person was added by the provider, whose groups say what they may do. */
  managed: boolean;
}

/** The context under which it is sealed. */
export function identityPlace(org_id: string, id: string): SealedPlace {
  return { table: "person_identities", org_id, id, column: "link" };
}

/** A link, opened; undefined: it was changed in the store, or its key is lost. */
export function openedLink(
  sealer: Sealer,
  row: { org_id: string; id: string; user_id: string; provider_id: string; link: string | null },
): IdentityLink | undefined {
  const place = identityPlace(row.org_id, row.id);
  if (row.link === null || !sealer.canOpen(place, row.link)) return undefined;
  // as: the transactions of identity write it, and no one else can seal.
  const link = JSON.parse(sealer.open(place, row.link)) as IdentityLink;
  return link.user_id === row.user_id && link.provider_id === row.provider_id ? link : undefined;
}

/** Whether the account's provider added its person. One that can't be read may say so. */
export function isManagedLink(sealer: Sealer, row: IdentityRow): boolean {
  return openedLink(sealer, row)?.managed ?? true;
}

/**
 * Whether a provider added this person, and says by their groups what they may do and when they are
 * out.
 */
export async function isManaged(
  db: Connection,
  sealer: Sealer,
  owner: { org_id: string; user_id: string },
): Promise<boolean> {
  return (await identitiesOf(db, owner)).some((row) => isManagedLink(sealer, row));
}

/**
 * Throws `added_by_provider` for a person whom a provider added: it says what they may do, and when
 * they are out, so that they give themselves no way in beside it.
 */
export async function requireUnmanaged(
  db: Connection,
  sealer: Sealer,
  owner: { org_id: string; user_id: string },
): Promise<void> {
  if (await isManaged(db, sealer, owner)) throw new Failure("added_by_provider");
}
