import { bind } from "../../http/routes.ts";
import { proveEvent } from "./inclusion.service.ts";
import {
  getActivityCheckpoint,
  getActivityProof,
  getActivityTile,
  getTilesCheckpoint,
} from "./trail.contract.ts";
import { activityTile, newestCheckpoint, tilesCheckpoint } from "./trail.service.ts";

/** What a witness reads of the trail, and who wants one row proved. */
export const trailRoutes = [
  bind(getActivityCheckpoint, (ctx) => newestCheckpoint(ctx)),
  bind(getActivityProof, (ctx, { params: { id } }) => proveEvent(ctx, id)),
  bind(getTilesCheckpoint, (ctx) => tilesCheckpoint(ctx)),
  bind(getActivityTile, (ctx, { path }) => activityTile(ctx, path.slice(TILES.length))),
];

const TILES = "/v1/activity/tiles/tile/";
