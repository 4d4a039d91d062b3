import { bind, ifNoneMatchHas } from "../../../http/routes.ts";
import * as contract from "./fetched-map.contract.ts";
import * as service from "./fetched-map.service.ts";

/** Maps of doors that are fetched. */
export const fetchedMapRoutes = [
  bind(contract.fetchMap, (ctx, { params, headers }) => {
    const had = headers.get("if-none-match");
    return service.fetchMap(ctx, params.id, (etag) => ifNoneMatchHas(had, etag));
  }),
];
