import { z } from "zod";
import {
  CONFIRM_MINUTES,
  elevationEnds,
  elevationProofs,
  elevationStates,
  MOST_ELEVATED_MINUTES,
} from "../../contract/elevations.ts";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { exampleIds } from "../../contract/example-ids.ts";
import { permissions } from "../../contract/permissions.ts";
import { nullable } from "../../contract/v1.ts";
import { id, text, timestamp } from "../../contract/values.ts";
import { assertionInput } from "../access/passkeys.contract.ts";

const tag = "People";

const named = z.strictObject({ id: text, name: text });

/** An elevation as it is read. */
export const elevation = z.strictObject({
  id: text,
  rule: z.strictObject({ id: text, name: text.meta({ description: "Empty: it was removed." }) })
    .meta({ id: "NamedRule" }),
  person: named,
  state: z.enum(elevationStates).meta({
    description: "`asked`: a second person has to say yes until `expires_at`.",
  }),
  role: nullable(text).meta({ description: "Null of one that has ended, as the next two are." }),
  permissions: nullable(z.array(z.enum(permissions))),
  reason: nullable(text),
  date_asked: timestamp,
  date_started: nullable(timestamp),
  expires_at: timestamp,
  confirmed_by: nullable(named).meta({ description: "The second person; null: there was none." }),
  date_ended: nullable(timestamp),
  ended_by: nullable(text).meta({ description: "Who ended it, as the trail calls them." }),
  end_reason: nullable(z.enum(elevationEnds)),
  deeds: z.int().meta({ description: "How many rows of the trail were written in it." }),
}).meta({ id: "Elevation" });

/** Opens to every person who is signed in. */
const anyPermission = permissions;

const reason = z.string().trim().min(5).max(500);
const minutes = z.int().min(1).max(MOST_ELEVATED_MINUTES).meta({
  description: "How long; at most as long as the rule says.",
});

/** What a passkey signs an elevation with. */
const signature = z.object({
  nonce: z.string().min(1).max(160),
  ends: timestamp.meta({ description: "The `ends` of the challenge." }),
  ...assertionInput.shape,
}).meta({ id: "ElevationSignature" });

const asked = { rule_id: id, reason, minutes };
const example = {
  rule_id: exampleIds.elevationRule,
  reason: "Incident 4711: keys of a partner leaked",
  minutes: 30,
};

/** Those of the organisation. */
export const listElevations = defineEndpoint({
  id: "listElevations",
  method: "GET",
  path: "/v1/elevations",
  tag,
  summary: "List elevations, newest first; at most 100",
  description:
    "The trail has all of them, each with its reason and every deed in it; those that ended stand here for 400 days.",
  permission: ["admin:read"],
  response: z.strictObject({ data: z.array(elevation) }).meta({ id: "ElevationList" }),
  errors: [],
});

/** What somebody may do of it. */
export const getOwnElevations = defineEndpoint({
  id: "getOwnElevations",
  method: "GET",
  path: "/v1/elevations/own",
  tag,
  summary: "The caller's elevation, the rules that they may use, and what they may say yes to",
  description: "For whoever is signed in: an access token is never elevated.",
  permission: anyPermission,
  withinScope: true,
  response: z.strictObject({
    elevation: nullable(elevation).meta({
      description: "Asked or open, in whichever session of the caller; null: none.",
    }),
    here: z.boolean().meta({ description: "True: it is this session's." }),
    rules: z.array(z.strictObject({
      id: text,
      name: text,
      role: named,
      permissions: z.array(z.enum(permissions)),
      minutes: z.int(),
      proof: z.enum(elevationProofs),
    })),
    to_confirm: z.array(elevation),
  }).meta({ id: "OwnElevations" }),
  errors: ["not_found"],
});

/** What is to be signed. */
export const challengeForElevation = defineEndpoint({
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
  response: z.strictObject({
    nonce: text,
    challenge: text.meta({ description: "base64url." }),
    rp_id: text.meta({ description: "The host that passkeys are made for." }),
    ends: timestamp.meta({ description: "When the elevation will end." }),
    expires_at: timestamp.meta({ description: "Until when it can be signed." }),
    content: text.meta({ description: "JSON text in the form of RFC 8785." }),
  }).meta({ id: "ElevationChallenge" }),
  errors: [...bodyErrors, "not_found", "passkeys_unavailable"],
  example,
});

/** It begins, or waits for a second person. */
export const startElevation = defineEndpoint({
  id: "startElevation",
  method: "POST",
  path: "/v1/elevations",
  tag,
  summary: "Hold a rule's role for a while, in this session alone; administrators are told at once",
  description:
    `By a passkey it begins now. By a second person it waits ${CONFIRM_MINUTES} minutes for one to say yes. It ends by itself; nobody prolongs it. In it nobody changes people, roles, rules, ways in, targets or settings, and starts no job.`,
  permission: anyPermission,
  withinScope: true,
  body: z.object({ ...asked, signature: signature.optional() }).meta({ id: "ElevationInput" }),
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
});

/** A second person says yes. */
export const confirmElevation = defineEndpoint({
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
});

/** It ends. */
export const endElevation = defineEndpoint({
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
});
