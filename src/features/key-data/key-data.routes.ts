import { bindFor } from "../../http/routes.ts";
import type { VerificationContext } from "../verification/verifier.ts";
import * as contract from "./key-data.contract.ts";
import { getNamed } from "./key-data.service.ts";
import { listApis } from "./list-apis.service.ts";
import { listKeyDetails, listKeyIds } from "./list-key-data.service.ts";

const bind = bindFor<VerificationContext>();

/** Keys and APIs in the words of the original's gateway. */
export const keyDataRoutes = [
  bind(contract.listApis, (ctx, { query }) => listApis(ctx, query.p)),
  bind(contract.listKeyIds, (ctx, { query }) => listKeyIds(ctx, query.p)),
  bind(contract.listKeyDetails, (ctx, { query }) => listKeyDetails(ctx, query.p)),
  bind(contract.listKeysOfApi, (ctx, { params, query }) => listKeyIds(ctx, query.p, params.api)),
  bind(contract.getNamedKey, (ctx, { params }) => getNamed(ctx, params.key)),
  bind(contract.getKeyOfApi, (ctx, { params }) => getNamed(ctx, params.key, params.api)),
];
