import { sha256 } from "../../kernel/sha256.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import type { TreeHead } from "../../kernel/checkpoint.ts";
import { cosign } from "../../kernel/cosignature.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { isConsistent } from "../trail/consistency.ts";
import { openedKey, type SealedKey, usableKey } from "../trail/trail-key.ts";
import { insertKey, keysOf } from "../trail/trail-log.store.ts";
import { WITNESS, witnessName } from "./witness-key.ts";
import {
  insertWitnessedLog,
  lockWitnessedLog,
  removeWitnessedLog,
  saveHead,
  saveKeys,
} from "./witnessed-logs.store.ts";

/** What a witness answers. */
type Cosigned =
  | { verdict: "cosigned"; line: string }
  /** The log is not one of those that this desk is a witness of, or no key at hand signs. */
  | { verdict: "unknown" }
  /** It knows so many entries, or another tree of as many. */
  | { verdict: "conflict"; size: number; isFork: boolean }
  /** The proof does not show that the log goes on from what is known. */
  | { verdict: "inconsistent" };

/**
 * Signs a head whose own signature was looked at, where it goes on from the longest one that this
 * desk has signed, which it is from then on: of two at once one is second, and a head once signed
 * is never gone behind.
 */
export const cosignHead = defineTransaction(
  "witness.cosign",
  async (
    tx,
    input: { head: TreeHead; old: number; proof: readonly string[]; now: number },
  ): Promise<Cosigned> => {
    const { head, old, proof, now } = input;
    const { origin, size, root } = head;
    const log = await lockWitnessedLog(tx, { origin });
    const key = usableKey(await keysOf(tx, { org_id: WITNESS }));
    const privateKey = log && key && openedKey(key, tx.sealer, WITNESS);
    if (!log || !key || privateKey === undefined) return { verdict: "unknown" };
    const known = { size: Number(log.size), root: log.root };
    if (old !== known.size) return { verdict: "conflict", size: known.size, isFork: false };
    if (size === known.size && size > 0 && root !== known.root) {
      return { verdict: "conflict", size, isFork: true };
    }
    if (!goesOn(known, head, proof)) return { verdict: "inconsistent" };
    await saveHead(tx, { origin, size, root, at: toTimestamp(now) });
    return { verdict: "cosigned", line: cosign(head, witnessName(key), privateKey, now) };
  },
);

function goesOn(
  known: { size: number; root: string },
  head: TreeHead,
  proof: readonly string[],
): boolean {
  if (head.size === 0) return head.root === sha256("") && proof.length === 0;
  if (known.size === 0) return proof.length === 0;
  return isConsistent(known, head, proof);
}

/** Who may sign the heads of a log, from now on; it is a witness's from then on. */
export const witnessLog = defineTransaction(
  "witness.add",
  async (
    tx,
    input: { origin: string; keys: readonly string[]; newKey: SealedKey; now: number },
  ): Promise<null> => {
    const { origin, keys, newKey, now } = input;
    await ensureKey(tx, newKey, now);
    const row = { origin, keys: JSON.stringify(keys), added_at: toTimestamp(now) };
    const isNew = await insertWitnessedLog(tx, { ...row, size: 0, root: "", at: "" });
    if (!isNew) await saveKeys(tx, row);
    return null;
  },
);

/** Makes the key by which the desk signs as a witness, where it has none that opens. */
export const makeWitnessKey = defineTransaction(
  "witness.key",
  async (tx, { newKey, now }: { newKey: SealedKey; now: number }): Promise<null> => {
    await ensureKey(tx, newKey, now);
    return null;
  },
);

async function ensureKey(tx: Tx, newKey: SealedKey, now: number): Promise<void> {
  if (usableKey(await keysOf(tx, { org_id: WITNESS }))) return;
  await insertKey(tx, { ...newKey, org_id: WITNESS, made_at: toTimestamp(now) });
}

/** Forgets a log, and what was signed of it. False: it is none. */
export const forgetLog = defineTransaction(
  "witness.remove",
  async (tx, p: { origin: string }): Promise<boolean> => await removeWitnessedLog(tx, p),
);
