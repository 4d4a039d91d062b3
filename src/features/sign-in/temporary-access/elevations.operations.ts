import { z } from "zod";
import { CONFIRM_MINUTES } from "../../../contract/elevations.ts";
import { bodyErrors } from "../../../contract/endpoint.ts";
import { exampleIds } from "../../../contract/example-ids.ts";
import { permissions } from "../../../contract/permissions.ts";
import { operation } from "../../../http/operation.ts";
import {
  asked,
  elevation,
  elevationChallenge,
  elevationInput,
  ownElevations,
} from "./elevations.contract.ts";
import * as service from "./elevations.service.ts";

const tag = "People";

/** Opens to every person who is signed in. */
const anyPermission = permissions;

const example = {
  rule_id: exampleIds.elevationRule,
  reason: "Incident 4711: keys of a partner leaked",
  minutes: 30,
};

/** Those of the organisation. */
export const listElevations = operation({
  id: "listElevations",
  method: "GET",
  path: "/v1/elevations",
  tag,
  summary: "List elevations, newest first; at most 100",
  description:
    "The audit log has all of them, each with its reason and every deed in it; those that ended stand here for 400 days.",
  permission: ["admin:read"],
  response: z.strictObject({ data: z.array(elevation) }).meta({ id: "ElevationList" }),
  errors: [],
  serve: (ctx) => service.list(ctx),
});

/** What somebody may do of it. */
export const getOwnElevations = operation({
  id: "getOwnElevations",
  method: "GET",
  path: "/v1/elevations/own",
  tag,
  summary: "The caller's elevation, the rules that they may use, and what they may say yes to",
  description: "For whoever is signed in: an access token is never elevated.",
  permission: anyPermission,
  withinScope: true,
  response: ownElevations,
  errors: ["not_found"],
  serve: (ctx) => service.own(ctx),
});

/** What is to be signed. */
export const challengeForElevation = operation({
  id: "challengeForElevation",
  method: "POST",
  path: "/v1/elevations/challenge",
  tag,
  summary: "Begin to elevate oneself by a passkey: what the caller's passkey signs",
  description:
    "The challenge is the SHA-256 of `content`: who, by which rule as it is now, what it gives, why and until when. It is signed once, within two minutes, in this session.",
  permission: anyPermission,
  withinScope: true,
  body: z.object(asked).meta({ id: "ElevationChallengeInput" }),
  response: elevationChallenge,
  errors: [...bodyErrors, "not_found", "passkeys_unavailable"],
  example,
  serve: (ctx, { body, headers }) => service.challenge(ctx, body, headers.get("host")),
});

/** It begins, or waits for a second person. */
export const startElevation = operation({
  id: "startElevation",
  method: "POST",
  path: "/v1/elevations",
  tag,
  summary: "Hold a rule's role for a while, in this session alone; administrators are told at once",
  description:
    `By a passkey it begins now. By a second person it waits ${CONFIRM_MINUTES} minutes for one to say yes. It ends by itself; nobody prolongs it. In it nobody changes people, roles, rules, ways in, targets or settings, and starts no job but a small one, of up to 100 key requests.`,
  permission: anyPermission,
  withinScope: true,
  body: elevationInput,
  response: elevation,
  errors: [
    ...bodyErrors,
    "not_found",
    "elevated_already",
    "elevation_gives_nothing",
    "signature_required",
    "signature_refused",
    "not_authorised",
  ],
  example,
  serve: (ctx, { body, headers }) => service.start(ctx, body, headers.get("host")),
});

/** A second person says yes. */
export const confirmElevation = operation({
  id: "confirmElevation",
  method: "POST",
  path: "/v1/elevations/{id}/confirm",
  tag,
  summary: "Say yes to somebody else's elevation, as one whom the rule names; it begins now",
  description:
    "From a session that signed in within the last five minutes and is not elevated itself. Nobody confirms their own, nor with an account that has the same e-mail address.",
  permission: anyPermission,
  withinScope: true,
  needsFreshSignIn: true,
  response: elevation,
  errors: ["not_found", "not_second_person", "elevation_over", "elevation_gives_nothing"],
  serve: (ctx, { params }) => service.confirm(ctx, params.id),
});

/** It ends. */
export const endElevation = operation({
  id: "endElevation",
  method: "DELETE",
  path: "/v1/elevations/{id}",
  tag,
  summary: "End an elevation, one's own or as an administrator; what is done in it counts no more",
  description: "One that is only asked for is withdrawn.",
  permission: anyPermission,
  withinScope: true,
  withinElevation: true,
  response: elevation,
  errors: ["not_found", "elevation_over"],
  serve: (ctx, { params }) => service.end(ctx, params.id),
});
