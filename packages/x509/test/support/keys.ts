/** Private keys of every kind as PKCS#8 PEM, and their other encodings. */
import { Buffer } from "node:buffer";
import { createPrivateKey, createPublicKey, generateKeyPairSync } from "node:crypto";
import { ECParameters, ECPrivateKey, id_ecPublicKey } from "@peculiar/asn1-ecc";
import { PrivateKeyInfo } from "@peculiar/asn1-pkcs8";
import { id_rsaEncryption, id_RSASSA_PSS, RSAPrivateKey, RSAPublicKey } from "@peculiar/asn1-rsa";
import { AsnConvert, OctetString } from "@peculiar/asn1-schema";
import { AlgorithmIdentifier, SubjectPublicKeyInfo } from "@peculiar/asn1-x509";

const NAMED = {
  rsa: () => generateKeyPairSync("rsa", { modulusLength: 2048 }),
  ed25519: () => generateKeyPairSync("ed25519"),
  ed448: () => generateKeyPairSync("ed448"),
};

/** A new private key as PKCS#8 PEM: `rsa`, `rsa-pss`, `ed25519`, `ed448` or a curve's name. */
export function newKey(kind: string): string {
  if (kind === "rsa-pss") return pem("PRIVATE KEY", relabelled(derOf(newKey("rsa"))));
  if (kind === BRAINPOOL.name) return pem("PRIVATE KEY", brainpoolKey());
  const make = NAMED[kind as keyof typeof NAMED] ??
    (() => generateKeyPairSync("ec", { namedCurve: kind }));
  return String(make().privateKey.export({ type: "pkcs8", format: "pem" }));
}

/** A PEM block with lines of 64 characters. */
export function pem(label: string, der: ArrayBuffer | Uint8Array): string {
  const body = Buffer.from(new Uint8Array(der)).toString("base64");
  return `-----BEGIN ${label}-----\n${body.replaceAll(/.{1,64}/g, "$&\n")}-----END ${label}-----\n`;
}

/** The bytes of the one PEM block in `text`. */
export function derOf(text: string): Buffer {
  return Buffer.from(text.replaceAll(/-----.*?-----/g, ""), "base64");
}

/** The parsed PKCS#8 key. */
export function keyInfo(key: string): PrivateKeyInfo {
  return AsnConvert.parse(derOf(key), PrivateKeyInfo);
}

/** The curve's identifier of an elliptic PKCS#8 key, undefined of any other. */
export function curveOf(key: string): string | undefined {
  const { algorithm, parameters } = keyInfo(key).privateKeyAlgorithm;
  if (algorithm !== id_ecPublicKey || !parameters) return undefined;
  return AsnConvert.parse(parameters, ECParameters).namedCurve;
}

/** The public key that belongs to a PKCS#8 key: SubjectPublicKeyInfo as DER. */
export function publicKeyDer(key: string): Uint8Array {
  const { privateKeyAlgorithm, privateKey } = keyInfo(key);
  if (curveOf(key) === BRAINPOOL.oid) {
    const { publicKey } = AsnConvert.parse(privateKey.buffer, ECPrivateKey);
    return spki(privateKeyAlgorithm, publicKey ?? new ArrayBuffer(0));
  }
  if (privateKeyAlgorithm.algorithm === id_RSASSA_PSS) {
    const { modulus, publicExponent } = AsnConvert.parse(privateKey.buffer, RSAPrivateKey);
    return spki(
      privateKeyAlgorithm,
      AsnConvert.serialize(new RSAPublicKey({ modulus, publicExponent })),
    );
  }
  return createPublicKey(key).export({ type: "spki", format: "der" });
}

/** The public key as PEM. */
export function publicKeyPem(key: string): string {
  return pem("PUBLIC KEY", publicKeyDer(key));
}

function spki(algorithm: AlgorithmIdentifier, subjectPublicKey: ArrayBuffer): Uint8Array {
  return new Uint8Array(
    AsnConvert.serialize(new SubjectPublicKeyInfo({ algorithm, subjectPublicKey })),
  );
}

/** The key in the form of its own kind, as DER: PKCS#1, or SEC1 with the curve. */
export function traditionalDer(key: string): Uint8Array {
  const { privateKeyAlgorithm, privateKey } = keyInfo(key);
  const { algorithm, parameters } = privateKeyAlgorithm;
  if (algorithm !== id_ecPublicKey || !parameters) return new Uint8Array(privateKey.buffer);
  const inner = AsnConvert.parse(privateKey.buffer, ECPrivateKey);
  inner.parameters = AsnConvert.parse(parameters, ECParameters);
  return new Uint8Array(AsnConvert.serialize(inner));
}

/** The traditional form as PEM. */
export function traditional(key: string): string {
  return pem(traditionalLabel(key), traditionalDer(key));
}

/** The PEM label of `traditional`. */
export function traditionalLabel(key: string): string {
  return `${curveOf(key) === undefined ? "RSA" : "EC"} PRIVATE KEY`;
}

/** An elliptic key's curve as a PEM block of its own, as it often stands before the key. */
export function curveBlock(key: string): string {
  return pem("EC PARAMETERS", keyInfo(key).privateKeyAlgorithm.parameters ?? new ArrayBuffer(0));
}

/** The key with these parameters instead of its curve's name. */
export function withParameters(key: string, parameters: Uint8Array): string {
  const info = keyInfo(key);
  info.privateKeyAlgorithm.parameters = new Uint8Array(parameters).buffer;
  return pem("PRIVATE KEY", AsnConvert.serialize(info));
}

/** An RSA key that is for PSS alone, made of an ordinary one, and back. */
function relabelled(pkcs8: Uint8Array): Uint8Array {
  const info = AsnConvert.parse(pkcs8, PrivateKeyInfo);
  info.privateKeyAlgorithm = info.privateKeyAlgorithm.algorithm === id_RSASSA_PSS
    ? new AlgorithmIdentifier({ algorithm: id_rsaEncryption, parameters: null })
    : new AlgorithmIdentifier({ algorithm: id_RSASSA_PSS });
  return new Uint8Array(AsnConvert.serialize(info));
}

/** The key to sign with by the runtime. */
export function signingKey(key: string) {
  const isPss = keyInfo(key).privateKeyAlgorithm.algorithm === id_RSASSA_PSS;
  return createPrivateKey(isPss ? pem("PRIVATE KEY", relabelled(derOf(key))) : key);
}

/** The runtime knows no curve of Brainpool's: this is party A's key of RFC 7027, appendix A.1. */
export const BRAINPOOL = { name: "brainpoolP256r1", oid: "1.3.36.3.3.2.8.1.1.7" };

function brainpoolKey(): Uint8Array {
  const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, "hex")).buffer;
  const inner = new ECPrivateKey({
    version: 1,
    privateKey: new OctetString(
      bytes("81db1ee100150ff2ea338d708271be38300cb54241d79950f77b063039804f1d"),
    ),
    publicKey: bytes(
      "0444106e913f92bc02a1705d9953a8414db95e1aaa49e81d9e85f929a8e3100be5" +
        "8ab4846f11caccb73ce49cbdd120f5a900a69fd32c272223f789ef10eb089bdc",
    ),
  });
  const info = new PrivateKeyInfo({
    privateKeyAlgorithm: new AlgorithmIdentifier({
      algorithm: id_ecPublicKey,
      parameters: AsnConvert.serialize(new ECParameters({ namedCurve: BRAINPOOL.oid })),
    }),
    privateKey: new OctetString(AsnConvert.serialize(inner)),
  });
  return new Uint8Array(AsnConvert.serialize(info));
}
