/** Certificates as a gateway keeps them in its Redis. */
import { createHash, generateKeyPairSync } from "node:crypto";
import forge from "node-forge";
import type { Certificate } from "./original.ts";

/** Opens the private keys: the gateway's `security.private_certificate_encoding_secret`. */
export const PASSPHRASE = "the stand-in's own secret";

/**
 * Makes a self-signed certificate. Its private key, where it comes along, is encrypted the old way
 * and stands under the label of the new one, as in the original.
 */
export function makeCertificate(
  org_id: string,
  name: string,
  { withKey }: { withKey: boolean },
): Certificate {
  const { privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  const key = forge.pki.privateKeyFromPem(privateKey);
  const made = forge.pki.createCertificate();
  const { validity } = made;
  validity.notBefore = new Date("2024-01-01T00:00:00Z");
  validity.notAfter = new Date("2044-01-01T00:00:00Z");
  made.serialNumber = "01";
  made.publicKey = forge.pki.setRsaPublicKey(key.n, key.e);
  const subject = [{ name: "commonName", value: name }];
  made.setSubject(subject);
  made.setIssuer(subject);
  made.setExtensions([{ name: "subjectAltName", altNames: [{ type: 2, value: name }] }]);
  made.sign(key, forge.md.sha256.create());
  const der = forge.asn1.toDer(forge.pki.certificateToAsn1(made)).getBytes();
  const fingerprint = createHash("sha256").update(der, "binary").digest("hex");
  const encrypted = forge.pki.encryptRsaPrivateKey(key, PASSPHRASE, {
    legacy: true,
    algorithm: "aes256",
  }).replaceAll("RSA PRIVATE KEY", "ENCRYPTED PRIVATE KEY");
  return {
    basics: {
      id: org_id + fingerprint,
      issuer_cn: name,
      subject_cn: name,
      dns_names: [name],
      has_private: withKey,
      not_before: "2024-01-01T00:00:00Z",
      not_after: "2044-01-01T00:00:00Z",
      is_ca: false,
    },
    pem: forge.pki.certificateToPem(made) + (withKey ? encrypted : ""),
  };
}
