import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { checkProof, headOf, type ProvedRow } from "../../contract/trail-proof.ts";
import { verifierText } from "../../kernel/checkpoint.ts";
import { Failure } from "../../kernel/failure.ts";
import { sha256Bytes } from "../../kernel/sha256.ts";
import { storeItself } from "../../storage/storage-within.ts";
import { leafAt, leafHashes, placedEvent } from "./inclusion.store.ts";
import type { FoundEvent } from "./log-found.ts";
import { blocksOf, half, type KnownBlocks, type LogLeaves, LogTree } from "./log-tree.ts";
import type { activityProof } from "./trail.contract.ts";
import { findLog } from "./trail-log.store.ts";
import { storeVerifiers } from "./verify-store.ts";

type Proof = z.output<typeof activityProof>;

/**
 * The proof that a row is in its organisation's log, against the newest signed head. It says what
 * stands in the store, whether it fits or not: whoever reads it checks. Throws `not_found`.
 */
export async function proveEvent(ctx: RequestContext, id: string): Promise<Proof> {
  const { storage, principal: { org_id } } = ctx;
  const blocks = blocksOf(storeItself(storage), org_id);
  const proof = await proofOf(ctx, id, blocks);
  if (proof.leaf_index === null || blocks.size === 0) return proof;
  const { leaf_index } = proof;
  const { isInHead, isAsWritten } = await checkProof({ ...proof, leaf_index }, sha256Bytes);
  // A row that was changed leads to no head by any path: reading everything again would not help.
  if (isInHead || !isAsWritten) return proof;
  // Another store may stand there since the blocks were read, or retention has cut the log
  // meanwhile.
  blocks.clear();
  return await proofOf(ctx, id, blocks);
}

async function proofOf(
  { storage: { reader }, sealer, principal: { org_id } }: RequestContext,
  id: string,
  blocks: KnownBlocks,
): Promise<Proof> {
  const row = await placedEvent(reader, org_id, id);
  if (!row) throw new Failure("not_found");
  const log = await findLog(reader, org_id);
  const { checkpoint = "", checkpoint_at = "" } = log ?? {};
  const tree_size = headOf(checkpoint)?.size ?? 0;
  const keys = (await storeVerifiers(reader, org_id, sealer)).map(verifierText);
  const told = {
    org_id,
    event: rowOf(row),
    tree_size,
    checkpoint,
    checkpoint_at,
    keys,
  };
  const { leaf_index } = row;
  if (!log || leaf_index === null || leaf_index >= tree_size) {
    return { ...told, kind: "waiting", leaf_index: null, leaf_hash: "", audit_path: [] };
  }
  const leaf = await leafAt(reader, org_id, leaf_index);
  const hashes = (range: { from: number; to: number }) => leafHashes(reader, { org_id, ...range });
  return {
    ...told,
    kind: leaf?.kind === "upgrade" || leaf?.kind === "older" ? leaf.kind : "written",
    leaf_index,
    leaf_hash: leaf?.event_id === id ? leaf.leaf_hash : "",
    audit_path: await auditPath({ ...log, hashes, blocks }, leaf_index, tree_size),
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

/** What somebody put there by hand and is no object is shown as an empty one: the hash tells. */
function objectOf(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    // as: an object, as is looked at here.
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
  } catch {
    // Told as what is no object.
  }
  return {};
}

function textsOf(json: string): Record<string, string> {
  const members = Object.entries(objectOf(json));
  return Object.fromEntries(members.map(([name, value]) => [name, String(value)]));
}

/**
 * The sibling of each node on the way from an entry to the root of the tree of the first `size`
 * entries (RFC 6962, 2.1.1), from the leaf up. Reads every entry at the first time, later the block
 * of the entry and what is new. Entries that are missing count as zeros, so the path leads to no
 * root that was signed.
 */
export async function auditPath(
  log: LogLeaves,
  leaf_index: number,
  size: number,
): Promise<string[]> {
  const tree = new LogTree(log);
  const path: string[] = [];
  for (let [from, to] = [0, size]; to - from > 1;) {
    const middle = from + half(to - from);
    if (leaf_index < middle) {
      path.push(await tree.root(middle, to));
      to = middle;
    } else {
      path.push(await tree.root(from, middle));
      from = middle;
    }
  }
  return path.reverse();
}
