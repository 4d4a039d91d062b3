import type { Actor } from "../../../changes/audit.ts";
import { Failure } from "../../../kernel/failure.ts";
import { defineTransaction } from "../../../storage/storage.ts";
import {
  removeDeveloperLinks,
  sessionIdsOf,
  tokenIdsOf,
} from "../../developers/developer-sign-ins.store.ts";
import { lockDeveloper } from "../../developers/developers.store.ts";
import { endSessionOf, endTokenOf } from "../../developers/end-session.transactions.ts";

/**
 * Ends one session or token of a developer for good, or with null all of them. Tells how many.
 * Throws `not_found`, also for one of another developer.
 */
export const endDevelopersAccess = defineTransaction(
  "developer-access.end-access",
  async (
    tx,
    input: { actor: Actor; id: string; what: "sessions" | "tokens"; only: string | null },
  ): Promise<number> => {
    const { actor, id, what, only } = input;
    const of = { org_id: actor.org_id, developer_id: id };
    // None begins meanwhile that would be left over.
    if (!await lockDeveloper(tx, actor.org_id, id)) throw new Failure("not_found");
    const endOne = what === "sessions" ? endSessionOf : endTokenOf;
    const idsOf = what === "sessions" ? sessionIdsOf : tokenIdsOf;
    let ended = 0;
    for (const one of only === null ? await idsOf(tx, of) : [only]) {
      if (await endOne(tx, actor, id, one, ENDED)) ended++;
    }
    if (only !== null && ended === 0) throw new Failure("not_found");
    if (what === "sessions" && only === null) await removeDeveloperLinks(tx, of);
    return ended;
  },
  { withoutRoom: true },
);

const ENDED = "ended by the organisation";
