/**
 * A certificate of the inventory, or a bare public key. Its id is the organisation's and the
 * SHA-256 of its DER: the same certificate is stored once.
 *
 *     upload ──────────────► without_key ──upload with its key──► with_key
 *     upload with its key ─────────────────────────────────────────► ▲
 *
 * Its validity never changes; only the time does: not_yet_valid, valid, expiring, expired. A
 * private key is never shown again. Removing a certificate removes its key.
 */
import type { Permission } from "../../contract/permissions.ts";
import { revisionOf } from "../../kernel/entity-tag.ts";
import type { FailureCode } from "../../kernel/failure-codes.ts";
import {
  type CertificateStatus,
  daysLeft,
  NO_TIME,
  statusOf,
} from "../../../packages/x509/certificate.ts";

/** The states of a certificate in the inventory. */
export const states = ["absent", "without_key", "with_key"] as const;

/** One of them. */
export type CertificateState = typeof states[number];

/** A possible change. */
export interface Move {
  /** The permission that it needs. */
  readonly needs: Permission;
  /** The state afterwards. */
  readonly to: CertificateState;
  /**
   * The error of a call for one certificate in a state without this change; other calls have it in
   * their results.
   */
  readonly refused: Readonly<Partial<Record<CertificateState, FailureCode>>>;
}

/** Every move. A test does each of them in each state. */
export const moves = {
  add: {
    needs: "certs:write",
    to: "without_key",
    refused: { without_key: "certificate_exists", with_key: "certificate_exists" },
  },
  /**
   * If the certificate was stored without a chain, the chain that comes with its key is kept too.
   */
  addWithKey: {
    needs: "certs:write",
    to: "with_key",
    refused: { with_key: "certificate_exists" },
  },
  remove: {
    needs: "certs:write",
    to: "absent",
    refused: { absent: "certificate_not_removed" },
  },
} as const satisfies Readonly<Record<string, Move>>;

/** The error of a change that is impossible in this state; undefined: it is possible. */
export function refusalOf(name: keyof typeof moves, state: CertificateState) {
  const { refused }: Move = moves[name];
  return refused[state];
}

/** Has a private key: 2; is an authority: 1. Lists are indexed and counted by this. */
export function kindOf(has_private: boolean, is_ca: boolean): number {
  return (has_private ? 2 : 0) + (is_ca ? 1 : 0);
}

/** Every kind. */
export const KINDS: readonly number[] = [0, 1, 2, 3];

/** True where a certificate of this kind has a private key. */
export function hasPrivate(kind: number): boolean {
  return kind >= 2;
}

/** True where a certificate of this kind is an authority. */
export function isAuthority(kind: number): boolean {
  return kind % 2 === 1;
}

/** The kind with a private key or without. */
export function withKey(kind: number, has_private: boolean): number {
  return kindOf(has_private, isAuthority(kind));
}

/** The state of a certificate that is stored, or of none. */
export function stateOf(row: { kind: number } | undefined): CertificateState {
  if (!row) return "absent";
  return hasPrivate(row.kind) ? "with_key" : "without_key";
}

/** A valid certificate that ends within so many days is `expiring`. */
export const EXPIRING_DAYS = 30;

/** Both ends of the validity as they are stored. */
interface StoredValidity {
  not_before: string;
  not_after: string;
}

/** The validity as stored: a bare public key, which has none, sorts before and after every time. */
export function storedValidity({ not_before, not_after }: StoredValidity): StoredValidity {
  return not_after === NO_TIME ? { not_before: "", not_after: NO_END } : { not_before, not_after };
}

/** Sorts after every time. */
export const NO_END = "~";

/** True of a bare public key. */
export function isPublicKey(row: Pick<StoredValidity, "not_after">): boolean {
  return row.not_after === NO_END;
}

/** The validity of a stored certificate as it is shown. */
export function toValidity(row: StoredValidity): StoredValidity {
  return isPublicKey(row) ? { not_before: NO_TIME, not_after: NO_TIME } : row;
}

/** The status of a stored certificate, and whole days until its end: null where it has none. */
export function standing(
  row: StoredValidity,
  nowMs: number,
): { status: CertificateStatus; days_left: number | null } {
  const validity = toValidity(row);
  return {
    status: statusOf(validity, nowMs, EXPIRING_DAYS),
    days_left: daysLeft(validity, nowMs),
  };
}

/**
 * The revision in a certificate's entity tag: it changes with the key and chain, not with the time.
 */
export function certificateRevision(row: { kind: number; details: string }): string {
  return revisionOf([row.kind, row.details]);
}

/** The SHA-256 in an id of this organisation; undefined where the id is none. */
export function fingerprintOf(org_id: string, id: string): string | undefined {
  const fingerprint = id.slice(org_id.length);
  return id.startsWith(org_id) && /^[0-9a-f]{64}$/.test(fingerprint) ? fingerprint : undefined;
}

/** Characters of a name that sort it; PostgreSQL's indexes take no more than 2.7 kB. */
const SORTED_CHARACTERS = 200;

/** By what a common name sorts. */
export function subjectKey(subject_cn: string): string {
  return subject_cn.toLowerCase().slice(0, SORTED_CHARACTERS).toWellFormed();
}
