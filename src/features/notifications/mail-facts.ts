import { mailKinds } from "../../contract/mail-kinds.ts";
import type { MailName } from "../../contract/mail-names.ts";
import type { Connection } from "../../storage/storage.ts";
import { findPerson, findUserName } from "../people/people.store.ts";
import { publicBrand } from "../branding/public-brand.ts";
import { findConfiguration } from "../plans/catalogue/catalogue.store.ts";
import { certificateNames } from "../certificates/certificate-title.ts";
import { fingerprintOf } from "../certificates/certificate.ts";
import { findCertificate } from "../certificates/certificates.store.ts";
import { findDeveloper } from "../developers/developer-accounts.store.ts";
import { choicesOf } from "../developers/developer-choices.ts";
import { findDeveloperEmail } from "../developers/developer-email.store.ts";
import { findInvitationById } from "../developers/developer-invitations.store.ts";
import { invitationEnd } from "../developers/invitation.ts";
import { pagesUrl, type ServerUrls } from "../people/pages-url.ts";
import { findSignInCode } from "../developers/sign-in-codes.store.ts";
import {
  emailSideOf,
  HANDED_OVER,
  isProved,
  maskedEmail,
  ownerBefore,
} from "../developers/email-proof.ts";
import { findCheckingGateway } from "../verification/gateways/checking-gateways.store.ts";
import { hasExpired } from "../key-requests/expiry.ts";
import { offerIn } from "../key-requests/offer.ts";
import { parseHead, parseTail, termsOf } from "../key-requests/stored-request.ts";
import { findV1, type V1Row } from "../key-requests/v1.store.ts";
import { findKeysOfRequest, findOwner } from "../keys/key-life.store.ts";
import { findKeyLife, findLastUse, findMask } from "../keys/keys.store.ts";
import { calledKey } from "../keys/key-labels.ts";
import { daysBetween, developerName, developerOf, type MailPlan, plansOf } from "./mail-access.ts";
import { personFacts, type SignInPlace } from "./person-mail.ts";
import type { Recipient } from "./recipient.ts";
import { waitingFacts } from "./waiting-facts.ts";

/** The content of a mail. */
export interface MailFacts extends SignInPlace {
  name: MailName | "test";
  organisation: string;
  /** Of the button; "": ours. */
  colour: string;
  /** Whom to write to; "": no one is named. */
  support: string;
  /** The JSON text of the portal's configuration. */
  configuration: string | undefined;
  /** How the recipient is greeted; "": without a name. */
  recipientName: string;
  developer: string;
  plans: readonly MailPlan[];
  reason: string;
  approver: string;
  /**
   * The person with temporary access, or who changed a rule of it or a gateway; the rule; the
   * number of actions.
   */
  person: string;
  rule: string;
  deeds: number;
  /** RFC 3339; "": never, or it does not matter. */
  ends: string;
  days: number;
  /** When a quota begins anew, likewise. */
  beginsAnew: string;
  /** The key by its name, if it has one, and what of it may be shown. */
  mask: string;
  certificate: string;
  /** A gateway's name, and the minutes after which it is silent. */
  gateway: string;
  minutes: number;
  host: string;
  /** An address as others may see it. */
  address: string;
  /** Six digits to sign in with; "": there are none. */
  code: string;
  changed: string;
  changedBy: string;
  asked: string;
  /** The request or requests that wait, with what is said of each. */
  waiting: readonly { id: string; text: string }[];
  /** The recipient's chosen language; "": none. */
  reads: string;
  /** Of the developer's pages, where the button leads there; "": it does not. */
  page: string;
}

/** The topic of an offer. */
export const OFFERED = "key_request.offered";

/** The subject of a mail. */
interface MailSubject {
  org_id: string;
  topic: string;
  object_id: string;
  at: string;
  recipient: Recipient;
  /** The objects that are gathered into it. */
  gathered: readonly string[];
  /** The code that it is to tell, opened; undefined: none, or it can be entered no more. */
  code?: string | undefined;
  /** JSON text of what the message says beyond its ids; null: nothing. */
  detail: string | null;
}

const NOTHING = {
  developer: "",
  plans: [],
  reason: "",
  approver: "",
  person: "",
  rule: "",
  deeds: 0,
  ends: "",
  days: 0,
  beginsAnew: "",
  mask: "",
  certificate: "",
  gateway: "",
  minutes: 0,
  host: "",
  address: "",
  code: "",
  browser: "",
  from: "",
  changed: "",
  changedBy: "",
  asked: "",
  waiting: [],
  reads: "",
  page: "",
};

const REVIEW_DUE = "credential.review_due";

/** The present content of a mail; undefined: its occasion is over. */
export async function factsOf(
  db: Connection,
  about: MailSubject,
  urls: ServerUrls,
): Promise<MailFacts | undefined> {
  const { org_id, topic, object_id, recipient } = about;
  const whole = async (name: MailFacts["name"], facts: Partial<MailFacts>): Promise<MailFacts> => ({
    ...NOTHING,
    name,
    ...await brandOf(db, org_id),
    configuration: await findConfiguration(db, { org_id }),
    recipientName: await nameOf(db, org_id, recipient),
    reads: await readBy(db, org_id, recipient),
    ...facts,
  });
  if (topic === "target.tested") return await whole("test", {});
  if (topic === "access_token.braked") return await whole("access_token.rate_limited", {});
  if (topic === "door.silent") {
    const gateway = await findCheckingGateway(db, { org_id, id: object_id });
    // Once it calls again there is nothing to look after.
    if (!gateway || gateway.told_silent_at === null) return undefined;
    return await whole("gateway.silent", {
      gateway: gateway.name,
      minutes: gateway.silent_minutes,
    });
  }
  if (topic === REVIEW_DUE) {
    const facts = await keyFacts(db, about);
    return facts && await whole("key.review_due", facts);
  }
  if (recipient.kind === "person") {
    const ofPerson = await personFacts(db, about);
    if (ofPerson) return ofPerson.facts && await whole(ofPerson.name, ofPerson.facts);
    const waiting = await waitingFacts(db, about);
    return waiting && await whole(waiting.name, waiting.facts);
  }
  const kind = mailKinds.find((one) => one.topic === topic && one.to === recipient.kind);
  if (!kind) return undefined;
  if (kind.to === "code") {
    return about.code === undefined ? undefined : await whole(kind.name, { code: about.code });
  }
  if (kind.to === "invited") {
    const facts = await invitedFacts(db, about, urls);
    return facts && await whole(kind.name, facts);
  }
  if (emailSideOf(topic) || topic === HANDED_OVER) {
    const facts = await emailFacts(db, about);
    return facts && await whole(kind.name, facts);
  }
  if (topic.startsWith("developer.")) return await whole(kind.name, {});
  const facts = topic.startsWith("key_request.")
    ? await requestFacts(db, about, urls)
    : topic.startsWith("credential.")
    ? await keyFacts(db, about)
    : await certificateFacts(db, about);
  return facts && await whole(kind.name, facts);
}

async function requestFacts(
  db: Connection,
  { org_id, object_id: id, topic, at }: MailSubject,
  urls: ServerUrls,
): Promise<Partial<MailFacts> | undefined> {
  const row = await findV1(db, { org_id, id });
  if (!row) return undefined;
  // A decision that was taken back is reported by another mail, or by none.
  if (topic === "key_request.declined" && row.state !== "declined") return undefined;
  if (topic === OFFERED) return await offerFacts(db, row, { org_id, at }, urls);
  const isLater = row.asked_end !== null && row.state === "issued";
  const keys = isLater
    ? [parseHead(row).key]
    : await findKeysOfRequest(db, { org_id, developer_id: row.by_user, request_id: id });
  const key_id = keys[0];
  const key = key_id === undefined ? undefined : await findKeyLife(db, { org_id, key_id });
  // Of a key that is revoked since another mail tells.
  const isOver = !key || key.state === "revoked" || key.expires_at === null;
  if (isLater && isOver) return undefined;
  return {
    ...isLater ? { name: "key_request.later_end" as const } : {},
    ...topic === "key_request.declined" && hasExpired(row)
      ? { name: "key_request.expired" as const }
      : {},
    developer: developerOf(row),
    plans: await plansOf(db, org_id, termsOf(row).plans),
    // The reason of an approval is for those who approve: its developer reads the message.
    reason: (row.state === "issued" ? row.message : row.decision_reason) ?? "",
    approver: row.decider ?? "",
    asked: parseTail(row).date_created,
    ends: key?.expires_at ?? "",
    mask: key_id === undefined ? "" : await calledNow(db, org_id, key_id),
  };
}

/** Undefined: the offer waits no more, or another took its place. */
async function offerFacts(
  db: Connection,
  row: V1Row,
  { org_id, at }: { org_id: string; at: string },
  urls: ServerUrls,
): Promise<Partial<MailFacts> | undefined> {
  const offer = offerIn(row.offer);
  if (row.state !== "pending" || offer?.at !== at || offer.answer) return undefined;
  const { plans } = termsOf(row);
  const pages = await pagesUrl(db, org_id, urls);
  return {
    developer: developerOf(row),
    plans: await plansOf(db, org_id, plans),
    reason: offer.message ?? "",
    ends: offer.expires_at,
    days: daysBetween(at, offer.expires_at),
    page: pages === undefined ? "" : `${pages}/portal/requests`,
  };
}

/** Undefined: the pages are off, or no one signs up by an invitation. */
async function invitedFacts(
  db: Connection,
  { org_id, object_id }: MailSubject,
  urls: ServerUrls,
): Promise<Partial<MailFacts> | undefined> {
  const row = await findInvitationById(db, { org_id, id: object_id });
  const url = await pagesUrl(db, org_id, urls);
  if (!row || url === undefined) return undefined;
  return { ends: invitationEnd(row), page: `${url}/portal/sign-up` };
}

/** The language that a recipient chose; "": none. */
async function readBy(db: Connection, org_id: string, { kind, id }: Recipient): Promise<string> {
  if (kind === "developer" || kind === "previous") {
    return (await choicesOf(db, org_id, id)).language;
  }
  if (kind !== "code") return "";
  const code = await findSignInCode(db, { org_id, id });
  if (!code) return "";
  const { developer_id, language } = code;
  const chosen = developer_id === "" ? "" : (await choicesOf(db, org_id, developer_id)).language;
  return chosen || language;
}

/** Undefined: the address was confirmed since, or is another one again. */
async function emailFacts(
  db: Connection,
  { org_id, object_id, topic, at }: MailSubject,
): Promise<Partial<MailFacts> | undefined> {
  const known = await findDeveloperEmail(db, org_id, object_id);
  if (!known) return undefined;
  const { email, proof: { state, changed_at, changed_by, asked_at } } = known;
  const changedBy = await findUserName(db, { org_id, id: changed_by }) ?? changed_by;
  const changed = { address: maskedEmail(email), changed: changed_at ?? at, changedBy };
  if (topic === HANDED_OVER) return changed;
  if (isProved(known.proof)) return undefined;
  if (topic === "developer.email_changed" && ownerBefore(known.proof) === "") return undefined;
  if (topic === "developer.email_asked") {
    return asked_at === at && state !== "reached" ? {} : undefined;
  }
  return changed_at === at ? changed : undefined;
}

/** The mask of a key, with its name; "": there is none. */
async function calledNow(db: Connection, org_id: string, key_id: string): Promise<string> {
  const key = await findMask(db, { org_id, key_id });
  return key ? calledKey(key) : "";
}

async function keyFacts(
  db: Connection,
  { org_id, object_id, topic, at, detail }: MailSubject,
): Promise<Partial<MailFacts> | undefined> {
  const key = await findKeyLife(db, { org_id, key_id: object_id });
  if (!key) return undefined;
  const isOver = topic === "credential.ends_soon"
    ? key.state === "revoked" || key.expires_at === null
    : topic === REVIEW_DUE && key.state === "revoked";
  if (isOver) return undefined;
  const unused = topic === UNUSED ? await unusedFacts(db, { org_id, object_id, detail }) : {};
  if (!unused || (topic === UNUSED && key.state !== "active")) return undefined;
  const ends = key.expires_at ?? "";
  // as: the credentials' store writes a list of texts.
  const plans = JSON.parse(key.plans) as string[];
  const developer_id = await findOwner(db, { org_id, key_id: object_id });
  const row = developer_id && await findDeveloper(db, { org_id, id: developer_id });
  return {
    developer: row ? developerName(row.document).label : developer_id ?? "",
    plans: await plansOf(db, org_id, plans),
    reason: key.state_reason ?? "",
    mask: await calledNow(db, org_id, object_id),
    ...topic.startsWith("credential.quota_")
      ? { beginsAnew: begunAnew(detail) }
      : { ends, days: daysBetween(at, ends) },
    ...unused,
  };
}

const UNUSED = "credential.unused";

/** The content of a warning about a key; undefined: it was used since, so the warning is over. */
async function unusedFacts(
  db: Connection,
  { org_id, object_id: key_id, detail }: Pick<MailSubject, "org_id" | "object_id" | "detail">,
): Promise<Partial<MailFacts> | undefined> {
  // as: the schedule of unused keys writes it; it is kept no longer than its message.
  const said = JSON.parse(detail ?? "{}") as { idle_since?: string; days?: number; ends?: string };
  const { idle_since = "", days = 0, ends = "" } = said;
  const used = await findLastUse(db, { org_id, key_id });
  if (used !== undefined && used > idle_since) return undefined;
  return { days, ends, ...ends === "" ? {} : { name: "key.unused_ends" as const } };
}

/** When the quota begins anew that a message tells of; "": never, or it is not known any more. */
function begunAnew(detail: string | null): string {
  // as: leaseQuota writes it.
  return (JSON.parse(detail ?? "{}") as { begins_anew?: string }).begins_anew ?? "";
}

async function certificateFacts(
  db: Connection,
  { org_id, object_id, at }: MailSubject,
): Promise<Partial<MailFacts> | undefined> {
  const fingerprint = fingerprintOf(org_id, object_id);
  const row = fingerprint && await findCertificate(db, { org_id, fingerprint });
  if (!row) return undefined;
  return {
    certificate: certificateNames(row).object || row.fingerprint.slice(0, 12),
    ends: row.not_after,
    days: daysBetween(at, row.not_after),
  };
}

/** The organisation's branding in a mail. */
export async function brandOf(
  db: Connection,
  org_id: string,
): Promise<Pick<MailFacts, "organisation" | "colour" | "support">> {
  const { name: organisation, colour, support } = await publicBrand(db, org_id);
  return { organisation, colour, support };
}

async function nameOf(db: Connection, org_id: string, { kind, id }: Recipient): Promise<string> {
  if (kind === "person") return (await findPerson(db, { org_id, id }))?.name ?? "";
  if (kind === "owner" || kind === "code" || kind === "invited") return "";
  const row = await findDeveloper(db, { org_id, id });
  return row ? developerName(row.document).name : "";
}
