import { z } from "zod";
import { defineEndpoint } from "../../contract/endpoint.ts";
import { text } from "../../contract/values.ts";
import { developerToken } from "./developer-tokens.contract.ts";
import { ownDeveloperSession } from "./sign-in.contract.ts";

const tag = "Developer's pages";
const permission = ["admin", "approve"] as const;
const FOR = "For whoever administers the organisation or decides its requests.";

/** Where a developer is signed in. */
export const listDeveloperSessions = defineEndpoint({
  id: "listDeveloperSessions",
  method: "GET",
  path: "/v1/developers/{id}/sessions",
  tag,
  summary: "List a developer's sessions at their pages, newest first",
  description: `Those that open something, people's who only look among them. ${FOR}`,
  permission,
  response: z.strictObject({
    data: z.array(
      ownDeveloperSession.omit({ current: true }).extend({
        viewer: text.meta({ description: "The id of the person who only looks; empty: nobody." }),
      }).meta({ id: "DevelopersSession" }),
    ),
  }).meta({ id: "DevelopersSessionList" }),
  errors: ["not_found"],
});

/** Their tokens. */
export const listDeveloperTokens = defineEndpoint({
  id: "listDeveloperTokens",
  method: "GET",
  path: "/v1/developers/{id}/tokens",
  tag,
  summary: "List a developer's own tokens, newest first; at most 50",
  description: `Those that open something; never their values. ${FOR}`,
  permission,
  response: z.strictObject({ data: z.array(developerToken) })
    .meta({ id: "DevelopersTokenList" }),
  errors: ["not_found"],
});

const ended = z.strictObject({ ended: z.int() }).meta({ id: "DevelopersAccessEnded" });

/** One session. */
export const endDeveloperSession = defineEndpoint({
  id: "endDeveloperSession",
  method: "DELETE",
  path: "/v1/developers/{id}/sessions/{session}",
  tag,
  summary: "End one of a developer's sessions for good",
  description: `It opens nothing any more. ${FOR}`,
  permission,
  response: ended,
  errors: ["not_found"],
});

/** All sessions. */
export const endDeveloperSessions = defineEndpoint({
  id: "endDeveloperSessions",
  method: "DELETE",
  path: "/v1/developers/{id}/sessions",
  tag,
  summary: "End all sessions of a developer for good; tokens stay good",
  description: `They sign in anew. Links that would open a session are withdrawn. ${FOR}`,
  permission,
  response: ended,
  errors: ["not_found"],
});

/** One token. */
export const endDeveloperToken = defineEndpoint({
  id: "endDeveloperToken",
  method: "DELETE",
  path: "/v1/developers/{id}/tokens/{token}",
  tag,
  summary: "End one of a developer's own tokens for good",
  description: `It opens nothing any more. ${FOR}`,
  permission,
  response: ended,
  errors: ["not_found"],
});

/** All tokens. */
export const endDeveloperTokens = defineEndpoint({
  id: "endDeveloperTokens",
  method: "DELETE",
  path: "/v1/developers/{id}/tokens",
  tag,
  summary: "End all tokens of a developer for good; sessions stay good",
  description: FOR,
  permission,
  response: ended,
  errors: ["not_found"],
});
