import { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { checkProof, headOf, type ProvedRow } from "../../contract/audit-proof.ts";
import { nullable } from "../../contract/v1.ts";
import { freeForm, text, timestamp } from "../../contract/values.ts";
import { operation } from "../../http/operation.ts";
import { Answer } from "../../kernel/answer.ts";
import { verifierText } from "../../../packages/audit-log/checkpoint.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { sha256Bytes } from "../../kernel/sha256.ts";
import { storeItself } from "../../storage/storage-within.ts";
import { findCosigned } from "./cosigned.store.ts";
import { leafAt, placedEvent } from "./inclusion.store.ts";
import { leavesOf } from "./log-leaves.ts";
import type { FoundEvent } from "./log-found.ts";
import { auditPath, blocksOf } from "../../../packages/audit-log/log-tree.ts";
import { hashesOf, parseTile } from "../../../packages/audit-log/tile.ts";
import { findLog } from "./logs.store.ts";
import { storeVerifiers } from "./verify-store.ts";

/** The head of the audit log. */
export const getAuditLogCheckpoint = operation({
  id: "getAuditLogCheckpoint",
  method: "GET",
  path: "/v1/audit-log/checkpoint",
  tag: "Audit log",
  summary: "The newest signed checkpoint of the audit log, for a witness to keep",
  description:
    "In the form of C2SP's tlog-checkpoint, as `keydesk audit checkpoint` prints it. Actions of the last second may be missing. 404 until the first row is in the log.",
  permission: ["audit"],
  withinTemporaryAccess: true,
  response: z.string(),
  contentTypes: { response: ["text/plain"] },
  errors: ["not_found"],
  serve: (ctx) => newestCheckpoint(ctx),
});

const texts = z.record(text, text);

const hash = text.meta({ description: "64 hexadecimal characters." });

/** The proof that a row is in the log. */
const auditLogProof = z.strictObject({
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
  }).describe("The row as it is now, in the form of `keydesk export audit --proof`."),
  kind: z.enum(["written", "upgrade", "older", "waiting"])
    .describe("How the row came into the log; `waiting`: it is not in a signed checkpoint yet."),
  leaf_index: nullable(z.int()).describe("Its position in the log, from 0; null: none yet."),
  leaf_hash: text.describe("The hash that the log has of it; empty: none yet."),
  tree_size: z.int().describe("The number of entries of the checkpoint of the proof."),
  audit_path: z.array(hash).describe("The hashes beside the way to the root, from the leaf up."),
  checkpoint: text.describe("That checkpoint, signed; empty before the first."),
  checkpoint_at: text.describe("When it was signed; empty before the first."),
  keys: z.array(text).describe(
    "Possible signers, as `keydesk audit checkpoint --keys` prints them.",
  ),
}).meta({ id: "AuditLogProof" });

/** One row's proof. */
export const getAuditLogProof = operation({
  id: "getAuditLogProof",
  method: "GET",
  path: "/v1/audit-log/{id}/proof",
  tag: "Audit log",
  summary:
    "The proof that a row of the audit log is in the log, against its newest signed checkpoint",
  description:
    "An inclusion proof of RFC 6962, to be checked by its reader; as a file, `keydesk audit verify FILE` takes it. A row of the last second may wait for the log.",
  permission: ["audit"],
  withinTemporaryAccess: true,
  response: auditLogProof,
  errors: ["not_found"],
  async serve(ctx, { params: { id } }) {
    const { storage, principal: { org_id } } = ctx;
    const blocks = blocksOf(storeItself(storage), org_id);
    const proof = await proofOf(ctx, id);
    if (proof.leaf_index === null || blocks.size === 0) return proof;
    const { leaf_index } = proof;
    const { isInHead, isAsWritten } = await checkProof({ ...proof, leaf_index }, sha256Bytes);
    // A row that was changed leads to no head by any path: reading everything again would not help.
    if (isInHead || !isAsWritten) return proof;
    // Another store may stand there since the blocks were read, or retention has cut the log
    // meanwhile.
    blocks.clear();
    return await proofOf(ctx, id);
  },
});

/** The head to which the tiles are read. */
export const getTilesCheckpoint = operation({
  id: "getTilesCheckpoint",
  method: "GET",
  path: "/v1/audit-log/tiles/checkpoint",
  tag: "Audit log",
  summary: "The newest checkpoint of the audit log that witnesses have signed besides this server",
  description:
    "With each witness's cosignature (C2SP tlog-cosignature). If no witness signed within the last hour it is the newest checkpoint of all. `/v1/audit-log/tiles` is a monitoring prefix of C2SP's tlog-tiles.",
  permission: ["audit"],
  response: z.string(),
  contentTypes: { response: ["text/plain"] },
  errors: ["not_found"],
  async serve(ctx) {
    const { storage: { reader }, principal: { org_id }, clock } = ctx;
    const cosigned = await findCosigned(reader, { org_id });
    const isYoung = cosigned !== undefined && cosigned.at > toTimestamp(clock.now() - COSIGNED_MS);
    return isYoung ? new Answer(cosigned.note, NOTE) : await newestCheckpoint(ctx);
  },
});

/** A part of the log's tree. */
export const getAuditLogTile = operation({
  id: "getAuditLogTile",
  method: "GET",
  path: "/v1/audit-log/tiles/tile/{level}/{tile}/{width}",
  // A tile's number has as many segments as its digits need: it is read of the path as it is.
  otherPaths: [
    "/v1/audit-log/tiles/tile/{level}/{tile}",
    "/v1/audit-log/tiles/tile/{level}/{group}/{tile}/{width}",
    "/v1/audit-log/tiles/tile/{level}/{group}/{further}/{tile}/{width}",
  ],
  tag: "Audit log",
  summary: "Hashes of the tree of the audit log, for proofs of one's own",
  description:
    "A tile of C2SP's tlog-tiles: up to 256 hashes of one level, 32 bytes each. Its number is written in groups of three digits: `0/067`, `1/x001/234`, and `0/067.p/12` of a tile that is not full. It holds hashes alone, never the rows themselves. 404 for a tile that does not exist yet, or that retention has cut.",
  permission: ["audit"],
  response: z.string().meta({ format: "binary" }),
  contentTypes: { response: ["application/octet-stream"] },
  errors: ["not_found"],
  serve: (ctx, { path }) => auditLogTile(ctx, path.slice(TILES.length)),
});

const TILES = "/v1/audit-log/tiles/tile/";

/** The organisation's newest checkpoint, as signed. Throws `not_found` where there is none yet. */
async function newestCheckpoint(
  { storage: { reader }, principal: { org_id } }: RequestContext,
): Promise<Answer<string>> {
  const { checkpoint } = await findLog(reader, org_id) ?? { checkpoint: "" };
  if (checkpoint === "") throw new Failure("not_found");
  return new Answer(checkpoint, NOTE);
}

/** For how long a checkpoint that witnesses signed is the one to read the tiles by. */
const COSIGNED_MS = 60 * 60 * 1000;

/** The media type of checkpoints. */
const NOTE = { "content-type": "text/plain; charset=utf-8" };

/**
 * The tile that the end of a path names: `0/x001/x234/067`. Throws `not_found` for what names none,
 * and for one that the organisation's log does not have.
 */
async function auditLogTile(
  { storage, principal: { org_id } }: RequestContext,
  path: string,
): Promise<Answer<Uint8Array>> {
  const { reader } = storage;
  const tile = parseTile(path);
  const log = tile && await findLog(reader, org_id);
  if (!tile || !log) throw new Failure("not_found");
  const hashes = await hashesOf(leavesOf(reader, storeItself(storage), log), log.size, tile);
  if (!hashes) throw new Failure("not_found");
  return new Answer(hashes, { "content-type": "application/octet-stream" });
}

type Proof = z.output<typeof auditLogProof>;

async function proofOf(
  { storage, sealer, principal: { org_id } }: RequestContext,
  id: string,
): Promise<Proof> {
  const { reader } = storage;
  const row = await placedEvent(reader, org_id, id);
  if (!row) throw new Failure("not_found");
  const log = await findLog(reader, org_id);
  const { checkpoint = "", checkpoint_at = "" } = log ?? {};
  const tree_size = headOf(checkpoint)?.size ?? 0;
  const keys = (await storeVerifiers(reader, org_id, sealer)).map(verifierText);
  const answer = {
    org_id,
    event: rowOf(row),
    tree_size,
    checkpoint,
    checkpoint_at,
    keys,
  };
  const { leaf_index } = row;
  if (!log || leaf_index === null || leaf_index >= tree_size) {
    return { ...answer, kind: "waiting", leaf_index: null, leaf_hash: "", audit_path: [] };
  }
  const leaf = await leafAt(reader, org_id, leaf_index);
  const leaves = leavesOf(reader, storeItself(storage), log);
  return {
    ...answer,
    kind: leaf?.kind === "upgrade" || leaf?.kind === "older" ? leaf.kind : "written",
    leaf_index,
    leaf_hash: leaf?.event_id === id ? leaf.leaf_hash : "",
    audit_path: await auditPath(leaves, leaf_index, tree_size),
  };
}

function rowOf(row: FoundEvent): Proof["event"] {
  const { org_id, id, at, actor, action, object, object_id } = row;
  const { token_id, session, request_id, caller_request_id, client_address } = row;
  return {
    org_id,
    id,
    at,
    actor,
    action,
    object,
    object_id,
    token_id,
    session,
    request_id,
    client_address,
    ...caller_request_id === "" ? {} : { caller_request_id },
    detail: objectOf(row.detail),
    personal: textsOf(row.personal),
    salts: textsOf(row.salts),
    erased: textsOf(row.erased),
  } satisfies ProvedRow;
}

/**
 * A value that was put there by hand and is no object becomes an empty one: the hash reveals it.
 */
function objectOf(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    // as: an object, as is looked at here.
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
  } catch {
    // Reported as a value that is no object.
  }
  return {};
}

function textsOf(json: string): Record<string, string> {
  const members = Object.entries(objectOf(json));
  return Object.fromEntries(members.map(([name, value]) => [name, String(value)]));
}
