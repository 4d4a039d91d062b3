import { parsePermissions } from "../../calls/principal.ts";
import type { Actor } from "../../changes/audit.ts";
import { Failure } from "../../kernel/failure.ts";
import { defineTransaction } from "../../storage/storage.ts";
import { endOne, endSessionsOf } from "./end-session.transactions.ts";
import { beginAdministration, requireNotStronger } from "./people.transactions.ts";
import { findPerson } from "./people.store.ts";
import { sessionsOf } from "./sessions.store.ts";

/**
 * Ends one of a person's sessions for good; null: all of them. Tells how many. Throws `not_found`,
 * also for a session of another person, and `person_holds_more`.
 */
export const endPersonSessions = defineTransaction(
  "access.end-person-sessions",
  async (tx, input: { actor: Actor; id: string; session: string | null }): Promise<number> => {
    const { actor, id, session } = input;
    const { org_id } = actor;
    const permissions = await beginAdministration(tx, actor);
    const person = await findPerson(tx, { org_id, id });
    if (!person) throw new Failure("not_found");
    requireNotStronger(permissions, parsePermissions(person.permissions));
    if (session === null) return await endSessionsOf(tx, actor, id, ENDED);
    const rows = await sessionsOf(tx, { org_id, user_id: id });
    const isTheirs = rows.some((row) => row.id === session);
    if (!isTheirs || !await endOne(tx, actor, session, { person_id: id, reason: ENDED })) {
      throw new Failure("not_found");
    }
    return 1;
  },
  { withoutRoom: true },
);

const ENDED = "ended by an administrator";
