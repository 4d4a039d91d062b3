import { z } from "zod";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { ifMatch } from "../../contract/v1.ts";
import { text, timestamp } from "../../contract/values.ts";
import { offerTermsInput } from "../keys/conditions.contract.ts";
import { chosenEnd } from "../keys/credentials.contract.ts";

/** What is to be signed. */
export const challengeForKeyRequest = defineEndpoint({
  id: "challengeForKeyRequest",
  method: "POST",
  path: "/v1/key-requests/{id}/challenge",
  tag: "Key requests (native)",
  summary: "Begin to sign an approval or an offer by a passkey: what the caller's passkey signs",
  description:
    "The challenge is the SHA-256 of `content`: caller, request, its revision, and all that it is granted. It is signed once, within two minutes, in this session; then the decision is sent with the same terms and the `signature`. An access token that calls by itself has no session: 404 `not_found`.",
  permission: ["approve"],
  withinElevation: true,
  withinScope: true,
  body: z.object({
    decision: z.enum(["approve", "offer"]).optional().meta({ description: "`approve` if absent." }),
    expires_at: chosenEnd,
    conditions: offerTermsInput.optional(),
  }).meta({ id: "DecisionChallengeInput" }),
  bodyOptional: true,
  headers: ifMatch,
  response: z.strictObject({
    nonce: text.meta({ description: "Goes back with the signature." }),
    challenge: text.meta({ description: "base64url." }),
    rp_id: text.meta({ description: "The host that passkeys are made for." }),
    expires_at: timestamp,
    content: text.meta({ description: "JSON text in the form of RFC 8785." }),
  }).meta({ id: "DecisionChallenge" }),
  errors: [
    ...bodyErrors,
    "not_found",
    "already_decided",
    "passkeys_unavailable",
    "precondition_failed",
    "unknown_plan",
  ],
  example: {},
});
