import { addKeyCheck, isDemanding, lockKeyChecks } from "../../changes/checksum-demand.store.ts";
import { findFirstOrganisation } from "../../features/people/organisations.store.ts";
import { isDemandingForm } from "../../kernel/sealing/sealing-keys.ts";
import { defineTransaction } from "../../storage/storage.ts";
import { wrongSealingKeys } from "./sealing-keys.store.ts";

/** The state of the available sealing keys at a start. */
interface KeysChecked {
  /**
   * Versions whose key is another one than at an earlier start: nothing that was sealed could be
   * opened with them.
   */
  wrong: number[];
  /** The store is in use and keeps no check value any more: something else took them out. */
  isForgotten: boolean;
}

/**
 * Remembers the check value of each version of the sealing key at hand, in the form of those that
 * the store keeps; that of a new store demands checksums. If keys are wrong or forgotten, the store
 * must not be opened. If no available key tells which form it is, none is remembered: it may be
 * lost, or left out by mistake, and `keydesk reseal --accept-loss` says that it is lost.
 */
export const checkSealingKeys = defineTransaction(
  "sealing.check-keys",
  async (tx, _: null): Promise<KeysChecked> => {
    const { sealer } = tx;
    // Read first: who adds an organisation has remembered the keys before.
    const isInUse = await findFirstOrganisation(tx) !== undefined;
    const known = await lockKeyChecks(tx);
    if (isInUse && known.length === 0) return { wrong: [], isForgotten: true };
    const form = isDemanding(sealer, known) ? "demanding" : "plain";
    const isUnsure = form === "demanding" &&
      known.some(({ check_value }) => !isDemandingForm(check_value));
    if (!isUnsure) { for (const version of sealer.versions) await addKeyCheck(tx, version, form); }
    return { wrong: await wrongSealingKeys(tx, sealer), isForgotten: false };
  },
  { withoutRoom: true },
);
