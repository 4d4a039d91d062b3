import { api } from "../../api/client.ts";
import { listApprovalPolicies } from "../../api/policy-endpoints.ts";
import { useQuery } from "../../api/queries.ts";
import type { Policy } from "./policy-words.ts";

/** Every approval policy; undefined: they are not read yet. */
export function usePolicies(): readonly Policy[] | undefined {
  return useQuery({
    queryKey: ["approval-policies"],
    queryFn: () => api.call(listApprovalPolicies, {}),
  }).data?.data;
}
