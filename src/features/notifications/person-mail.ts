import { alarmMails } from "../../contract/alarm-mails.ts";
import type { MailName } from "../../contract/mail-names.ts";
import type { Connection } from "../../storage/storage.ts";
import { INVITED } from "../people/person-invitation.ts";
import { findUserName } from "../people/people.store.ts";
import { findInvitationOf } from "../people/person-invitations.store.ts";
import { findPlaceSince } from "../people/sign-in-places.store.ts";
import { NEW_PLACE } from "../people/sign-in-places.transactions.ts";
import { findGatewayEvent, findTemporaryAccessEvent } from "./recipients.store.ts";

/** By what a person signed in, and from where; "": it does not matter. */
export interface SignInPlace {
  browser: string;
  from: string;
}

/** The content of such a mail besides names. */
interface PersonFacts extends Partial<SignInPlace> {
  changed?: string;
  person?: string;
  rule?: string;
  reason?: string;
  ends?: string;
  deeds?: number;
  gateway?: string;
  host?: string;
}

/** Which mail notifies a person of which change of their sign-in methods. */
const waysIn: Readonly<Record<string, MailName>> = {
  "passkey.created": "person.passkey_added",
  "passkey.deleted": "person.passkey_removed",
  "identity.created": "person.account_linked",
  "identity.deleted": "person.account_unlinked",
};

/** Mails of one-time codes are named like what they tell of, which is about their person. */
const CODES = [
  "person.one_time_codes_set_up",
  "person.one_time_codes_removed",
  "person.recovery_codes_renewed",
] as const;

/** Mails of gateways are named like what they tell of. */
const GATEWAYS = ["gateway.created", "gateway.moved"] as const;

/** Whether a message is of a way in of a person: the audit log says whose. */
export function isOfWayIn(topic: string): boolean {
  return Object.hasOwn(waysIn, topic);
}

/**
 * The content of a mail to a person about themselves, temporary access or a gateway; undefined:
 * another mail.
 */
export async function personFacts(
  db: Connection,
  { org_id, topic, object_id, at }: {
    org_id: string;
    topic: string;
    object_id: string;
    at: string;
  },
): Promise<{ name: MailName; facts: PersonFacts | undefined } | undefined> {
  if (topic === INVITED) {
    const open = await findInvitationOf(db, { org_id, id: object_id, now: at });
    return { name: "person.invited", facts: open?.created_at === at ? {} : undefined };
  }
  const alarm = alarmMails.find((one) => one.topic === topic);
  if (alarm) {
    const facts = await temporaryAccessFacts(db, { org_id, topic, object_id, at });
    return { name: alarm.name, facts };
  }
  const ofGateway = GATEWAYS.find((one) => one === topic);
  if (ofGateway) {
    return { name: ofGateway, facts: await gatewayFacts(db, { org_id, topic, object_id, at }) };
  }
  const name = waysIn[topic] ?? CODES.find((one) => one === topic);
  if (name) return { name, facts: { changed: at } };
  if (topic === "person.made_delegate") return { name: topic, facts: { changed: at } };
  if (topic !== NEW_PLACE) return undefined;
  const place = await findPlaceSince(db, { org_id, user_id: object_id, at });
  const facts = place && { changed: at, browser: place.browser, from: place.address };
  return { name: NEW_PLACE, facts };
}

/** The event of a gateway; undefined: the audit log does not have it any more. */
async function gatewayFacts(
  db: Connection,
  about: { org_id: string; topic: string; object_id: string; at: string },
): Promise<PersonFacts | undefined> {
  const event = await findGatewayEvent(db, about);
  if (!event) return undefined;
  const { actor, name: gateway, host } = event;
  const person = await findUserName(db, { org_id: about.org_id, id: actor }) ?? actor;
  return { person, gateway, host: host || "this server" };
}

/**
 * The event of temporary access, or of a rule; undefined: the audit log does not have it any more.
 */
async function temporaryAccessFacts(
  db: Connection,
  about: { org_id: string; topic: string; object_id: string; at: string },
): Promise<PersonFacts | undefined> {
  const event = await findTemporaryAccessEvent(db, about);
  if (!event) return undefined;
  const { person_id, actor, rule, reason, expires_at: ends, deeds } = event;
  const id = person_id === "" ? actor : person_id;
  const person = await findUserName(db, { org_id: about.org_id, id }) ?? id;
  return { person, rule, reason, ends, deeds };
}
