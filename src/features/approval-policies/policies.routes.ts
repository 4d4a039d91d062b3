import { bind } from "../../http/routes.ts";
import * as contract from "./policies.contract.ts";
import * as service from "./policies.service.ts";

/** Who must approve key requests. */
export const approvalPolicyRoutes = [
  bind(contract.listApprovalPolicies, (ctx) => service.list(ctx)),
  bind(contract.putDefaultApprovalPolicy, (ctx, { body }) => service.put(ctx, null, body)),
  bind(contract.putApprovalPolicy, (ctx, { params, body }) => service.put(ctx, params.id, body)),
  bind(contract.deleteApprovalPolicy, (ctx, { params }) => service.remove(ctx, params.id)),
];
