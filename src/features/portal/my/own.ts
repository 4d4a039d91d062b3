import type { CatalogueContext } from "../../plans/catalogue/live-catalogue.ts";
import { callingDeveloper } from "../../../calls/principal.ts";
import { parseTimestamp } from "../../../kernel/timestamps.ts";
import { findDeveloper } from "../../developers/developer-accounts.store.ts";
import type { Developer } from "../../developers/developer.ts";
import { isOfAnother } from "../../developers/email-proof.ts";
import { findEmailProof } from "../../developers/email-proof.store.ts";
import type { Connection } from "../../../storage/storage.ts";
import type { VerificationContext } from "../../verification/verifier.ts";

/** The context of what a developer does for themselves. */
export type MyContext = CatalogueContext & VerificationContext;

/** The owner: known only by the caller. */
interface Owner {
  readonly org_id: string;
  readonly developer_id: string;
}

/** The caller as owner. Their id comes from nowhere else. */
export function ownerOf({ principal }: MyContext): Owner {
  return { org_id: principal.org_id, developer_id: callingDeveloper(principal).id };
}

/** The things under a developer's id that belong to the developer. */
export interface Theirs {
  isKey(key_id: string): boolean;
  isRequest(instant: string): boolean;
}

/** All of it. */
export const ALL: Theirs = { isKey: () => true, isRequest: () => true };

/**
 * The things under the caller's id that belong to the caller: all of them, unless they were
 * registered under an id that had keys already. Then the earlier things stay another's until a
 * person decides otherwise; see former-keys.transactions.ts.
 */
export async function theirsOf(ctx: MyContext): Promise<Theirs> {
  return await theirsIn(ctx.storage.reader, ownerOf(ctx));
}

/** The things that belong to this owner. */
export async function theirsIn(
  db: Connection,
  { org_id, developer_id: id }: Owner,
): Promise<Theirs> {
  const proof = await findEmailProof(db, { org_id, id });
  if (!isOfAnother(proof)) return ALL;
  const row = await findDeveloper(db, { org_id, id });
  // as: the developers' store writes exactly this.
  const { keys } = JSON.parse(row?.document ?? '{"keys":{}}') as Pick<Developer, "keys">;
  const since = parseTimestamp(proof?.changed_at ?? "")?.instant ?? "~";
  return {
    isKey: (key_id) => Object.hasOwn(keys, key_id),
    isRequest: (instant) => instant >= since,
  };
}
