import { actorOf } from "../access/principal.ts";
import type { RequestContext } from "../context.ts";
import type { RawBody } from "../contract/endpoint.ts";
import { pageCount } from "../contract/envelope.ts";
import { Failure } from "../lib/failure.ts";
import { JsonStream, JsonText, TextStream } from "../lib/json-text.ts";
import { type ListCounter, listCounter } from "../storage/list-counts.ts";
import {
  type CertificateEntry,
  fingerprintOf,
  listOf,
  showBasics,
  showDetails,
  toEntry,
} from "./certificate-entry.ts";
import {
  countFound,
  countGathered,
  foundCertificates,
  gatheredCertificates,
  start,
} from "./certificate-list.store.ts";
import type { Columns, ListedRow } from "./certificate-keys.store.ts";
import { everyCertificate, GATHERED, isTooMuchToSort } from "./certificate-stream.ts";
import { findCertificate, positionKey } from "./certificates.store.ts";
import { addCertificates, type Added, removeTransaction } from "./certificates.transactions.ts";
import { type ExportFormat, exportStream } from "./export.ts";
import { type CertificateQuery, mustGather, select, type Selection } from "./selection.ts";
import { uploadedFile } from "./uploaded-file.ts";

/** What the certificate list is asked for. */
export interface ListQuery extends CertificateQuery {
  p?: number | undefined;
  mode?: "" | "detailed" | undefined;
  filter?: "" | "omit" | "with_pk" | "without_pk" | undefined;
}

/** Matches of a condition on time are counted up to here. */
const COUNTED = 1000;
/** Up to this offset an index is walked; further down the counters find the place. */
const NEAR = 256;
/** Certificates of a bundle that share one transaction. */
const BATCH = 100;

/** Specification 4.1: a page, or all of it as a stream whose memory stays flat. */
export async function list(ctx: RequestContext, query: ListQuery): Promise<JsonText | JsonStream> {
  const detailed = query.mode === "detailed";
  const now = ctx.clock.now();
  const selection = select(withFilter(query, detailed || ctx.settings.filterAlways), now);
  const columns = detailed ? "details" : "basics";
  const format: ListFormat = detailed
    ? { member: "cert_basics", ids: false, show: (row) => showDetails(row, now) }
    : { member: "cert_basics", ids: true, show: showBasics };
  return await pageOrEverything(ctx, selection, columns, query.p ?? 1, format);
}

/** A page of every detail. */
export async function listDetails(
  ctx: RequestContext,
  query: ListQuery,
): Promise<JsonText | JsonStream> {
  const now = ctx.clock.now();
  return await pageOrEverything(ctx, select(query, now), "details", query.p ?? 1, {
    member: "certificates",
    ids: false,
    show: (row) => showDetails(row, now),
  });
}

/** All that match, as a file. */
export function exportAll(
  ctx: RequestContext,
  format: ExportFormat,
  query: CertificateQuery,
): TextStream {
  const now = ctx.clock.now();
  const columns = format === "pem" ? "files" : "details";
  const chunks = everyCertificate(ctx, ctx.principal.org_id, select(query, now), columns);
  return exportStream(format, chunks, ctx.principal.org_id, now);
}

/** Throws `certificate_not_found`. */
export async function get(ctx: RequestContext, id: string): Promise<JsonText> {
  const { org_id } = ctx.principal;
  const fingerprint = fingerprintOf(org_id, id);
  const row = fingerprint && await findCertificate(ctx.storage.reader, org_id, fingerprint);
  if (!row) throw new Failure("certificate_not_found");
  return new JsonText(showDetails(row, ctx.clock.now()));
}

/** Throws `certificate_not_removed`. */
export async function remove(ctx: RequestContext, id: string): Promise<void> {
  const fingerprint = fingerprintOf(ctx.principal.org_id, id);
  if (fingerprint === undefined) throw new Failure("certificate_not_removed");
  const actor = actorOf(ctx.principal, ctx.clock.now());
  await ctx.storage.commit(removeTransaction, { actor, fingerprint });
}

/** Adds the certificate of an upload; gives its id. Throws `certificate_exists`, or what was wrong with the file. */
export async function upload(
  ctx: RequestContext,
  body: RawBody,
  passphrase: string | null,
): Promise<string> {
  const file = await uploadedFile(body);
  const entry = await readOne(ctx, file.bytes, {
    passphrase: file.passphrase ?? passphrase ?? undefined,
    allowExpired: false,
  });
  const [result] = await add(ctx, [entry]);
  const id = ctx.principal.org_id + entry.fingerprint;
  if (result !== "exists") return id;
  throw new Failure("certificate_exists", {
    message: `Could not create certificate. Certificate with ${id} ID already exists.`,
  });
}

/** One certificate of a bundle, and what became of it. */
export interface BundleItem {
  index: number;
  line?: number;
  result: "added" | "exists" | "refused";
  id?: string;
  subject_cn?: string;
  reason?: string;
  message?: string;
}

/** Adds every certificate of an uploaded bundle. */
export async function uploadBundle(ctx: RequestContext, body: RawBody) {
  const { bytes } = await uploadedFile(body);
  const results: BundleItem[] = [];
  for await (const item of addBundle(ctx, bytes)) results.push(item);
  const count = (result: string) => results.filter((item) => item.result === result).length;
  return { added: count("added"), exists: count("exists"), refused: count("refused"), results };
}

/** Adds every certificate of a bundle, expired ones too, many in one transaction; tells what became of each. */
export async function* addBundle(
  ctx: RequestContext,
  bytes: Uint8Array,
): AsyncGenerator<BundleItem, void, void> {
  const { readBundle } = await import("./bundle.ts");
  const { org_id } = ctx.principal;
  let batch: { item: BundleItem; entry: CertificateEntry | null }[] = [];
  for (const read of readBundle(bytes)) {
    const { index, line } = read;
    if (read.ok) {
      const { subject_cn, fingerprint } = read.certificate;
      const entry = toEntry(org_id, read.certificate, ctx.clock.now());
      const id = org_id + fingerprint;
      batch.push({ item: { index, line, result: "added", id, subject_cn }, entry });
    } else {
      const { reason, message } = read;
      const place = line === undefined ? { index } : { index, line };
      batch.push({ item: { ...place, result: "refused", reason, message }, entry: null });
    }
    if (batch.length < BATCH) continue;
    yield* await addBatch(ctx, batch);
    batch = [];
  }
  yield* await addBatch(ctx, batch);
}

/** Reads one upload. Throws what was wrong with it. */
export async function readOne(
  ctx: RequestContext,
  bytes: Uint8Array,
  options: { passphrase?: string | undefined; allowExpired: boolean },
): Promise<CertificateEntry> {
  // Loaded at the first upload: reading X.509 costs memory that a server without uploads saves.
  const { MAX_UPLOAD_BYTES, readUpload } = await import("./upload.ts");
  if (bytes.length > MAX_UPLOAD_BYTES) {
    throw new Failure("body_too_large", { message: "The certificate file is larger than 1 MiB." });
  }
  const { passphrase, allowExpired } = options;
  const nowMs = ctx.clock.now();
  const read = await readUpload(bytes, {
    nowMs,
    allowExpired,
    ...passphrase === undefined ? {} : { passphrase },
  });
  const { org_id } = ctx.principal;
  if (read.kind === "public-key") return toEntry(org_id, read.publicKey, nowMs);
  return toEntry(org_id, read.leaf, nowMs, { chain: read.chain, privateKey: read.privateKey });
}

/** Adds certificates in one transaction and tells what became of each. */
export async function add(
  ctx: RequestContext,
  entries: readonly CertificateEntry[],
): Promise<Added[]> {
  if (entries.length === 0) return [];
  const actor = actorOf(ctx.principal, ctx.clock.now());
  return await ctx.storage.commit(addCertificates, { actor, entries });
}

async function addBatch(
  ctx: RequestContext,
  batch: { item: BundleItem; entry: CertificateEntry | null }[],
): Promise<BundleItem[]> {
  const results = await add(ctx, batch.flatMap(({ entry }) => entry ?? []));
  let next = 0;
  return batch.map(({ item, entry }) =>
    entry && results[next++] === "exists" ? { ...item, result: "exists" } : item
  );
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

/** How a list is written: `ids` puts the list of ids before the items, as older clients read it. */
interface ListFormat {
  member: string;
  ids: boolean;
  show(row: ListedRow): string;
}

async function pageOrEverything(
  ctx: RequestContext,
  selection: Selection,
  columns: Columns,
  p: number,
  format: ListFormat,
): Promise<JsonText | JsonStream> {
  if (p < 0) return new JsonStream(everything(ctx, selection, columns, format));
  const { org_id } = ctx.principal;
  const { pageSize } = ctx.settings;
  const offset = (Math.max(p, 1) - 1) * pageSize;
  const { rows, total, capped } = await page(ctx, selection, columns, offset);
  const ids = format.ids ? `"certs":[${rows.map((row) => idText(org_id, row)).join(",")}],` : "";
  return new JsonText(
    `{${ids}"${format.member}":[${rows.map(format.show).join(",")}],` +
      `"pages":${pageCount(total, pageSize)}${capped ? `,"capped":true` : ""}}`,
  );
}

interface Page {
  rows: ListedRow[];
  total: number;
  /** More match than `total` says. */
  capped: boolean;
}

async function page(
  ctx: RequestContext,
  selection: Selection,
  columns: Columns,
  offset: number,
): Promise<Page> {
  const { storage: { reader }, principal: { org_id }, settings: { pageSize: limit } } = ctx;
  if (mustGather(selection)) {
    const { n, looked } = await countGathered(reader, org_id, selection, GATHERED + 1);
    const capped = looked > GATHERED;
    const total = Math.min(n, GATHERED);
    // Found in the order asked for, and nothing among it that is not wanted: no more than the page is gathered.
    const isFound = selection.times === null && selection.order === selection.found && n === looked;
    const window = {
      gather: isFound ? Math.min(GATHERED, offset + limit) : GATHERED,
      skip: offset,
      limit: Math.min(limit, total - offset),
    };
    const rows = offset >= total
      ? []
      : await gatheredCertificates(reader, org_id, selection, columns, window);
    return { rows, total, capped };
  }
  if (selection.times !== null) {
    const n = await countFound(reader, org_id, selection, COUNTED + 1);
    const total = Math.min(n, COUNTED);
    const rows = await cut(ctx, selection, columns, offset, { total, isAll: n === total });
    return { rows, total, capped: n > total };
  }
  const total = await counterOf(selection.kinds).count(reader, org_id);
  const rows = await cut(ctx, selection, columns, offset, { total, isAll: true });
  return { rows, total, capped: false };
}

/** A page of an index. The second half of what is known whole is walked from its end. */
async function cut(
  ctx: RequestContext,
  selection: Selection,
  columns: Columns,
  offset: number,
  { total, isAll }: { total: number; isAll: boolean },
): Promise<ListedRow[]> {
  const { storage: { reader }, principal: { org_id }, settings: { pageSize } } = ctx;
  const limit = Math.min(pageSize, total - offset);
  if (limit <= 0) return [];
  const { found, times, kinds } = selection;
  const fromEnd = isAll && offset > total / 2;
  const descending = selection.descending !== fromEnd;
  const skip = fromEnd ? total - offset - limit : offset;
  const near = { after: start(selection, descending), skip, limit, descending };
  if (found !== "position" || times !== null || skip <= NEAR) {
    const rows = await foundCertificates(reader, org_id, selection, columns, near);
    return fromEnd ? rows.reverse() : rows;
  }
  const fromOldest = selection.descending ? total - offset - limit : offset;
  const place = await counterOf(kinds).seekOldest(reader, org_id, fromOldest);
  const position = Number(place.from.padEnd(positionKey(0).length, "0")) - 1;
  const rows = await foundCertificates(reader, org_id, selection, columns, {
    after: { key: position, position },
    skip: place.skip,
    limit,
    descending: false,
  });
  return selection.descending ? rows.reverse() : rows;
}

const counters = new Map<string, ListCounter>();

/** The counter over the lists of some kinds; there are nine such sets. */
function counterOf(kinds: readonly number[]): ListCounter {
  const name = kinds.join();
  const counter = counters.get(name) ?? listCounter(kinds.map(listOf));
  counters.set(name, counter);
  return counter;
}

/** Keyset chunks; the ids of older clients come first, so that everything is walked twice for them. */
async function* everything(
  ctx: RequestContext,
  selection: Selection,
  columns: Columns,
  format: ListFormat,
): AsyncGenerator<string, void, void> {
  const { org_id } = ctx.principal;
  const walk = () => everyCertificate(ctx, org_id, selection, columns);
  let before = "{";
  let last: number | undefined;
  if (format.ids) {
    before += `"certs":[`;
    for await (const rows of walk()) {
      yield before + rows.map((row) => idText(org_id, row)).join(",");
      before = ",";
      last = rows.at(-1)?.position;
    }
    before = before === "," ? "]," : `${before}],`;
  }
  let isEmpty = true;
  before += `"${format.member}":[`;
  // What was added since the first walk is left to the next call.
  const isDone = (rows: readonly ListedRow[]) =>
    format.ids && rows.some((row) => row.position === last);
  for await (const rows of format.ids && last === undefined ? [] : walk()) {
    const end = isDone(rows) ? rows.findIndex((row) => row.position === last) + 1 : rows.length;
    if (end > 0) {
      yield before + rows.slice(0, end).map(format.show).join(",");
      before = ",";
      isEmpty = false;
    }
    if (isDone(rows)) break;
  }
  const unsorted = await isTooMuchToSort(ctx, org_id, selection);
  yield `${isEmpty ? before : ""}],"pages":${isEmpty ? 0 : 1}${unsorted ? `,"capped":true` : ""}}`;
}

function idText(org_id: string, row: ListedRow): string {
  return `"${org_id}${row.fingerprint}"`;
}
