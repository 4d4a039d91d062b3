import { type Actor, recordAudit } from "../../changes/audit.ts";
import {
  CLIENT_ADDRESS,
  contentHash,
  type Entered,
  newSalts,
  personalValues,
  WHOLE_DETAIL,
} from "../../changes/audit-content.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Frontier, leafHash } from "../../../packages/audit-log/merkle.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { type HashedEvent, originOf } from "./leaf.ts";
import { type SealedKey, signedBy, usableKey } from "./signing-key.ts";
import {
  addEntries,
  appendLease,
  auditLogKeys,
  type AuditLogLog,
  type Entry,
  insertKey,
  keepCheckpoint,
  lockLog,
  saveLog,
  setContent,
  TAKEN_IN,
  waitingEvent,
  type WaitingRow,
  waitingRows,
} from "./logs.store.ts";

/** The result of a batch. */
interface Appended {
  /** False: another node appends. */
  leased: boolean;
  /** How many rows were taken in; fewer than 250 where no more waited. */
  rows: number;
  /** False: no key at hand signs, so that there is no checkpoint of this size. */
  signed: boolean;
}

/**
 * Takes committed rows that wait into their organisation's log, up to 250, and signs a checkpoint
 * of it. Every node may try at any time: the lease spares double work, and the log's row, locked to
 * the end, keeps each row from being taken in twice. `leaseMs`: how long no other node appends from
 * now on. `newKey` becomes Keydesk's key if it has none. `now`: by the store's clock.
 */
export const appendToAuditLog = defineTransaction(
  "trail.append",
  async (
    tx,
    input: {
      org_id: string;
      holder: string;
      leaseMs: number;
      newKey: SealedKey | null;
      now: number;
    },
  ): Promise<Appended> => {
    const { org_id, now } = input;
    if (!await appendLease.take(tx, input.holder, now, input.leaseMs)) {
      return { leased: false, rows: 0, signed: true };
    }
    const log = await lockLog(tx, org_id);
    const rows = await waitingRows(tx, org_id);
    if (rows.length === 0) return { leased: true, rows: 0, signed: true };
    const frontier = new Frontier(log.size, log.frontier);
    const entries: Entry[] = [];
    for (const row of rows) {
      const entry = await entryOf(tx, log, row, frontier.size);
      frontier.add(entry.leaf_hash);
      entries.push(entry);
    }
    await addEntries(tx, org_id, entries);
    const isUpgraded = rows.length < TAKEN_IN || (rows.at(-1)?.id ?? "") > log.upgrade_until;
    const head = { origin: originOf(org_id), size: frontier.size, root: frontier.root() };
    const key = await keyFor(tx, input.newKey, now);
    const note = key && signedBy(key, tx.sealer, head);
    const at = toTimestamp(now);
    const known = {
      ...log,
      size: frontier.size,
      frontier: frontier.toString(),
      upgrade_until: isUpgraded ? "" : log.upgrade_until,
    };
    if (!key || note === undefined) {
      await saveLog(tx, known);
      return { leased: true, rows: rows.length, signed: false };
    }
    await notifyOfNewKey(tx, log, key.id, now);
    await saveLog(tx, { ...known, key_id: key.id, checkpoint: note, checkpoint_at: at });
    // One an hour stays, so that what is found wrong can be placed between two of them.
    if (log.checkpoint_at.slice(0, 13) !== at.slice(0, 13)) {
      await keepCheckpoint(tx, { org_id, size: head.size, at, note });
    }
    return { leased: true, rows: rows.length, signed: true };
  },
);

/** Leaves the right to append to the other nodes. */
export const leaveAuditLog = defineTransaction(
  "trail.leave",
  async (tx, { holder }: { holder: string }): Promise<null> => {
    await appendLease.giveBack(tx, holder);
    return null;
  },
);

async function entryOf(
  tx: Tx,
  log: AuditLogLog,
  row: WaitingRow,
  leaf_index: number,
): Promise<Entry> {
  const { org_id } = log;
  const { id, content_hash } = row;
  // Whether the row is what its hash says is looked at by those who verify: nothing waits for that
  // here.
  if (content_hash !== null) return { id, leaf_index, kind: "written", leaf_hash: content_hash };
  const kind = id <= log.upgrade_until ? "upgrade" : "older";
  const hashed = hashedAnew(await waitingEvent(tx, { org_id, id }), kind);
  await setContent(tx, { org_id, id, ...hashed });
  return { id, leaf_index, kind, leaf_hash: hashed.content_hash };
}

/** A row that came without a hash may name people anywhere in its detail: all of it is personal. */
function hashedAnew(
  row: HashedEvent | undefined,
  kind: Entered,
): { content_hash: string; salts: string } {
  try {
    if (!row) throw new Error("a row that this transaction has read is gone");
    const salts = saltsOf(row);
    return { content_hash: contentHash({ ...row, salts }, kind), salts };
  } catch {
    // Keydesk writes none like it: its hash proves that it was there, not its content.
    return { content_hash: leafHash(""), salts: "{}" };
  }
}

function saltsOf(row: HashedEvent): string {
  const names = Object.keys(personalValues({ ...row, salts: "{}" }));
  const whole = names.some((name) => name !== CLIENT_ADDRESS) ? [] : [WHOLE_DETAIL];
  const salted = [...names, ...whole];
  const fresh = newSalts(salted.length);
  return JSON.stringify(Object.fromEntries(salted.map((name, n) => [name, fresh[n]])));
}

async function keyFor(
  tx: Tx,
  newKey: SealedKey | null,
  now: number,
): Promise<SealedKey | undefined> {
  const known = usableKey(await auditLogKeys(tx));
  if (known || newKey === null) return known;
  await insertKey(tx, { ...newKey, org_id: "", made_at: toTimestamp(now) });
  return newKey;
}

/**
 * Logs a new key, so that readers who follow the checkpoints find the change in the audit log
 * itself.
 */
async function notifyOfNewKey(tx: Tx, log: AuditLogLog, key: string, now: number): Promise<void> {
  const { org_id, key_id: before } = log;
  if (before === "" || before === key) return;
  const actor: Actor = { org_id, user_id: "operator", token_id: "", now };
  const event = { action: "trail.key_changed", object: "trail_key", object_id: key };
  await recordAudit(tx, actor, { ...event, detail: { before } });
}
