import { bind, ifMatchOf } from "../../http/routes.ts";
import * as contract from "./policies.contract.ts";
import * as service from "./policies.service.ts";

/** Who must approve key requests. */
export const approvalPolicyRoutes = [
  bind(contract.listApprovalPolicies, (ctx) => service.list(ctx)),
  bind(
    contract.putDefaultApprovalPolicy,
    (ctx, call) => service.put(ctx, null, call.body, ifMatchOf(call)),
  ),
  bind(
    contract.putApprovalPolicy,
    (ctx, call) => service.put(ctx, call.params.id, call.body, ifMatchOf(call)),
  ),
  bind(
    contract.deleteApprovalPolicy,
    (ctx, call) => service.remove(ctx, call.params.id, ifMatchOf(call)),
  ),
  bind(contract.checkApprovalPolicy, (ctx, { body }) => service.whoCould(ctx, body)),
];
