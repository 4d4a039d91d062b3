/**
 * The one answer to "Why was nothing sent?", made of what the store says of an object, its rules
 * and its channels.
 */
import { type AlertObject, type AlertRules, isDue, stepsOf } from "./alert.ts";

/** A channel that wants such alerts. */
export interface ChannelFacts {
  id: string;
  name: string;
  kind: "webhook" | "mail";
  /** False: mails alone, and no one has an address. */
  has_recipient: boolean;
  state: "active" | "paused";
  paused_since: string | null;
  delivery_id: string | null;
  /** Of the newest alert; null: it was not sent to this one. */
  delivery: "waiting" | "delivered" | "dead" | null;
  ended_at: string | null;
  error: string;
}

/** The data from which the answer is made. */
export interface Facts {
  object: AlertObject;
  now: number;
  rules: AlertRules;
  ends_at: string | null;
  /** True: its validity ends before it begins; `ends_at` is null then. */
  never_valid: boolean;
  /** Of a certificate; null for a key. */
  owner: string | null;
  revoked: boolean;
  suspended: boolean;
  renewed_by: string | null;
  /** Further sentences about the renewal, each behind a space; "": none. */
  renewal_says: string;
  /** The newest alert of this end. */
  alert:
    | { days: number; at: string; outcome: "told" | "renewed" | "muted"; event_id: string }
    | null;
  mute: { until: string; reason: string; muted_at: string; muted_by: string } | null;
  /** The person who muted the newest alert, and until when. */
  wasMuted: { by: string; until: string } | null;
  channels: readonly ChannelFacts[];
}

type Rule = "due" | "renewed" | "channels" | "mute" | "sending";

type Conclusion =
  | "no_end"
  | "revoked"
  | "no_rules"
  | "not_due"
  | "not_notified"
  | "renewed"
  | "no_recipient"
  | "channel_paused"
  | "muted"
  | "waiting"
  | "delivery_failed"
  | "host_not_named"
  | "notified";

/** The result of one rule; `result` if it decides. */
interface Step {
  says: string;
  result?: Conclusion;
  /** True: a person should do something. */
  acts?: boolean;
}

const ORDER: readonly Rule[] = ["due", "renewed", "channels", "mute", "sending"];

/** The answer, with what each rule says, up to the one that decided. */
export function whyOf(facts: Facts, next: { at: string; days: number } | null) {
  const steps: Record<Rule, (facts: Facts) => Step> = {
    due: (of) => due(of, next),
    renewed,
    channels,
    mute,
    sending,
  };
  const rules: { rule: Rule; result: "passed" | "decided" | "not_reached"; says: string }[] = [];
  let decided: { rule: Rule; step: Step } | undefined;
  for (const rule of ORDER) {
    if (decided) {
      rules.push({ rule, result: "not_reached", says: "" });
      continue;
    }
    const step = steps[rule](facts);
    if (step.result) decided = { rule, step };
    rules.push({ rule, result: step.result ? "decided" : "passed", says: step.says });
  }
  const { rule = "sending", step = sending(facts) } = decided ?? {};
  const result = step.result ?? "waiting";
  return {
    title: result === "notified" ? "What was sent?" : "Why was nothing sent?",
    result,
    decided_by: rule,
    answer: step.says,
    needs_attention: step.acts ?? false,
    rules,
  };
}

const before = (days: number) =>
  days === 0 ? "at the end" : `${days} ${days === 1 ? "day" : "days"} before the end`;

function due(facts: Facts, next: { at: string; days: number } | null): Step {
  const { object, ends_at, rules, alert, now } = facts;
  if (facts.revoked) {
    return { says: "It is revoked: no alert is sent.", result: "revoked" };
  }
  if (facts.never_valid) {
    return {
      says: "It expires before it begins, so it is valid at no time: no alert is due.",
      result: "no_end",
    };
  }
  if (ends_at === null) return { says: `This ${object} never expires.`, result: "no_end" };
  if (alert) return { says: `An alert was due ${before(alert.days)}, on ${alert.at}.` };
  // Which of its alerts would have been due says nothing of what is quiet for good.
  if (facts.renewed_by !== null) return { says: "It is renewed, whenever an alert would be due." };
  if (stepsOf(rules).length === 0) {
    return { says: "No rule says when alerts are sent.", result: "no_rules", acts: true };
  }
  const isLate = isDue(rules, ends_at, now);
  const earlier = isLate
    ? " Earlier alerts fell due before this was added or before alerts began."
    : "";
  if (next) {
    const obstacle = obstacleOf(facts);
    const says = `Nothing is due before ${next.at}, ${before(next.days)}.${earlier}`;
    return { says: says + (obstacle ? ` As it is now: ${obstacle.says}` : ""), result: "not_due" };
  }
  return {
    says: `No further alert is due.${earlier} Sent alerts are kept for 90 days after expiry.`,
    result: "not_notified",
  };
}

function renewed({ object, renewed_by, renewal_says, alert }: Facts): Step {
  const wasNotified = alert?.outcome === "told";
  if (renewed_by !== null && !wasNotified) {
    return { says: `It was renewed by ${renewed_by}.${renewal_says}`, result: "renewed" };
  }
  if (alert?.outcome === "renewed") {
    return {
      says: "It was renewed then, by one that is gone now.",
      result: "renewed",
      acts: true,
    };
  }
  if (renewed_by !== null) {
    return { says: `It was renewed by ${renewed_by} after the alert.${renewal_says}` };
  }
  return {
    says: object === "certificate"
      ? "No other valid certificate has its names and expires later."
      : "No fresh key took over from it.",
  };
}

function channels(facts: Facts): Step {
  const { channels: all, alert } = facts;
  const reached = all.filter(({ delivery }) => delivery !== null);
  const reported = reached.filter(({ delivery }) => delivery === "delivered");
  if (reported.length > 0) {
    return { says: `Told: ${namesOf(reported)}.${unreached(facts)}` };
  }
  const obstacle = reached.length > 0 && all.some(({ state }) => state === "active")
    ? undefined
    : obstacleOf(facts);
  if (obstacle) return { ...obstacle, acts: true };
  const able = all.filter(({ has_recipient }) => has_recipient);
  if (alert?.outcome === "told" && reached.length === 0) {
    return { says: `${namesOf(able)} would be notified now.${unreached(facts)}` };
  }
  const named = able.length > 0 ? able : all;
  const paused = named.filter(({ state }) => state === "paused");
  return {
    says: `${namesOf(named)}; ${paused.length === 0 ? "none is" : paused.length + " are"} paused.` +
      unreached(facts),
  };
}

/** Why no one would be notified now; undefined: a person would. */
function obstacleOf(facts: Facts): { says: string; result: Conclusion } | undefined {
  const { channels: all, owner } = facts;
  if (all.length === 0) {
    const ownerless = owner === "" ? " It has no owner either." : "";
    return {
      says: `No one is notified: no channel wants such alerts.${ownerless}`,
      result: "no_recipient",
    };
  }
  // A delivery that waits for a recipient already has one.
  const able = all.filter(({ has_recipient, delivery }) => has_recipient || delivery !== null);
  if (able.length === 0) {
    return { says: `No one is notified.${unreached(facts)}`, result: "no_recipient" };
  }
  const paused = able.filter(({ state }) => state === "paused");
  if (paused.length < able.length) return undefined;
  const [first] = paused;
  return {
    says: `${first?.name} is paused since ${first?.paused_since}.` +
      (paused.length > 1 ? ` So are ${paused.length - 1} other channels.` : "") + unreached(facts),
    result: "channel_paused",
  };
}

/** Which mail channels have no one to write to, as a sentence behind others; "": none. */
function unreached({ channels: all, object }: Facts): string {
  const idle = all.filter(({ has_recipient }) => !has_recipient);
  if (idle.length === 0) return "";
  const why = object === "certificate"
    ? "the certificate has no owner"
    : "the key's developer has no address";
  return ` ${namesOf(idle)} has no recipient: ${why}.`;
}

function namesOf(channels: readonly ChannelFacts[]): string {
  const names = channels.slice(0, 5).map(({ name }) => name).join(", ");
  return channels.length > 5 ? `${names} and ${channels.length - 5} more` : names;
}

function mute({ mute: muted, alert, wasMuted, ends_at }: Facts): Step {
  if (alert?.outcome === "muted" && wasMuted) {
    return {
      says: `Alerts were muted by ${wasMuted.by} until ${wasMuted.until}.`,
      result: "muted",
      acts: ends_at !== null && wasMuted.until > ends_at,
    };
  }
  if (!muted) return { says: "It is not muted." };
  return { says: `Muted by ${muted.muted_by} until ${muted.until}, after the alert.` };
}

function sending({ alert, channels: all }: Facts): Step {
  const sent = all.filter(({ delivery }) => delivery !== null);
  const delivered = sent.filter(({ delivery }) => delivery === "delivered");
  const [first] = delivered;
  const failed = sent.find(({ delivery }) => delivery === "dead") ??
    sent.find(({ error }) => error !== "");
  if (first) {
    return {
      says: `Told on ${first.ended_at}, ${before(alert?.days ?? 0)}, to ${namesOf(delivered)}.` +
        (failed ? ` It did not arrive at ${failed.name}: ${failed.error}.` : ""),
      result: "notified",
      acts: failed !== undefined,
    };
  }
  if (failed) {
    const isUnnamed = failed.error.includes("KEYDESK_OUTBOUND");
    return {
      says: `It did not arrive at ${failed.name}: ${failed.error || "it was given up"}.`,
      result: isUnnamed ? "host_not_named" : "delivery_failed",
      acts: true,
    };
  }
  if (sent.length > 0) {
    return { says: `It is on its way to ${namesOf(sent)}.`, result: "waiting" };
  }
  const skipped = all.find(({ error }) => error !== "");
  if (skipped) {
    return { says: `Nothing went to ${skipped.name}: ${skipped.error}.`, result: "not_notified" };
  }
  const unreachable = all.some(({ kind }) => kind === "mail")
    ? "no channel wanted such alerts, or its mails had no recipient"
    : "no channel wanted such alerts";
  return {
    says: `No one was notified when it was due: ${unreachable}, or the record is no longer kept.`,
    result: "no_recipient",
  };
}
