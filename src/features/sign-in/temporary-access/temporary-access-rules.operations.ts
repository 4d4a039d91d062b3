import { z } from "zod";
import { MOST_TEMPORARY_ACCESS_RULES } from "../../../contract/temporary-access.ts";
import { bodyErrors } from "../../../contract/endpoint.ts";
import { exampleIds } from "../../../contract/example-ids.ts";
import { entityTag, ifMatch } from "../../../contract/v1.ts";
import { operation } from "../../../http/operation.ts";
import { ifMatchOf } from "../../../http/routes.ts";
import { ruleInput, temporaryAccessRule } from "./temporary-access-rules.contract.ts";
import * as rules from "./temporary-access-rules.service.ts";

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
  "temporary_access_rule_name_taken",
] as const;

/** All of them. */
export const listTemporaryAccessRules = operation({
  id: "listTemporaryAccessRules",
  method: "GET",
  path: "/v1/temporary-access-rules",
  tag,
  summary: "List the rules of break-glass: who may hold which role for a while, and how",
  description: `The oldest first, at most ${MOST_TEMPORARY_ACCESS_RULES}.`,
  permission: ["admin:read"],
  response: z.strictObject({ data: z.array(temporaryAccessRule) }).meta({
    id: "TemporaryAccessRuleList",
  }),
  errors: [],
  serve: (ctx) => rules.list(ctx),
});

/** One more. */
export const createTemporaryAccessRule = operation({
  id: "createTemporaryAccessRule",
  method: "POST",
  path: "/v1/temporary-access-rules",
  tag,
  summary: "Name who may hold a role for a while; every administrator is notified by mail",
  description:
    "Temporary access never gives `admin`, `operator`, `metrics`, `act:developer` or `verify`, whatever the role does; of `admin` it gives `admin:read`. You can grant only permissions that you have.",
  permission: ["admin"],
  needsFreshSignIn: true,
  body: ruleInput,
  idempotent: true,
  answerHeaders: entityTag,
  response: temporaryAccessRule,
  errors: [...setErrors, "too_many_temporary_access_rules"],
  example,
  serve: (ctx, { body, idempotency }) => rules.add(ctx, body, idempotency),
});

/** Another rule in its place. */
export const updateTemporaryAccessRule = operation({
  id: "updateTemporaryAccessRule",
  method: "PUT",
  path: "/v1/temporary-access-rules/{id}",
  tag,
  summary:
    "Change a rule; temporary access by it is revoked at once, and every administrator is notified by mail",
  description:
    "The present permissions of its role become those of the rule. You can change only a rule that gives no more than you have.",
  permission: ["admin"],
  needsFreshSignIn: true,
  body: ruleInput,
  headers: ifMatch,
  answerHeaders: entityTag,
  response: temporaryAccessRule,
  errors: [
    ...setErrors,
    "not_found",
    "person_holds_more",
    "precondition_failed",
    "managed_by_file",
  ],
  example: { ...example, name: "Incidents at night", minutes: 30 },
  serve: (ctx, call) => rules.change(ctx, call.params.id, call.body, ifMatchOf(call)),
});

/** None any more. */
export const deleteTemporaryAccessRule = operation({
  id: "deleteTemporaryAccessRule",
  method: "DELETE",
  path: "/v1/temporary-access-rules/{id}",
  tag,
  summary:
    "Remove a rule; temporary access by it is revoked at once, and every administrator is notified by mail",
  description: "Actions done by it stay in the audit log.",
  permission: ["admin"],
  needsFreshSignIn: true,
  response: z.strictObject({ removed: z.literal(true), ended: z.int() })
    .meta({ id: "TemporaryAccessRuleRemoved" }),
  errors: ["not_found", "managed_by_file"],
  serve: async (ctx, { params }) => ({
    removed: true as const,
    ended: await rules.remove(ctx, params.id),
  }),
});
