import type { Revocation } from "../../calls/revoked-lately.ts";
import { readCheckpoint } from "../../../packages/audit-log/checkpoint.ts";
import { Frontier } from "../../../packages/audit-log/merkle.ts";
import type { Sealer } from "../../kernel/sealing/sealer.ts";
import type { Connection } from "../../storage/storage.ts";
import { entriesFrom, type FollowedEntry } from "./followed-log.store.ts";
import { type KeptHead, rootOf } from "./kept-heads.ts";
import { keptCheckpoints } from "./log-reading.store.ts";
import { type AuditLogLog, findLog } from "./logs.store.ts";
import { storeVerifiers } from "./verify-store.ts";

/** The result of following a log from a checkpoint that was kept outside of the store. */
export type Followed =
  /** It holds all that it held then; `head`: how far it has come. */
  | { result: "goes on"; head: KeptHead; revocations: Revocation[] }
  /** Retention has removed what the head was of, so that nothing could be compared. */
  | { result: "cut"; head: KeptHead; revocations: Revocation[]; why: string }
  /** It does not, and why. */
  | { result: "rewound"; why: string };

/** The server's part that following needs. */
interface LogContext {
  readonly storage: { readonly reader: Connection };
  readonly sealer: Sealer;
}

/**
 * Follows a log from a head that was kept to its end: reads the entries that came since and no
 * others. The entries behind the checkpoint have to be as they were, whoever signed.
 */
export async function followLog(
  ctx: LogContext,
  kept: KeptHead,
  at: string,
): Promise<Followed> {
  const { org_id } = kept;
  const log = await findLog(ctx.storage.reader, org_id);
  if (!log) return rewound(kept, "is gone");
  if (log.size < kept.size) return rewound(kept, `has ${log.size}`);
  if (log.cut_size > kept.size) return await cutSince(ctx, kept, log, at);
  const followed = await readOn(ctx.storage.reader, log, new Frontier(kept.size, kept.frontier));
  if (!followed) {
    const now = await findLog(ctx.storage.reader, org_id);
    // Retention cuts from the beginning, and may have come by meanwhile.
    if (now && now.cut_size > log.cut_size) return await followLog(ctx, kept, at);
    return rewound(kept, "lacks entries that came since");
  }
  if (followed.frontier !== log.frontier) {
    return rewound(kept, `has ${log.size}, which don't begin with those`);
  }
  return { result: "goes on", head: headOf(log, kept, at), revocations: followed.revocations };
}

/** The head of a log of which nothing was known, with what of it was revoked since `from`. */
export async function firstHead(
  { storage: { reader } }: LogContext,
  org_id: string,
  at: string,
): Promise<{ head: KeptHead; revocations: Revocation[] } | undefined> {
  const log = await findLog(reader, org_id);
  if (!log) return undefined;
  const followed = await readOn(reader, log, new Frontier(log.cut_size, log.cut_frontier));
  const head = headOf(log, { org_id, accepted_at: "" }, at);
  return { head, revocations: followed?.revocations ?? [] };
}

/**
 * The head that a log had when it had so many entries, and what was revoked until then; `cut`:
 * retention has removed some behind it, undefined: it never had, or entries are missing.
 */
export async function headAt(
  reader: Connection,
  { org_id, size, at }: { org_id: string; size: number; at: string },
): Promise<{ head: KeptHead; revocations: Revocation[] } | "cut" | undefined> {
  const log = await findLog(reader, org_id);
  if (!log || log.size < size) return undefined;
  if (log.cut_size > size) return "cut";
  const begins = new Frontier(log.cut_size, log.cut_frontier);
  const followed = await readOn(reader, { org_id, size }, begins);
  if (!followed) return undefined;
  const { frontier, revocations } = followed;
  const head = { org_id, size, frontier, checkpoint: "", at, accepted_at: "" };
  return { head, revocations };
}

function headOf(
  { size, frontier, checkpoint }: AuditLogLog,
  { org_id, accepted_at }: Pick<KeptHead, "org_id" | "accepted_at">,
  at: string,
): KeptHead {
  return { org_id, size, frontier, checkpoint, at, accepted_at };
}

/** Whether retention cut the log: then a key of Keydesk's own has signed what is gone. */
async function cutSince(
  ctx: LogContext,
  kept: KeptHead,
  log: AuditLogLog,
  at: string,
): Promise<Followed> {
  const { storage: { reader }, sealer } = ctx;
  const { org_id, cut_size, cut_frontier } = log;
  const root = rootOf({ size: cut_size, frontier: cut_frontier });
  const verifiers = await storeVerifiers(reader, org_id, sealer);
  const isSigned = (await keptCheckpoints(reader, org_id, cut_size)).some(({ size, note }) => {
    if (size !== cut_size) return false;
    const { head, signedBy } = readCheckpoint(note, verifiers);
    return signedBy !== undefined && head.root === root;
  });
  if (!isSigned) return rewound(kept, "is cut behind them, and no checkpoint says so");
  const first = await firstHead(ctx, org_id, at);
  if (!first) return rewound(kept, "is gone");
  const why =
    `the log of ${org_id} was compared with nothing: retention has removed its first ${cut_size} entries, and the kept checkpoint has ${kept.size}`;
  const head = { ...first.head, accepted_at: kept.accepted_at };
  return { result: "cut", head, revocations: first.revocations, why };
}

/**
 * Reads the entries from a frontier to the end that the log says it has; undefined where one is
 * missing.
 */
async function readOn(
  db: Connection,
  { org_id, size }: Pick<AuditLogLog, "org_id" | "size">,
  frontier: Frontier,
): Promise<{ frontier: string; revocations: Revocation[] } | undefined> {
  const revocations: Revocation[] = [];
  while (frontier.size < size) {
    const entries = await entriesFrom(db, org_id, frontier.size);
    if (entries.length === 0) return undefined;
    for (const entry of entries) {
      if (frontier.size === size) break;
      if (entry.leaf_index !== frontier.size) return undefined;
      frontier.add(entry.leaf_hash);
      const revocation = revocationOf(org_id, entry);
      if (revocation) revocations.push(revocation);
    }
  }
  return { frontier: frontier.toString(), revocations };
}

function rewound({ org_id, size, at }: KeptHead, how: string): Followed {
  const why =
    `the log of ${org_id} had ${size} entries at ${at} (trail-heads.json), and now it ${how}`;
  return { result: "rewound", why };
}

/** The actions that revoke for good, with the check whether a thing came back all the same. */
const REVOKING: ReadonlyMap<string, Pick<Revocation, "object" | "isRevoked">> = new Map([
  ["credential.revoked", { object: "credential", isRevoked: true }],
  ["credential.restored", { object: "credential", isRevoked: false }],
  ["access_token.revoked", { object: "access_token", isRevoked: true }],
  ["person.deactivated", { object: "person", isRevoked: true }],
]);

function revocationOf(org_id: string, entry: FollowedEntry): Revocation | undefined {
  const { action, object_id, at } = entry;
  if (action === null || object_id === null || at === null) return undefined;
  const revoking = REVOKING.get(action);
  return revoking && { ...revoking, org_id, object_id, at };
}
