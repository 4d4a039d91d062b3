import type { RequestContext } from "../../calls/context.ts";
import { Answer, fileHeaders, type Pieces } from "../../kernel/answer.ts";
import { hasPrivate, isPublicKey, standing } from "./certificate.ts";
import type { ListedRow } from "./certificate-keys.store.ts";
import { everyCertificate } from "./certificate-stream.ts";
import { toPem } from "./reading/pem.ts";
import type { Selection } from "./selection.ts";
import { detailOf, parseBasics, showCare, showDetails } from "./stored-certificate.ts";

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
      yield rows.map((row) => `${showDetails(row, nowMs, showCare(row))}\n`).join("");
    }
  },
};

/** A comment with the subject, then the certificate alone: chain and private key stay. */
function pemOf(row: ListedRow): string {
  const { subject_cn } = parseBasics(row);
  const label = isPublicKey(row) ? "PUBLIC KEY" : "CERTIFICATE";
  // A name must not be able to end its line, nor look like armour.
  const name = subject_cn.replaceAll(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, " ").replaceAll("-----", "- -");
  return `# ${name}\n${toPem(row.certificate ?? "", label)}`;
}

const COLUMNS = [
  ...["id", "subject_cn", "issuer_cn", "not_before", "not_after", "status", "days_left"],
  ...["is_ca", "has_private", "key_algorithm", "key_size", "serial_number", "fingerprint"],
  ...["dns_names", "owner", "tags"],
];

function csvLine(row: ListedRow, org_id: string, nowMs: number): string {
  const shown = parseBasics(row);
  const care = showCare(row);
  const { status, days_left } = standing(row, nowMs);
  // What a certificate can't say freely is no formula and needs no quotes.
  const cells = [
    csvCell(org_id + row.fingerprint),
    csvCell(shown.subject_cn),
    csvCell(shown.issuer_cn),
    shown.not_before,
    shown.not_after,
    status,
    days_left ?? "",
    shown.is_ca,
    hasPrivate(row.kind),
    csvCell(detailOf(row, "key_algorithm")),
    detailOf(row, "key_size"),
    csvCell(detailOf(row, "serial_number")),
    row.fingerprint,
    csvCell(shown.dns_names.join(" ")),
    csvCell(care.owner),
    csvCell(care.tags.join("; ")),
  ];
  return `${cells.join(",")}\r\n`;
}

/** RFC 4180. A text that a spreadsheet would run as a formula gets an apostrophe before it. */
function csvCell(text: string): string {
  if (!/^[=+\-@\t]|[",\r\n]/.test(text)) return text;
  const safe = /^[=+\-@\t\r]/.test(text) && !/^-?\d+$/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
