import { z } from "zod";
import type { RequestContext } from "../../../calls/context.ts";
import { issuedOneTimeLink } from "../../../contract/one-time-link.ts";
import { bodyErrors } from "../../../contract/endpoint.ts";
import { nullable } from "../../../contract/v1.ts";
import { text } from "../../../contract/values.ts";
import { operation } from "../../../http/operation.ts";
import {
  accessTokenInput,
  accessTokenMembers,
  rotateAccessTokenInput,
  tag,
} from "../../people/access-tokens.contract.ts";
import { issueInput, rotateInput } from "../../people/access-tokens.service.ts";
import {
  type HandedOver,
  issueHandedOver,
  rotateHandedOver,
} from "./access-tokens.transactions.ts";
import {
  type NewOneTimeLink,
  newOneTimeLink,
  oneTimeLinkUrl as urlOfOneTimeLink,
} from "./one-time-link.ts";

/** An access token with its value, or with the link that hands it over; shown this once. */
const issuedAccessToken = z.strictObject({
  ...accessTokenMembers,
  access_token: nullable(text).meta({ description: "Null where a one-time link hands it over." }),
  one_time_link: nullable(issuedOneTimeLink),
}).meta({ id: "IssuedAccessToken" });

/** A further access token of a person. */
export const issueAccessToken = operation({
  id: "issueAccessToken",
  method: "POST",
  path: "/v1/people/{id}/access-tokens",
  tag,
  summary: "Issue an access token; its scope is the person's permissions or less",
  description:
    "Another person's is handed over by a one-time link. The value is in the answer alone, or behind the link; the store keeps a hash.",
  permission: ["admin"],
  needsFreshSignIn: true,
  body: accessTokenInput,
  idempotent: true,
  response: issuedAccessToken,
  errors: [
    ...bodyErrors,
    "not_found",
    "permission_not_held",
    "person_holds_more",
    "unknown_role",
    "person_deactivated",
  ],
  example: { name: "laptop", expires_at: "2036-01-31T09:00:00Z", scope: ["portal:read"] },
  async serve(ctx, call) {
    const { params: { id: person_id }, body: { deliver, ...body }, idempotency } = call;
    const address = ctx.clientAddresses.exactly(call);
    const input = issueInput(ctx, person_id, body, address, idempotency);
    const oneTimeLink = freshOneTimeLink(ctx, input.actor.now);
    return serialize(
      ctx,
      await ctx.storage.commit(issueHandedOver, { ...input, deliver, oneTimeLink }),
    );
  },
});

/** A fresh access token takes over. */
export const rotateAccessToken = operation({
  id: "rotateAccessToken",
  method: "POST",
  path: "/v1/access-tokens/{id}/rotate",
  tag,
  summary: "Replace an access token by a fresh one; the old one lives on for the overlap",
  description:
    "Another person's is handed over by a one-time link. With `Idempotency-Key` a repeat gets the first answer again.",
  permission: ["admin"],
  needsFreshSignIn: true,
  body: rotateAccessTokenInput,
  idempotent: true,
  response: issuedAccessToken,
  errors: [
    ...bodyErrors,
    "not_found",
    "permission_not_held",
    "access_token_ended",
    "access_token_rotated",
    "person_holds_more",
    "last_administrator",
    "managed_by_file",
  ],
  example: { overlap_seconds: 3600 },
  async serve(ctx, { params: { id }, body: { deliver, ...body }, idempotency }) {
    const input = rotateInput(ctx, id, body, idempotency);
    const oneTimeLink = freshOneTimeLink(ctx, input.actor.now);
    return serialize(
      ctx,
      await ctx.storage.commit(rotateHandedOver, { ...input, deliver, oneTimeLink }),
    );
  },
});

type Issued = z.output<typeof issuedAccessToken>;

function freshOneTimeLink({ settings }: RequestContext, now: number): NewOneTimeLink {
  return newOneTimeLink(now, settings.oneTimeLinkLifeSeconds);
}

function serialize(
  { settings: { publicUrl } }: RequestContext,
  { claim: oneTimeLink, credential: access_token, ...issued }: HandedOver,
): Issued {
  const view = oneTimeLink &&
    {
      id: oneTimeLink.id,
      link: urlOfOneTimeLink(publicUrl, oneTimeLink.token),
      expires_at: oneTimeLink.expires_at,
    };
  return { ...issued, access_token, one_time_link: view };
}
