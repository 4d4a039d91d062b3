import { styleText } from "node:util";
import type { ListedRow } from "../features/certificates/certificate-keys.store.ts";
import { everyCertificate } from "../features/certificates/certificate-stream.ts";
import { hasPrivate, isPublicKey, standing } from "../features/certificates/certificate.ts";
import { calledBy } from "../features/certificates/certificate-title.ts";
import { calledSubject } from "../contract/called-certificate.ts";
import { select } from "../features/certificates/selection.ts";
import { parseDetails, showDetails } from "../features/certificates/stored-certificate.ts";
import { asOperator } from "./as-operator.ts";
import { type NarrowingOptions, toQuery } from "./certs-query.ts";
import { print } from "./standard-output.ts";
import { columnsWithin, tableLine } from "./table.ts";
import { terminal } from "./terminal.ts";

/** `keydesk certs list`. */
export async function listCertificates(
  options: NarrowingOptions & { json?: boolean; output?: "wide" },
): Promise<void> {
  await asOperator(async (ctx) => {
    const now = ctx.clock.now();
    const { org_id } = ctx.principal;
    const chunks = everyCertificate(ctx, org_id, select(toQuery(options, now), now), "details");
    await (options.json ? printJson(chunks, now) : printRows(chunks, now, options.output));
  });
}

async function printJson(chunks: AsyncIterable<ListedRow[]>, now: number): Promise<void> {
  for await (const rows of chunks) {
    if (rows.length > 0) await print(rows.map((row) => `${showDetails(row, now)}\n`).join(""));
  }
}

async function printRows(
  chunks: AsyncIterable<ListedRow[]>,
  now: number,
  output: "wide" | undefined,
): Promise<void> {
  const { isOutTerminal, outWidth } = terminal();
  const columns = columnsWithin(
    { head: HEAD, widths: WIDTHS, extra: ["KEY", "DAYS", "ISSUER"] },
    isOutTerminal && output !== "wide" ? outWidth : Infinity,
  );
  let isEmpty = true;
  for await (const rows of chunks) {
    if (rows.length === 0) continue;
    if (isEmpty) {
      await print(`${lineOf(HEAD, columns)}\n`);
    }
    isEmpty = false;
    await print(rows.map((row) => `${rowText(row, now, columns)}\n`).join(""));
  }
  if (isEmpty) terminal().err("There is no certificate that matches.");
}

function rowText(row: ListedRow, now: number, columns: Columns): string {
  const { issuer } = parseDetails(row);
  const { status, days_left } = standing(row, now);
  const text = lineOf([
    calledBy(row) || "-",
    issuer.CommonName || calledSubject(issuer) || "-",
    isPublicKey(row) ? "-" : row.not_after.slice(0, 10),
    days_left === null ? "-" : String(days_left),
    status,
    hasPrivate(row.kind) ? "yes" : "no",
    row.fingerprint,
  ], columns);
  const colour =
    ({ expired: "red", invalid: "red", expiring: "yellow", not_yet_valid: "cyan" } as const)[
      status as "expired"
    ];
  return colour && terminal().isColoured
    ? styleText(colour, text, { validateStream: false })
    : text;
}

type Columns = ReturnType<typeof columnsWithin>;

function lineOf(cells: readonly string[], { shown, widths }: Columns): string {
  return tableLine(shown.map((i) => cells[i] ?? ""), widths);
}

const HEAD = ["SUBJECT", "ISSUER", "NOT AFTER", "DAYS", "STATUS", "KEY", "FINGERPRINT"];

/** Columns of fixed width, because the rows to come are not known yet; the last one is whole. */
const WIDTHS = [36, 28, 10, 6, 13, 3];
