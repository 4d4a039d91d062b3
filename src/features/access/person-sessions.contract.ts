import { z } from "zod";
import { defineEndpoint } from "../../contract/endpoint.ts";
import { ownSession } from "./sessions.contract.ts";

const tag = "People";

/** Where somebody is signed in. */
export const listPersonSessions = defineEndpoint({
  id: "listPersonSessions",
  method: "GET",
  path: "/v1/people/{id}/sessions",
  tag,
  summary: "List a person's sessions, newest first; at most 20",
  description: "Those that open something. Their access tokens are a list of their own.",
  permission: ["admin"],
  response: z.strictObject({
    data: z.array(
      ownSession.omit({ current: true })
        .meta({ id: "PersonSession" }),
    ),
  }).meta({ id: "PersonSessionList" }),
  errors: ["not_found"],
});

const ended = z.strictObject({ ended: z.int() }).meta({ id: "PersonSessionsEnded" });
const errors = ["not_found", "person_holds_more"] as const;

/** One of them. */
export const endPersonSession = defineEndpoint({
  id: "endPersonSession",
  method: "DELETE",
  path: "/v1/people/{id}/sessions/{session}",
  tag,
  summary: "End one of a person's sessions for good",
  description: "It opens nothing any more within a second. Nobody ends those of who holds more.",
  permission: ["admin"],
  needsFreshSignIn: true,
  response: ended,
  errors: [...errors],
});

/** All of them. */
export const endPersonSessions = defineEndpoint({
  id: "endPersonSessions",
  method: "DELETE",
  path: "/v1/people/{id}/sessions",
  tag,
  summary: "End all sessions of a person for good: they sign in anew",
  description: "Access tokens stay good. Nobody ends those of who holds more.",
  permission: ["admin"],
  needsFreshSignIn: true,
  response: ended,
  errors: [...errors],
});
