import { listApprovalPolicies } from "../../api/policy-endpoints.ts";
import { useCall } from "../../api/queries.ts";
import type { Policy } from "./policy-words.ts";

/** Every approval policy; undefined: they are not read yet. */
export function usePolicies(): readonly Policy[] | undefined {
  return useCall(["approval-policies"], listApprovalPolicies, {}).data?.data;
}
