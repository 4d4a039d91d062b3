import { ok } from "../../contract/envelope.ts";
import { bindFor } from "../../http/routes.ts";
import { revokeOAuthClient } from "../keys/named-keys.service.ts";
import type { VerificationContext } from "../verification/verifier.ts";
import * as contract from "./key-data.contract.ts";
import { getNamed } from "./key-data.service.ts";
import { listApis } from "./list-apis.service.ts";
import { getClient, listClients, listKeyDetails, listKeyIds } from "./list-key-data.service.ts";
import * as making from "./make-keys.contract.ts";
import * as make from "./make-keys.service.ts";

const bind = bindFor<VerificationContext>();

/** Keys and APIs in the words of the original's gateway. */
export const keyDataRoutes = [
  bind(contract.listApis, (ctx, { query }) => listApis(ctx, query.p)),
  bind(contract.listKeyIds, (ctx, { query }) => listKeyIds(ctx, query.p)),
  bind(contract.listKeyDetails, (ctx, { query }) => listKeyDetails(ctx, query.p)),
  bind(contract.listKeysOfApi, (ctx, { params, query }) => listKeyIds(ctx, query.p, params.api)),
  bind(making.searchKeysOfApi, (ctx, { params, query }) => {
    return listKeyIds(ctx, query.p, params.api, query.q);
  }),
  bind(making.createKey, (ctx, { params, body, idempotency }) => {
    // Of one of its paths alone.
    const { key }: { key?: string } = params;
    return make.makeKey(ctx, body, key, idempotency);
  }),
  bind(
    making.updateNamedKey,
    (ctx, { params, body }) => make.changeKey(ctx, params.key, body),
  ),
  bind(
    making.createBasicKey,
    (ctx, { params, body, idempotency }) => make.makeBasicKey(ctx, params.user, body, idempotency),
  ),
  bind(
    making.createClientOfApi,
    (ctx, { body, idempotency }) => make.makeClient(ctx, body, idempotency),
  ),
  bind(making.listClientsOfApi, (ctx, { params, query }) => listClients(ctx, query.p, params.api)),
  bind(making.getClientOfApi, (ctx, { params }) => getClient(ctx, params.client)),
  bind(making.deleteClientOfApi, async (ctx, { params }) => {
    await revokeOAuthClient(ctx, params.client);
    return ok("OAuth Client deleted successfully");
  }),
  bind(contract.getNamedKey, (ctx, { params }) => getNamed(ctx, params.key)),
  bind(contract.getKeyOfApi, (ctx, { params }) => getNamed(ctx, params.key, params.api)),
];
