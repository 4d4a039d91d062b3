import { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { comparedBy } from "../../calls/principal.ts";
import { bodyErrors } from "../../contract/endpoint.ts";
import { text, timestamp } from "../../contract/values.ts";
import type { AnyCall } from "../../http/call.ts";
import { operation } from "../../http/operation.ts";
import { refusalOf, sayField } from "../../http/unknown-names.ts";
import { Failure } from "../../kernel/failure.ts";
import { toValidity } from "./certificate.ts";
import type { CertificateEntry } from "./certificate-entry.ts";
import { renewedOf } from "./certificate-renewals.store.ts";
import { calledBy } from "./certificate-title.ts";
import {
  addAll,
  type BundleRead,
  comparedBundle,
  comparedUpload,
  kindOfUpload,
  readBundle,
  readEntries,
} from "./certificate-uploads.service.ts";
import { acceptedUploads, takeOver } from "./certificates.contract.ts";
import { exampleCertificate } from "./certificates.example.ts";
import { findCertificate } from "./certificates.store.ts";
import { secondAt } from "./selection.ts";
import { passphraseOf, uploadedFile } from "./uploaded-file.ts";

const tag = "Certificates";

/** The certificate that an added one renews. */
const renewedCertificate = z.strictObject({ id: text, name: text, not_after: timestamp })
  .meta({ id: "RenewedCertificate" });

/** The results of an upload's certificates. */
export const certificatesUploaded = z.strictObject({
  added: z.int(),
  key_added: z.int(),
  exists: z.int(),
  refused: z.int(),
  skipped: z.int().meta({ description: "PEM blocks that are neither a certificate nor a key." }),
  results: z.array(z.strictObject({
    index: z.int(),
    line: z.int().optional(),
    result: z.enum(["added", "key_added", "exists", "refused", "skipped"]),
    id: text.optional(),
    subject_cn: text.optional(),
    name: text.optional().meta({ description: "By the rule of `CertificateRelative`." }),
    reason: text.optional().meta({
      description: "Why it was not taken, such as `passphrase_required` or `malformed`.",
    }),
    message: text.optional(),
    renews: renewedCertificate.optional().meta({
      description:
        "Of an added one that has not expired: the certificate of the same names, else of fewer, that expires before it; of the first 100.",
    }),
  })),
}).meta({ id: "CertificatesUploaded" });

/** One or many certificates. */
export const uploadCertificates = operation({
  id: "uploadCertificates",
  method: "POST",
  path: "/v1/certificates",
  tag,
  summary: "Add a certificate with its key and chain, or every one of a bundle; a result for each",
  description:
    "As PEM, DER, PKCS#7, PKCS#12, or a form with one of them. Expired ones are taken too, and shown as such.",
  permission: ["certs:write"],
  query: z.object({
    take_over: takeOver,
    as: z.enum(["one", "each"], { error: "expected one or each" }).optional().meta({
      description:
        "`one`: all of the file is one certificate with its chain and key. `each`: every certificate by itself. Absent: in a PKCS#12 file and in PEM with keys each key is an entry with its certificate and chain, and each certificate outside of these an entry of its own; else `each`.",
    }),
  }),
  body: "bytes",
  contentTypes: { body: acceptedUploads },
  headers: {
    passphrase: { description: "Opens an encrypted private key or a PKCS#12 file." },
  },
  idempotent: true,
  response: certificatesUploaded,
  errors: [...bodyErrors],
  example: exampleCertificate,
  async serve(ctx, call) {
    const { body, headers, query: { as, take_over: takesOver = true } } = call;
    const file = await uploadedFile(body);
    if (file.unread.length > 0) judgeFields(call, file.unread);
    const passphrase = file.passphrase ?? passphraseOf(headers.get("passphrase")) ?? undefined;
    const kind = as === "one" ? "entries" : await kindOfFile(file.bytes, as);
    if (kind === "entries" && file.bytes.length > MAX_KEY_FILE) throw new Failure("body_too_large");
    const entries = kind === "entries"
      ? await readEntries(ctx, file.bytes, { passphrase, as, signal: body.gone?.() })
      : undefined;
    const reads = entries ?? readBundle(ctx, file.bytes);
    const read = entries?.flatMap((one) => one.ok ? comparedUpload(one.entry, passphrase) : []) ??
      [];
    const parsed = read.length > 0 ? read : comparedBundle(file.bytes);
    const results: z.output<typeof certificatesUploaded>["results"] = [];
    const compared = comparedBy(call.idempotency, parsed);
    let looks = 0;
    for await (const { read, result } of addAll(ctx, reads, takesOver, compared)) {
      const isLooked = read.ok && result === "added" && looks++ < RENEWALS;
      const renews = isLooked ? await renewedBy(ctx, read.entry) : undefined;
      results.push({ ...logOfRead(read), result, ...renews && { renews } });
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
  },
});

/** Added certificates of one upload of which it is looked for what they renew. */
const RENEWALS = 100;

/** The certificate that an added one renews, as far as names and ends say it. */
async function renewedBy(
  { storage: { reader }, principal: { org_id }, clock }: RequestContext,
  { fingerprint, renewal_names: names, not_before, not_after }: CertificateEntry,
) {
  if (not_after <= secondAt(clock.now()) || not_after <= not_before) return undefined;
  const before = await renewedOf(reader, { org_id, fingerprint, names, not_after });
  const row = before && await findCertificate(reader, { org_id, fingerprint: before.fingerprint });
  return row && {
    id: org_id + row.fingerprint,
    name: calledBy(row),
    not_after: toValidity(row).not_after,
  };
}

/** Refuses the fields of a form that nothing reads, as members of JSON bodies are. */
function judgeFields({ note }: AnyCall, names: readonly string[]): void {
  if (!note) throw refusalOf(names, (name) => sayField(name, ["passphrase"], ["as"]));
  note(names);
}

/** A file with keys is read as a whole. */
const MAX_KEY_FILE = 1024 * 1024;

function logOfRead(read: BundleRead) {
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
