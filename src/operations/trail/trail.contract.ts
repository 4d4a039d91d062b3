import { z } from "zod";
import { defineEndpoint } from "../../contract/endpoint.ts";

/** The head of the trail's log. */
export const getActivityCheckpoint = defineEndpoint({
  id: "getActivityCheckpoint",
  method: "GET",
  path: "/v1/activity/checkpoint",
  tag: "Activity",
  summary: "The newest signed checkpoint of the audit trail's log, for a witness to keep",
  description:
    "In the form of C2SP's tlog-checkpoint, as `keydesk audit head` prints it. What was done in the last second may not be in it. 404 until the first row is in the log.",
  permission: ["audit"],
  response: z.string(),
  contentTypes: { response: ["text/plain"] },
  errors: ["not_found"],
});
