import type { RequestContext } from "../../calls/context.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Answer } from "../../kernel/answer.ts";
import { Failure } from "../../kernel/failure.ts";
import { storeItself } from "../../storage/storage-within.ts";
import { leafHashes } from "./inclusion.store.ts";
import { blocksOf } from "./log-tree.ts";
import { hashesOf, parseTile } from "./tile.ts";
import { findCosigned } from "./cosigned.store.ts";
import { findLog } from "./trail-log.store.ts";

/** The organisation's newest checkpoint, as signed. Throws `not_found` where there is none yet. */
export async function newestCheckpoint(
  { storage: { reader }, principal: { org_id } }: RequestContext,
): Promise<Answer<string>> {
  const { checkpoint } = await findLog(reader, org_id) ?? { checkpoint: "" };
  if (checkpoint === "") throw new Failure("not_found");
  return new Answer(checkpoint, NOTE);
}

/** For how long a checkpoint that witnesses signed is the one to read the tiles by. */
const COSIGNED_MS = 60 * 60 * 1000;

/**
 * The newest checkpoint that witnesses have signed within the last hour; else the newest of all.
 * Throws `not_found` where there is none yet.
 */
export async function tilesCheckpoint(ctx: RequestContext): Promise<Answer<string>> {
  const { storage: { reader }, principal: { org_id }, clock } = ctx;
  const cosigned = await findCosigned(reader, { org_id });
  const isYoung = cosigned !== undefined && cosigned.at > toTimestamp(clock.now() - COSIGNED_MS);
  return isYoung ? new Answer(cosigned.note, NOTE) : await newestCheckpoint(ctx);
}

/** What checkpoints are sent as. */
const NOTE = { "content-type": "text/plain; charset=utf-8" };

/**
 * The tile that the end of a path names: `0/x001/x234/067`. Throws `not_found` for what names none,
 * and for one that the organisation's log does not have.
 */
export async function activityTile(
  { storage, principal: { org_id } }: RequestContext,
  path: string,
): Promise<Answer<Uint8Array>> {
  const { reader } = storage;
  const tile = parseTile(path);
  const log = tile && await findLog(reader, org_id);
  if (!tile || !log) throw new Failure("not_found");
  const leaves = {
    ...log,
    hashes: (range: { from: number; to: number }) => leafHashes(reader, { org_id, ...range }),
    blocks: blocksOf(storeItself(storage), org_id),
  };
  const hashes = await hashesOf(leaves, log.size, tile);
  if (!hashes) throw new Failure("not_found");
  return new Answer(hashes, { "content-type": "application/octet-stream" });
}
