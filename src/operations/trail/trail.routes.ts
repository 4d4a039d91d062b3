import { bind } from "../../http/routes.ts";
import { getActivityCheckpoint } from "./trail.contract.ts";
import { newestCheckpoint } from "./trail.service.ts";

/** What a witness reads of the trail. */
export const trailRoutes = [bind(getActivityCheckpoint, (ctx) => newestCheckpoint(ctx))];
