import type { z } from "zod";
import type {
  certificateCounts,
  v1CertificateList,
} from "../../../src/features/certificates/v1.operations.ts";
import type { v1Certificate } from "../../../src/features/certificates/v1.contract.ts";
import { calledCertificate, calledSubject } from "../../../src/contract/called-certificate.ts";
import { utcDayOf } from "../../parts/time.tsx";
import { grouped } from "../../api/numbers.ts";
import { listed, say } from "../../said.ts";

/** A certificate with every detail but its text. */
export type Certificate = z.output<typeof v1CertificateList>["data"][number];
/** One with its text, chain and issuers. */
export type CertificateDetail = z.output<typeof v1Certificate>;
/** How many there are, and when they end. */
export type Counts = z.output<typeof certificateCounts>;

/** A certificate in the list: no more fields than it shows. */
export interface CertificateRow {
  readonly id: string;
  readonly name: string;
  /** Other names that it stands for, in words. */
  readonly names: string;
  readonly issuer: string;
  readonly from: string;
  readonly to: string;
  /** Null: it has no end. */
  readonly daysLeft: number | null;
  readonly status: Certificate["status"];
  readonly hasPrivate: boolean;
  readonly isAuthority: boolean;
  readonly isRenewed: boolean;
  /** The address of its owner; empty: none. */
  readonly owner: string;
  readonly tags: readonly string[];
}

/** The row of a certificate. */
export function toRow(certificate: Certificate): CertificateRow {
  return {
    id: certificate.id,
    name: nameOf(certificate),
    names: listed(certificate.dns_names.slice(0, 4)),
    issuer: certificate.issuer_cn || calledSubject(certificate.issuer),
    from: certificate.not_before,
    to: certificate.not_after,
    daysLeft: certificate.days_left,
    status: certificate.status,
    hasPrivate: certificate.has_private,
    isAuthority: certificate.is_ca,
    isRenewed: certificate.renewed_by !== null,
    owner: certificate.owner,
    tags: certificate.tags,
  };
}

/** A row's id. */
export const keyOf = (row: CertificateRow): string => row.id;

/** A certificate's name by the interface, else by its names. */
export function nameOf(
  one:
    & Pick<Certificate, "id">
    & (Parameters<typeof calledCertificate>[0] | { name: string }),
): string {
  const name = "name" in one ? one.name : calledCertificate(one);
  return name || say`Public key ${shortId(one.id)}`;
}

/** The end of an id: ids of one organisation begin alike. */
export const shortId = (id: string): string => `…${id.slice(-10)}`;

/** How urgent it is. */
export type Urgency = "bad" | "waiting" | "good" | "quiet";

/** By the time that is left. */
export function urgencyOf(
  { status, daysLeft, isRenewed }: Pick<CertificateRow, "status" | "daysLeft" | "isRenewed">,
): Urgency {
  if (status === "invalid") return "bad";
  if (isRenewed) return "quiet";
  if (daysLeft === null || status === "not_yet_valid") return "quiet";
  if (status === "expired" || daysLeft < 7) return "bad";
  return daysLeft < 30 ? "waiting" : "good";
}

/** The time that is left, in words. */
export function leftOf({ status, daysLeft, from, to }: CertificateRow): string {
  if (status === "invalid") return "Expires before it begins";
  if (daysLeft === null) return "No expiry";
  if (status === "not_yet_valid") return `From ${utcDayOf(from)}`;
  if (status === "expired") {
    const days = Math.floor((Date.now() - Date.parse(to)) / DAY_MS);
    return days < 1 ? "Expired today" : `Expired ${days} d ago`;
  }
  if (daysLeft < 1) return "Expires today";
  return daysLeft === 1 ? "1 day left" : `${grouped(daysLeft)} days left`;
}

/** How much of its time is over: 0 to 1; undefined where it has no end. */
export function partOver({ from, to, daysLeft }: CertificateRow): number | undefined {
  if (daysLeft === null) return undefined;
  const [start, end] = [Date.parse(from), Date.parse(to)];
  return Math.min(1, Math.max(0, (Date.now() - start) / Math.max(1, end - start)));
}

/** A day. */
export const DAY_MS = 86_400_000;
