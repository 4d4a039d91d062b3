import type { z } from "zod";
import type { certificatesUploaded } from "../../../src/features/certificates/certificate-uploads.operations.ts";
import { api, decisionKey } from "../../api/client.ts";
import { uploadCertificates } from "../../api/endpoints.ts";

/** The result of each certificate of a file. */
export type Uploaded = z.output<typeof certificatesUploaded>;
/** One of them. */
export type Result = Uploaded["results"][number];

/**
 * A file on its way, and what became of it. Kept no longer than the dialog stands: it may hold a
 * private key.
 */
export interface Upload {
  readonly id: number;
  readonly name: string;
  readonly file: Blob;
  readonly answer?: Uploaded;
  readonly problem?: string;
}

/**
 * Uploads what one file holds. The passphrase goes in the form, where it may have any letters, and
 * nowhere else. A fresh `Idempotency-Key` for each: another passphrase is another call.
 */
export async function uploadFile(
  file: Blob,
  passphrase: string,
  takesOver: boolean,
): Promise<Uploaded> {
  const form = new FormData();
  form.set("file", file);
  if (passphrase !== "") form.set("passphrase", passphrase);
  return await api.call(uploadCertificates, {
    query: { take_over: takesOver ? "true" : "false" },
    body: form,
    headers: decisionKey(),
  });
}

/** Why a file did not open, when a passphrase would help. */
export function wantsPassphrase({ results }: Uploaded): Result | undefined {
  return results.find(({ reason }) =>
    reason === "passphrase_required" || reason === "wrong_passphrase"
  );
}
