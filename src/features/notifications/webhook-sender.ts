import { Webhook } from "standardwebhooks";
import type { Sealer } from "../../kernel/sealing/sealer.ts";
import { randomBytes } from "../../kernel/ids.ts";
import { Buffer } from "node:buffer";
import { actorTypeOf } from "../../contract/actor-types.ts";
import { currentTraceparent } from "../../kernel/tracing.ts";
import type { Connection } from "../../storage/storage.ts";
import { namesOfActors } from "../developers/developer-names.store.ts";
import { findPerson } from "../people/people.store.ts";
import { fingerprintOf } from "../certificates/certificate.ts";
import { findCertificate } from "../certificates/certificates.store.ts";
import { certificateNames } from "../certificates/certificate-title.ts";
import { findMask } from "../keys/keys.store.ts";
import { calledKey } from "../keys/key-labels.ts";
import { ANSWER_BYTES } from "./deliveries.store.ts";
import { retryAfterMs, TRY_MS } from "./delivery.ts";
import { bodyOf, messageOf, type MessageSource, type Names, objectOf } from "./message.ts";
import type { SenderContext, Sent } from "./sender.ts";
import type { ChannelRow } from "./channels.store.ts";
import { placeOfSecrets, type Secrets } from "./channels.transactions.ts";

/** A fresh secret of 256 random bits, in the form of Standard Webhooks. */
export function newSecret(): string {
  return `whsec_${Buffer.from(randomBytes(32)).toString("base64")}`;
}

/** The channel says that there is no one any more. */
const GONE = 410;

/**
 * Sends a message by a signed POST. Taken is what is answered with 2xx. Throws where nothing can be
 * sent.
 */
export async function sendWebhook(
  ctx: SenderContext,
  channel: ChannelRow,
  id: string,
  source: MessageSource,
): Promise<Sent> {
  // as: the contract lets nothing else in.
  const { url, template } = JSON.parse(channel.config) as { url: string; template: string };
  const { called, ...names } = await namesOf(ctx.reader, source);
  const body = bodyOf(template, messageOf(source, ctx.publicUrl, names), called);
  const now = ctx.now();
  const traceparent = currentTraceparent();
  const answer = await ctx.outbound.send({
    url,
    method: "POST",
    headers: {
      "content-type": "application/json",
      "user-agent": "Keydesk",
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(now / 1000)),
      "webhook-signature": signatures(ctx.sealer, channel, { id, now, body }),
      ...traceparent === undefined ? {} : { traceparent },
    },
    body,
    timeoutMs: TRY_MS,
    keptBytes: ANSWER_BYTES,
  });
  const { status, durationMs } = answer;
  return {
    ok: status >= 200 && status < 300,
    gone: status === GONE,
    status,
    durationMs,
    answer: answer.body.replaceAll("\0", "\ufffd"),
    error: "",
    retryAfterMs: retryAfterMs(answer.headers.get("retry-after"), now),
  };
}

/**
 * The object and the actor under their present names, as people know them; a rename sends no
 * message again.
 */
async function namesOf(
  db: Connection,
  source: MessageSource,
): Promise<Names & { called?: string }> {
  const [of, person] = await Promise.all([calledNow(db, source), personOf(db, source)]);
  return { ...of, person };
}

async function personOf(
  db: Connection,
  { org_id, actor }: MessageSource,
): Promise<string | undefined> {
  if (!actor) return undefined;
  const type = actorTypeOf(actor);
  if (type === "developer") return (await namesOfActors(db, org_id, [actor])).get(actor);
  if (type !== "person") return undefined;
  return (await findPerson(db, { org_id, id: actor }))?.name;
}

async function calledNow(
  db: Connection,
  { topic, org_id, object_id }: MessageSource,
): Promise<Names & { called?: string }> {
  const object = objectOf(topic);
  if (object === "key") {
    const key = await findMask(db, { org_id, key_id: object_id });
    return key ? { key, called: calledKey(key) } : {};
  }
  const fingerprint = object === "certificate" ? fingerprintOf(org_id, object_id) : undefined;
  const row = fingerprint && await findCertificate(db, { org_id, fingerprint });
  return row ? { called: certificateNames(row).object ?? "" } : {};
}

/** By the newest secret, and during a rotation by the one before it too. */
function signatures(
  sealer: Sealer,
  channel: ChannelRow,
  { id, now, body }: { id: string; now: number; body: string },
): string {
  if (channel.secrets === null) {
    throw new Error("the secret was lost with its sealing key: rotate it");
  }
  // as: channels.transactions.ts seals this.
  const { current, old } = JSON.parse(
    sealer.open(placeOfSecrets(channel), channel.secrets),
  ) as Secrets;
  const isRotating = old !== null && channel.old_secret_until !== null &&
    Date.parse(channel.old_secret_until) > now;
  return [current, ...isRotating ? [old] : []]
    .map((secret) => new Webhook(secret).sign(id, new Date(now), body)).join(" ");
}
