import type { RequestContext } from "../../calls/context.ts";
import { Failure } from "../../kernel/failure.ts";
import { findPerson } from "./people.store.ts";
import { administrationOf } from "./people.service.ts";
import { endPersonSessions } from "./person-sessions.transactions.ts";
import { isOpen, shownSession } from "./session.ts";
import { sessionsOf } from "./sessions.store.ts";

/** A person's sessions that open something, newest first. Throws `not_found`. */
export async function list({ principal, storage, clock, settings }: RequestContext, id: string) {
  const { org_id } = principal;
  const person = await findPerson(storage.reader, { org_id, id });
  if (!person) throw new Failure("not_found");
  if (person.deactivated_at !== null) return [];
  const rows = await sessionsOf(storage.reader, { org_id, user_id: id });
  return rows.filter((row) => isOpen(row, clock.now(), settings.sessionIdleMs)).map(shownSession);
}

/**
 * Ends one of a person's sessions, or all; tells how many. Throws `not_found`, `person_holds_more`.
 */
export async function end(ctx: RequestContext, id: string, session: string | null) {
  const { actor } = administrationOf(ctx);
  return await ctx.storage.commit(endPersonSessions, { actor, id, session });
}
