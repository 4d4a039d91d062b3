import { z } from "zod";
import { bodyErrors } from "../../contract/endpoint.ts";
import { exampleSince } from "../../contract/example-ids.ts";
import { timestamp } from "../../contract/values.ts";
import { operation } from "../../http/operation.ts";
import { Failure } from "../../kernel/failure.ts";
import { syncedGateway } from "./gateways.contract.ts";
import { get, ofGateway, saidBy } from "./gateways.service.ts";
import * as transactions from "./gateways.transactions.ts";

/** A person's yes. */
export const confirmGateway = operation({
  id: "confirmGateway",
  method: "POST",
  path: "/v1/gateways/{id}/confirm",
  tag: "Gateways",
  summary: "Say yes to a gateway that an access token added or moved",
  description:
    "By a session alone, within five minutes of its sign-in. From then on keys are written to the gateway. `unconfirmed_since` as it was read: if the gateway was changed since, read it again.",
  permission: ["admin"],
  permissionBesides: "approve",
  needsFreshSignIn: true,
  body: z.object({ unconfirmed_since: timestamp }).meta({ id: "GatewayConfirmation" }),
  response: syncedGateway,
  errors: [...bodyErrors, "not_found", "person_needed", "precondition_failed"],
  example: { unconfirmed_since: exampleSince },
  async serve(ctx, { params: { id }, body: { unconfirmed_since } }) {
    if (!saidBy(ctx).isPerson) throw new Failure("person_needed");
    const input = { ...ofGateway(ctx, id), unconfirmed_since };
    await ctx.storage.commit(transactions.confirmGateway, input);
    return await get(ctx, id);
  },
});
