import { requireRevision } from "../../kernel/entity-tag.ts";
import type { Tx } from "../../storage/storage.ts";
import { type Developer, developerRevision, splitSecrets } from "./developer.ts";
import { findTags } from "./developer-tags.store.ts";

/** Throws `precondition_failed` where a developer whom the transaction holds is none of these. */
export async function requireLockedRevision(
  tx: Tx,
  org_id: string,
  developer: Developer,
  ifMatch: string[] | null,
): Promise<void> {
  if (ifMatch !== null) requireRevision(ifMatch, await lockedRevision(tx, org_id, developer));
}

/** The revision of a developer whom the transaction holds, as `/v1/developers` has it. */
export async function lockedRevision(
  tx: Tx,
  org_id: string,
  developer: Developer,
): Promise<string> {
  const { tags = null } = await findTags(tx, { org_id, id: developer.id }) ?? {};
  return developerRevision(splitSecrets(developer).document, tags);
}
