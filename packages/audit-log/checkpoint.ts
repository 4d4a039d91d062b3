import { Buffer } from "node:buffer";
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";
import { sha256 } from "@noble/hashes/sha2.js";

/** The head of a log: which log, how many entries, and the root of their Merkle tree (hex). */
export interface TreeHead {
  origin: string;
  size: number;
  root: string;
}

/** Thrown for a text that is no checkpoint, or no verifier's key. */
export class NoCheckpoint extends Error {}

/** A fresh Ed25519 key: base64 of PKCS#8, and of the 32 bytes of the public half. */
export function newSigningKey(): { private_key: string; public_key: string } {
  const pair = generateKeyPairSync("ed25519");
  const spki = pair.publicKey.export({ format: "der", type: "spki" });
  return {
    private_key: pair.privateKey.export({ format: "der", type: "pkcs8" }).toString("base64"),
    public_key: spki.subarray(SPKI.length).toString("base64"),
  };
}

/** Base64 of the 32 bytes of the public half of a key that newSigningKey made. */
export function publicHalf(private_key: string): string {
  const key = createPrivateKey({
    key: Buffer.from(private_key, "base64"),
    format: "der",
    type: "pkcs8",
  });
  const spki = createPublicKey(key).export({ format: "der", type: "spki" });
  return spki.subarray(SPKI.length).toString("base64");
}

/** A key as it signs for one log: its name is the log's origin (C2SP signed-note). */
export interface Verifier {
  name: string;
  /** Base64 of 32 bytes. */
  public_key: string;
}

/** The signature types of signed notes: a log's own key, and a witness's cosignature. */
const ED25519 = 1;
export const COSIGNATURE = 4;

/** First four bytes of SHA-256 of the name, a line end, the algorithm's number and the key; hex. */
export function keyHash({ name, public_key }: Verifier): string {
  return keyHashBytes(name, public_key, ED25519).toString("hex");
}

/** `<name>+<key hash>+<base64>`, by which C2SP's tools know a key. */
export function verifierText(verifier: Verifier): string {
  return textOfKey(verifier, ED25519);
}

/** Reads what verifierText writes. Throws NoCheckpoint. */
export function parseVerifier(text: string): Verifier {
  const verifier = keyOfText(text, ED25519);
  if (!verifier) throw new NoCheckpoint("expected a key such as keydesk/…+0123abcd+AQ…");
  return verifier;
}

/** The verifier key of any algorithm, as text. */
export function textOfKey({ name, public_key }: Verifier, algorithm: number): string {
  const bytes = Buffer.concat([Buffer.of(algorithm), Buffer.from(public_key, "base64")]);
  const hash = keyHashBytes(name, public_key, algorithm).toString("hex");
  return `${name}+${hash}+${bytes.toString("base64")}`;
}

/** Reads what textOfKey writes; undefined for any other text. */
export function keyOfText(text: string, algorithm: number): Verifier | undefined {
  const [, name = "", , base64 = ""] = /^([^+\s]+)\+([0-9a-f]{8})\+(\S+)$/.exec(text) ?? [];
  const bytes = Buffer.from(base64, "base64");
  if (bytes.length !== 33 || bytes[0] !== algorithm) return undefined;
  const verifier = { name, public_key: bytes.subarray(1).toString("base64") };
  return textOfKey(verifier, algorithm) === text ? verifier : undefined;
}

/** The head as a signed note: C2SP tlog-checkpoint, signed with Ed25519 under the log's name. */
export function signCheckpoint(head: TreeHead, privateKey: string): string {
  const key = createPrivateKey({
    key: Buffer.from(privateKey, "base64"),
    format: "der",
    type: "pkcs8",
  });
  const body = bodyOf(head);
  const signed = Buffer.concat([
    keyHashBytes(head.origin, publicHalf(privateKey), ED25519),
    sign(null, Buffer.from(body), key),
  ]);
  return `${body}\n\u2014 ${head.origin} ${signed.toString("base64")}\n`;
}

/** The head as a note that nobody signed. */
export function unsignedNote(head: TreeHead): string {
  return `${bodyOf(head)}\n`;
}

/** Reads a checkpoint and which of `verifiers` signed it. Throws NoCheckpoint for other text. */
export function readCheckpoint(
  note: string,
  verifiers: readonly Verifier[],
): { head: TreeHead; signedBy: Verifier | undefined } {
  const end = note.lastIndexOf("\n\n");
  const body = note.slice(0, end + 1);
  const [origin = "", size = "", root = ""] = body.split("\n");
  const bytes = Buffer.from(root, "base64");
  if (end < 0 || origin === "" || !/^(0|[1-9]\d{0,14})$/.test(size) || bytes.length !== 32) {
    throw new NoCheckpoint("this is no checkpoint: expected origin, size, root and a signature");
  }
  const head = { origin, size: Number(size), root: bytes.toString("hex") };
  const lines = note.slice(end + 2).split("\n").map((line) => line.split(" "));
  const signedBy = verifiers.find((verifier) =>
    lines.some(([dash, name, base64 = ""]) => {
      if (dash !== "\u2014" || name !== verifier.name) return false;
      const signature = Buffer.from(base64, "base64");
      return signature.subarray(0, 4).toString("hex") === keyHash(verifier) &&
        verify(null, Buffer.from(body), publicKeyOf(verifier), signature.subarray(4));
    })
  );
  return { head, signedBy };
}

/** The DER prefix before the 32 bytes of a public key (RFC 8410). */
const SPKI = Buffer.from("302a300506032b6570032100", "hex");

/** The signed part of a checkpoint. */
export function bodyOf({ origin, size, root }: TreeHead): string {
  return `${origin}\n${size}\n${Buffer.from(root, "hex").toString("base64")}\n`;
}

/** The result of keyHash as bytes. */
export function keyHashBytes(name: string, public_key: string, algorithm: number): Buffer {
  const key = Buffer.from(public_key, "base64");
  const bytes = Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(algorithm), key]);
  return Buffer.from(sha256(bytes).subarray(0, 4));
}

/** A verifier's key, to verify with. */
export function publicKeyOf({ public_key }: Pick<Verifier, "public_key">): KeyObject {
  const key = Buffer.concat([SPKI, Buffer.from(public_key, "base64")]);
  return createPublicKey({ key, format: "der", type: "spki" });
}
