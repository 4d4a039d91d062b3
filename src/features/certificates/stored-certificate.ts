/**
 * The form in which the texts of a certificate are stored, which no other file knows. `head` is
 * JSON text up to the value of `has_private`, `tail` goes on behind that value, `details` goes on
 * behind `tail`. A list is shown by putting stored texts side by side, without parsing them
 * (decision 6).
 */
import { hasPrivate, standing } from "./certificate.ts";
import type { DistinguishedName } from "../../../packages/x509/certificate.ts";

/** The three texts of a certificate. */
export interface StoredTexts {
  head: string;
  tail: string;
  details: string;
}

/** The columns of a certificate's view. */
export interface StoredCertificate extends StoredTexts {
  fingerprint: string;
  kind: number;
  not_before: string;
  not_after: string;
}

/** The owner of a certificate, and the JSON list of its tags; null: none. */
export interface StoredCare {
  owner: string | null;
  tags: string | null;
}

/** Both as they are shown. */
export function toCare({ owner, tags }: StoredCare): { owner: string; tags: string[] } {
  // as: certificate-care.store.ts writes a list of texts.
  return { owner: owner ?? "", tags: tags === null ? [] : JSON.parse(tags) as string[] };
}

/** The members in front of `has_private`. */
interface HeadMembers {
  id: string;
  dns_names: readonly string[];
}

/** The members behind `has_private`. */
interface TailMembers {
  is_ca: boolean;
  issuer_cn: string;
  subject_cn: string;
  not_after: string;
  not_before: string;
}

/** Our own members, behind those of the specification. */
interface DetailMembers {
  fingerprint: string;
  serial_number: string;
  issuer: DistinguishedName;
  subject: DistinguishedName;
  key_algorithm: string;
  key_size: number;
  signature_algorithm: string;
  ip_addresses: readonly string[];
  uris: readonly string[];
  email_addresses: readonly string[];
  chain_length: number;
  date_created: string;
  path_length: number | null;
}

/** The texts of these members. */
export function storedTexts(
  head: HeadMembers,
  tail: TailMembers,
  details: DetailMembers,
): StoredTexts {
  return {
    head: `${JSON.stringify(head).slice(0, -1)},"has_private":`,
    tail: further(tail),
    details: further(details),
  };
}

/** Specification 2.1: the eight basic members as JSON text. */
export function toBasics(row: Omit<StoredCertificate, "details">): string {
  return `${row.head}${hasPrivate(row.kind)}${row.tail}}`;
}

/**
 * The basic members, the details, and where the certificate is at `nowMs`, as JSON text; then the
 * members `more`.
 */
export function toDetails(row: StoredCertificate, nowMs: number, more?: object): string {
  const { status, days_left } = standing(row, nowMs);
  return `${row.head}${hasPrivate(row.kind)}${row.tail}${row.details}` +
    `,"status":"${status}","days_left":${days_left}${more ? further(more) : ""}}`;
}

/** The basic members but `has_private`. */
export function parseBasics(texts: Pick<StoredTexts, "head" | "tail">): HeadMembers & TailMembers {
  // as: storedTexts wrote exactly these.
  return JSON.parse(`${texts.head}false${texts.tail}}`) as HeadMembers & TailMembers;
}

/** The details. */
export function parseDetails(texts: Pick<StoredTexts, "details">): DetailMembers {
  // as: storedTexts wrote exactly these.
  return JSON.parse(`{${texts.details.slice(1)}}`) as DetailMembers;
}

/** Details with other values of some members. */
export function patchDetails(
  texts: Pick<StoredTexts, "details">,
  changed: Partial<DetailMembers>,
): string {
  return further({ ...parseDetails(texts), ...changed });
}

/**
 * A member of the tail or the details as text, without parsing the others: most of them are names
 * that no line shows. Nothing within a text can look like a member, because its quotes are escaped.
 */
export function memberOf(
  texts: string,
  member: keyof TailMembers | "key_algorithm" | "key_size" | "serial_number",
): string {
  const start = texts.indexOf(`,"${member}":`) + member.length + 4;
  if (texts[start] !== '"') return texts.slice(start, texts.indexOf(",", start));
  WHOLE_TEXT.lastIndex = start;
  return parsedText(WHOLE_TEXT.exec(texts)?.[0] ?? '""');
}

/** The names, with a space between. */
export function namesOf({ head }: Pick<StoredTexts, "head">): string {
  const json = head.slice(head.indexOf(NAMES) + NAMES.length, -BEHIND_NAMES.length);
  // as: storedTexts wrote an array of texts.
  if (json.includes("\\")) return (JSON.parse(json) as string[]).join(" ");
  return json.slice(2, -2).replaceAll('","', " ");
}

const NAMES = `,"dns_names":`;
const BEHIND_NAMES = `,"has_private":`;
const WHOLE_TEXT = /"(?:[^"\\]|\\.)*"/y;

/** The text that JSON text represents. */
function parsedText(json: string): string {
  // as: it begins with a quote.
  return json.includes("\\") ? JSON.parse(json) as string : json.slice(1, -1);
}

/** Members as they go on behind others. */
function further(members: object): string {
  return `,${JSON.stringify(members).slice(1, -1)}`;
}
