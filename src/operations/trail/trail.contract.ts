import { z } from "zod";
import { defineEndpoint } from "../../contract/endpoint.ts";
import { nullable } from "../../contract/v1.ts";
import { freeForm, text, timestamp } from "../../contract/values.ts";

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
  withinElevation: true,
  response: z.string(),
  contentTypes: { response: ["text/plain"] },
  errors: ["not_found"],
});

const texts = z.record(text, text);
const hash = text.meta({ description: "64 hexadecimal characters." });

/** The proof that a row is in the log. */
export const activityProof = z.strictObject({
  org_id: text,
  event: z.strictObject({
    org_id: text,
    id: text,
    at: timestamp,
    actor: text,
    action: text,
    object: text,
    object_id: text,
    detail: freeForm,
    personal: texts,
    token_id: text,
    session: text,
    request_id: text,
    client_address: text,
    caller_request_id: text.optional().describe("Absent where the caller gave the call none."),
    salts: texts,
    erased: texts,
  }).describe("The row as it stands now, in the form of `keydesk export audit --proof`."),
  kind: z.enum(["written", "upgrade", "older", "waiting"])
    .describe("How the row came into the log; `waiting`: it is not in a signed head yet."),
  leaf_index: nullable(z.int()).describe("Its place in the log, from 0; null: none yet."),
  leaf_hash: text.describe("The hash that the log has of it; empty: none yet."),
  tree_size: z.int().describe("How many entries the head has that it is proved against."),
  audit_path: z.array(hash).describe("The hashes beside the way to the root, from the leaf up."),
  checkpoint: text.describe("That head, signed; empty before the first."),
  checkpoint_at: text.describe("When it was signed; empty before the first."),
  keys: z.array(text).describe("Who may have signed, as `keydesk audit head --keys` prints it."),
}).meta({ id: "ActivityProof" });

/** One row's proof. */
export const getActivityProof = defineEndpoint({
  id: "getActivityProof",
  method: "GET",
  path: "/v1/activity/{id}/proof",
  tag: "Activity",
  summary: "The proof that a row of the audit trail is in the log, against its newest signed head",
  description:
    "An inclusion proof of RFC 6962, to be checked by whoever reads it; as a file, `keydesk audit verify FILE` takes it. A row of the last second may wait for the log.",
  permission: ["audit"],
  withinElevation: true,
  response: activityProof,
  errors: ["not_found"],
});

/** The head to which the tiles are read. */
export const getTilesCheckpoint = defineEndpoint({
  id: "getTilesCheckpoint",
  method: "GET",
  path: "/v1/activity/tiles/checkpoint",
  tag: "Activity",
  summary: "The newest checkpoint of the trail's log that witnesses have signed besides the desk",
  description:
    "With each witness's cosignature (C2SP tlog-cosignature). Where no witness signed within the last hour it is the newest checkpoint of all. `/v1/activity/tiles` is a monitoring prefix of C2SP's tlog-tiles.",
  permission: ["audit"],
  response: z.string(),
  contentTypes: { response: ["text/plain"] },
  errors: ["not_found"],
});

/** A part of the log's tree. */
export const getActivityTile = defineEndpoint({
  id: "getActivityTile",
  method: "GET",
  path: "/v1/activity/tiles/tile/{level}/{tile}/{width}",
  // A tile's number has as many segments as its digits need: it is read of the path as it is.
  otherPaths: [
    "/v1/activity/tiles/tile/{level}/{tile}",
    "/v1/activity/tiles/tile/{level}/{group}/{tile}/{width}",
    "/v1/activity/tiles/tile/{level}/{group}/{further}/{tile}/{width}",
  ],
  tag: "Activity",
  summary: "Hashes of the tree of the trail's log, for whoever makes proofs of their own",
  description:
    "A tile of C2SP's tlog-tiles: up to 256 hashes of one level, 32 bytes each. Its number stands in groups of three digits: `0/067`, `1/x001/234`, and `0/067.p/12` of a tile that is not full. There are hashes alone, never the rows themselves. 404 for a tile that is not there yet, or of which retention has cut a part.",
  permission: ["audit"],
  response: z.string().meta({ format: "binary" }),
  contentTypes: { response: ["application/octet-stream"] },
  errors: ["not_found"],
});
