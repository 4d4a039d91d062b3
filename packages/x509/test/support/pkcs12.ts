/** PKCS#12 files of every kind, made in this process. */
import { createHash, createHmac, randomBytes } from "node:crypto";
import { ContentInfo } from "@peculiar/asn1-cms";
import {
  CertBag,
  id_certBag,
  id_keyBag,
  id_pkcs8ShroudedKeyBag,
  id_x509Certificate,
  MacData,
  SafeBag,
  SafeContents,
} from "@peculiar/asn1-pfx";
import { DigestInfo, sha1, sha256, sha384, sha512 } from "@peculiar/asn1-rsa";
import { AsnConvert, OctetString } from "@peculiar/asn1-schema";
import { AlgorithmIdentifier } from "@peculiar/asn1-x509";
import { der, octetString, oid, sequence } from "./der.ts";
import {
  encrypt,
  encryptedKeyInfo,
  type Encryption,
  macKey,
  number,
  pbmac1,
  type Prf,
} from "./encryption.ts";
import type { Issued } from "./issue.ts";
import { derOf, keyInfo } from "./keys.ts";

/**
 * How a file is protected: "none" leaves a part open; AES-256 and SHA-256 with 2,048 rounds unless
 * said.
 */
export interface Protection {
  key?: Encryption | "none";
  certificates?: Encryption | "none";
  mac?: "sha1" | "sha256" | "sha384" | "sha512" | "none" | Pbmac1;
  /** Of every derivation. */
  rounds?: number;
  isWithoutKey?: boolean;
}

/** A MAC by PBMAC1; its key is as long as the digest unless said. */
export interface Pbmac1 {
  prf: Prf;
  mac: Prf;
  length?: number;
}

/** The schemes that OpenSSL 1 and Windows write. */
export const LEGACY = {
  key: { scheme: "PBE-SHA1-3DES" },
  certificates: { scheme: "PBE-SHA1-RC2-40" },
  mac: "sha1",
} as const;

const DATA = "1.2.840.113549.1.7.1";
const ENCRYPTED_DATA = "1.2.840.113549.1.7.6";
const digests = { sha1, sha256, sha384, sha512 };

/** A PKCS#12 file of what is given. */
export function pkcs12(
  parts: Issued & { chain?: string },
  passphrase: string,
  protection: Protection = {},
): Uint8Array {
  const { key = { cipher: "AES-256-CBC" }, certificates = { cipher: "AES-256-CBC" } } = protection;
  const { mac = "sha256", rounds = 2048 } = protection;
  const pems = `${parts.certificate}${parts.chain ?? ""}`.match(/-----BEGIN.*?-----END.*?-----/gs);
  const bags = new SafeContents((pems ?? []).map(certificateBag));
  const plain = new Uint8Array(AsnConvert.serialize(bags));
  const safes = [
    certificates === "none" ? data(plain) : sealed(plain, passphrase, { ...certificates, rounds }),
    ...protection.isWithoutKey ? [] : [data(
      new Uint8Array(AsnConvert.serialize(
        new SafeContents([
          key === "none"
            ? keyBag(parts.key)
            : shroudedBag(parts.key, passphrase, { ...key, rounds }),
        ]),
      )),
    )],
  ];
  const content = sequence(...safes.map((safe) => new Uint8Array(AsnConvert.serialize(safe))));
  return file(content, mac === "none" ? undefined : macOf(content, passphrase, mac, rounds));
}

/** By hand, as the library writes no file without a MAC. */
function file(content: Uint8Array, mac?: MacData): Uint8Array {
  const parts = [data(content), ...mac ? [mac] : []];
  return sequence(
    number(3),
    ...parts.map((part) => new Uint8Array(AsnConvert.serialize(part))),
  );
}

/** A PKCS#12 file of these bags: neither encrypted nor with a MAC. */
export function plainPkcs12(...bags: SafeBag[]): Uint8Array {
  const contents = data(new Uint8Array(AsnConvert.serialize(new SafeContents(bags))));
  const safe = sequence(new Uint8Array(AsnConvert.serialize(contents)));
  return file(safe);
}

/** A certificate's bag. */
export function certificateBag(pem: string): SafeBag {
  const certificate = octetString(derOf(pem));
  return bagOf(
    id_certBag,
    new CertBag({ certId: id_x509Certificate, certValue: new Uint8Array(certificate).buffer }),
  );
}

/** A key's bag, not encrypted. */
export function keyBag(key: string): SafeBag {
  return bagOf(id_keyBag, keyInfo(key));
}

/** A key's bag, encrypted. */
export function shroudedBag(key: string, passphrase: string, how: Encryption): SafeBag {
  return bagOf(id_pkcs8ShroudedKeyBag, encryptedKeyInfo(key, passphrase, how));
}

function bagOf(bagId: string, value: unknown): SafeBag {
  return new SafeBag({ bagId, bagValue: AsnConvert.serialize(value) });
}

function data(content: Uint8Array): ContentInfo {
  const value = new OctetString(new Uint8Array(content));
  return new ContentInfo({ contentType: DATA, content: AsnConvert.serialize(value) });
}

function sealed(plain: Uint8Array, passphrase: string, how: Encryption): ContentInfo {
  const { algorithm, encrypted } = encrypt(plain, passphrase, how);
  const content = sequence(
    number(0),
    sequence(
      oid("2a864886f70d010701"),
      new Uint8Array(AsnConvert.serialize(algorithm)),
      der(0x80, new Uint8Array(encrypted)),
    ),
  );
  return new ContentInfo({ contentType: ENCRYPTED_DATA, content: new Uint8Array(content).buffer });
}

function macOf(
  content: Uint8Array,
  passphrase: string,
  digest: keyof typeof digests | Pbmac1,
  iterations: number,
): MacData {
  if (typeof digest === "object") return pbmac1Of(content, passphrase, digest, iterations);
  const salt = randomBytes(8);
  const key = macKey(passphrase, salt, iterations, digest);
  const value = createHmac(digest, key).update(content).digest();
  return new MacData({
    mac: new DigestInfo({
      digestAlgorithm: digests[digest],
      digest: new OctetString(new Uint8Array(value)),
    }),
    macSalt: new OctetString(new Uint8Array(salt)),
    iterations,
  });
}

/** RFC 9579 §4: salt and rounds of MacData itself mean nothing. */
function pbmac1Of(
  content: Uint8Array,
  passphrase: string,
  { prf, mac, length = createHash(mac).update("").digest().length }: Pbmac1,
  rounds: number,
): MacData {
  const { parameters, key } = pbmac1(passphrase, { prf, mac, rounds, length });
  const value = createHmac(mac, key).update(content).digest();
  return new MacData({
    mac: new DigestInfo({
      digestAlgorithm: new AlgorithmIdentifier({
        algorithm: "1.2.840.113549.1.5.14",
        parameters: new Uint8Array(parameters).buffer,
      }),
      digest: new OctetString(new Uint8Array(value)),
    }),
    macSalt: new OctetString(new Uint8Array([0])),
    iterations: 1,
  });
}
