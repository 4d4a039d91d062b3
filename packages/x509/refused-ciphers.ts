import { CertificateRefused } from "./refusal.ts";

/** The encrypted container: a PEM block with a key, or a PKCS#12 file. */
export type Holder = "key" | "pkcs12";

/**
 * The refusal of a cipher that nothing here decrypts, by its name where it has one, with the
 * command that writes the file with another where there is one.
 */
export function refusalOfCipher(oid: string, holder: Holder): CertificateRefused {
  const [name = `the cipher ${oid}`, provider = "none"] = names[oid] ?? [];
  return refusal(name, provider, holder);
}

/** The refusal of the cipher that a `DEK-Info` line names. */
export function refusalOfDekInfo(algorithm: string): CertificateRefused {
  if (algorithm === "") return refusal("the encryption of its DEK-Info line", "none", "key");
  const [family = ""] = algorithm.split("-");
  const provider = ["CAMELLIA", "ARIA", "SM4"].includes(family)
    ? "default"
    : ["DES", "DESX", "SEED", "RC2", "IDEA", "BF", "CAST5"].includes(family)
    ? "legacy"
    : "none";
  return refusal(`the encryption ${algorithm}`, provider, "key");
}

type Provider = "default" | "legacy" | "none";

function refusal(name: string, provider: Provider, holder: Holder): CertificateRefused {
  const convert = provider === "none" ? "" : ` Convert it by: ${commands[holder][provider]}`;
  return new CertificateRefused(
    "unsupported",
    `The file uses ${name}, which is not supported.${convert}`,
  );
}

const toPem = (command: string, more = "") => `openssl ${command}${more} -in FILE -out FILE.pem`;
const toKey = "pkcs8 -topk8 -v2 aes-256-cbc";

/** All of them ask for the passphrase, and encrypt what they write by AES-256-CBC. */
const commands = {
  key: {
    default: toPem(toKey),
    legacy: toPem(toKey, " -provider legacy -provider default"),
  },
  pkcs12: { default: toPem("pkcs12"), legacy: toPem("pkcs12", " -legacy") },
} as const;

/** Names, and the provider of OpenSSL 3 that has them for this use; `none` has the modes AEAD. */
const names: Readonly<Record<string, readonly [string, Provider]>> = {
  "1.2.392.200011.61.1.1.1.2": ["Camellia-128-CBC", "default"],
  "1.2.392.200011.61.1.1.1.3": ["Camellia-192-CBC", "default"],
  "1.2.392.200011.61.1.1.1.4": ["Camellia-256-CBC", "default"],
  "0.3.4401.5.3.1.9.6": ["Camellia-128-GCM", "none"],
  "0.3.4401.5.3.1.9.26": ["Camellia-192-GCM", "none"],
  "0.3.4401.5.3.1.9.46": ["Camellia-256-GCM", "none"],
  "1.2.410.200046.1.1.2": ["ARIA-128-CBC", "default"],
  "1.2.410.200046.1.1.7": ["ARIA-192-CBC", "default"],
  "1.2.410.200046.1.1.12": ["ARIA-256-CBC", "default"],
  "1.2.410.200046.1.1.34": ["ARIA-128-GCM", "none"],
  "1.2.410.200046.1.1.35": ["ARIA-192-GCM", "none"],
  "1.2.410.200046.1.1.36": ["ARIA-256-GCM", "none"],
  "1.2.410.200046.1.1.37": ["ARIA-128-CCM", "none"],
  "1.2.410.200046.1.1.38": ["ARIA-192-CCM", "none"],
  "1.2.410.200046.1.1.39": ["ARIA-256-CCM", "none"],
  "2.16.840.1.101.3.4.1.7": ["AES-128-CCM", "none"],
  "2.16.840.1.101.3.4.1.27": ["AES-192-CCM", "none"],
  "2.16.840.1.101.3.4.1.47": ["AES-256-CCM", "none"],
  "1.2.156.10197.1.104.2": ["SM4-CBC", "default"],
  "1.2.410.200004.1.4": ["SEED-CBC", "legacy"],
  "1.3.14.3.2.7": ["DES-CBC", "legacy"],
  "1.2.840.113549.3.2": ["RC2-CBC", "legacy"],
  "1.2.840.113549.1.5.3": ["PBE-MD5-DES", "legacy"],
  "1.2.840.113549.1.5.6": ["PBE-MD5-RC2-64", "legacy"],
  "1.2.840.113549.1.5.10": ["PBE-SHA1-DES", "legacy"],
  "1.2.840.113549.1.5.11": ["PBE-SHA1-RC2-64", "legacy"],
  "1.2.840.113549.1.12.1.1": ["PBE-SHA1-RC4-128", "legacy"],
  "1.2.840.113549.1.12.1.2": ["PBE-SHA1-RC4-40", "legacy"],
};
