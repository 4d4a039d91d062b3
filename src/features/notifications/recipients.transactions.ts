import type { MailKind } from "../../contract/mail-kind.ts";
import { mailKind, mailKinds } from "../../contract/mail-kinds.ts";
import type { Connection } from "../../storage/storage.ts";
import {
  administratorsWithAddress,
  approversWithAddress,
  findPerson,
} from "../people/people.store.ts";
import type { PersonRow } from "../people/person.ts";
import { findConfiguration } from "../plans/catalogue/catalogue.store.ts";
import { choicesOf } from "../developers/developer-choices.ts";
import { findDeveloperEmail } from "../developers/developer-email.store.ts";
import { findInvitationById } from "../developers/developer-invitations.store.ts";
import { emailKey } from "../developers/developer.ts";
import { EMAIL_ASKED, isProved, ownerBefore } from "../developers/email-proof.ts";
import { invitationState, INVITED } from "../developers/invitation.ts";
import { isVerified } from "../developers/is-verified.ts";
import { CODE_ASKED } from "../developers/sign-in-code.ts";
import { completesStep } from "../key-requests/asked-policy.ts";
import { findV1 } from "../key-requests/v1.store.ts";
import { waitsForPeople, whoMayDecide } from "../key-requests/who-may-decide.ts";
import { isWithin } from "../key-requests/within-scope.ts";
import { coverageOfStored } from "../plans/coverage.ts";
import type { WaitingLink } from "../keys/one-time-links/waiting-links.store.ts";
import { findOwner } from "../keys/key-life.store.ts";
import { wants } from "./delivery.ts";
import { emailCopyIn } from "./email-copy.ts";
import type { Message } from "./fan-out.store.ts";
import { type MailConfig, mailConfigOf } from "./mail-config.ts";
import { addressOfCode, findMailedCode } from "./mailed-code.ts";
import { type Recipient, writeRecipient } from "./recipient.ts";
import { assigneeIn, mentionedIn } from "./team-mail.ts";
import { isOfWayIn } from "./person-mail.ts";
import {
  findActor,
  findGatewayEvent,
  findOwnerAddress,
  findOwnerOfWayIn,
  findTemporaryAccessEvent,
} from "./recipients.store.ts";
import { type ChannelRow, channelsBelow } from "./channels.store.ts";

type Place = Pick<Message, "topic" | "object_id" | "at"> & { detail?: string | null };

/** No webhook gets these: a sign-in or a sign-up concerns the person alone. */
const MAILED_ALONE: readonly string[] = [CODE_ASKED, INVITED];

/**
 * The recipients of a message in a channel, as deliveries name them. A webhook is one recipient,
 * except for messages that are mailed alone. A person gets no mail about their own action, nor
 * about topics that they turned off. Reads the store as it is now.
 */
export async function recipientsOf(
  db: Connection,
  channel: ChannelRow,
  message: Place,
): Promise<string[]> {
  if (channel.kind !== "mail") return MAILED_ALONE.includes(message.topic) ? [] : [""];
  const kinds = mailKinds.filter(({ topic }) => topic === message.topic);
  if (kinds.length === 0) return [];
  const { org_id } = channel;
  const config = mailConfigOf(channel);
  const found: Recipient[] = [];
  for (const kind of kinds) {
    if (!await isOn(db, org_id, config, kind)) continue;
    found.push(...await recipientsOfKind(db, org_id, kind, message));
  }
  return [...new Set(found.map(writeRecipient))];
}

/** Channels that are looked at for one that mails links. */
const CHANNELS = 100;

const APPROVED = mailKind("key_request.approved");

/**
 * Whether a channel sends mails of this kind; where no one says which, those with the links of
 * approved keys.
 */
export async function areLinksMailed(
  db: Connection,
  org_id: string,
  kind: MailKind = APPROVED,
): Promise<boolean> {
  for (const channel of await channelsBelow(db, { org_id, below: "~" }, CHANNELS)) {
    if (channel.kind !== "mail" || channel.state !== "active") continue;
    // as: channels.transactions.ts writes a list of texts.
    const isWanted = wants(JSON.parse(channel.topics) as string[], kind.topic);
    if (isWanted && await isOn(db, org_id, mailConfigOf(channel), kind)) return true;
  }
  return false;
}

/**
 * How many hear of temporary access now: by mail people with an address, out of administrators and
 * these, and webhooks.
 */
export async function alarmReach(
  db: Connection,
  org_id: string,
  receivers: readonly string[],
): Promise<{ people: number; webhooks: number }> {
  let webhooks = 0;
  for (const channel of await channelsBelow(db, { org_id, below: "~" }, CHANNELS)) {
    // as: channels.transactions.ts writes a list of texts.
    const isWanted = wants(JSON.parse(channel.topics) as string[], STARTED.topic);
    if (channel.kind !== "mail" && channel.state === "active" && isWanted) webhooks++;
  }
  if (!await areLinksMailed(db, org_id, STARTED)) return { people: 0, webhooks };
  const people = new Set<string>();
  for (const { id } of await administratorsWithAddress(db, org_id)) people.add(id);
  for (const id of receivers) {
    const person = await findPerson(db, { org_id, id });
    if (person?.email && person.deactivated_at === null && person.suspended_at === null) {
      people.add(id);
    }
  }
  return { people: people.size, webhooks };
}

const STARTED = mailKind("temporary_access.started");

async function isOn(
  db: Connection,
  org_id: string,
  { mails }: MailConfig,
  { name, on, copy }: MailKind,
): Promise<boolean> {
  const said = mails[name]?.enabled;
  if (said !== undefined || on || copy === undefined) return said ?? on;
  return emailCopyIn(await findConfiguration(db, { org_id }), copy) !== undefined;
}

async function recipientsOfKind(
  db: Connection,
  org_id: string,
  { to, topic }: MailKind,
  { object_id, at, detail = null }: Place,
): Promise<Recipient[]> {
  if (to === "assignee") {
    const assignee = assigneeIn(detail, await findV1(db, { org_id, id: object_id }));
    const actor = await findActor(db, { org_id, object_id, topic, at });
    return assignee === undefined || assignee === actor ? [] : [{ kind: "person", id: assignee }];
  }
  if (to === "owner") {
    const owner = await findOwnerAddress(db, org_id, object_id);
    return owner === undefined ? [] : [{ kind: "owner", id: object_id }];
  }
  if (to === "previous") return [{ kind: "previous", id: object_id }];
  if (to === "code") {
    const code = await findMailedCode(db, org_id, object_id);
    return code ? [{ kind: "code", id: object_id }] : [];
  }
  if (to === "invited") return [{ kind: "invited", id: object_id }];
  if (to === "alarmed") return await alarmedBy(db, { org_id, topic, object_id, at });
  if (to === "administrators") {
    const event = await findGatewayEvent(db, { org_id, topic, object_id, at });
    // The owner of the access token may not know of it.
    const author = event?.waits ? undefined : event?.actor;
    return (await administratorsWithAddress(db, org_id)).filter(({ id }) => id !== author)
      .map(({ id }) => ({ kind: "person", id }));
  }
  if (to === "person") {
    if (!isOfWayIn(topic)) return [{ kind: "person", id: object_id }];
    // By the audit log: an access token that was added to a person's session and taken away again
    // is reported too.
    const owner = await findOwnerOfWayIn(db, { org_id, object_id, topic, at });
    // A person who removed something of their own needs no mail.
    if (!owner || (owner.bySelf && topic.endsWith(".deleted"))) return [];
    // Nor does an account by which a person came here in this very moment.
    const person = await findPerson(db, { org_id, id: owner.person_id });
    return person?.date_created === at ? [] : [{ kind: "person", id: owner.person_id }];
  }
  // It concerns no developer: everyone who may approve is notified.
  if (topic.startsWith("access_token.") || topic.startsWith("door.")) {
    return (await approversWithAddress(db, org_id)).filter(({ covers }) => covers === null)
      .map(({ id }) => ({ kind: "person", id }));
  }
  if (to === "mentioned") {
    const ids = await mentionedIn(db, { org_id, object_id, detail });
    return ids.map((id) => ({ kind: "person", id }));
  }
  const developer = await developerConcerned(db, org_id, topic, object_id);
  if (developer === undefined) return [];
  if (!await isWanted(db, org_id, developer, topic)) return [];
  // The person who typed the address is asked, too.
  if (topic === EMAIL_ASKED) return [{ kind: "developer", id: developer }];
  const actor = await findActor(db, { org_id, object_id, topic, at });
  const known = await findDeveloperEmail(db, org_id, developer);
  if (to === "approvers") {
    const approvers = await approversWithAddress(db, org_id);
    // Until an address is proved, theirs is the one before: no one else is kept from hearing of it.
    const own = known && (isProved(known.proof) ? known.email : known.proof.previous);
    const people = topic.startsWith("key_request.")
      ? await whoIsToDecide(db, org_id, approvers, { topic, object_id, at })
      : approvers.filter(({ covers, email }) => covers === null && !isSame(email, own));
    return people.filter(({ id }) => id !== actor).map(({ id }) => ({ kind: "person", id }));
  }
  const person = actor === undefined ? undefined : await findPerson(db, { org_id, id: actor });
  return isSame(person?.email, known?.email) ? [] : [{ kind: "developer", id: developer }];
}

/** Every administrator, and whom the rule names: anyone who did it among them. */
async function alarmedBy(
  db: Connection,
  message: { org_id: string } & Place,
): Promise<Recipient[]> {
  const ids = (await administratorsWithAddress(db, message.org_id)).map(({ id }) => id);
  const people = (await findTemporaryAccessEvent(db, message))?.told ?? [];
  return [...new Set([...ids, ...people])].map((id) => ({ kind: "person", id }));
}

/**
 * Those of these people who may decide a request now. Of a person's step they hear where it was the
 * last one of that step: then the request waits for others.
 */
async function whoIsToDecide(
  db: Connection,
  org_id: string,
  people: readonly PersonRow[],
  { topic, object_id: id, at }: Place,
): Promise<PersonRow[]> {
  const row = await findV1(db, { org_id, id });
  if (!row) return [];
  if (topic === "key_request.step_approved" && !completesStep(row.policy, at)) return [];
  return await whoMayDecide(db, org_id, row, { people, now: Date.parse(at) });
}

/**
 * Whether a developer is to hear of this by mail: as they chose, and of quotas at an address alone
 * that Keydesk has verified.
 */
async function isWanted(
  db: Connection,
  org_id: string,
  id: string,
  topic: string,
): Promise<boolean> {
  const isOfQuota = topic.startsWith("credential.quota_") && topic !== "credential.quota_reset";
  if (!isOfQuota && topic !== "credential.ends_soon" && topic !== "credential.ended") return true;
  const { quota, ends } = await choicesOf(db, org_id, id);
  return isOfQuota ? quota && await isVerified(db, org_id, id) : ends;
}

function isSame(one: string | null | undefined, other: string | undefined): boolean {
  return !!one && !!other && emailKey(one) === emailKey(other);
}

/** The developer whom a message is about; undefined: there is none any more. */
async function developerConcerned(
  db: Connection,
  org_id: string,
  topic: string,
  object_id: string,
): Promise<string | undefined> {
  if (topic.startsWith("developer.")) return object_id;
  if (topic.startsWith("credential.")) return await findOwner(db, { org_id, key_id: object_id });
  return (await findV1(db, { org_id, id: object_id }))?.by_user;
}

/** The destination of a mail: an address, or none, with the reason if there is more to say. */
interface WrittenTo {
  address?: string | undefined;
  withheld?: string | undefined;
}

/** Sent to people of the team, whatever they may decide. */
const OF_TEAM: readonly string[] = mailKinds
  .filter(({ to }) => to === "assignee" || to === "mentioned").map(({ topic }) => topic);

/** Sent to people because of their permissions. */
const FOR_APPROVERS: readonly string[] = mailKinds
  .filter(({ to }) => ["approvers", "assignee", "mentioned"].includes(to))
  .map(({ topic }) => topic);

/**
 * The present address of a recipient. An approver has one as long as they may approve, a person who
 * requested a test always; a developer if `addressOfDeveloper` says so.
 */
export async function addressOf(
  db: Connection,
  org_id: string,
  { kind, id }: Recipient,
  message: Place,
  now: number,
): Promise<WrittenTo> {
  if (kind === "developer") return await addressOfDeveloper(db, org_id, id, message);
  if (kind === "previous") {
    return { address: (await findDeveloperEmail(db, org_id, id))?.proof.previous || undefined };
  }
  if (kind === "owner") return { address: await findOwnerAddress(db, org_id, id) || undefined };
  if (kind === "code") return { address: await addressOfCode(db, org_id, id) };
  if (kind === "invited") return await addressOfInvited(db, org_id, id, now);
  const person = await findPerson(db, { org_id, id });
  if (!person || person.deactivated_at !== null || person.suspended_at !== null) return {};
  const isMeant = !FOR_APPROVERS.includes(message.topic) ||
    (person.permissions.split(" ").includes("approve") &&
      await isStillMeant(db, org_id, person, message, now));
  return isMeant ? { address: person.email ?? undefined } : {};
}

/** Whether a person who may approve is still to hear of what a message is about. */
async function isStillMeant(
  db: Connection,
  org_id: string,
  person: PersonRow,
  { topic, object_id: id }: Pick<Place, "topic" | "object_id">,
  now: number,
): Promise<boolean> {
  if (!topic.startsWith("key_request.")) return person.covers === null;
  const row = await findV1(db, { org_id, id });
  // Of what is decided by now the mail itself tells nothing.
  if (!row) return person.covers === null;
  if (OF_TEAM.includes(topic) || !waitsForPeople(row, now)) {
    const coverage = await coverageOfStored(db, org_id, person.covers);
    return !coverage || isWithin(coverage, row);
  }
  return (await whoMayDecide(db, org_id, row, { people: [person], now })).length > 0;
}

const UNWANTED = "withheld: the developer wants no such mail, or has no verified address any more";

/** Why an invitation is mailed to no one. */
const FATES = {
  used: "the invitation was used before it was mailed",
  withdrawn: "the invitation was withdrawn before it was mailed",
  expired: "the invitation was over before it was mailed",
} as const;

async function addressOfInvited(
  db: Connection,
  org_id: string,
  id: string,
  now: number,
): Promise<WrittenTo> {
  const row = await findInvitationById(db, { org_id, id });
  if (!row) return {};
  const state = invitationState(row, now);
  return state === "open" ? { address: row.email.trim() } : { withheld: FATES[state] };
}

const WITHHELD = "withheld: the developer's e-mail address has changed since";

/**
 * The address of a developer for this: decisions from before their address changed go to no later
 * one. Until the new address is verified, mail goes to the previous one; without a previous one,
 * they are notified only of later events, and not of keys.
 */
async function addressOfDeveloper(
  db: Connection,
  org_id: string,
  id: string,
  { topic, at }: Place,
): Promise<WrittenTo> {
  const known = await findDeveloperEmail(db, org_id, id);
  if (!known || known.email === "") return {};
  const { email, proof } = known;
  if (topic === EMAIL_ASKED) return { address: email };
  if (!await isWanted(db, org_id, id, topic)) return { withheld: UNWANTED };
  const before = ownerBefore(proof);
  if (before !== "") return { address: before };
  const isEarlier = proof.changed_at !== null && at < proof.changed_at;
  const isOfKeys = !isProved(proof) && topic.startsWith("credential.");
  return isEarlier || isOfKeys ? { withheld: WITHHELD } : { address: email };
}

/** The only address for the one-time link: the one for which it was made. */
export async function addressOfLink(
  db: Connection,
  org_id: string,
  developer_id: string,
  { email, created_at }: Pick<WaitingLink, "email" | "created_at">,
): Promise<WrittenTo> {
  const known = await findDeveloperEmail(db, org_id, developer_id);
  // An erased person gets no mail.
  if (!known) return {};
  if (email !== null) return email === "" ? { withheld: WITHHELD } : { address: email };
  // Older code made it, for the address that they had then.
  if (known.email === "") return {};
  const { changed_at } = known.proof;
  return changed_at !== null && changed_at > created_at
    ? { withheld: WITHHELD }
    : { address: known.email };
}
