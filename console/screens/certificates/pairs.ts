import { say } from "../../said.ts";

/** A file that was dropped or chosen. */
export interface Chosen {
  readonly name: string;
  readonly file: Blob;
}

/** A file with a private key is no larger. */
const LARGEST = 1024 * 1024;

/**
 * The uploads that chosen files make: a private key goes into one upload with its certificate. They
 * are the two files of one name without its end (`shop.crt`, `shop.key`), or all that were chosen
 * where these are one key and one file of certificates. Every other file is an upload of its own.
 */
export async function withKeys(chosen: readonly Chosen[]): Promise<Chosen[]> {
  const read = await Promise.all(chosen.map(async (one) => ({ one, ...await partsOf(one.file) })));
  const keys = read.filter(({ kind }) => kind === "key");
  const certificates = read.filter(({ kind }) => kind === "certificates");
  const isPair = keys.length === 1 && certificates.length === 1;
  const uploads: Chosen[] = [];
  const paired = new Map(keys.flatMap((key) => {
    const same = certificates.filter(({ one }) => stemOf(one.name) === stemOf(key.one.name));
    const [own] = isPair ? certificates : same;
    const isOnly = keys.filter(({ one }) => stemOf(one.name) === stemOf(key.one.name)).length === 1;
    return own && isOnly && (isPair || same.length === 1) ? [[own, key] as const] : [];
  }));
  const used = new Set(paired.values());
  for (const part of read) {
    const key = paired.get(part);
    if (key) {
      uploads.push({
        name: say`${part.one.name} + ${key.one.name}`,
        file: new Blob([part.pem, "\n", key.pem]),
      });
    } else if (!used.has(part)) uploads.push(part.one);
  }
  return uploads;
}

async function partsOf(
  file: Blob,
): Promise<{ kind: "key" | "certificates" | "other"; pem: string }> {
  if (file.size > LARGEST) return { kind: "other", pem: "" };
  const bytes = new Uint8Array(await file.arrayBuffer());
  const text = new TextDecoder("latin1").decode(bytes);
  const isCertificate = /-----BEGIN [A-Z0-9 ]*(CERTIFICATE|PKCS7|CMS)-----/.test(text);
  const isKey = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/.test(text);
  if (isCertificate !== isKey) return { kind: isKey ? "key" : "certificates", pem: text };
  if (isCertificate || !isDerCertificate(bytes)) return { kind: "other", pem: "" };
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  const body = btoa(binary).replace(/(.{64})(?!$)/g, "$1\n");
  return {
    kind: "certificates",
    pem: ["-----BEGIN CERTIFICATE-----", body, "-----END CERTIFICATE-----\n"].join("\n"),
  };
}

/** A SEQUENCE whose first member is one too, or the identifier of PKCS#7: no key, no PKCS#12. */
function isDerCertificate(bytes: Uint8Array): boolean {
  const length = bytes[1] ?? 0;
  const inner = bytes[length > 0x80 ? 2 + (length & 0x7f) : 2];
  return bytes[0] === 0x30 && (inner === 0x30 || inner === 0x06);
}

function stemOf(name: string): string {
  return name.replace(/(\.(pem|crt|cer|der|key|p7b|p7c))+$/i, "").toLowerCase();
}
