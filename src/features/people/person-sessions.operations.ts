import { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { operation } from "../../http/operation.ts";
import { Failure } from "../../kernel/failure.ts";
import { administrationOf } from "./people.service.ts";
import { findPerson } from "./people.store.ts";
import { endPersonSessions as endPersonSessionsChange } from "./person-sessions.transactions.ts";
import { isOpen, toSession } from "./session.ts";
import { ownSession } from "./sessions.contract.ts";
import { sessionsOf } from "./sessions.store.ts";

const tag = "People";

/** Lists the sessions of a person. */
export const listPersonSessions = operation({
  id: "listPersonSessions",
  method: "GET",
  path: "/v1/people/{id}/sessions",
  tag,
  summary: "List a person's sessions, newest first; at most 20",
  description: "Those that are valid. Their access tokens are a list of their own.",
  permission: ["admin"],
  response: z.strictObject({
    data: z.array(
      ownSession.omit({ current: true })
        .meta({ id: "PersonSession" }),
    ),
  }).meta({ id: "PersonSessionList" }),
  errors: ["not_found"],
  serve: async (ctx, { params }) => ({
    data: await list(ctx, params.id),
  }),
});

const ended = z.strictObject({ ended: z.int() }).meta({ id: "PersonSessionsEnded" });

const errors = ["not_found", "person_holds_more"] as const;

/** One of them. */
export const endPersonSession = operation({
  id: "endPersonSession",
  method: "DELETE",
  path: "/v1/people/{id}/sessions/{session}",
  tag,
  summary: "End one of a person's sessions for good",
  description:
    "It is invalid within a second. You can't end sessions of a person who has more permissions than you.",
  permission: ["admin"],
  needsFreshSignIn: true,
  response: ended,
  errors: [...errors],
  serve: async (ctx, { params }) => ({
    ended: await end(ctx, params.id, params.session),
  }),
});

/** All of them. */
export const endPersonSessions = operation({
  id: "endPersonSessions",
  method: "DELETE",
  path: "/v1/people/{id}/sessions",
  tag,
  summary: "End all sessions of a person for good: they sign in anew",
  description:
    "Access tokens stay good. You can't end sessions of a person who has more permissions than you.",
  permission: ["admin"],
  needsFreshSignIn: true,
  response: ended,
  errors: [...errors],
  serve: async (ctx, { params }) => ({
    ended: await end(ctx, params.id, null),
  }),
});

/** A person's sessions that open something, newest first. Throws `not_found`. */
async function list({ principal, storage, clock, settings }: RequestContext, id: string) {
  const { org_id } = principal;
  const person = await findPerson(storage.reader, { org_id, id });
  if (!person) throw new Failure("not_found");
  if (person.deactivated_at !== null) return [];
  const rows = await sessionsOf(storage.reader, { org_id, user_id: id });
  return rows.filter((row) => isOpen(row, clock.now(), settings.sessionIdleMs)).map(toSession);
}

/**
 * Ends one of a person's sessions, or all; tells how many. Throws `not_found`, `person_holds_more`.
 */
async function end(ctx: RequestContext, id: string, session: string | null) {
  const { actor } = administrationOf(ctx);
  return await ctx.storage.commit(endPersonSessionsChange, { actor, id, session });
}
