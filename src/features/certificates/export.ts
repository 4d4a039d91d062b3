import type { RequestContext } from "../../calls/context.ts";
import { Answer, fileHeaders, type Pieces } from "../../kernel/answer.ts";
import { csvCell } from "../../kernel/csv.ts";
import { hasPrivate, isAuthority, isPublicKey, standing, toValidity } from "./certificate.ts";
import type { ListedRow } from "./certificate-keys.store.ts";
import { everyCertificate } from "./certificate-stream.ts";
import { toPem } from "../../../packages/x509/pem.ts";
import type { Selection } from "./selection.ts";
import { memberOf, namesOf, toCare, toDetails } from "./stored-certificate.ts";

/** The forms of an export. */
export type ExportFormat = "pem" | "csv" | "jsonl";

const contentTypes: Readonly<Record<ExportFormat, string>> = {
  pem: "application/x-pem-file",
  csv: "text/csv; charset=utf-8",
  jsonl: "application/jsonl",
};

/** Certificates as a file: PEM, CSV with a head line, or one JSON object a line. */
export function exportStream(
  ctx: RequestContext,
  format: ExportFormat,
  selection: Selection,
  nowMs: number,
): Answer<Pieces> {
  return new Answer(
    pieces[format](ctx, selection, nowMs),
    fileHeaders(contentTypes[format], `certificates.${format}`),
  );
}

const pieces: Readonly<
  Record<ExportFormat, (ctx: RequestContext, selection: Selection, nowMs: number) => Pieces>
> = {
  pem: async function* (ctx, selection) {
    const chunks = everyCertificate(ctx, ctx.principal.org_id, selection, "files");
    for await (const rows of chunks) yield rows.map(pemOf).join("");
  },
  csv: async function* (ctx, selection, nowMs) {
    const { org_id } = ctx.principal;
    yield `${COLUMNS.join(",")}\r\n`;
    const chunks = everyCertificate(ctx, org_id, selection, "details");
    for await (const rows of chunks) {
      yield rows.map((row) => csvLine(row, org_id, nowMs)).join("");
    }
  },
  jsonl: async function* (ctx, selection, nowMs) {
    const chunks = everyCertificate(ctx, ctx.principal.org_id, selection, "details");
    for await (const rows of chunks) {
      yield rows.map((row) => `${toDetails(row, nowMs, toCare(row))}\n`).join("");
    }
  },
};

/** A comment with the subject, then the certificate alone: chain and private key stay. */
function pemOf(row: ListedRow): string {
  const label = isPublicKey(row) ? "PUBLIC KEY" : "CERTIFICATE";
  return `# ${commentOf(memberOf(row.tail, "subject_cn"))}\n${toPem(row.certificate ?? "", label)}`;
}

/** A name must not be able to end its line, nor look like armour. */
function commentOf(name: string): string {
  if (/^[ -~]*$/.test(name) && !name.includes("-----")) return name;
  return name.replaceAll(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, " ").replaceAll("-----", "- -");
}

const COLUMNS = [
  "id",
  "subject_cn",
  "issuer_cn",
  "not_before",
  "not_after",
  "status",
  "days_left",
  "is_ca",
  "has_private",
  "key_algorithm",
  "key_size",
  "serial_number",
  "fingerprint",
  "dns_names",
  "owner",
  "tags",
];

function csvLine(row: ListedRow, org_id: string, nowMs: number): string {
  const { tail, details, fingerprint } = row;
  const { not_before, not_after } = toValidity(row);
  const { owner, tags } = toCare(row);
  const { status, days_left } = standing(row, nowMs);
  const cell = (member: Parameters<typeof memberOf>[1], texts = tail) =>
    csvCell(memberOf(texts, member));
  // Values of a fixed form are no formulas and need no quotes.
  return `${csvCell(org_id + fingerprint)},${cell("subject_cn")},${cell("issuer_cn")},` +
    `${not_before},${not_after},${status},${days_left ?? ""},` +
    `${isAuthority(row.kind)},${hasPrivate(row.kind)},${cell("key_algorithm", details)},` +
    `${memberOf(details, "key_size")},${cell("serial_number", details)},${fingerprint},` +
    `${csvCell(namesOf(row))},${csvCell(owner)},${csvCell(tags.join("; "))}\r\n`;
}
