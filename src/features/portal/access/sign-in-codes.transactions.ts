import type { ActingCall, Actor } from "../../../changes/audit.ts";
import { addToOutbox } from "../../../changes/outbox.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { defineTransaction, type Tx } from "../../../storage/storage.ts";
import {
  findDeveloperByEmail,
  findDeveloperState,
} from "../../developers/developer-accounts.store.ts";
import { emailIn } from "../../developers/developer-text.ts";
import { emailKey } from "../../developers/developer.ts";
import { lockDeveloper } from "../../developers/developers.store.ts";
import { emailProofOf, isProved } from "../../developers/email-proof.ts";
import { findEmailProof } from "../../developers/email-proof.store.ts";
import { noteVerifiedEmail } from "../../developers/email-change.transactions.ts";
import { proveDeveloperSession } from "./developer-sessions.store.ts";
import {
  type NewDeveloperSession,
  type OpenedSession,
  openSession,
} from "./open-session.transactions.ts";
import {
  CODE_ASKED,
  codeHash,
  codePlace,
  type CodeRow,
  codeTimes,
  countedSince,
  mayBeMailed,
  mayMailStranger,
  type NewCode,
  ticketHash,
} from "../../developers/sign-in-code.ts";
import {
  countCodesOf,
  countSignUpCodes,
  insertSignInCode,
} from "../../developers/sign-in-codes.store.ts";
import type { PendingAccount } from "./pending-account.ts";
import { linkAtSignUp } from "./provider-sign-in.transactions.ts";
import { takeCode } from "./take-code.transactions.ts";
import { signsUpAs, signUp } from "./sign-up.transactions.ts";

/**
 * Whom a code is asked for: an address, the developer of a session, or an address that is to be
 * theirs; `isFlood`: they name so many that it is mailed to no one.
 */
export type CodeFor =
  | { email: string }
  | { developer_id: string; session_id: string; new_email?: string; isFlood?: boolean };

interface Asking {
  org_id: string;
  /** SHA-256 of the caller's network; "": in process. */
  asked_from: string;
  for: CodeFor;
  /** The language of the caller; "": not known. */
  language: string;
  code: NewCode;
  now: number;
  call?: ActingCall | undefined;
}

/**
 * Keeps a code, and has it mailed to anyone who may sign in with the address; to no one where that
 * is no one, by the same steps.
 */
export const askForCode = defineTransaction(
  "developer-access.ask-for-code",
  async (tx, input: Asking): Promise<null> => {
    const { org_id, asked_from, language, code: { id, ticket, code }, now, call } = input;
    const asked = await whoIsAsked(tx, org_id, input.for, now);
    const counts = await countCodesOf(tx, {
      org_id,
      email_key: asked.email_key,
      ...countedSince(now),
    });
    await insertSignInCode(tx, {
      org_id,
      id,
      ...asked,
      asked_from,
      purpose: mayBeMailed(counts, asked_from) ? asked.purpose : "nobody",
      ticket: ticketHash(ticket),
      hash: codeHash(ticket, code),
      code: tx.sealer.seal(codePlace(org_id, id), code),
      tries: 0,
      language,
      ...codeTimes(now),
    });
    const actor: Actor = { org_id, user_id: "developer-code", token_id: "", now, call };
    // The sender finds that it has no recipient; so this takes as long for everybody.
    await addToOutbox(tx, actor, { topic: CODE_ASKED, object_id: id });
    return null;
  },
);

type Asked = Pick<CodeRow, "purpose" | "email" | "email_key" | "developer_id" | "session_id">;

async function whoIsAsked(tx: Tx, org_id: string, codeFor: CodeFor, now: number): Promise<Asked> {
  if ("session_id" in codeFor) {
    const { developer_id, session_id, new_email, isFlood = false } = codeFor;
    const developer = await lockDeveloper(tx, org_id, developer_id);
    if (new_email !== undefined) {
      const email_key = emailKey(new_email);
      const holder = await findDeveloperByEmail(tx, { org_id, email_key });
      const isFree = holder === undefined || holder.id === developer_id;
      const purpose = developer && isFree && !isFlood ? "change" : "nobody";
      return { purpose, email: new_email, email_key, developer_id, session_id };
    }
    const email_key = emailKey(developer?.email ?? "");
    const may = developer && email_key !== "" && await isTheirs(tx, org_id, developer);
    return { purpose: may ? "prove" : "nobody", email: "", email_key, developer_id, session_id };
  }
  const { email } = codeFor;
  const email_key = emailKey(email);
  const row = await findDeveloperByEmail(tx, { org_id, email_key });
  // Asked also where a person has the address, so that it takes as long.
  const signsUp = await signsUpAs(tx, org_id, email, now);
  const counted = await countSignUpCodes(tx, { org_id, ...countedSince(now) });
  const maySign = signsUp === "invited" || (signsUp === "stranger" && mayMailStranger(counted));
  const id = row?.id ?? "";
  const proof = emailProofOf(
    await findEmailProof(tx, { org_id, id }),
    row ? emailIn(row.document) : email,
  );
  const state = await findDeveloperState(tx, { org_id, id });
  const purpose = row === undefined
    ? maySign ? "sign_up" : "nobody"
    : state === 0 && isProved(proof)
    ? "sign_in"
    : "nobody";
  return { purpose, email, email_key, developer_id: id, session_id: "" };
}

async function isTheirs(
  tx: Tx,
  org_id: string,
  { id, email }: { id: string; email: string },
): Promise<boolean> {
  return isProved(emailProofOf(await findEmailProof(tx, { org_id, id }), email));
}

interface Entering {
  org_id: string;
  ticket: string;
  code: string;
  session: NewDeveloperSession;
  /** The fields that a person gives at sign-up. */
  fields: Record<string, string>;
  /** The account at a provider that they came with, and the id of its link. */
  account?: { account: PendingAccount; id: string } | undefined;
}

/**
 * Enters a code: of two who enter it at once, one gets in. Null: it is wrong, was used or is over;
 * a wrong one is counted.
 */
export const enterCode = defineTransaction(
  "developer-access.enter-code",
  async (tx, input: Entering): Promise<OpenedSession | null> => {
    const { org_id, ticket, code, session, fields, account } = input;
    const { now } = session;
    const row = await takeCode(tx, { org_id, ticket, code, now }, ["sign_in", "sign_up"]);
    if (!row) return null;
    const developer = row.purpose === "sign_up"
      ? await signUp(tx, {
        org_id,
        email: row.email,
        language: row.language,
        fields,
        session,
        account,
      })
      : await lockDeveloper(tx, org_id, row.developer_id);
    if (!developer || developer.inactive) return null;
    // Theirs was changed since the code was mailed.
    if (emailKey(developer.email) !== row.email_key) return null;
    if (!await isTheirs(tx, org_id, developer)) return null;
    await noteVerifiedEmail(tx, org_id, developer, now);
    // A developer who exists already came by a provider: the code proves that both are one.
    if (account && row.purpose === "sign_in") {
      await linkAtSignUp(tx, developer, { ...account, now, call: session.call });
    }
    const proved_at = toTimestamp(now);
    const opening = { opened_by: "code", opens: "all", token_id: "", proved_at } as const;
    return await openSession(tx, org_id, developer, opening, session);
  },
);

/**
 * Enters a code in the session for which it was asked, which opens all from then on. False: it is
 * wrong, was used or is over.
 */
export const enterProof = defineTransaction(
  "developer-access.enter-proof",
  async (
    tx,
    input: { actor: Actor; developer_id: string; session_id: string; ticket: string; code: string },
  ): Promise<boolean> => {
    const { actor, developer_id, session_id, ticket, code } = input;
    const { org_id, now } = actor;
    const row = await takeCode(tx, { org_id, ticket, code, now }, ["prove"]);
    if (!row || row.session_id !== session_id || row.developer_id !== developer_id) return false;
    const developer = await lockDeveloper(tx, org_id, developer_id);
    if (!developer || emailKey(developer.email) !== row.email_key) return false;
    if (!await isTheirs(tx, org_id, developer)) return false;
    await noteVerifiedEmail(tx, org_id, developer, now);
    const proved_at = toTimestamp(now);
    return await proveDeveloperSession(tx, { org_id, developer_id, id: session_id, proved_at });
  },
);
