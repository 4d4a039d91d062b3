import { bind } from "../../http/routes.ts";
import * as contract from "./ways-in.contract.ts";
import * as service from "./ways-in.service.ts";

/** By what other people get in, and what an administrator takes away of it. */
export const wayInRoutes = [
  bind(contract.listWaysIn, (ctx, { params }) => service.list(ctx, params.id)),
  bind(
    contract.deletePersonPasskey,
    (ctx, { params }) => service.removePasskey(ctx, params.id, params.passkey_id),
  ),
  bind(
    contract.deletePersonOneTimeCodes,
    (ctx, { params }) => service.removeOneTimeCodes(ctx, params.id),
  ),
  bind(
    contract.deletePersonIdentity,
    (ctx, { params }) => service.removeIdentity(ctx, params.id, params.identity_id),
  ),
];
