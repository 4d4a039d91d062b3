import { actorOf } from "../access/principal.ts";
import type { RequestContext } from "../context.ts";
import type { RawBody } from "../contract/endpoint.ts";
import { Failure } from "../lib/failure.ts";
import { type CertificateEntry, toEntry } from "./certificate-entry.ts";
import { addCertificates, type Added } from "./certificates.transactions.ts";
import { uploadedFile } from "./uploaded-file.ts";

/** Certificates of a bundle that share one transaction. */
const BATCH = 100;

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
