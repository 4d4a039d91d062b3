import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { readBundle } from "../../bundle.ts";
import type { CertificateRecord } from "../../certificate.ts";
import { CertificateRefused, type RefusalReason } from "../../refusal.ts";
import { readUpload, type Upload, type UploadOptions } from "../../upload.ts";

/** The record of the one certificate in `pem`. */
export function recordOf(pem: string | Uint8Array): CertificateRecord {
  const [result, second] = [...readBundle(Buffer.from(pem))];
  assert.ok(result?.ok && !second, JSON.stringify(result));
  return result.certificate;
}

/** `readUpload` with the clock of the machine, expired certificates refused. */
export function upload(
  file: string | Uint8Array,
  options: Partial<UploadOptions> = {},
): Promise<Upload> {
  return readUpload(Buffer.from(file), { nowMs: Date.now(), allowExpired: false, ...options });
}

/** An upload that must hold a certificate. */
export async function certificateUpload(
  file: string | Uint8Array,
  options: Partial<UploadOptions> = {},
): Promise<Upload & { kind: "certificate" }> {
  const result = await upload(file, options);
  assert.ok(result.kind === "certificate");
  return result;
}

/** Asserts that the upload is refused for `reason`, and gives the refusal. */
export async function refusal(
  file: string | Uint8Array,
  reason: RefusalReason,
  options: Partial<UploadOptions> = {},
): Promise<CertificateRefused> {
  const error = await upload(file, options).then(
    () => assert.fail(`expected to be refused: ${reason}`),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof CertificateRefused, String(error));
  assert.equal(error.reason, reason, error.message);
  assert.equal(error.cause, undefined);
  return error;
}
