import { putMute } from "../../../changes/alert-mutes.store.ts";
import type { Actor } from "../../../changes/audit.ts";
import { addToOutbox } from "../../../changes/outbox.ts";
import { personalReason } from "../../../changes/personal.ts";
import { recordChange } from "../../../changes/record-change.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import { defineTransaction, type Tx } from "../../../storage/storage.ts";
import { fingerprintOf } from "../../certificates/certificate.ts";
import { lockCertificate } from "../../certificates/certificates.store.ts";
import { coverageOfActor, isSeenBy } from "../../plans/coverage.ts";
import { isPageKey } from "../../keys/page-key.ts";
import {
  type AlertObject,
  type AlertRules,
  behindAll,
  KEPT_MS,
  objects,
  type Place,
  reach,
  stepsOf,
  topicOf,
} from "./alert.ts";
import {
  alertLease,
  dropProgress,
  endingBehind,
  type EndingRow,
  findEndOfKey,
  noteAlert,
  NOTIFIED_AT_ONCE,
  progressOf,
  removeMute,
  rulesOf,
  setProgress,
  setRules,
} from "./alerts.store.ts";

/** The input of looking for expiries. */
interface Look {
  org_id: string;
  holder: string;
  /** By the store's clock. */
  now: number;
}

/** The result of a look. */
interface Looked {
  /** False: another node does it. */
  leased: boolean;
  /** False: the first digest of the organisation was not sent yet. */
  started: boolean;
  /** True: more may have fallen due. */
  more: boolean;
  reported: number;
}

/** The actor that reports expiries and gateways. */
export const actorOfAlerts = (org_id: string, now: number): Actor => ({
  org_id,
  user_id: "alerts",
  token_id: "",
  now,
});

/**
 * Tells of what ends, up to NOTIFIED_AT_ONCE objects, and notes how far it has come in the same
 * transaction: whatever becomes of a node, each rule tells of an object once. The lease's row, held
 * to the end, lets one node do it. A clock that goes back tells nothing until it has caught up.
 */
export const notifyOfExpiries = defineTransaction(
  "alerts.tell",
  async (tx, { org_id, holder, now }: Look): Promise<Looked> => {
    const looked = { leased: true, started: true, more: false, reported: 0 };
    if (!await alertLease.take(tx, holder, now)) return { ...looked, leased: false };
    const progress = await progressOf(tx, org_id);
    if (!progress.some((row) => row.object === "start")) return { ...looked, started: false };
    const steps = stepsOf(await rulesOf(tx, org_id));
    for (const object of objects) {
      let reported: string | undefined;
      // The newest rule first: what it tells of, those before it leave out.
      for (const days of steps) {
        const to = reach(object, days, now);
        const known = progress.find((row) => row.object === object && row.days === days);
        const at = known && fromOf(object, known, reported);
        if (at) reported = to;
        // A new rule begins now, and one whose clock went back waits for it.
        if (at && at.ends_at > to) continue;
        const rows = at
          ? await endingBehind(tx, object, org_id, { from: at, to, now: toTimestamp(now) })
          : [];
        for (const row of rows) {
          if (await notify(tx, { org_id, object, days, now }, row)) looked.reported++;
        }
        const last = rows.length === NOTIFIED_AT_ONCE ? rows.at(-1) : undefined;
        const place = last ?? behindAll(object, to);
        if (known?.ends_at !== place.ends_at || known.tie !== place.tie) {
          await setProgress(tx, { org_id, object, days, ...place });
        }
        if (last) return { ...looked, more: true };
      }
    }
    return looked;
  },
);

/**
 * The position from which a rule goes on: behind its finished part, and behind the part of the
 * rules nearer to the expiry.
 */
function fromOf(object: AlertObject, known: Place, reported: string | undefined): Place {
  return reported !== undefined && reported > known.ends_at ? behindAll(object, reported) : known;
}

/** True: a message was left. */
async function notify(
  tx: Tx,
  { org_id, object, days, now }: { org_id: string; object: AlertObject; days: number; now: number },
  row: EndingRow,
): Promise<boolean> {
  const { object_id, ends_at, renewed_by, muted_until, muted_by, issued_at } = row;
  const { name = null, request_id = null } = row;
  // Its end is known to the one developer who has it on their page.
  const isKey = issued_at !== undefined;
  if (isKey && isPageKey({ name, request_id, issued_at, expires_at: ends_at })) return false;
  const outcome = renewed_by !== null ? "renewed" : muted_until !== null ? "muted" : "told";
  const topic = `${topicOf[object]}.${days === 0 ? "ended" : "ends_soon"}`;
  const event_id = outcome === "told"
    ? await addToOutbox(tx, actorOfAlerts(org_id, now), {
      topic,
      object_id,
      detail: { days, ends_at },
    })
    : "";
  await noteAlert(tx, {
    org_id,
    object,
    object_id,
    days,
    ends_at,
    at: toTimestamp(now),
    outcome,
    event_id,
    reason: outcome === "renewed"
      ? renewed_by ?? ""
      : outcome === "muted"
      ? JSON.stringify({ by: muted_by, until: muted_until })
      : "",
    expires_at: toTimestamp(Math.max(now, Date.parse(ends_at)) + KEPT_MS),
  });
  return outcome === "told";
}

/** The counts of an organisation's digest. */
export interface DigestCounts {
  certificates_ended: number;
  certificates_ending: number;
  keys_ended: number;
  keys_ending: number;
}

/**
 * Begins an organisation's alerts: everything that is due by now goes into one digest, if there is
 * anything, and never into alerts. Does nothing if they have begun.
 */
export const beginAlerts = defineTransaction(
  "alerts.begin",
  async (tx, { counts, ...look }: Look & { counts: DigestCounts }): Promise<null> => {
    const { org_id, holder, now } = look;
    if (!await alertLease.take(tx, holder, now)) return null;
    if ((await progressOf(tx, org_id)).some((row) => row.object === "start")) return null;
    const steps = stepsOf(await rulesOf(tx, org_id));
    await beginRules(tx, org_id, steps, now);
    await setProgress(tx, { org_id, object: "start", days: 0, ends_at: "", tie: "" });
    if (Object.values(counts).some((n) => n > 0)) {
      const detail = { days: steps.at(-1) ?? 0, ...counts };
      const message = { topic: "alerts.digest", object_id: org_id, detail };
      await addToOutbox(tx, actorOfAlerts(org_id, now), message);
    }
    return null;
  },
);

/** Alerts that these rules would have sent earlier are never sent. */
async function beginRules(tx: Tx, org_id: string, steps: readonly number[], now: number) {
  for (const object of objects) {
    for (const days of steps) {
      await setProgress(tx, {
        org_id,
        object,
        days,
        ...behindAll(object, reach(object, days, now)),
      });
    }
  }
}

/** Leaves the right to tell of ends to the other nodes. */
export const leaveAlerts = defineTransaction(
  "alerts.leave",
  async (tx, { holder }: { holder: string }): Promise<null> => {
    await alertLease.giveBack(tx, holder);
    return null;
  },
);

/** Sets when an organisation gets alerts of expiry. A new rule begins now. */
export const changeRules = defineTransaction(
  "alerts.change-rules",
  async (tx, { actor, rules }: { actor: Actor; rules: AlertRules }): Promise<AlertRules> => {
    const { org_id } = actor;
    const before = stepsOf(await rulesOf(tx, org_id));
    const days = [...new Set(rules.days)].sort((a, b) => b - a);
    const after = { days, at_end: rules.at_end };
    await setRules(tx, org_id, after);
    const steps = stepsOf(after);
    for (const step of before) {
      if (!steps.includes(step)) await dropProgress(tx, { org_id, days: step });
    }
    const added = steps.filter((step) => !before.includes(step));
    await beginRules(tx, org_id, added, actor.now);
    await recordChange(tx, actor, {
      action: "alerts.settings_changed",
      object_id: org_id,
      detail: { days: days.join(", "), at_end: rules.at_end },
    });
    return after;
  },
);

/** The object of a mute. */
interface OfObject {
  actor: Actor;
  object: AlertObject;
  object_id: string;
}

const MUTED = { certificate: "certificate.alerts_muted", key: "credential.alerts_muted" } as const;
const UNMUTED = {
  certificate: "certificate.alerts_unmuted",
  key: "credential.alerts_unmuted",
} as const;

/** Mutes an object's alerts until a time. Throws `certificate_not_found` or `not_found`. */
export const muteAlerts = defineTransaction(
  "alerts.mute",
  async (tx, input: OfObject & { until: string; reason: string }): Promise<null> => {
    await mustExist(tx, input);
    await muteLocked(tx, input);
    return null;
  },
);

/** Mutes an object that the transaction has locked. */
export async function muteLocked(
  tx: Tx,
  { actor, object, object_id, until, reason }: OfObject & { until: string; reason: string },
): Promise<void> {
  await putMute(tx, {
    org_id: actor.org_id,
    object,
    object_id,
    reason,
    muted_by: actor.user_id,
    muted_at: toTimestamp(actor.now),
    expires_at: until,
  });
  await recordChange(tx, actor, {
    action: MUTED[object],
    object_id,
    detail: { until },
    personal: personalReason(reason),
  });
}

/** Lifts a mute; does nothing where there is none. Throws likewise. */
export const unmuteAlerts = defineTransaction(
  "alerts.unmute",
  async (tx, input: OfObject): Promise<null> => {
    await mustExist(tx, input);
    await unmuteLocked(tx, input);
    return null;
  },
);

/** Unmutes an object that the transaction has locked. */
export async function unmuteLocked(
  tx: Tx,
  { actor, object, object_id }: OfObject,
): Promise<void> {
  const of = { org_id: actor.org_id, object, object_id };
  if (await removeMute(tx, { ...of, now: toTimestamp(actor.now) })) {
    await recordChange(tx, actor, { action: UNMUTED[object], object_id });
  }
}

async function mustExist(tx: Tx, { actor, object, object_id }: OfObject): Promise<void> {
  const { org_id } = actor;
  if (object === "key") {
    const key = await findEndOfKey(tx, { org_id, key_id: object_id });
    if (!key || !isSeenBy(await coverageOfActor(tx, actor), key)) throw new Failure("not_found");
    return;
  }
  const fingerprint = fingerprintOf(org_id, object_id);
  const row = fingerprint && await lockCertificate(tx, { org_id, fingerprint });
  if (!row) throw new Failure("certificate_not_found");
}
