import { z } from "zod";
import { changeBy } from "../../../calls/change-by.ts";
import type { RequestContext } from "../../../calls/context.ts";
import { text } from "../../../contract/values.ts";
import { operation } from "../../../http/operation.ts";
import { Failure } from "../../../kernel/failure.ts";
import { developerExists } from "../../developers/developers.store.ts";
import { isOpenSession, toSession } from "./developer-session.ts";
import { developerSessionsOf } from "./developer-sessions.store.ts";
import { developerToken } from "./developer-tokens.contract.ts";
import { openTokens } from "./developer-tokens.service.ts";
import { endDevelopersAccess } from "./developers-access.transactions.ts";
import { ownDeveloperSession } from "./sign-in.contract.ts";

const tag = "Developer's pages";

const permission = ["admin", "approve"] as const;

const FOR = "For administrators of the organisation and people who decide its requests.";

/** Lists the sessions of a developer. */
export const listDeveloperSessions = operation({
  id: "listDeveloperSessions",
  method: "GET",
  path: "/v1/developers/{id}/sessions",
  tag,
  summary: "List a developer's sessions at their pages, newest first",
  description: `Those that are valid, also sessions of people who only look. ${FOR}`,
  permission,
  response: z.strictObject({
    data: z.array(
      ownDeveloperSession.omit({ current: true }).extend({
        viewer: text.meta({ description: "The id of the person who only looks; empty: none." }),
      }).meta({ id: "DevelopersSession" }),
    ),
  }).meta({ id: "DevelopersSessionList" }),
  errors: ["not_found"],
  serve: async (ctx, { params }) => ({
    data: await listSessions(ctx, params.id),
  }),
});

/** Their tokens. */
export const listDeveloperTokens = operation({
  id: "listDeveloperTokens",
  method: "GET",
  path: "/v1/developers/{id}/tokens",
  tag,
  summary: "List a developer's own tokens, newest first; at most 50",
  description: `Those that are valid; never their values. ${FOR}`,
  permission,
  response: z.strictObject({ data: z.array(developerToken) })
    .meta({ id: "DevelopersTokenList" }),
  errors: ["not_found"],
  serve: async (ctx, { params }) => ({
    data: await listTokens(ctx, params.id),
  }),
});

const ended = z.strictObject({ ended: z.int() }).meta({ id: "DevelopersAccessEnded" });

/** One session. */
export const endDeveloperSession = operation({
  id: "endDeveloperSession",
  method: "DELETE",
  path: "/v1/developers/{id}/sessions/{session}",
  tag,
  summary: "End one of a developer's sessions for good",
  description: `It is no longer valid. ${FOR}`,
  permission,
  response: ended,
  errors: ["not_found"],
  serve: async (ctx, { params }) => ({
    ended: await end(ctx, params.id, "sessions", params.session),
  }),
});

/** All sessions. */
export const endDeveloperSessions = operation({
  id: "endDeveloperSessions",
  method: "DELETE",
  path: "/v1/developers/{id}/sessions",
  tag,
  summary: "End all sessions of a developer for good; tokens stay good",
  description: `They sign in anew. Links that would open a session are withdrawn. ${FOR}`,
  permission,
  response: ended,
  errors: ["not_found"],
  serve: async (ctx, { params }) => ({
    ended: await end(ctx, params.id, "sessions", null),
  }),
});

/** One token. */
export const endDeveloperToken = operation({
  id: "endDeveloperToken",
  method: "DELETE",
  path: "/v1/developers/{id}/tokens/{token}",
  tag,
  summary: "End one of a developer's own tokens for good",
  description: `It is no longer valid. ${FOR}`,
  permission,
  response: ended,
  errors: ["not_found"],
  serve: async (ctx, { params }) => ({
    ended: await end(ctx, params.id, "tokens", params.token),
  }),
});

/** All tokens. */
export const endDeveloperTokens = operation({
  id: "endDeveloperTokens",
  method: "DELETE",
  path: "/v1/developers/{id}/tokens",
  tag,
  summary: "End all tokens of a developer for good; sessions stay good",
  description: FOR,
  permission,
  response: ended,
  errors: ["not_found"],
  serve: async (ctx, { params }) => ({
    ended: await end(ctx, params.id, "tokens", null),
  }),
});

/** A developer's sessions that open something, newest first. Throws `not_found`. */
async function listSessions(ctx: RequestContext, id: string) {
  await requireDeveloper(ctx, id);
  const { storage: { reader }, clock, principal: { org_id } } = ctx;
  const rows = await developerSessionsOf(reader, { org_id, developer_id: id });
  return rows.filter((row) => isOpenSession(row, clock.now()))
    .map((row) => ({ ...toSession(row), viewer: row.viewer ?? "" }));
}

/** A developer's tokens that open something, newest first. Throws `not_found`. */
async function listTokens(ctx: RequestContext, id: string) {
  await requireDeveloper(ctx, id);
  return await openTokens(ctx, id);
}

/** Ends one session or token of a developer; null: all. Tells how many. Throws `not_found`. */
async function end(
  ctx: RequestContext,
  id: string,
  what: "sessions" | "tokens",
  only: string | null,
): Promise<number> {
  return await changeBy(ctx, endDevelopersAccess, { id, what, only });
}

async function requireDeveloper({ storage, principal }: RequestContext, id: string) {
  if (!await developerExists(storage.reader, { org_id: principal.org_id, id })) {
    throw new Failure("not_found");
  }
}
