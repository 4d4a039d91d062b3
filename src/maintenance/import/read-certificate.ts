import type { RequestContext } from "../../calls/context.ts";
import { readOne, UploadRefused } from "../../features/certificates/certificate-uploads.service.ts";
import { Failure } from "../../kernel/failure.ts";
import { digestOf } from "./digests.ts";
import type { Reading } from "./items.ts";
import { emptyReading, type ReadBy, Refused } from "./read-common.ts";
import type { Members } from "./source.ts";

/** A certificate with its chain and private key, opened to be sealed here. Throws Refused. */
export async function readCertificate(
  ctx: RequestContext,
  { id, pem }: Members,
  { passphrase, org_id }: ReadBy,
): Promise<Reading> {
  if (typeof pem !== "string") throw new Refused("unreadable", "is no text");
  const entry = await readOne(ctx, new TextEncoder().encode(pem), {
    passphrase,
    allowExpired: true,
  }).catch((error) => {
    if (error instanceof UploadRefused && error.reason === "passphrase_required") {
      throw new Refused(
        "certificate_refused",
        "its private key is encrypted and no passphrase was given: name --passphrase-file",
      );
    }
    const isRefused = error instanceof Failure && error.code !== "internal" &&
      error.code !== "unavailable";
    throw isRefused ? new Refused("certificate_refused", error.message) : error;
  });
  const reading = emptyReading();
  const own = org_id + entry.fingerprint;
  if (typeof id === "string" && id !== "" && id !== own) {
    reading.findings.push({
      kind: "certificate",
      id,
      code: "certificate_id",
      detail: `now ${own}`,
    });
  }
  const there = digestOf([entry.certificate, entry.chain, entry.private_key]);
  reading.items.push({ kind: "certificate", id: entry.fingerprint, there, entry });
  return reading;
}
