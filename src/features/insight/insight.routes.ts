import { bind } from "../../http/routes.ts";
import { decisions } from "./decisions.service.ts";
import { ends } from "./ends.service.ts";
import { firstSteps } from "./first-steps.service.ts";
import { getDecisions, getEnds, getFirstSteps } from "./insight.contract.ts";

/** What somebody sees at a glance. */
export const insightRoutes = [
  bind(getEnds, (ctx) => ends(ctx)),
  bind(getFirstSteps, (ctx) => firstSteps(ctx)),
  bind(getDecisions, (ctx) => decisions(ctx)),
];
