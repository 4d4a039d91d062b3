import { defineEndpoint } from "../../contract/endpoint.ts";
import { leftOpen } from "../people/left-open.contract.ts";

/** What would be left open by somebody who goes. */
export const listApprovalsOfPerson = defineEndpoint({
  id: "listApprovalsOfPerson",
  method: "GET",
  path: "/v1/people/{id}/approvals",
  tag: "People",
  summary: "List the approval policies and key requests that need this person",
  description:
    "Policies that nobody could fulfil without them, and key requests that nobody could decide: to be looked at before they are deactivated, suspended or may less.",
  permission: ["admin:read"],
  response: leftOpen,
  errors: ["not_found"],
});
