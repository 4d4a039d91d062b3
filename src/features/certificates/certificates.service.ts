import type { RequestContext } from "../../calls/context.ts";
import { recordExport } from "../../calls/record-export.ts";
import { actorOf } from "../../calls/principal.ts";
import { pageCount } from "../../contract/envelope.ts";
import { Answer, begun, type Pieces, textIfShort } from "../../kernel/answer.ts";
import { Failure } from "../../kernel/failure.ts";
import { answerOfTheSecond, keptOfCertificates, secondOf } from "./answer-of-the-second.ts";
import type { Columns, ListedRow } from "./certificate-keys.store.ts";
import { pageOf } from "./certificate-pages.ts";
import { everyText } from "./certificate-stream.ts";
import { countFound } from "./certificate-list.store.ts";
import { canBeJoined, type Shown } from "./certificate-texts.store.ts";
import { fingerprintOf } from "./certificate.ts";
import { findCertificate } from "./certificates.store.ts";
import { removeTransaction } from "./certificates.transactions.ts";
import { type ExportFormat, exportStream } from "./export.ts";
import { type CertificateQuery, select, type Selection } from "./selection.ts";
import { showBasics, showDetails } from "./stored-certificate.ts";

/** What the certificate list is asked for. */
interface ListQuery extends CertificateQuery {
  p?: number | undefined;
  mode?: "" | "detailed" | undefined;
  filter?: "" | "omit" | "with_pk" | "without_pk" | undefined;
}

/** Specification 4.1: a page, or all of it as a stream whose memory stays flat. */
export async function list(
  ctx: RequestContext,
  query: ListQuery,
): Promise<Answer<string | Pieces>> {
  const detailed = query.mode === "detailed";
  const narrowed = withFilter(query, detailed || ctx.settings.filterAlways);
  return await pageOrEverything(ctx, narrowed, query.p ?? 1, listFormat(ctx, detailed));
}

/** A page of every detail. */
export async function listDetails(
  ctx: RequestContext,
  query: ListQuery,
): Promise<Answer<string | Pieces>> {
  const format = { ids: false, member: "certificates", columns: "details", capped: true } as const;
  return await pageOrEverything(ctx, query, query.p ?? 1, format);
}

/** All that match, as a file. Throws `invalid_input` for a search that is too short or too long. */
export async function exportAll(
  ctx: RequestContext,
  format: ExportFormat,
  query: CertificateQuery,
): Promise<Answer<Pieces>> {
  const now = ctx.clock.now();
  const { q, ...chosen } = query;
  // What is refused leaves no trace of an export.
  const selection = select(query, now);
  await recordExport(ctx, "certificates", { told: { format, ...chosen }, typed: { q } });
  return exportStream(ctx, format, selection, now);
}

/** Throws `certificate_not_found`. */
export async function get(ctx: RequestContext, id: string): Promise<Answer<string>> {
  const { org_id } = ctx.principal;
  const now = ctx.clock.now();
  // An id may be any text, also the name of another answer.
  return await answerOfTheSecond(ctx, now, `certificate-by-id ${id}`, async () => {
    const fingerprint = fingerprintOf(org_id, id);
    const row = fingerprint && await findCertificate(ctx.storage.reader, { org_id, fingerprint });
    if (!row) throw new Failure("certificate_not_found");
    return showDetails(row, now);
  });
}

/** Throws `certificate_not_removed`. */
export async function remove(ctx: RequestContext, id: string): Promise<void> {
  const fingerprint = fingerprintOf(ctx.principal.org_id, id);
  if (fingerprint === undefined) throw new Failure("certificate_not_removed");
  const actor = actorOf(ctx.principal, ctx.clock.now());
  await ctx.storage.commit(removeTransaction, { actor, fingerprint });
}

function withFilter(query: ListQuery, works: boolean): CertificateQuery {
  if (!works || !query.filter || query.filter === "omit") return query;
  const has_private = query.filter === "with_pk";
  if (query.has_private === undefined || query.has_private === has_private) {
    return { ...query, has_private };
  }
  const message = "has_private: contradicts filter";
  throw new Failure("invalid_input", { message, details: [message] });
}

/** How a list is written. */
interface ListFormat {
  /** True: the list of ids stands first, as older clients read it. */
  ids: boolean;
  /** The member that holds the items; null: there are none. */
  member: "cert_basics" | "certificates" | null;
  columns: Exclude<Columns, "files">;
  /** True: the answer says where more match than were counted. */
  capped: boolean;
}

/** The two shapes of the list, as the access token wants them, else KEYDESK_CERTS_ANSWER. */
function listFormat(ctx: RequestContext, detailed: boolean): ListFormat {
  const { settings: { originalCertificateLists }, principal: { certsAnswer } } = ctx;
  if (certsAnswer ? certsAnswer === "original" : originalCertificateLists) {
    return detailed
      ? { ids: false, member: "cert_basics", columns: "basics", capped: false }
      : { ids: true, member: null, columns: "basics", capped: false };
  }
  const columns = detailed ? "details" : "basics";
  return { ids: !detailed, member: "cert_basics", columns, capped: true };
}

async function pageOrEverything(
  ctx: RequestContext,
  query: CertificateQuery,
  p: number,
  format: ListFormat,
): Promise<Answer<string | Pieces>> {
  const now = ctx.clock.now();
  // What was asked for, as the contract's schema orders its members.
  const kind = `certs ${JSON.stringify(format)} ${JSON.stringify(query)}`;
  if (p < 0) return await wholeList(ctx, query, format, now, kind);
  return await answerOfTheSecond(
    ctx,
    now,
    `${kind} ${p}`,
    () => page(ctx, select(query, now), format, p, now),
  );
}

/** A list without pages: from memory or as one text where it is short, else made while sent. */
async function wholeList(
  ctx: RequestContext,
  query: CertificateQuery,
  format: ListFormat,
  now: number,
  name: string,
): Promise<Answer<string | Pieces>> {
  const selection = select(query, now);
  const isAsOfNow = format.columns === "details" || query.status !== undefined;
  const moment = isAsOfNow ? secondOf(now) : "";
  const { answer } = await keptOfCertificates(ctx, moment, name, async () => {
    const pieces = everything(ctx, selection, format, now);
    const body = await isShort(ctx, selection) ? await textIfShort(pieces) : await begun(pieces);
    // Pieces can be sent once.
    const length = typeof body === "string" ? body.length : Infinity;
    return { answer: new Answer(body, {}, 200, true), length };
  });
  return answer;
}

/** Certificates of a list that goes out as one text, at the most. */
const FEW = 1024;

/** False where counting would cost more than it brings. */
async function isShort(ctx: RequestContext, selection: Selection): Promise<boolean> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  return canBeJoined(selection) &&
    await countFound(reader, org_id, selection, FEW + 1) <= FEW;
}

async function page(
  ctx: RequestContext,
  selection: Selection,
  format: ListFormat,
  p: number,
  now: number,
): Promise<string> {
  const { principal: { org_id }, settings: { pageSize } } = ctx;
  const offset = (Math.max(p, 1) - 1) * pageSize;
  const { rows, total, capped } = await pageOf(ctx, selection, format.columns, offset);
  const ids = format.ids ? `"certs":[${rows.map((row) => idText(org_id, row)).join(",")}],` : "";
  const items = format.member === null
    ? ""
    : `"${format.member}":[${rows.map((row) => itemText(row, format, now)).join(",")}],`;
  const saysCapped = capped && format.capped;
  return `{${ids}${items}"pages":${pageCount(total, pageSize)}${
    saysCapped ? `,"capped":true` : ""
  }}`;
}

function itemText(row: ListedRow, format: ListFormat, now: number): string {
  return format.columns === "details" ? showDetails(row, now) : showBasics(row);
}

/** Keyset chunks; the ids of older clients come first, so everything is walked twice for them. */
async function* everything(
  ctx: RequestContext,
  selection: Selection,
  format: ListFormat,
  nowMs: number,
): Pieces {
  const { org_id } = ctx.principal;
  const texts = (shown: Shown, until?: number) =>
    everyText(ctx, org_id, selection, { shown, separator: ",", nowMs, until });
  let before = "{";
  let last: number | undefined;
  if (format.ids) {
    before += `"certs":[`;
    for await (const { text, last: position } of texts("ids")) {
      yield before + text;
      before = ",";
      last = position;
    }
    before = before === "," ? "]," : `${before}],`;
  }
  if (format.member === null) {
    yield `${before}"pages":${last === undefined ? 0 : 1}}`;
    return;
  }
  let isEmpty = true;
  before += `"${format.member}":[`;
  // What was added since the first walk is left to the next call.
  for await (
    const { text } of format.ids && last === undefined ? [] : texts(format.columns, last)
  ) {
    yield before + text;
    before = ",";
    isEmpty = false;
  }
  yield `${isEmpty ? before : ""}],"pages":${isEmpty ? 0 : 1}}`;
}

function idText(org_id: string, row: ListedRow): string {
  return `"${org_id}${row.fingerprint}"`;
}
