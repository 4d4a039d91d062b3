import { recordChange } from "../../changes/record-change.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { dropLinksOfRequest } from "../keys/one-time-links/waiting-links.store.ts";
import { CODE_ASKED } from "../developers/sign-in-code.ts";
import { forgetSignInCode } from "../developers/sign-in-codes.store.ts";
import { emailSideOf, HANDED_OVER } from "../developers/email-proof.ts";
import { forgetAddressBefore, forgetEmailTokens } from "../developers/email-proof.store.ts";
import {
  addAttempt,
  findDelivery,
  lockDue,
  markWaiting,
  TRIED_AT_ONCE,
  updateDelivery,
  wakeFirst,
} from "./deliveries.store.ts";
import { endLeases, lease, shortenLeases } from "./delivery-leases.store.ts";
import { FAILED_TRIES, FAILING_MS, GIVEN_UP_MS, LEASE_MS, OUTAGE_MS, WAKE_MS } from "./delivery.ts";
import { type DeliveryRow, fanOutLease } from "./fan-out.store.ts";
import { claimMails, type DueMail, uncount } from "./mail-due.transactions.ts";
import { type ChannelRow, findChannel, lockChannel, updateChannel } from "./channels.store.ts";

/** The deliveries that a node is to send, and until when it has them alone. */
export interface Claimed {
  channel: ChannelRow;
  until: string;
  due: DueMail[];
  /** True: more of it may be due. */
  more: boolean;
}

/**
 * Takes what of a channel is due, up to TRIED_AT_ONCE, for LEASE_MS. Nothing of a channel that is
 * paused or gone. `now`, as everywhere here: by the store's clock.
 */
export const claimDue = defineTransaction(
  "deliveries.claim",
  async (
    tx,
    input: { org_id: string; target_id: string; holder: string; now: number },
  ): Promise<Claimed | null> => {
    const { org_id, target_id, holder, now } = input;
    const channel = await findChannel(tx, { org_id, id: target_id });
    if (channel?.state !== "active") return null;
    const until = toTimestamp(now + LEASE_MS);
    const due = await lockDue(tx, { org_id, target_id }, toTimestamp(now));
    const more = due.length === TRIED_AT_ONCE;
    if (channel.kind === "mail") {
      const mails = await claimMails(tx, channel, due, { holder, until, now });
      return { channel, until, due: mails, more };
    }
    for (const { id } of due) await lease(tx, { org_id, id, holder, until });
    const alone = due.map((row) => ({ ...row, gathered: [], counted: "" }));
    return { channel, until, due: alone, more };
  },
);

/**
 * Gives a node's rights to a channel's deliveries an end that a lease of ours can have: see
 * storage/lease.ts.
 */
export const shortenWaiting = defineTransaction(
  "deliveries.shorten-held",
  async (
    tx,
    { org_id, target_id, now }: { org_id: string; target_id: string; now: number },
  ): Promise<number> => {
    await lockChannel(tx, { org_id, id: target_id });
    return await shortenLeases(tx, { org_id, target_id, until: toTimestamp(now + LEASE_MS) });
  },
);

/** Leaves to the other nodes what this one took and has not settled, and the right to fan out. */
export const leaveDeliveries = defineTransaction(
  "deliveries.leave",
  async (
    tx,
    { holder, taken, now }: {
      holder: string;
      taken: readonly { org_id: string; target_id: string; until: string }[];
      now: number;
    },
  ): Promise<null> => {
    await fanOutLease.giveBack(tx, holder);
    for (const { org_id, target_id, until } of taken) {
      await lockChannel(tx, { org_id, id: target_id });
      await endLeases(tx, { org_id, target_id, holder, until, now: toTimestamp(now) });
    }
    return null;
  },
);

/** The outcome of a try. */
export interface Outcome {
  id: string;
  /** True: it was taken. */
  ok: boolean;
  /** True: the channel says that it wants nothing ever again. */
  gone: boolean;
  /**
   * Trying again is of no use: "dead" gives the message up at once, "skipped": there was nothing to
   * tell any more.
   */
  final?: "dead" | "skipped" | undefined;
  /** Under what a mail was counted that no one got. */
  uncounted?: string | undefined;
  /** 0: there was no answer. */
  status: number;
  durationMs: number;
  answer: string;
  /** Why there was none; "" where there was. */
  error: string;
  at: string;
  /** How long is waited, should it be tried again. */
  waitMs: number;
}

/** The result of a settlement. */
interface Settled {
  /** Why the channel is paused from now on; "" where it is not. */
  paused: string;
  /** How many messages were given up. */
  dead: number;
  /** True: the channel takes messages again, and what waits for it is to be woken. */
  wakes: boolean;
}

/**
 * Keeps what became of the tries of one channel's deliveries, those that the node has the right to
 * still. A finished delivery lets the next of its queue go. Of a channel that was paused meanwhile
 * no try is counted.
 */
export const settle = defineTransaction(
  "deliveries.settle",
  async (
    tx,
    input: {
      org_id: string;
      target_id: string;
      holder: string;
      until: string;
      outcomes: readonly Outcome[];
      /** When it was claimed. */
      claimedAt: number;
      now: number;
    },
  ): Promise<Settled> => {
    const { org_id, target_id, holder, until, outcomes, claimedAt, now } = input;
    const channel = await lockChannel(tx, { org_id, id: target_id });
    const settled = { paused: "", dead: 0, wakes: false };
    if (!channel) return settled;
    for (const outcome of outcomes) {
      const row = await findDelivery(tx, org_id, outcome.id);
      if (row?.state !== "waiting" || row.holder !== holder || row.due_at !== until) continue;
      if (outcome.uncounted) {
        await uncount(tx, { org_id, address: outcome.uncounted }, claimedAt);
      }
      const isMailed = channel.kind === "mail" && (outcome.ok || outcome.final);
      if (row.topic === HANDED_OVER && isMailed) {
        await forgetAddressBefore(tx, { org_id, id: row.object_id });
      }
      // It was mailed, or never will be: its hash is enough to know it by.
      if (row.topic === CODE_ASKED && (outcome.ok || outcome.final)) {
        await forgetSignInCode(tx, { org_id, id: row.object_id });
      }
      if (outcome.final) {
        await end(tx, row, outcome, outcome.final, now);
        if (outcome.final === "dead") settled.dead++;
      } else if (outcome.ok) {
        await end(tx, row, outcome, "delivered", now);
        // The link was mailed, and no one needs its token any more.
        if (row.topic === "key_request.approved" && channel.kind === "mail") {
          await dropLinksOfRequest(tx, { org_id, request_id: row.object_id });
        }
        const side = channel.kind === "mail" ? emailSideOf(row.topic) : undefined;
        if (side) await forgetEmailTokens(tx, { org_id, developer_id: row.object_id, side });
      } else if (channel.state === "paused") {
        await updateDelivery(tx, row, { holder: "", due_at: toTimestamp(now) });
      } else if (await fail(tx, channel, row, outcome, now)) settled.dead++;
    }
    return { ...settled, ...await judge(tx, channel, outcomes, now) };
  },
);

async function end(
  tx: Tx,
  row: DeliveryRow,
  outcome: Outcome,
  state: "delivered" | "dead" | "skipped",
  now: number,
): Promise<void> {
  const at = toTimestamp(now);
  const n = row.attempts + 1;
  await keepAttempt(tx, row, outcome, n);
  await updateDelivery(tx, row, {
    state,
    holder: "",
    due_at: null,
    blocked: 0,
    ended_at: at,
    // A failed delivery stays in its queue until a later message has reported it.
    line: state === "dead" ? 1 : 0,
    tries: row.tries + 1,
    attempts: n,
    first_try_at: row.first_try_at ?? outcome.at,
  });
  if (state === "delivered") await markWaiting(tx, row);
  await wakeFirst(tx, { ...row, now: at });
}

/** True: the message is given up. */
async function fail(
  tx: Tx,
  channel: ChannelRow,
  row: DeliveryRow,
  outcome: Outcome,
  now: number,
): Promise<boolean> {
  const first_try_at = row.first_try_at ?? outcome.at;
  // The time of a pause is none of tries.
  const since = first_try_at > channel.state_changed_at ? first_try_at : channel.state_changed_at;
  if (row.tries > 0 && now - Date.parse(since) >= GIVEN_UP_MS) {
    await end(tx, row, outcome, "dead", now);
    return true;
  }
  const n = row.attempts + 1;
  await keepAttempt(tx, row, outcome, n);
  await updateDelivery(tx, row, {
    holder: "",
    due_at: toTimestamp(now + outcome.waitMs),
    first_try_at,
    tries: row.tries + 1,
    attempts: n,
  });
  return false;
}

async function keepAttempt(tx: Tx, row: DeliveryRow, outcome: Outcome, n: number): Promise<void> {
  const { at, status, answer, error } = outcome;
  const duration_ms = Math.round(outcome.durationMs);
  await addAttempt(tx, {
    org_id: row.org_id,
    delivery_id: row.id,
    n,
    at,
    status,
    duration_ms,
    answer,
    error,
  });
}

/**
 * Counts what failed, and pauses a channel that fails for long; gives the reason. The first success
 * of one that took nothing for a while wakes what waits for it.
 */
async function judge(
  tx: Tx,
  channel: ChannelRow,
  outcomes: readonly Outcome[],
  now: number,
): Promise<Pick<Settled, "paused" | "wakes">> {
  // A refusal of one recipient says nothing about the channel.
  const reported = outcomes.filter(({ final }) => final === undefined);
  if (channel.state === "paused" || reported.length === 0) return { paused: "", wakes: false };
  const failed = reported.filter(({ ok }) => !ok).length;
  if (failed < reported.length) {
    const since = channel.failing_since;
    // A delivery that fails among others that succeed is not the channel's fault, and keeps its
    // waits.
    const wakes = since !== null && now - Date.parse(since) >= OUTAGE_MS;
    if (since !== null) {
      await updateChannel(tx, channel, {
        failing_since: null,
        failures: 0,
        ...wakes ? { wake_by: toTimestamp(now + WAKE_MS) } : {},
      });
    }
    return { paused: "", wakes };
  }
  const failing_since = channel.failing_since ?? toTimestamp(now);
  const failures = Number(channel.failures) + failed;
  const isLong = now - Date.parse(failing_since) >= FAILING_MS && failures >= FAILED_TRIES;
  const reason = outcomes.some(({ gone }) => gone) ? "gone" : isLong ? "failing" : "";
  await updateChannel(tx, channel, {
    failing_since,
    failures,
    wake_by: null,
    ...reason === ""
      ? {}
      : { state: "paused", state_reason: reason, state_changed_at: toTimestamp(now) },
  });
  if (reason !== "") {
    await recordChange(tx, {
      org_id: channel.org_id,
      user_id: "deliveries",
      token_id: "",
      now,
    }, { action: "target.paused", object_id: channel.id, detail: { reason, failures } });
  }
  return { paused: reason, wakes: false };
}
