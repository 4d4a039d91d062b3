/**
 * The targets that want an object's alerts, whether they would reach anybody, and what became of
 * the newest alert.
 */
import type { Connection } from "../../../storage/storage.ts";
import { attemptsOf, deliveriesBelow } from "../deliveries.store.ts";
import { wants } from "../delivery.ts";
import { mailKinds } from "../../../contract/mail-kinds.ts";
import { mailConfigOf } from "../mail-config.ts";
import { readRecipient } from "../recipient.ts";
import { addressOf, recipientsOf } from "../recipients.transactions.ts";
import { type TargetRow, targetsBelow } from "../targets.store.ts";
import { type AlertObject, topicOf } from "./alert.ts";
import type { Facts, TargetFacts } from "./why.ts";

/** Targets that are looked at, the newest of an organisation. */
const MOST_TARGETS = 100;

/** Whose alerts they are. */
interface Of {
  org_id: string;
  object: AlertObject;
  id: string;
}

/** The targets that want such alerts, each with what became of the newest; null: there is none. */
export async function targetFacts(
  db: Connection,
  of: Of,
  alert: Facts["alert"],
): Promise<TargetFacts[]> {
  const { org_id } = of;
  const topic = `${topicOf[of.object]}.${alert?.days === 0 ? "ended" : "ends_soon"}`;
  const event_id = alert?.event_id ?? "";
  // Ids of deliveries begin with their event's.
  const filter = { org_id, object_id: "", state: "", lowest: event_id } as const;
  const deliveries = event_id === ""
    ? []
    : await deliveriesBelow(db, filter, `${event_id}~`, MOST_TARGETS);
  const sent = new Map(deliveries.map((row) => [row.target_id, row]));
  const targets = await targetsBelow(db, { org_id, below: "~" }, MOST_TARGETS);
  const wanted = targets.filter((target) => sent.has(target.id) || wantsAlert(target, topic));
  // The same for all of them: the certificate's owner, or the key's developer.
  const mail = wanted.find((target) => target.kind === "mail" && wantsAlert(target, topic));
  const canMail = mail !== undefined && await hasAddress(db, of, mail, topic);
  return await Promise.all(wanted.map(async (target) => {
    const delivery = sent.get(target.id);
    const isOpen = delivery !== undefined && delivery.state !== "delivered";
    const [newest] = isOpen ? await attemptsOf(db, org_id, delivery.id) : [];
    return {
      id: target.id,
      name: target.name,
      kind: target.kind,
      state: target.state,
      has_recipient: target.kind !== "mail" || canMail,
      paused_since: target.state === "paused" ? target.state_changed_at : null,
      delivery_id: delivery?.id ?? null,
      // What would have told something that was over told nothing.
      delivery: !delivery || delivery.state === "skipped" ? null : delivery.state,
      ended_at: delivery?.ended_at ?? null,
      error: newest ? newest.error || `answered ${newest.status}` : "",
    };
  }));
}

/** Whether a target wants a topic; one of mails, only where it sends that kind of mail. */
function wantsAlert(target: TargetRow, topic: string): boolean {
  // as: targets.transactions.ts writes a list of texts.
  if (!wants(JSON.parse(target.topics) as string[], topic)) return false;
  if (target.kind !== "mail") return true;
  const { mails } = mailConfigOf(target);
  return mailKinds.some((kind) => kind.topic === topic && (mails[kind.name]?.enabled ?? kind.on));
}

async function hasAddress(
  db: Connection,
  { org_id, id }: Of,
  target: TargetRow,
  topic: string,
): Promise<boolean> {
  for (const text of await recipientsOf(db, target, { topic, object_id: id, at: "" })) {
    const recipient = readRecipient(text);
    if (!recipient) continue;
    // Of what happens from now on.
    const message = { topic, object_id: id, at: "~" };
    // No alert is an invitation, whose time alone would matter.
    const { address } = await addressOf(db, org_id, recipient, message, 0);
    if (address) return true;
  }
  return false;
}
