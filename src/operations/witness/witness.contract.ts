import { z } from "zod";
import { defineEndpoint } from "../../contract/endpoint.ts";
import { exampleCheckpoint } from "../../contract/example-ids.ts";

/** What a log asks a witness for. */
export const addCheckpoint = defineEndpoint({
  id: "addCheckpoint",
  method: "POST",
  path: "/v1/witness/add-checkpoint",
  tag: "Operations",
  summary: "Have the head of a log signed by this desk, as a witness of C2SP's tlog-witness",
  description:
    "`/v1/witness` is the submission prefix. Logs whose heads this desk signs are those that its operator added (`keydesk witness add`). The body is a line `old` with the size that is known, the lines of the consistency proof, an empty line and the checkpoint; the answer is a cosignature. Nobody signs in: the log's signature is what counts.",
  permission: "public",
  fromOthers: true,
  body: "bytes",
  contentTypes: { body: ["application/octet-stream"], response: ["text/plain"] },
  response: z.string(),
  refusals: {
    403: "No key that is known of this log signed the checkpoint.",
    409: "Another size is known of this log, or another tree of this size. The body is the size.",
    422: "The proof does not show that this log goes on from what is known of it.",
  },
  example: exampleCheckpoint,
  errors: ["invalid_input", "body_too_large", "body_timeout", "not_found"],
});
