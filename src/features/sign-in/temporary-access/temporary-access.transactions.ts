import type { Actor } from "../../../changes/audit.ts";
import { recordChange } from "../../../changes/record-change.ts";
import { CONFIRM_MINUTES } from "../../../contract/temporary-access.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import { sha256 } from "../../../kernel/sha256.ts";
import { defineTransaction, type Tx } from "../../../storage/storage.ts";
import {
  givenNow,
  lostBy,
  openedRule,
  openedTemporaryAccess,
  sealedTemporaryAccess,
  type TemporaryAccessRule,
  type TemporaryAccessTerms,
} from "../../people/temporary-access.ts";
import {
  findTemporaryAccess,
  findTemporaryAccessRule,
  insertTemporaryAccess,
  openTemporaryAccess,
  temporaryAccessesUnderWay,
  type TemporaryAccessRow,
} from "../../people/temporary-access.store.ts";
import { endTemporaryAccess } from "../../people/temporary-access.transactions.ts";
import { lockOrganisation } from "../../people/organisations.store.ts";
import type {
  KeptSignature,
  ProvedSignature,
  SignedContent,
} from "../../people/passkey-signature.ts";
import { takeSignature } from "../../people/passkey-signature.transactions.ts";
import { requireSession } from "../../people/passkeys.transactions.ts";
import { activePerson } from "../../people/people.transactions.ts";
import { isOpen } from "../../people/session.ts";
import { sessionsOf, setTemporaryAccess } from "../../people/sessions.store.ts";
import { emailKey } from "../../developers/developer.ts";
import { ruleOf } from "./temporary-access-rules.transactions.ts";

const MINUTE_MS = 60_000;

/** A request for temporary access. */
export interface Asked {
  actor: Actor;
  session_id: string;
  rule_id: string;
  reason: string;
  minutes: number;
}

/** Asked for, and how it is proved. */
interface Starting extends Asked {
  id: string;
  /** With the end that was signed; "refused": it was none. Null: there was none. */
  signed: { proved: ProvedSignature; ends: string } | "refused" | null;
}

/**
 * The content that a person signs for temporary access, and its expiry. Throws `not_found`,
 * `invalid_input`.
 */
export const temporaryAccessToSign = defineTransaction(
  "temporary-access.to-sign",
  async (
    tx,
    input: Asked & { nonce: string },
  ): Promise<{ content: SignedContent; ends: string }> => {
    const { actor, minutes, nonce } = input;
    const rule = await usableRule(tx, input);
    const ends = toTimestamp(actor.now + minutes * MINUTE_MS);
    return { content: contentOf(input, rule, { nonce, ends }), ends };
  },
);

/**
 * Gives the caller temporary access in this session, or asks for a second person. One a person,
 * asked or open. Throws what the endpoint lists.
 */
export const beginTemporaryAccess = defineTransaction(
  "temporary-access.begin",
  async (tx, input: Starting): Promise<TemporaryAccessRow> => {
    const { actor, id, session_id, rule_id, reason, minutes, signed } = input;
    const { org_id, user_id: person_id, now } = actor;
    await lockOrganisation(tx, { org_id });
    await requireInForce(tx, org_id, person_id);
    await requireSession(tx, actor, session_id);
    const rule = await usableRule(tx, input);
    for (const row of await temporaryAccessesUnderWay(tx, { org_id })) {
      if (row.person_id !== person_id) continue;
      if (Date.parse(row.expires_at) > now) throw new Failure("temporary_access_already");
      await endTemporaryAccess(tx, actor, row.id, "time");
    }
    const permissions = await givenNow(tx, tx.sealer, org_id, rule);
    if (permissions.length === 0) throw new Failure("temporary_access_gives_nothing");
    const isAsked = rule.proof === "second_person";
    const kept = isAsked ? undefined : await signatureOf(tx, input, rule);
    const expires_at = isAsked
      ? toTimestamp(now + CONFIRM_MINUTES * MINUTE_MS)
      : signed !== null && signed !== "refused"
      ? signed.ends
      : toTimestamp(now);
    const terms: TemporaryAccessTerms = {
      person_id,
      session_id,
      rule_updated_at: rule.updated_at,
      role: rule.role,
      permissions,
      reason,
      expires_at: isAsked ? null : expires_at,
      minutes,
    };
    const at = toTimestamp(now);
    await insertTemporaryAccess(tx, {
      org_id,
      id,
      rule_id,
      person_id,
      session_id,
      state: isAsked ? "asked" : "open",
      terms: sealedTemporaryAccess(tx.sealer, { org_id, id }, terms),
      asked_at: at,
      started_at: isAsked ? null : at,
      expires_at,
    });
    await setTemporaryAccess(tx, { org_id, id: session_id, user_id: person_id, elevation_id: id });
    await record(tx, actor, { id, rule, terms, expires_at, kept });
    return await found(tx, org_id, id);
  },
);

/** A second person says yes. Throws what the endpoint lists. */
export const confirmAsked = defineTransaction(
  "temporary-access.confirm",
  async (
    tx,
    input: { actor: Actor; session_id: string; id: string; idleMs: number },
  ): Promise<TemporaryAccessRow> => {
    const { actor, session_id, id, idleMs } = input;
    const { org_id, user_id, now } = actor;
    await lockOrganisation(tx, { org_id });
    const second = await requireInForce(tx, org_id, user_id);
    await requireSession(tx, actor, session_id);
    const row = await findTemporaryAccess(tx, { org_id, id });
    const stored = row && await findTemporaryAccessRule(tx, { org_id, id: row.rule_id });
    const rule = stored && openedRule(tx.sealer, stored);
    // Whom no rule names learns of none.
    if (!row || !rule?.seconds.includes(user_id)) throw new Failure("not_found");
    if (row.person_id === user_id) throw new Failure("not_second_person");
    const terms = openedTemporaryAccess(tx.sealer, row);
    if (row.state !== "asked" || !terms || Date.parse(row.expires_at) <= now) {
      throw new Failure("temporary_access_over");
    }
    const { person_id } = terms;
    const person = await requireInForce(tx, org_id, person_id);
    const isSame = !!person.email && !!second.email &&
      emailKey(person.email) === emailKey(second.email);
    if (isSame || person_id === user_id) throw new Failure("not_second_person");
    const sessions = await sessionsOf(tx, { org_id, user_id: person_id });
    const session = sessions.find((one) => one.id === terms.session_id);
    const isThere = session !== undefined && isOpen(session, now, idleMs);
    if (!isThere || await lostBy(tx, tx.sealer, row, terms) !== undefined) {
      throw new Failure("temporary_access_over");
    }
    const expires_at = toTimestamp(now + terms.minutes * MINUTE_MS);
    const begun = { ...terms, expires_at };
    const opened = await openTemporaryAccess(tx, {
      org_id,
      id,
      terms: sealedTemporaryAccess(tx.sealer, { org_id, id }, begun),
      started_at: toTimestamp(now),
      expires_at,
      confirmed_by: user_id,
    });
    if (!opened) throw new Failure("temporary_access_over");
    await record(tx, actor, { id, rule, terms: begun, expires_at, confirmed_by: user_id });
    return await found(tx, org_id, id);
  },
);

/** Ends one by hand. Throws `not_found` for anyone who may not, and `temporary_access_over`. */
export const endByHand = defineTransaction(
  "temporary-access.end",
  async (
    tx,
    { actor, id, isAdministrator }: { actor: Actor; id: string; isAdministrator: boolean },
  ): Promise<TemporaryAccessRow> => {
    const { org_id, user_id } = actor;
    const row = await findTemporaryAccess(tx, { org_id, id });
    if (!row || !(isAdministrator || row.person_id === user_id)) throw new Failure("not_found");
    if (!await endTemporaryAccess(tx, actor, id, "by_hand")) {
      throw new Failure("temporary_access_over");
    }
    return await found(tx, org_id, id);
  },
  { withoutRoom: true },
);

/**
 * Ends one that is over by its time, or gives nothing any more; another node may have done so.
 * `at`: the time to go by. Tells whether it did.
 */
export const endIfOver = defineTransaction(
  "temporary-access.end-if-over",
  async (
    tx,
    input: { org_id: string; id: string; now: number; at: number; idleMs: number },
  ): Promise<boolean> => {
    const { org_id, id, now, at, idleMs } = input;
    const row = await findTemporaryAccess(tx, { org_id, id });
    if (!row || row.ended_at !== null) return false;
    const reason = await overBy(tx, row, { now, at, idleMs });
    const actor = { org_id, user_id: "keydesk", token_id: "", now };
    return reason !== undefined && await endTemporaryAccess(tx, actor, id, reason);
  },
  { withoutRoom: true },
);

async function overBy(
  tx: Tx,
  row: TemporaryAccessRow,
  { now, at, idleMs }: { now: number; at: number; idleMs: number },
) {
  const { org_id, person_id, session_id } = row;
  const terms = openedTemporaryAccess(tx.sealer, row);
  // An unreadable rule gives nothing: it was changed in the store, or its key is lost.
  if (!terms) return "rule";
  if (at >= Date.parse(terms.expires_at ?? row.expires_at)) return "time";
  const sessions = await sessionsOf(tx, { org_id, user_id: person_id });
  const session = sessions.find((one) => one.id === session_id);
  if (!session || !isOpen(session, now, idleMs)) return "session";
  return await lostBy(tx, tx.sealer, row, terms);
}

/** A rule that names the caller, and lasts as long. Throws `not_found`, `invalid_input`. */
async function usableRule(
  tx: Tx,
  { actor, rule_id, minutes }: Asked,
): Promise<TemporaryAccessRule> {
  const { org_id, user_id } = actor;
  const rule = await ruleOf(tx, org_id, rule_id);
  // Whom it does not name learns of none.
  if (!rule.people.includes(user_id)) throw new Failure("not_found");
  if (minutes > rule.minutes) throw refused(`minutes: expected ${rule.minutes} at the most`);
  return rule;
}

async function requireInForce(tx: Tx, org_id: string, id: string) {
  const person = await activePerson(tx, org_id, id);
  if (person.suspended_at !== null) throw new Failure("not_authorised");
  return person;
}

/** The signature over this temporary access. Throws `signature_required`, `signature_refused`. */
async function signatureOf(
  tx: Tx,
  input: Starting,
  rule: TemporaryAccessRule,
): Promise<KeptSignature> {
  const { actor, minutes, signed } = input;
  if (signed === null) throw new Failure("signature_required", { message: SIGN });
  if (signed === "refused") throw new Failure("signature_refused", { message: REFUSED });
  const { proved, ends } = signed;
  const left = Date.parse(ends) - actor.now;
  if (!(left > 0 && left <= minutes * MINUTE_MS)) {
    throw new Failure("signature_refused", { message: REFUSED });
  }
  const content = contentOf(input, rule, { nonce: proved.nonce, ends });
  return await takeSignature(tx, actor, proved, content);
}

const SIGN = "Sign this by a passkey: ask for a challenge first.";
const REFUSED = "This signature does not say yes to this temporary access, as its rule is now.";

/** The content that a passkey signs. The reason is in it as a hash, since it can be erased. */
function contentOf(
  { actor, rule_id, reason, minutes }: Asked,
  rule: TemporaryAccessRule,
  { nonce, ends }: { nonce: string; ends: string },
): SignedContent {
  const { org_id, user_id } = actor;
  return {
    v: 1,
    decision: "elevate",
    nonce,
    org_id,
    user_id,
    rule_id,
    rule_updated_at: rule.updated_at,
    role: rule.role,
    permissions: rule.permissions,
    reason_hash: sha256(`${nonce}\0${reason}`),
    minutes,
    ends,
  };
}

/** The audit log and the alarm of what begins, or is asked for. */
async function record(
  tx: Tx,
  actor: Actor,
  { id, rule, terms, expires_at, kept, confirmed_by }: {
    id: string;
    rule: TemporaryAccessRule;
    terms: TemporaryAccessTerms;
    expires_at: string;
    kept?: KeptSignature | undefined;
    confirmed_by?: string;
  },
): Promise<void> {
  const { person_id, session_id, role, permissions, reason, minutes } = terms;
  const isAsked = terms.expires_at === null;
  await recordChange(tx, actor, {
    action: isAsked ? "elevation.asked" : "elevation.started",
    object_id: id,
    detail: {
      person_id,
      session_id,
      rule_id: rule.id,
      role,
      permissions,
      proof: rule.proof,
      minutes,
      expires_at,
      // The recipients of mails, besides every administrator.
      told: isAsked ? [...rule.seconds, ...rule.receivers] : rule.receivers,
      ...confirmed_by === undefined ? {} : { confirmed_by },
      ...kept ? { signed: kept } : {},
    },
    personal: { "/reason": reason },
    names: { object: rule.name },
  });
}

async function found(tx: Tx, org_id: string, id: string): Promise<TemporaryAccessRow> {
  const row = await findTemporaryAccess(tx, { org_id, id });
  if (!row) throw new Error("it was written just now");
  return row;
}

function refused(message: string): Failure {
  return new Failure("invalid_input", { message, details: [message] });
}
