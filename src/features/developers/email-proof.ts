/**
 * Whether a developer's e-mail address is theirs:
 *
 *     proved ──change──► unproved ──reach──► reached ──agree──► proved
 *                            │                                    ▲
 *                            └─────agree───► agreed ──reach───────┘
 *
 * The address itself is reached by a link that was mailed to it and opened. The one before agrees
 * by a link of its own, or a person who may approve does. If no links are mailed, that person alone
 * vouches. Until then nothing that existed before the change is handed out by the address: anyone
 * who does so asks `isProved`.
 *
 * A developer of whom nothing is kept has the address with which they came, and an approver has
 * seen it with their requests.
 */
import { Buffer } from "node:buffer";
import { newId, randomBytes } from "../../kernel/ids.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { sha256 } from "../../kernel/sha256.ts";
import type { StoredRow } from "../../storage/schema.ts";

/** The states of an address. `reached`: it answered; `agreed`: the one before, or a person, did. */
const emailStates = ["proved", "unproved", "reached", "agreed"] as const;

/** One of them. */
export type EmailState = typeof emailStates[number];

/** Every move: what a state becomes by it; a state that is absent stays as it is. */
const emailMoves = {
  change: { proved: "unproved", reached: "unproved", agreed: "unproved" },
  reach: { unproved: "reached", agreed: "proved" },
  agree: { unproved: "agreed", reached: "proved" },
  vouch: { unproved: "proved", reached: "proved", agreed: "proved" },
} as const satisfies Readonly<Record<string, Readonly<Partial<Record<EmailState, EmailState>>>>>;

/** The name of a move. */
export type EmailMove = keyof typeof emailMoves;

/**
 * Why an address is to be confirmed: another one was there before; there was none; the developer
 * was registered under an id that has keys already, which are not theirs until a person says so;
 * the account went from the one before to a successor.
 */
type EmailCause = StoredRow<"developer_emails">["cause"];

/** The state of a developer's address. */
export interface EmailProof {
  state: EmailState;
  cause: EmailCause;
  /** The one that was proved before, while this one is not; "": there was none. */
  previous: string;
  /** When it became what it is; null: they always had it. */
  changed_at: string | null;
  changed_by: string;
  /** When it was last asked for by mail. */
  asked_at: string;
}

/** The stored proof of a developer's address. */
export type EmailProofRow = StoredRow<"developer_emails">;

/** The state after a move. */
export function movedEmail(name: EmailMove, state: EmailState): EmailState {
  const move: Readonly<Partial<Record<EmailState, EmailState>>> = emailMoves[name];
  return move[state] ?? state;
}

/** Whether an address may be handed what existed before it was the developer's. */
export function isProved({ state }: Pick<EmailProof, "state">): boolean {
  return state === "proved";
}

/** Whether the keys from before a developer was registered under their id are not theirs yet. */
export function isOfAnother(row: Pick<EmailProofRow, "state" | "cause"> | undefined): boolean {
  return row?.cause === "anew" && !isProved(row);
}

/**
 * The address before, whose the account is until the new one is proved; "": there was none, or a
 * successor has the account.
 */
export function ownerBefore(
  { state, cause, previous }: Pick<EmailProof, "state" | "cause" | "previous">,
): string {
  return isProved({ state }) || cause === "successor" ? "" : previous;
}

/** Tells addresses apart: letters that mail servers might tell apart are not the same. */
export function addressKey(email: string): string {
  return email.trim().replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** The proof of a developer's current address by a stored row; undefined: no row. */
export function emailProofOf(row: EmailProofRow | undefined, email: string): EmailProof {
  if (!row) {
    return {
      state: "proved",
      cause: "changed",
      previous: "",
      changed_at: null,
      changed_by: "",
      asked_at: "",
    };
  }
  const { cause, previous, changed_at, changed_by, asked_at } = row;
  // Older code has changed it since: no one confirmed that.
  const state = row.address === addressKey(email) ? row.state : "unproved";
  return { state, cause, previous, changed_at, changed_by, asked_at };
}

/** The columns that a list reads beside a developer: of the stored row, null if there is none. */
export interface ListedProof {
  proof_state: EmailState | null;
  proof_address: string | null;
  proof_changed_at: string | null;
}

/** Whether the address is confirmed, and when it became what it is, as people are shown it. */
export function toProof(
  { proof_state, proof_address, proof_changed_at }: ListedProof,
  emailOf: () => string,
): { email_state: EmailState; email_changed_at: string | null } {
  if (proof_state === null) return { email_state: "proved", email_changed_at: null };
  const isSame = proof_address === addressKey(emailOf());
  return { email_state: isSame ? proof_state : "unproved", email_changed_at: proof_changed_at };
}

/** The row after a change, and the recipients of links. Undefined: it is the same address. */
export function changedEmail(
  known: EmailProof,
  { before, after }: { before: string; after: string },
): Pick<EmailProof, "state" | "cause" | "previous"> | undefined {
  const address = addressKey(after);
  if (address === addressKey(before)) return undefined;
  if (isProved(known)) {
    return before.trim() === ""
      ? { state: "unproved", cause: "first", previous: "" }
      : { state: "unproved", cause: "changed", previous: before };
  }
  // A new owner of the account does not share it with the previous address.
  const { cause, previous } = known;
  return previous !== "" && cause !== "successor" && addressKey(previous) === address
    ? { state: "proved", cause, previous: "" }
    : { state: movedEmail("change", known.state), cause, previous };
}

/** A link that asks an address for its confirmation, minted before its transaction. */
export interface NewEmailLink {
  id: string;
  /** 256 random bits as 43 characters; the store keeps their hash, and until mailed them sealed. */
  token: string;
}

/** One for the address and one for that before it. */
export interface NewEmailLinks {
  new: NewEmailLink;
  old: NewEmailLink;
}

/** How long such a link can be opened. */
const LINK_MS = 7 * 24 * 60 * 60 * 1000;

/** Two fresh links. */
export function newEmailLinks(now: number): NewEmailLinks {
  const link = () => ({
    id: newId(now),
    token: Buffer.from(randomBytes(32)).toString("base64url"),
  });
  return { new: link(), old: link() };
}

/** Until when a link that is made now can be opened. */
export function emailLinkEnd(now: number): string {
  return toTimestamp(now + LINK_MS);
}

/** By what such a link is found. */
export function emailLinkHash(token: string): string {
  return sha256(token);
}

/** The address of its page: the token is in the fragment, which browsers send to no one. */
export function emailLinkUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/confirm#${token}`;
}

/** The topic by which an address is asked for its confirmation; nothing is changed by it. */
export const EMAIL_ASKED = "developer.email_asked";

/** The topic that notifies the previous address that the account went to a successor. */
export const HANDED_OVER = "developer.handed_over";

/** To which address the mail of a topic takes its link; undefined: it has none. */
export function emailSideOf(topic: string): "new" | "old" | undefined {
  if (topic === EMAIL_ASKED) return "new";
  return topic === "developer.email_changed" ? "old" : undefined;
}

/** An address as others may see it: enough to know one's own by. */
export function maskedEmail(email: string): string {
  const at = email.lastIndexOf("@");
  return at < 0 ? "" : `${[...email.trim()][0] ?? ""}…${email.slice(at).trim()}`;
}

/** The context under which a link's token is sealed. */
export function emailLinkPlace(org_id: string, id: string) {
  return { table: "email_links", org_id, id, column: "link" };
}
