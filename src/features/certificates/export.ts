import { Buffer } from "node:buffer";
import { Answer, fileHeaders, type Pieces } from "../../kernel/answer.ts";
import { hasPrivate, isPublicKey, standing } from "./certificate.ts";
import type { ListedRow } from "./certificate-keys.store.ts";
import { toPem } from "./reading/pem.ts";
import { detailOf, parseBasics, showDetails } from "./stored-certificate.ts";

/** The forms of an export. */
export type ExportFormat = "pem" | "csv" | "jsonl";

const contentTypes: Readonly<Record<ExportFormat, string>> = {
  pem: "application/x-pem-file",
  csv: "text/csv; charset=utf-8",
  jsonl: "application/jsonl",
};

/** Certificates as a file: PEM (the rows with their files), CSV with a head line, or one JSON object a line. */
export function exportStream(
  format: ExportFormat,
  chunks: AsyncIterable<ListedRow[]>,
  org_id: string,
  nowMs: number,
): Answer<Pieces> {
  return new Answer(
    pieces(format, chunks, org_id, nowMs),
    fileHeaders(contentTypes[format], `certificates.${format}`),
  );
}

async function* pieces(
  format: ExportFormat,
  chunks: AsyncIterable<ListedRow[]>,
  org_id: string,
  nowMs: number,
): AsyncGenerator<string, void, void> {
  if (format === "csv") yield `${COLUMNS.join(",")}\r\n`;
  const line = {
    pem: pemOf,
    csv: (row: ListedRow) => csvLine(row, org_id, nowMs),
    jsonl: (row: ListedRow) => `${showDetails(row, nowMs)}\n`,
  }[format];
  for await (const rows of chunks) if (rows.length > 0) yield rows.map(line).join("");
}

/** A comment with the subject, then the certificate alone: chain and private key stay. */
function pemOf(row: ListedRow): string {
  const { subject_cn } = parseBasics(row);
  const label = isPublicKey(row) ? "PUBLIC KEY" : "CERTIFICATE";
  // A name must not be able to end its line, nor look like armour.
  const name = subject_cn.replaceAll(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, " ").replaceAll("-----", "- -");
  return `# ${name}\n${toPem(Buffer.from(row.certificate ?? "", "base64"), label)}`;
}

const COLUMNS = [
  ...["id", "subject_cn", "issuer_cn", "not_before", "not_after", "status", "days_left"],
  ...["is_ca", "has_private", "key_algorithm", "key_size", "serial_number", "fingerprint"],
  "dns_names",
];

function csvLine(row: ListedRow, org_id: string, nowMs: number): string {
  const shown = parseBasics(row);
  const { status, days_left } = standing(row, nowMs);
  const cells = [
    org_id + row.fingerprint,
    shown.subject_cn,
    shown.issuer_cn,
    shown.not_before,
    shown.not_after,
    status,
    days_left === null ? "" : String(days_left),
    String(shown.is_ca),
    String(hasPrivate(row.kind)),
    detailOf(row, "key_algorithm"),
    detailOf(row, "key_size"),
    detailOf(row, "serial_number"),
    row.fingerprint,
    shown.dns_names.join(" "),
  ];
  return `${cells.map(csvCell).join(",")}\r\n`;
}

/** RFC 4180. A text that a spreadsheet would run as a formula gets an apostrophe before it. */
function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) && !/^-?\d+$/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
