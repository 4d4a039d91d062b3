/** Every statement on channels and deliveries finds its rows by an index, however many wait. */
import assert from "node:assert/strict";
import * as outbox from "../../../src/changes/outbox.store.ts";
import * as deliveries from "../../../src/features/notifications/deliveries.store.ts";
import * as rights from "../../../src/features/notifications/delivery-leases.store.ts";
import * as fanOut from "../../../src/features/notifications/fan-out.store.ts";
import * as counts from "../../../src/features/notifications/mail-counts.store.ts";
import * as recipients from "../../../src/features/notifications/recipients.store.ts";
import * as channels from "../../../src/features/notifications/channels.store.ts";
import * as wake from "../../../src/features/notifications/wake.store.ts";
import * as links from "../../../src/features/keys/one-time-links/waiting-links.store.ts";
import type { Tx } from "../../../src/storage/storage.ts";
import { assertAllCalled, each, plansOf } from "../../support/query-plans.ts";

const at = "2026-01-01T00:00:00.000Z";
const org_id = "org";
const place = { org_id, target_id: "t" };
const line = { ...place, object_id: "o", recipient: "developer:d" };
const channel: channels.ChannelRow = {
  org_id,
  id: "t",
  kind: "webhook",
  name: "n",
  config: "{}",
  topics: "[]",
  secrets: null,
  old_secret_until: null,
  state: "active",
  state_reason: "",
  state_changed_at: at,
  starts_behind: 0,
  failing_since: null,
  failures: 0,
  wake_by: null,
  created_at: at,
};
const delivery: fanOut.DeliveryRow = {
  ...line,
  id: "d",
  event_id: "e",
  topic: "plan.created",
  at,
  position: 1,
  state: "waiting",
  line: 1,
  blocked: 0,
  due_at: at,
  holder: "",
  tries: 0,
  attempts: 0,
  first_try_at: null,
  ended_at: null,
};
const filter = { org_id, object_id: "", state: "", lowest: "" } as const;

/** A call of every function that the stores export; one that stands nowhere here fails the test. */
const calls: Record<string, (tx: Tx) => Promise<unknown>> = {
  newestMessages: (tx) => outbox.newestMessages(tx, { org_id, topic: "key_request.created" }, 4),
  countChannels: (tx) => outbox.countChannels(tx, org_id, 1),
  insertMessage: (tx) =>
    outbox.insertMessage(tx, {
      org_id,
      id: "e",
      at,
      topic: "plan.created",
      object_id: "o",
      detail: null,
      request_id: "",
      caller_request_id: "",
      actor: "",
    }),
  drawPosition: (tx) => outbox.drawPosition(tx, org_id),
  raiseFloor: (tx) => outbox.raiseFloor(tx, { org_id, floor: 1 }),
  insertChannel: (tx) => channels.insertChannel(tx, channel),
  findChannel: (tx) => channels.findChannel(tx, { org_id, id: "t" }),
  lockChannel: (tx) => channels.lockChannel(tx, { org_id, id: "t" }),
  lockChannels: (tx) => channels.lockChannels(tx, { org_id }),
  channelsBelow: (tx) => channels.channelsBelow(tx, { org_id, below: "~" }, 20),
  updateChannel: (tx) => channels.updateChannel(tx, channel, { name: "m" }),
  channelsWaking: (tx) => channels.channelsWaking(tx),
  lockLater: async (tx) => {
    for (const kind of ["webhook", "mail"] as const) {
      for (const all of [true, false]) {
        await wake.lockLater(tx, { org_id, id: "t", kind }, { by: at, all });
      }
    }
  },
  setDue: (tx) => wake.setDue(tx, { org_id, id: "d", due_at: at }),
  waitingOf: (tx) => wake.waitingOf(tx, { org_id }),
  channelsDue: (tx) => channels.channelsDue(tx, { now: at }),
  pausedByFailing: (tx) => channels.pausedByFailing(tx),
  organisationToFanOut: async (tx) => {
    await fanOut.fanOutLease.take(tx, "h", 0, 1000);
    await fanOut.fanOutLease.isOthers(tx, "h", 0);
    await fanOut.organisationToFanOut(tx, { behind: "" });
  },
  messagesToFanOut: (tx) => fanOut.messagesToFanOut(tx, org_id),
  markFannedOut: (tx) => fanOut.markFannedOut(tx, org_id, ["e"]),
  linesWaiting: async (tx) => {
    await fanOut.linesWaiting(tx, place, ["o"], { ofRecipients: true });
    await fanOut.linesWaiting(tx, place, ["o"], { ofRecipients: false });
  },
  insertDelivery: (tx) => fanOut.insertDelivery(tx, delivery),
  lockGathered: (tx) =>
    deliveries.lockGathered(tx, {
      ...place,
      recipient: "person:p",
      topic: "key_request.created",
      id: "d",
      now: at,
    }),
  hasMailChannel: (tx) => outbox.hasMailChannel(tx, { org_id }),
  findActor: (tx) =>
    recipients.findActor(tx, { org_id, object_id: "o", topic: "plan.created", at }),
  findTemporaryAccessEvent: (tx) =>
    recipients.findTemporaryAccessEvent(tx, {
      org_id,
      object_id: "o",
      topic: "elevation.started",
      at,
    }),
  findGatewayEvent: (tx) =>
    recipients.findGatewayEvent(tx, { org_id, object_id: "o", topic: "gateway.created", at }),
  findOwnerOfWayIn: (tx) =>
    recipients.findOwnerOfWayIn(tx, { org_id, object_id: "o", topic: "passkey.deleted", at }),
  findOwnerAddress: (tx) => recipients.findOwnerAddress(tx, org_id, `${org_id}${"c".repeat(64)}`),
  lockCount: (tx) => counts.lockCount(tx, { org_id, address: "a" }, 0),
  setCount: (tx) => counts.setCount(tx, { org_id, address: "a" }, { at: [], digest: 0 }, 0),
  keepLink: (tx) =>
    links.keepLink(tx, { org_id, id: "c", request_id: "r", link: null, expires_at: at }),
  findLinkOfRequest: (tx) => links.findLinkOfRequest(tx, { org_id, request_id: "r", now: at }),
  dropLink: (tx) => links.dropLink(tx, { org_id, id: "c" }),
  dropLinksOfRequest: (tx) => links.dropLinksOfRequest(tx, { org_id, request_id: "r" }),
  lockDue: (tx) => deliveries.lockDue(tx, place, at),
  lease: (tx) => rights.lease(tx, { org_id, id: "d", holder: "h", until: at }),
  channelWaitingBeyond: (tx) => rights.channelWaitingBeyond(tx, { until: at }),
  shortenLeases: (tx) => rights.shortenLeases(tx, { ...place, until: at }),
  endLeases: (tx) => rights.endLeases(tx, { ...place, holder: "h", until: at, now: at }),
  findDelivery: (tx) => deliveries.findDelivery(tx, org_id, "d"),
  updateDelivery: (tx) => deliveries.updateDelivery(tx, delivery, { tries: 1 }),
  wakeFirst: (tx) => deliveries.wakeFirst(tx, { ...line, now: at }),
  markWaiting: (tx) => deliveries.markWaiting(tx, { ...line, position: 1 }),
  lineWaits: (tx) => deliveries.lineWaits(tx, line),
  addAttempt: (tx) =>
    deliveries.addAttempt(tx, {
      org_id,
      delivery_id: "d",
      n: 1,
      at,
      status: 200,
      duration_ms: 1,
      answer: "",
      error: "",
    }),
  attemptsOf: (tx) => deliveries.attemptsOf(tx, org_id, "d"),
  deliveriesBelow: async (tx) => {
    await deliveries.deliveriesBelow(tx, filter, "~", 20);
    await deliveries.deliveriesBelow(tx, { ...filter, object_id: "o" }, "~", 20);
    await deliveries.deliveriesBelow(tx, { ...filter, state: "dead" }, "~", 20);
  },
  messagesBetween: (tx) => deliveries.messagesBetween(tx, { org_id, behind: "", until: "~" }),
  dropLines: (tx) => deliveries.dropLines(tx, org_id, "t"),
  removeChannel: (tx) => channels.removeChannel(tx, { org_id, id: "t" }),
};

Deno.test("query plans: no statement on deliveries looks through its table or sorts", async () => {
  assertAllCalled(
    [outbox, deliveries, rights, wake, fanOut, channels, recipients, counts, links],
    calls,
  );
  const plans = await plansOf(each(calls));
  assert.ok(plans.length >= 30);
  for (const { sql, plan } of plans) {
    // Channels are few: which of them have anything due is asked of each.
    const walked = plan.replaceAll(/^SCAN (t|delivery_targets).*$/gm, "");
    assert.doesNotMatch(walked, /SCAN (?!.*USING)|TEMP B-TREE/, `${sql}\n${plan}`);
  }
  const of = (part: RegExp) =>
    plans.filter(({ sql }) => part.test(sql)).map(({ plan }) => plan).join("\n");
  const due = of(/^select "d"\."id".*as "missing"/);
  assert.match(
    due,
    /d USING INDEX deliveries_due \(org_id=\? AND target_id=\? AND due_at>\? AND due_at<\?\)/,
  );
  assert.match(due, /e USING.*INDEX deliveries_line \(org_id=\? AND target_id=\? AND object_id=\?/);
  assert.match(
    of(/^select "t"/),
    /deliveries_due \(org_id=\? AND target_id=\? AND due_at>\? AND due_at<\?\)/,
  );
  assert.match(
    of(/"recipient" = /),
    /deliveries_recipient \(org_id=\? AND target_id=\? AND recipient=\?/,
  );
  const change = of(/from "audit_events"/);
  assert.match(change, /audit_events_unlogged \(org_id=\? AND \(at,id\)>/);
  assert.match(change, /audit_events_object_logged \(org_id=\? AND \(object_id,leaf_index\)>/);
  assert.match(of(/^insert into "outbox_events"/), /outbox_events_waiting \(org_id=\?/);
  assert.match(of(/by "object_id" desc/), /deliveries_object \(org_id=\? AND \(object_id,id\)/);
  assert.match(of(/by "state" desc/), /deliveries_open \(org_id=\? AND \(state,id\)/);
});
