import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { actorOf, comparedBy, type Idempotency } from "../../calls/principal.ts";
import type { RawBody } from "../../contract/endpoint.ts";
import { Answer } from "../../kernel/answer.ts";
import { Failure } from "../../kernel/failure.ts";
import type { PageQuery } from "../../kernel/walk.ts";
import { renewalsOf } from "./certificate-renewals.store.ts";
import { renewalOf } from "./certificate-renewals.service.ts";
import { changeCare } from "./certificate-care.transactions.ts";
import { pageBehind } from "./certificate-cursor.ts";
import type { ListedRow } from "./certificate-keys.store.ts";
import { chainOf, issuedBy, issuersOf } from "./certificate-family.ts";
import {
  addAll,
  type BundleRead,
  comparedBundle,
  comparedUpload,
  kindOfUpload,
  readBundle,
  readEntries,
} from "./certificate-uploads.service.ts";
import { certificateRevision, fingerprintOf, isPublicKey } from "./certificate.ts";
import { findCertificate, findFile } from "./certificates.store.ts";
import { removeTransaction } from "./certificates.transactions.ts";
import { toPem } from "../../../packages/x509/pem.ts";
import { calledBy } from "./certificate-title.ts";
import { type CertificateQuery, endOfDays, secondAt, select } from "./selection.ts";
import {
  showBasics,
  showCare,
  showDetails,
  type StoredCare,
  type StoredCertificate,
} from "./stored-certificate.ts";
import { uploadedFile } from "./uploaded-file.ts";
import type { certificatesUploaded, listQuery } from "./v1.contract.ts";

/** A file with keys is read as a whole. */
const MAX_KEY_FILE = 1024 * 1024;

/** What a list is narrowed by. */
export type ListQuery = z.output<typeof listQuery>;

/** A page as JSON text, and where the next one starts. */
interface ListPage {
  text: string;
  next_cursor: string | null;
}

/** A page of certificates with every detail. Throws `invalid_input`. */
export async function listV1(ctx: RequestContext, query: ListQuery): Promise<ListPage> {
  const now = ctx.clock.now();
  const { rows, next_cursor } = await findV1(ctx, query, now);
  const cared = await careShownOf(ctx, rows);
  return pageText(rows.map((row) => showDetails(row, now, cared(row))), next_cursor);
}

/**
 * The stored certificates of a page, as they stand at `now`; `isFit`: which of them alone. Throws
 * `invalid_input`.
 */
export async function findV1(
  ctx: RequestContext,
  query: ListQuery,
  now: number,
  isFit?: (row: ListedRow) => boolean,
): Promise<{ rows: ListedRow[]; next_cursor: string | null }> {
  const { org_id } = ctx.principal;
  const { limit, cursor } = query;
  const selection = select(narrowedOf(org_id, query, now), now);
  const { wanted } = caredBy(query);
  const both = isFit
    ? { wanted: (row: ListedRow) => isFit(row) && (wanted?.(row) ?? true) }
    : wanted && { wanted };
  const page = { limit, cursor, columns: "details", ...both } as const;
  return await pageBehind(ctx, org_id, selection, page);
}

/** What of a list's rows is wanted by who cares for them. */
function caredBy({ owner, tag }: ListQuery): { wanted?: (row: StoredCare) => boolean } {
  if (owner === undefined && tag === undefined) return {};
  return {
    wanted: (row) =>
      (owner === undefined || (row.owner ?? "").toLowerCase() === owner.toLowerCase()) &&
      (tag === undefined || showCare(row).tags.includes(tag)),
  };
}

/** The members of these certificates that say who cares for them, and what renews them. */
async function careShownOf(ctx: RequestContext, rows: readonly { fingerprint: string }[]) {
  const { org_id } = ctx.principal;
  const now = secondAt(ctx.clock.now());
  const fingerprints = rows.map(({ fingerprint }) => fingerprint);
  const renewals = await renewalsOf(ctx.storage.reader, { org_id, now }, fingerprints);
  return (row: StoredCare & { fingerprint: string }) => {
    const renewed = renewals.get(row.fingerprint);
    return { ...showCare(row), renewed_by: renewed === undefined ? null : org_id + renewed };
  };
}

/** Sets who cares for a certificate, and its tags. Throws `certificate_not_found`. */
export async function updateV1(
  ctx: RequestContext,
  id: string,
  { owner, tags }: { owner: string; tags: string[] },
): Promise<Answer<string>> {
  const fingerprint = fingerprintOf(ctx.principal.org_id, id);
  if (fingerprint === undefined) throw new Failure("certificate_not_found");
  const actor = actorOf(ctx.principal, ctx.clock.now());
  await ctx.storage.commit(changeCare, { actor, fingerprint, owner, tags: [...new Set(tags)] });
  return await getV1(ctx, id);
}

/** One certificate with its PEM, chain, issuers and ETag. Throws `certificate_not_found`. */
export async function getV1(ctx: RequestContext, id: string): Promise<Answer<string>> {
  const row = await mustFind(ctx, id);
  const { certificate, chain } = await fileOf(ctx, row.fingerprint);
  const revision = certificateRevision(row);
  const { renewed_by, renewal } = await renewalOf(ctx, id);
  const more = {
    ...showCare(row),
    renewed_by,
    renewal,
    pem: pemOf(row, certificate),
    chain: await chainOf(ctx, chain),
    issuers: await issuersOf(ctx, row),
    revision,
  };
  return new Answer(showDetails(row, ctx.clock.now(), more), { etag: `"${revision}"` });
}

/** One certificate as PEM, with its chain where asked for. Throws `certificate_not_found`. */
export async function download(
  ctx: RequestContext,
  id: string,
  withChain: boolean,
): Promise<Answer<string>> {
  const row = await mustFind(ctx, id);
  const { certificate, chain } = await fileOf(ctx, row.fingerprint);
  const others = withChain && chain !== "" ? chain.split("\n") : [];
  const text = pemOf(row, certificate) +
    others.map((one) => toPem(one)).join("");
  return new Answer(text, {
    "content-type": "application/x-pem-file",
    "content-disposition": `attachment; filename="${row.fingerprint.slice(0, 16)}.pem"`,
  });
}

/** A page of what an authority issued. Throws `certificate_not_found`. */
export async function listIssued(
  ctx: RequestContext,
  id: string,
  page: PageQuery,
): Promise<ListPage> {
  const { rows, next_cursor } = await issuedBy(ctx, await mustFind(ctx, id), page);
  const shown = rows.map((row) =>
    `${showBasics(row).slice(0, -1)},"name":${JSON.stringify(calledBy(row))}}`
  );
  return pageText(shown, next_cursor);
}

/**
 * Adds what a file holds, and tells what became of each certificate. Throws what is wrong with the
 * call itself.
 */
export async function uploadV1(
  ctx: RequestContext,
  body: RawBody,
  by: {
    as: "one" | "each" | undefined;
    passphrase: string | null;
    takesOver: boolean;
    idempotency: Idempotency;
    /** What becomes of fields of the form that nothing reads: throws, or tells somebody. */
    unread: (names: readonly string[]) => void;
  },
): Promise<z.output<typeof certificatesUploaded>> {
  const file = await uploadedFile(body);
  if (file.unread.length > 0) by.unread(file.unread);
  const passphrase = file.passphrase ?? by.passphrase ?? undefined;
  const { as } = by;
  const kind = as === "one" ? "entries" : await kindOfFile(file.bytes, as);
  if (kind === "entries" && file.bytes.length > MAX_KEY_FILE) throw new Failure("body_too_large");
  const entries = kind === "entries"
    ? await readEntries(ctx, file.bytes, { passphrase, as, signal: body.gone?.() })
    : undefined;
  const reads = entries ?? readBundle(ctx, file.bytes);
  const read = entries?.flatMap((one) => one.ok ? comparedUpload(one.entry, passphrase) : []) ?? [];
  const parsed = read.length > 0 ? read : comparedBundle(file.bytes);
  const results: z.output<typeof certificatesUploaded>["results"] = [];
  const call = comparedBy(by.idempotency, parsed);
  for await (const { read, result } of addAll(ctx, reads, by.takesOver, call)) {
    results.push({ ...toldOf(read), result });
  }
  const count = (result: string) => results.filter((item) => item.result === result).length;
  return {
    added: count("added"),
    key_added: count("key_added"),
    exists: count("exists"),
    refused: count("refused"),
    skipped: count("skipped"),
    results,
  };
}

/** Deletes a certificate. Throws `certificate_not_removed` and `precondition_failed`. */
export async function removeV1(
  ctx: RequestContext,
  id: string,
  ifMatch: string[] | null,
): Promise<void> {
  const fingerprint = fingerprintOf(ctx.principal.org_id, id);
  if (fingerprint === undefined) throw new Failure("certificate_not_removed");
  const actor = actorOf(ctx.principal, ctx.clock.now());
  await ctx.storage.commit(removeTransaction, { actor, fingerprint, ifMatch });
}

/** The query as the lists take it. A search for an id is one for its fingerprint. */
function narrowedOf(org_id: string, query: ListQuery, now: number): CertificateQuery {
  const { expires_within: days, q } = query;
  const before = query.expires_before === undefined ? [] : [Date.parse(query.expires_before)];
  const after = query.expires_after === undefined ? [] : [Date.parse(query.expires_after)];
  if (days !== undefined) {
    before.push(endOfDays(days, now));
    after.push(now);
  }
  const asked = q?.trim().toLowerCase() ?? "";
  const isId = asked.startsWith(org_id) && asked.length > org_id.length;
  return {
    ...query,
    ...isId ? { q: asked.slice(org_id.length) } : {},
    expires_before: before.length > 0 ? Math.min(...before) : undefined,
    expires_after: after.length > 0 ? Math.max(...after) : undefined,
  };
}

async function mustFind(ctx: RequestContext, id: string): Promise<StoredCertificate & StoredCare> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const fingerprint = fingerprintOf(org_id, id);
  const row = fingerprint && await findCertificate(reader, { org_id, fingerprint });
  if (!row) throw new Failure("certificate_not_found");
  return row;
}

async function fileOf(ctx: RequestContext, fingerprint: string) {
  const file = await findFile(ctx.storage.reader, { org_id: ctx.principal.org_id, fingerprint });
  if (!file) throw new Failure("certificate_not_found");
  return file;
}

function pemOf(row: StoredCertificate, certificate: string): string {
  const label = isPublicKey(row) ? "PUBLIC KEY" : "CERTIFICATE";
  return toPem(certificate, label);
}

function pageText(items: readonly string[], next_cursor: string | null): ListPage {
  const text = `{"data":[${items.join(",")}],"next_cursor":${JSON.stringify(next_cursor)}}`;
  return { text, next_cursor };
}

function toldOf(read: BundleRead) {
  const place = read.line === undefined ? {} : { line: read.line };
  if (!read.ok) return { index: read.index, ...place, reason: read.reason, message: read.message };
  const { index, id, subject_cn, entry } = read;
  return { index, ...place, id, subject_cn, name: calledBy(entry) };
}

/** PEM of which each certificate is wanted has no keys: those are refused one by one. */
async function kindOfFile(bytes: Uint8Array, as: "each" | undefined) {
  if (as === undefined) return await kindOfUpload(bytes);
  const { isPkcs12 } = await import("../../../packages/x509/pkcs12.ts");
  return isPkcs12(bytes) ? "entries" : "bundle";
}
