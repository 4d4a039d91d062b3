import { z } from "zod";
import { CONFIRM_MINUTES } from "../../../contract/temporary-access.ts";
import { bodyErrors } from "../../../contract/endpoint.ts";
import { exampleIds } from "../../../contract/example-ids.ts";
import { permissions } from "../../../contract/permissions.ts";
import { operation } from "../../../http/operation.ts";
import {
  asked,
  ownTemporaryAccess,
  temporaryAccess,
  temporaryAccessChallenge,
  temporaryAccessInput,
} from "./temporary-access.contract.ts";
import * as service from "./temporary-access.service.ts";

const tag = "People";

/** Opens to every person who is signed in. */
const anyPermission = permissions;

const example = {
  rule_id: exampleIds.temporaryAccessRule,
  reason: "Incident 4711: keys of a partner leaked",
  minutes: 30,
};

/** Those of the organisation. */
export const listTemporaryAccess = operation({
  id: "listTemporaryAccess",
  method: "GET",
  path: "/v1/temporary-access",
  tag,
  summary: "List temporary access, newest first; at most 100",
  description:
    "The audit log has all of them, each with its reason and every action in it; those that are over are listed for 400 days.",
  permission: ["admin:read"],
  response: z.strictObject({ data: z.array(temporaryAccess) }).meta({ id: "TemporaryAccessList" }),
  errors: [],
  serve: (ctx) => service.list(ctx),
});

/** Reads the caller's own temporary access. */
export const getOwnTemporaryAccess = operation({
  id: "getOwnTemporaryAccess",
  method: "GET",
  path: "/v1/temporary-access/own",
  tag,
  summary:
    "The caller's temporary access, the rules that they may use, and what they may say yes to",
  description: "For the signed-in person: an access token never has temporary access.",
  permission: anyPermission,
  withinScope: true,
  response: ownTemporaryAccess,
  errors: ["not_found"],
  serve: (ctx) => service.own(ctx),
});

/** Gives the challenge to sign. */
export const challengeForTemporaryAccess = operation({
  id: "challengeForTemporaryAccess",
  method: "POST",
  path: "/v1/temporary-access/challenge",
  tag,
  summary: "Begin temporary access by a passkey: what the caller's passkey signs",
  description:
    "The challenge is the SHA-256 of `content`: who, by which rule as it is now, what it gives, why and until when. It is signed once, within two minutes, in this session.",
  permission: anyPermission,
  withinScope: true,
  body: z.object(asked).meta({ id: "TemporaryAccessChallengeInput" }),
  response: temporaryAccessChallenge,
  errors: [...bodyErrors, "not_found", "passkeys_unavailable"],
  example,
  serve: (ctx, { body, headers }) => service.challenge(ctx, body, headers.get("host")),
});

/** It begins, or waits for a second person. */
export const startTemporaryAccess = operation({
  id: "startTemporaryAccess",
  method: "POST",
  path: "/v1/temporary-access",
  tag,
  summary:
    "Hold a rule's role for a while, in this session alone; administrators are notified at once",
  description:
    `By a passkey it begins now. By a second person it waits ${CONFIRM_MINUTES} minutes for one to confirm. It expires by itself and can't be prolonged. It can't be used to change people, roles, rules, ways to sign in, channels or settings, nor to start a job but a small one, of up to 100 key requests.`,
  permission: anyPermission,
  withinScope: true,
  body: temporaryAccessInput,
  response: temporaryAccess,
  errors: [
    ...bodyErrors,
    "not_found",
    "temporary_access_already",
    "temporary_access_gives_nothing",
    "signature_required",
    "signature_refused",
    "not_authorised",
  ],
  example,
  serve: (ctx, { body, headers }) => service.start(ctx, body, headers.get("host")),
});

/** A second person says yes. */
export const confirmTemporaryAccess = operation({
  id: "confirmTemporaryAccess",
  method: "POST",
  path: "/v1/temporary-access/{id}/confirm",
  tag,
  summary: "Confirm another person's temporary access, as one whom the rule names; it begins now",
  description:
    "From a session that signed in within the last five minutes and has no temporary access itself. You can't confirm your own, nor with an account that has the requester's e-mail address.",
  permission: anyPermission,
  withinScope: true,
  needsFreshSignIn: true,
  response: temporaryAccess,
  errors: [
    "not_found",
    "not_second_person",
    "temporary_access_over",
    "temporary_access_gives_nothing",
  ],
  serve: (ctx, { params }) => service.confirm(ctx, params.id),
});

/** It ends. */
export const endTemporaryAccess = operation({
  id: "endTemporaryAccess",
  method: "DELETE",
  path: "/v1/temporary-access/{id}",
  tag,
  summary:
    "End temporary access, one's own or as an administrator; actions by it are refused from then on",
  description: "One that is only asked for is withdrawn.",
  permission: anyPermission,
  withinScope: true,
  withinTemporaryAccess: true,
  response: temporaryAccess,
  errors: ["not_found", "temporary_access_over"],
  serve: (ctx, { params }) => service.end(ctx, params.id),
});
