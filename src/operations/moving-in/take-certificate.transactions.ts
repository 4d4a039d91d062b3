import type { Actor } from "../../changes/audit.ts";
import { addCertificates } from "../../features/certificates/certificates.transactions.ts";
import type { Tx } from "../../storage/storage.ts";
import type { CertificateItem } from "./items.ts";

/** Adds a certificate, or its private key to one that has none. */
export async function takeCertificate(
  tx: Tx,
  actor: Actor,
  { entry }: CertificateItem,
): Promise<boolean> {
  await addCertificates.run(tx, { actor, entries: [entry], isTold: false });
  return true;
}
