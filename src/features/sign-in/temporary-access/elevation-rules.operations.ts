import { z } from "zod";
import { MOST_ELEVATION_RULES } from "../../../contract/elevations.ts";
import { bodyErrors } from "../../../contract/endpoint.ts";
import { exampleIds } from "../../../contract/example-ids.ts";
import { entityTag, ifMatch } from "../../../contract/v1.ts";
import { operation } from "../../../http/operation.ts";
import { ifMatchOf } from "../../../http/routes.ts";
import { elevationRule, ruleInput } from "./elevation-rules.contract.ts";
import * as rules from "./elevation-rules.service.ts";

const tag = "People";

const example = {
  name: "Incidents",
  people: [exampleIds.person],
  role: "approver",
  minutes: 60,
  proof: "passkey" as const,
};

const setErrors = [
  ...bodyErrors,
  "unknown_role",
  "permission_not_held",
  "elevation_rule_name_taken",
] as const;

/** All of them. */
export const listElevationRules = operation({
  id: "listElevationRules",
  method: "GET",
  path: "/v1/elevation-rules",
  tag,
  summary: "List the rules of break-glass: who may hold which role for a while, and how",
  description: `The oldest first, at most ${MOST_ELEVATION_RULES}.`,
  permission: ["admin:read"],
  response: z.strictObject({ data: z.array(elevationRule) }).meta({ id: "ElevationRuleList" }),
  errors: [],
  serve: (ctx) => rules.list(ctx),
});

/** One more. */
export const createElevationRule = operation({
  id: "createElevationRule",
  method: "POST",
  path: "/v1/elevation-rules",
  tag,
  summary: "Name who may hold a role for a while; every administrator is told by mail",
  description:
    "An elevation never gives `admin`, `operator`, `metrics`, `act:developer` or `verify`, whatever the role does; of `admin` it gives `admin:read`. Nobody gives what they do not hold.",
  permission: ["admin"],
  needsFreshSignIn: true,
  body: ruleInput,
  idempotent: true,
  answerHeaders: entityTag,
  response: elevationRule,
  errors: [...setErrors, "too_many_elevation_rules"],
  example,
  serve: (ctx, { body, idempotency }) => rules.add(ctx, body, idempotency),
});

/** Another rule in its place. */
export const updateElevationRule = operation({
  id: "updateElevationRule",
  method: "PUT",
  path: "/v1/elevation-rules/{id}",
  tag,
  summary: "Change a rule; elevations by it end at once, and every administrator is told by mail",
  description:
    "What its role gives by now is what it gives from now on. Nobody changes a rule that gives more than they hold.",
  permission: ["admin"],
  needsFreshSignIn: true,
  body: ruleInput,
  headers: ifMatch,
  answerHeaders: entityTag,
  response: elevationRule,
  errors: [...setErrors, "not_found", "person_holds_more", "precondition_failed"],
  example: { ...example, name: "Incidents at night", minutes: 30 },
  serve: (ctx, call) => rules.change(ctx, call.params.id, call.body, ifMatchOf(call)),
});

/** None any more. */
export const deleteElevationRule = operation({
  id: "deleteElevationRule",
  method: "DELETE",
  path: "/v1/elevation-rules/{id}",
  tag,
  summary: "Remove a rule; elevations by it end at once, and every administrator is told by mail",
  description: "What was done by it stays in the audit log.",
  permission: ["admin"],
  needsFreshSignIn: true,
  response: z.strictObject({ removed: z.literal(true), ended: z.int() })
    .meta({ id: "ElevationRuleRemoved" }),
  errors: ["not_found"],
  serve: async (ctx, { params }) => ({
    removed: true as const,
    ended: await rules.remove(ctx, params.id),
  }),
});
