import { Failure } from "../../kernel/failure.ts";
import type { Tx } from "../../storage/storage.ts";
import { holdDeveloperRow } from "../developers/developers.store.ts";
import type { KeyRequestDraft } from "./draft-key-request.ts";
import { findPending } from "./pending-requests.store.ts";
import { termsOf } from "./stored-request.ts";

/**
 * The id of the request for the same plans (and the same `key`) by the same developer that nobody has decided yet;
 * or undefined. The developer is held from here on, so that of two equal requests one is made. Throws
 * `unknown_developer` where the developer is gone by now.
 */
export async function findWaiting(tx: Tx, draft: KeyRequestDraft): Promise<string | undefined> {
  const { org_id, by_user, for_plan } = draft.columns;
  if (!await holdDeveloperRow(tx, org_id, by_user)) throw new Failure("unknown_developer");
  const plans = [...draft.plans].sort().join("\n");
  const rows = await findPending(tx, org_id, by_user, for_plan);
  return rows.find((row) => {
    const terms = termsOf(row);
    return terms.key === draft.key && [...terms.plans].sort().join("\n") === plans;
  })?.id;
}
