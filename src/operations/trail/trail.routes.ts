import { bind } from "../../http/routes.ts";
import { proveEvent } from "./inclusion.service.ts";
import { getActivityCheckpoint, getActivityProof } from "./trail.contract.ts";
import { newestCheckpoint } from "./trail.service.ts";

/** What a witness reads of the trail, and who wants one row proved. */
export const trailRoutes = [
  bind(getActivityCheckpoint, (ctx) => newestCheckpoint(ctx)),
  bind(getActivityProof, (ctx, { params: { id } }) => proveEvent(ctx, id)),
];
