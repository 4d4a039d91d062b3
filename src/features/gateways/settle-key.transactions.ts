import { toTimestamp } from "../../kernel/clock.ts";
import { defineTransaction } from "../../storage/storage.ts";
import type { ProvisionedRow } from "./gateway.ts";
import {
  addProvisioned,
  forgetOldSecrets,
  forgetSecret,
  lockProvisioned,
  lockSecret,
  lookAtKeys,
  openAgain,
  setProvisioned,
  wantAllOf,
} from "./provisioned-keys.store.ts";
import { addUnknownKeys, forgetUnknownKeys } from "./unknown-keys.store.ts";
import { gatewayLease, lockGateway, raiseEdition, updateGateway } from "./gateways.store.ts";

/** The result of a turn of a key at a gateway. */
export interface Settled {
  org_id: string;
  gateway_id: string;
  key_id: string;
  /** The version of the desired state when the turn began. */
  seen: number;
  state: ProvisionedRow["state"];
  reason: string;
  /** In milliseconds from now; null: nothing is to be done until a person changes something. */
  againMs: number | null;
  remote_id: string;
  held: string;
  /** It is suspended: what makes it is needed once it opens again, where it never was there. */
  isClosed: boolean;
  /** Counts as a try that failed. */
  failed: boolean;
  /** Goes before all else from now on. */
  isUrgent: boolean;
  /** It came into its state anew, although it was in it. */
  isAnew?: boolean;
  now: number;
}

/**
 * Notes what became of a key at a gateway. If the key changed meanwhile, it is queued again with
 * its new state. False: there is no such row any more.
 */
export const settleKey = defineTransaction(
  "gateways.settle-key",
  async (tx, input: Settled): Promise<boolean> => {
    const { org_id, gateway_id, key_id, now } = input;
    const row = await lockProvisioned(tx, { org_id, gateway_id, key_id });
    if (!row) return false;
    const remote_id = row.remote_id || input.remote_id;
    const at = toTimestamp(now);
    const place = { org_id, gateway_id, key_id };
    if (row.wanted !== input.seen) {
      // The write may be older than one that another node has made since.
      await setProvisioned(tx, { ...row, ...place, remote_id, state: "waiting", due_at: at });
      return true;
    }
    const { state, reason, againMs, held, isClosed, failed, isUrgent, isAnew = false } = input;
    const isSame = row.state === state && !isAnew;
    const isThere = state === "delivered" || state === "gone";
    await setProvisioned(tx, {
      ...place,
      done: isThere ? row.wanted : row.done,
      state,
      reason,
      since: isSame ? row.since : at,
      due_at: againMs === null ? null : toTimestamp(now + againMs),
      urgency: isUrgent ? 0 : row.urgency,
      tries: failed ? row.tries + 1 : 0,
      remote_id,
      held,
      delivered_at: isThere && !isSame ? at : row.delivered_at,
    });
    const isNews = isThere && row.state !== state && !isClosed;
    if (isNews && await lockSecret(tx, { org_id, key_id })) {
      await forgetSecret(tx, { org_id, key_id });
    }
    return true;
  },
);

/**
 * Says that keys are about to be brought to a map. Nothing of them may be settled before: who
 * fetches the map tells by it that it has other keys.
 */
export const beginEdition = defineTransaction(
  "gateways.begin-edition",
  async (tx, place: { org_id: string; id: string }): Promise<null> => {
    await raiseEdition(tx, place);
    return null;
  },
);

/** Has these keys brought to a gateway, whatever stood there; goes on behind `filled_to`. */
export const fillSome = defineTransaction(
  "gateways.fill-some",
  async (tx, { org_id, id, from, filled_to, key_ids, now }: {
    org_id: string;
    id: string;
    from: string;
    filled_to: string | null;
    key_ids: string[];
    now: number;
  }): Promise<null> => {
    const gateway = await lockGateway(tx, { org_id, id });
    // It begins anew where a plan was changed meanwhile.
    if (gateway?.filled_to !== from) return null;
    if (key_ids.length > 0) {
      const list = { org_id, gateway_id: id, key_ids: JSON.stringify(key_ids) };
      await addProvisioned(tx, { ...list, now: toTimestamp(now) });
    }
    await updateGateway(tx, gateway, { filled_to });
    return null;
  },
);

/**
 * Notes by which key a gateway's 404 is believed. If it had another one before, it has lost its
 * keys, and all of them are synced again.
 */
export const noteCanary = defineTransaction(
  "gateways.note-canary",
  async (tx, { org_id, id, canary, now }: {
    org_id: string;
    id: string;
    canary: string;
    now: number;
  }): Promise<null> => {
    const gateway = await lockGateway(tx, { org_id, id });
    if (!gateway || gateway.canary === canary) return null;
    if (gateway.canary !== "") {
      await wantAllOf(tx, { org_id, gateway_id: id, now: toTimestamp(now), is_lost: 1 });
    }
    await updateGateway(tx, gateway, { canary });
    return null;
  },
);

/** Notes that a gateway can't be reached or believed, and why; "": it can again. */
export const noteFailure = defineTransaction(
  "gateways.note-failure",
  async (tx, { org_id, id, failure, now }: {
    org_id: string;
    id: string;
    failure: string;
    now: number;
  }): Promise<null> => {
    const gateway = await lockGateway(tx, { org_id, id });
    if (!gateway || gateway.failure === failure) return null;
    const failing_since = failure === "" ? null : gateway.failing_since ?? toTimestamp(now);
    await updateGateway(tx, gateway, { failure, failing_since });
    return null;
  },
);

/** Notes what a check has found. */
export const noteFindings = defineTransaction(
  "gateways.note-findings",
  async (tx, { org_id, id, findings, now }: {
    org_id: string;
    id: string;
    findings: string;
    now: number;
  }): Promise<null> => {
    const gateway = await lockGateway(tx, { org_id, id });
    if (gateway) await updateGateway(tx, gateway, { findings, checked_at: toTimestamp(now) });
    return null;
  },
);

/** The result of a comparison: keys to sync again, and others to read there. */
export interface KeysDue {
  again: string[];
  looks: string[];
}

/** Has some keys brought to a gateway anew, and others read there. */
export const raiseKeys = defineTransaction(
  "gateways.raise-keys",
  async (tx, { org_id, id, again, looks, now }: KeysDue & {
    org_id: string;
    id: string;
    now: number;
  }): Promise<null> => {
    if (!await lockGateway(tx, { org_id, id })) return null;
    const place = { org_id, gateway_id: id, now: toTimestamp(now) };
    if (again.length > 0) {
      const list = { ...place, key_ids: JSON.stringify(again) };
      await addProvisioned(tx, list);
      await openAgain(tx, list);
    }
    if (looks.length > 0) await lookAtKeys(tx, { ...place, key_ids: JSON.stringify(looks) });
    return null;
  },
);

/** Notes what a comparison with everything there has found. */
export const noteReconciled = defineTransaction(
  "gateways.note-reconciled",
  async (tx, { org_id, id, reconciled, now }: {
    org_id: string;
    id: string;
    reconciled: string;
    now: number;
  }): Promise<null> => {
    const gateway = await lockGateway(tx, { org_id, id });
    if (gateway) await updateGateway(tx, gateway, { reconciled, reconciled_at: toTimestamp(now) });
    return null;
  },
);

/** Has the names of keys there that no one decided here grow and shrink. */
export const noteUnknownKeys = defineTransaction(
  "gateways.note-unknown-keys",
  async (tx, { org_id, id, found, gone }: {
    org_id: string;
    id: string;
    found: string[];
    gone: string[];
  }): Promise<null> => {
    if (!await lockGateway(tx, { org_id, id })) return null;
    const place = { org_id, gateway_id: id };
    if (found.length > 0) await addUnknownKeys(tx, { ...place, names: JSON.stringify(found) });
    if (gone.length > 0) await forgetUnknownKeys(tx, { ...place, names: JSON.stringify(gone) });
    return null;
  },
);

/** Forgets what gateways needed to make keys and did not take in time. */
export const forgetSecrets = defineTransaction(
  "gateways.forget-secrets",
  async (tx, { now }: { now: number }): Promise<null> => {
    await forgetOldSecrets(tx, { now: toTimestamp(now) });
    return null;
  },
);

/** Takes or renews the right to bring gateways to what is wanted. False: another node has it. */
export const takeTurn = defineTransaction(
  "gateways.take-turn",
  (tx, { holder, now }: { holder: string; now: number }) => gatewayLease.take(tx, holder, now),
);

/** Leaves that right to the others. */
export const leaveGateways = defineTransaction(
  "gateways.leave",
  async (tx, { holder }: { holder: string }): Promise<null> => {
    await gatewayLease.giveBack(tx, holder);
    return null;
  },
);
