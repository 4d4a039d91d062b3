import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { actingCall, actorOf } from "../../calls/principal.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { newId } from "../../kernel/ids.ts";
import { reasonOf, senders } from "./delivery-engine.ts";
import { noteMailServer } from "./mail-problems.ts";
import { deliveryId } from "./delivery.ts";
import type { channelTest } from "./channels.contract.ts";
import { findChannel } from "./channels.store.ts";
import { noteTest } from "./channels.transactions.ts";
import { writeRecipient } from "./recipient.ts";
import { senderContext, type Sent } from "./sender.ts";

/**
 * Sends a channel a test, once; a mail to anyone who asks, and gives what came of it; the audit log
 * tells of it, and nothing else is kept. Throws `not_found`.
 */
export async function testChannel(
  ctx: RequestContext,
  id: string,
): Promise<z.output<typeof channelTest>> {
  const { storage, principal, clock } = ctx;
  const channel = await findChannel(storage.reader, { org_id: principal.org_id, id });
  if (!channel) throw new Failure("not_found");
  const began = clock.now();
  const event_id = newId(began);
  const { request_id = null, caller_request_id = null } = actingCall(principal) ?? {};
  const sent = await senders[channel.kind](
    senderContext(ctx),
    channel,
    deliveryId(event_id, id),
    {
      id: event_id,
      event_id,
      org_id: principal.org_id,
      topic: "target.tested",
      object_id: id,
      at: toTimestamp(began),
      tries: 0,
      missing: 0,
      detail: null,
      request_id,
      caller_request_id,
      actor: principal.user_id,
      // A test of mails goes to anyone who asks for it.
      recipient: channel.kind === "mail"
        ? writeRecipient({ kind: "person", id: principal.user_id })
        : "",
      gathered: [],
      counted: "",
    },
  ).catch((error: unknown): Omit<Sent, "gone" | "retryAfterMs"> => ({
    ok: false,
    status: 0,
    durationMs: clock.now() - began,
    answer: "",
    error: reasonOf(error),
  }));
  noteMailServer(ctx.problems, sent);
  const { ok, status, durationMs, answer, error } = sent;
  await storage.commit(noteTest, { actor: actorOf(principal, clock.now()), id, ok, status });
  return { ok, status, duration_ms: Math.round(durationMs), answer, error };
}
