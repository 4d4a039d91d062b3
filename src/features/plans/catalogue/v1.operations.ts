import { z } from "zod";
import { bodyErrors } from "../../../contract/endpoint.ts";
import { entityTag, ifMatch, nextPageLink } from "../../../contract/v1.ts";
import { text } from "../../../contract/values.ts";
import { operation } from "../../../http/operation.ts";
import { carriedBy, ifMatchOf, withNextPage } from "../../../http/routes.ts";
import { planExample } from "../plans.contract.ts";
import type { CatalogueContext } from "./live-catalogue.ts";
import {
  catalogueApis,
  createPlanInput,
  listQuery,
  planApprovalInput,
  sent,
  v1Plan,
  v1PlanList,
} from "./v1.contract.ts";
import * as service from "./v1.service.ts";

const tag = "Plans";

/** Plans by cursor. */
export const listPlans = operation({
  id: "listPlans",
  method: "GET",
  path: "/v1/plans",
  tag,
  summary: "List plans, newest first; a page may hold fewer than `limit` and still have a next",
  description: "By cursor, with the number of keys and of requests that wait.",
  permission: ["portal:read"],
  withinScope: true,
  withinTemporaryAccess: true,
  query: listQuery,
  answerHeaders: nextPageLink,
  response: v1PlanList,
  errors: ["invalid_input"],
  async serve(ctx: CatalogueContext, call) {
    const page = await service.listV1(ctx, call.query);
    return withNextPage(call, page, page.next_cursor);
  },
});

/** One plan. */
export const getPlan = operation({
  id: "getPlan",
  method: "GET",
  path: "/v1/plans/{id}",
  tag,
  summary: "Read one plan, with its ETag",
  description: "With how its requests are decided, what they ask, and the revision for `If-Match`.",
  permission: ["portal:read"],
  withinScope: true,
  withinTemporaryAccess: true,
  answerHeaders: entityTag,
  response: v1Plan,
  errors: ["not_found"],
  serve: (ctx: CatalogueContext, { params }) => service.getV1(ctx, params.id),
});

/** A further plan. */
export const createPlan = operation({
  id: "createPlan",
  method: "POST",
  path: "/v1/plans",
  tag,
  summary: "Add a plan; what is left out has no limit",
  description:
    "Its name is unique within the organisation. The answer is the plan as kept, with its `ETag`.",
  permission: ["plans"],
  body: createPlanInput,
  keepsUnknown: true,
  idempotent: true,
  answerHeaders: entityTag,
  response: v1Plan,
  errors: [...bodyErrors, "plan_name_taken", "plan_id_taken", "not_found"],
  example: { ...planExample, name: "Tides, free" },
  async serve(ctx: CatalogueContext, call) {
    const id = await service.createV1(ctx, call.body, call.idempotency);
    return await service.getV1(ctx, id);
  },
});

/** Limits, names, and what else a client may set. */
export const editPlan = operation({
  id: "editPlan",
  method: "PUT",
  path: "/v1/plans/{id}",
  tag,
  summary: "Change a plan; members that are left out stay, so that no limit is lifted by accident",
  description:
    "Keys that have the plan follow within a second. `If-Match` refuses what has changed since it was read.",
  permission: ["plans"],
  body: z.object(sent).meta({ id: "EditPlanInput" }),
  keepsUnknown: true,
  headers: ifMatch,
  answerHeaders: entityTag,
  response: v1Plan,
  errors: [...bodyErrors, "not_found", "plan_name_taken", "precondition_failed", "managed_by_file"],
  example: { rate: 120, per: 60 },
  async serve(ctx: CatalogueContext, call) {
    const { id } = call.params;
    const by = { ifMatch: ifMatchOf(call), idempotency: null };
    await service.changeV1(ctx, id, call.body, by);
    return await service.getV1(ctx, id);
  },
});

const stateErrors = [
  "not_found",
  "precondition_failed",
  "body_too_large",
  "body_timeout",
] as const;

/** Its keys open nothing for now. */
export const deactivatePlan = operation({
  id: "deactivatePlan",
  method: "POST",
  path: "/v1/plans/{id}/deactivate",
  tag,
  summary: "Deactivate a plan: within a second its keys are no longer valid for it",
  description: "The keys themselves stay active, and are valid for their other plans.",
  permission: ["plans"],
  withinTemporaryAccess: true,
  body: "ignored",
  headers: ifMatch,
  idempotent: true,
  answerHeaders: entityTag,
  response: v1Plan,
  errors: [...stateErrors, "managed_by_file"],
  async serve(ctx: CatalogueContext, call) {
    const { id } = call.params;
    await service.changeV1(ctx, id, { active: false }, carriedBy(call));
    return await service.getV1(ctx, id);
  },
});

/** Its keys open it again. */
export const activatePlan = operation({
  id: "activatePlan",
  method: "POST",
  path: "/v1/plans/{id}/activate",
  tag,
  summary: "Activate a plan: its keys are valid for it again",
  description: "Keys that were revoked meanwhile stay so.",
  permission: ["plans"],
  withinTemporaryAccess: true,
  body: "ignored",
  headers: ifMatch,
  idempotent: true,
  answerHeaders: entityTag,
  response: v1Plan,
  errors: [...stateErrors, "managed_by_file"],
  async serve(ctx: CatalogueContext, call) {
    const { id } = call.params;
    await service.changeV1(ctx, id, { active: true }, carriedBy(call));
    return await service.getV1(ctx, id);
  },
});

/** How requests are decided, and what they ask. */
export const setPlanApproval = operation({
  id: "setPlanApproval",
  method: "PUT",
  path: "/v1/plans/{id}/approval",
  tag,
  summary: "Change how a plan's requests are decided and what they ask; what is left out stays",
  description: "Changes the entries of the catalogue that name the plan.",
  permission: ["plans"],
  body: planApprovalInput,
  headers: ifMatch,
  answerHeaders: entityTag,
  response: v1Plan,
  errors: [
    ...bodyErrors,
    "not_found",
    "plan_not_offered",
    "precondition_failed",
    "managed_by_file",
  ],
  example: { approval: "manual", key_request_fields: [{ name: "use_case", required: true }] },
  async serve(ctx: CatalogueContext, call) {
    const { id } = call.params;
    await service.setApproval(ctx, id, call.body, ifMatchOf(call));
    return await service.getV1(ctx, id);
  },
});

/** The plan is gone for good. */
export const deletePlan = operation({
  id: "deletePlan",
  method: "DELETE",
  path: "/v1/plans/{id}",
  tag,
  summary: "Delete a plan for good; its keys are no longer valid for it",
  description:
    "`If-Match` refuses what has changed since it was read. To close a plan for a while, deactivate it.",
  permission: ["plans"],
  headers: ifMatch,
  response: z.strictObject({ id: text }).meta({ id: "PlanDeleted" }),
  errors: ["not_found_for_deletion", "precondition_failed", "managed_by_file"],
  async serve(ctx: CatalogueContext, call) {
    await service.removeV1(ctx, call.params.id, ifMatchOf(call));
    return { id: call.params.id };
  },
});

/** Lists the catalogue by API. */
export const listCatalogue = operation({
  id: "listCatalogue",
  method: "GET",
  path: "/v1/catalogue",
  tag,
  summary: "List all APIs of the catalogue with their plans, in its order",
  description: "Each API once, beside the plans of its entries.",
  permission: ["portal:read"],
  withinScope: true,
  response: catalogueApis,
  errors: [],
  serve: (ctx: CatalogueContext) => service.listApis(ctx),
});
