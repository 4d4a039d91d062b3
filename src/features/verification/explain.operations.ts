import { bodyErrors } from "../../contract/endpoint.ts";
import { exampleApi, exampleKey } from "../../contract/example-ids.ts";
import { operation } from "../../http/operation.ts";
import { checkedKey, keyToCheck } from "./explain.contract.ts";
import * as explain from "./explain.service.ts";
import type { VerificationContext } from "./verifier.ts";

/** Why a key does not open, or that it would. */
export const checkKey = operation({
  id: "checkKey",
  method: "POST",
  path: "/v1/keys/check",
  tag: "Verification",
  summary: "Test as a gateway would: is this key valid for this API, and which check denies it?",
  description:
    "Counts nothing, takes nothing of a rate or a quota, and is kept nowhere. By `key` " +
    "or, without having it, by `key_id`: of a user name or an OAuth client by that alone.",
  permission: ["portal:read"],
  withinTemporaryAccess: true,
  body: keyToCheck,
  response: checkedKey,
  errors: [...bodyErrors],
  example: { key: exampleKey, api_id: exampleApi },
  serve: (ctx: VerificationContext, call) => explain.checkKey(ctx, call.body),
});
