import { z } from "zod";
import { deliver } from "../../contract/claim-link.ts";
import { defineEndpoint } from "../../contract/endpoint.ts";
import { replacement } from "../keys/credentials.contract.ts";

/** The answer of an approval was lost. */
export const reissueKeyEndpoint = defineEndpoint({
  id: "reissueKey",
  method: "POST",
  path: "/v1/key-requests/{id}/reissue",
  tag: "Keys",
  summary: "Mint a request's key anew, where the answer of its approval was lost; the old one dies",
  description:
    "Only for a request that was approved and whose key is active. `deliver` says whether the key stands in the answer or behind a link that opens once. With `Idempotency-Key` a repeat gets the first answer again.",
  permission: ["approve"],
  withinScope: true,
  query: z.object({ deliver }),
  body: "ignored",
  idempotent: true,
  response: replacement,
  errors: [
    "not_found",
    "not_issued",
    "key_revoked",
    "key_suspended",
    "key_expired",
    "key_rotated",
    "key_damaged",
    "unknown_plan",
    "body_too_large",
    "body_timeout",
  ],
});
