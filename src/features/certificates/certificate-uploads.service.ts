import { Buffer } from "node:buffer";
import type { RequestContext } from "../../calls/context.ts";
import { actorOf, comparedBy, type Idempotency, idempotentCall } from "../../calls/principal.ts";
import type { RawBody } from "../../contract/endpoint.ts";
import { Failure } from "../../kernel/failure.ts";
import { TimeSlices } from "../../kernel/time-slices.ts";
import { type CertificateEntry, toEntry } from "./certificate-entry.ts";
import { addCertificates, type Added } from "./certificates.transactions.ts";
import type { RefusalReason } from "../../../packages/x509/refusal.ts";
import type { Upload } from "../../../packages/x509/upload.ts";
import { uploadedFile } from "./uploaded-file.ts";

/** Certificates of a bundle that share one transaction. */
const BATCH = 100;

/** And about so many characters of files: a large transaction holds everybody else up. */
const BATCH_LENGTH = 1024 * 1024;

/**
 * Adds the certificate of an upload; gives its id. Throws `certificate_exists`, or what was wrong
 * with the file.
 */
export async function upload(
  ctx: RequestContext,
  body: RawBody,
  by: { passphrase: string | null; idempotency: Idempotency; takesOver: boolean },
): Promise<string> {
  const file = await uploadedFile(body);
  const passphrase = file.passphrase ?? by.passphrase ?? undefined;
  const entry = await readOne(ctx, file.bytes, {
    passphrase,
    allowExpired: false,
    signal: body.gone?.(),
  });
  const idempotency = comparedBy(by.idempotency, comparedUpload(entry, passphrase));
  await add(ctx, [entry], { refusesKnown: true, idempotency, takesOver: by.takesOver });
  return ctx.principal.org_id + entry.fingerprint;
}

/** The value by which two uploads of one certificate are compared, whatever file they came in. */
export function comparedUpload(entry: CertificateEntry, passphrase: string | undefined) {
  const { certificate, chain, private_key } = entry;
  return { certificate, chain, private_key, passphrase };
}

/**
 * The value by which two bundles are compared: the text of the file, since parts that are no
 * certificates have their results too.
 */
export function comparedBundle(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("latin1");
}

/** A certificate that was read and may be added, or why it was not. */
export type ReadResult =
  | { ok: true; entry: CertificateEntry }
  | { ok: false; isPassedOver?: boolean; message: string };

/** One certificate of a file as it was read, or one block of it that was not taken. */
export type BundleRead =
  | {
    ok: true;
    index: number;
    line?: number;
    id: string;
    subject_cn: string;
    entry: CertificateEntry;
  }
  | {
    ok: false;
    isPassedOver?: boolean;
    index: number;
    line?: number;
    reason: string;
    message: string;
  };

/**
 * Reads every certificate of a bundle (PEM, DER, PKCS#7), expired ones too; adds nothing. Others
 * have their turns meanwhile.
 */
export async function* readBundle(
  ctx: RequestContext,
  bytes: Uint8Array,
): AsyncGenerator<BundleRead, void, void> {
  const { readBundle } = await import("../../../packages/x509/bundle.ts");
  const { org_id } = ctx.principal;
  const slices = new TimeSlices();
  for (const read of readBundle(bytes)) {
    await slices.pause();
    if (read.ok) {
      const { index, line, certificate } = read;
      const { subject_cn, fingerprint } = certificate;
      const entry = toEntry(org_id, certificate, ctx.clock.now());
      const place = line === undefined ? { index } : { index, line };
      yield { ok: true, ...place, id: org_id + fingerprint, subject_cn, entry };
    } else yield read;
  }
}

/**
 * Adds what was read, many in one transaction, in its order; tells what became of each. Of an
 * idempotent call each transaction is a part of its own.
 */
export async function* addAll<T extends ReadResult>(
  ctx: RequestContext,
  reads: Iterable<T> | AsyncIterable<T>,
  takesOver: boolean,
  idempotency: Idempotency = null,
): AsyncGenerator<{ read: T; result: Added | "refused" | "skipped" }, void, void> {
  const part = (n: number) => idempotency && { ...idempotency, key: `${idempotency.key}\n${n}` };
  let batch: T[] = [];
  let batches = 0;
  let weight = 0;
  for await (const read of reads) {
    batch.push(read);
    weight += read.ok ? read.entry.certificate.length + read.entry.chain.length : 0;
    if (batch.length < BATCH && weight < BATCH_LENGTH) continue;
    yield* await addBatch(ctx, batch, { takesOver, idempotency: part(batches++) });
    batch = [];
    weight = 0;
  }
  yield* await addBatch(ctx, batch, { takesOver, idempotency: part(batches) });
}

/** Reads one upload. Throws what was wrong with it. */
export async function readOne(
  ctx: RequestContext,
  bytes: Uint8Array,
  options: {
    passphrase?: string | undefined;
    allowExpired: boolean;
    signal?: AbortSignal | undefined;
  },
): Promise<CertificateEntry> {
  // Loaded at the first upload: reading X.509 costs memory that a server without uploads saves.
  const { MAX_UPLOAD_BYTES, readUpload } = await import("../../../packages/x509/upload.ts");
  if (bytes.length > MAX_UPLOAD_BYTES) {
    throw new Failure("body_too_large", { message: "The certificate file is larger than 1 MiB." });
  }
  const { passphrase, allowExpired, signal } = options;
  const nowMs = ctx.clock.now();
  const slices = new TimeSlices();
  const read = await asFailures(() =>
    readUpload(bytes, {
      nowMs,
      allowExpired,
      signal,
      pause: () => slices.pause(),
      ...passphrase === undefined ? {} : { passphrase },
    })
  );
  return entryOf(ctx, read, nowMs);
}

/** An upload that was not taken. It has no cause: its message says all that may be said. */
export class UploadRefused extends Failure {
  constructor(message: string, readonly reason: RefusalReason) {
    super("invalid_input", { message });
  }
}

/** The result of `read`; its errors become failures. */
async function asFailures<T>(read: () => Promise<T>): Promise<T> {
  const { CertificateRefused, Unavailable } = await import("../../../packages/x509/refusal.ts");
  try {
    return await read();
  } catch (cause) {
    if (cause instanceof CertificateRefused) throw new UploadRefused(cause.message, cause.reason);
    throw cause instanceof Unavailable ? new Failure("unavailable", { cause }) : cause;
  }
}

/** How a file is read: each certificate by itself (`bundle`), or with its chain and keys. */
export async function kindOfUpload(bytes: Uint8Array): Promise<"bundle" | "entries"> {
  const { fileBlocks } = await import("../../../packages/x509/file-blocks.ts");
  const { kindOfFile } = await import("../../../packages/x509/file-kind.ts");
  const slices = new TimeSlices();
  for (const { label } of fileBlocks(bytes)) {
    if (label.endsWith("KEY")) return "entries";
    await slices.pause();
  }
  return kindOfFile(bytes) === "pkcs12" ? "entries" : "bundle";
}

/**
 * Reads the entries of a file with keys or of a PKCS#12 file, expired ones too; adds nothing. One
 * refusal where the file cannot be taken.
 */
export async function readEntries(
  ctx: RequestContext,
  bytes: Uint8Array,
  options: {
    passphrase?: string | undefined;
    as?: "one" | "each" | undefined;
    signal?: AbortSignal | undefined;
  },
): Promise<BundleRead[]> {
  const { readEntries } = await import("../../../packages/x509/entries.ts");
  const nowMs = ctx.clock.now();
  const { passphrase, as, signal } = options;
  const given = passphrase === undefined ? {} : { passphrase };
  const slices = new TimeSlices();
  const pause = () => slices.pause();
  try {
    const { uploads, notTaken } = await asFailures(() =>
      readEntries(bytes, { nowMs, as, signal, pause, ...given })
    );
    const reads = uploads.map((upload, index): BundleRead => {
      const entry = entryOf(ctx, upload, nowMs);
      const { subject_cn } = upload.kind === "public-key" ? upload.publicKey : upload.leaf;
      return { ok: true, index, id: ctx.principal.org_id + entry.fingerprint, subject_cn, entry };
    });
    return [...reads, ...notTaken.map((one, at) => ({ ...one, index: reads.length + at }))];
  } catch (error) {
    if (!(error instanceof UploadRefused)) throw error;
    return [{ ok: false, index: 0, reason: error.reason, message: error.message }];
  }
}

function entryOf({ principal: { org_id } }: RequestContext, read: Upload, nowMs: number) {
  if (read.kind === "public-key") return toEntry(org_id, read.publicKey, nowMs);
  return toEntry(org_id, read.leaf, nowMs, { chain: read.chain, privateKey: read.privateKey });
}

/** Adds certificates in one transaction and tells what became of each. */
export async function add(
  ctx: RequestContext,
  entries: readonly CertificateEntry[],
  by: { refusesKnown: boolean; idempotency: Idempotency; takesOver: boolean },
): Promise<Added[]> {
  if (entries.length === 0) return [];
  const actor = actorOf(ctx.principal, ctx.clock.now());
  const idempotency = idempotentCall(ctx.principal, actor.now, by.idempotency);
  return await ctx.storage.commit(addCertificates, { ...by, actor, entries, idempotency });
}

async function addBatch<T extends ReadResult>(
  ctx: RequestContext,
  batch: readonly T[],
  by: { idempotency: Idempotency; takesOver: boolean },
) {
  const entries = batch.flatMap((read) => read.ok ? read.entry : []);
  const results = await add(ctx, entries, { refusesKnown: false, ...by });
  let next = 0;
  return batch.map((read) => ({
    read,
    result: read.ok
      ? results[next++] ?? "exists" as const
      : read.isPassedOver
      ? "skipped" as const
      : "refused" as const,
  }));
}
