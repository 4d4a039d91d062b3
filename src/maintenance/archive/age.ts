/** Files that are encrypted in the format of age, https://age-encryption.org/v1. */
import { Buffer } from "node:buffer";

/** Loaded at the first encrypted file. */
const library = () => import("age-encryption");

/** Thrown where a file can't be opened with what is at hand; the message holds no secret. */
export class NotOpened extends Error {}

/** Whether a text is a public key to which files can be encrypted. */
export async function isRecipient(text: string): Promise<boolean> {
  const { Encrypter } = await library();
  try {
    new Encrypter().addRecipient(text);
    return true;
  } catch {
    return false;
  }
}

/** A fresh pair: anyone who has the identity opens what is encrypted to the recipient. */
export async function newPair(): Promise<{ identity: string; recipient: string }> {
  const { generateX25519Identity, identityToRecipient } = await library();
  const identity = await generateX25519Identity();
  return { identity, recipient: await identityToRecipient(identity) };
}

/** An identity as a file that a passphrase opens; `effort`: log2 of scrypt's cost. */
export async function lockedIdentity(
  identity: string,
  passphrase: string,
  effort: number,
): Promise<Uint8Array> {
  const { Encrypter } = await library();
  const encrypter = new Encrypter();
  encrypter.setPassphrase(passphrase);
  encrypter.setScryptWorkFactor(effort);
  return await encrypter.encrypt(`${identity}\n`);
}

/** The identity of such a file. Throws NotOpened for another passphrase. */
export async function openIdentity(file: Uint8Array, passphrase: string): Promise<string[]> {
  const { Decrypter } = await library();
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase);
  try {
    return identitiesIn(await decrypter.decrypt(file, "text"));
  } catch {
    throw new NotOpened("the passphrase does not open it");
  }
}

/** The identities of an identity file: one a line, beside comments. */
export function identitiesIn(text: string): string[] {
  return text.split(/\r?\n/).map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
}

/** The stream, encrypted to these public keys, piece by piece. */
export async function encrypted(
  plain: ReadableStream<Uint8Array>,
  recipients: readonly string[],
): Promise<ReadableStream<Uint8Array>> {
  const { Encrypter } = await library();
  const encrypter = new Encrypter();
  for (const recipient of recipients) encrypter.addRecipient(recipient);
  return await encrypter.encrypt(plain);
}

/** The stream, decrypted by one of these identities, piece by piece. Throws NotOpened. */
export async function decrypted(
  sealed: ReadableStream<Uint8Array>,
  identities: readonly string[],
): Promise<ReadableStream<Uint8Array>> {
  const { Decrypter } = await library();
  const decrypter = new Decrypter();
  try {
    for (const identity of identities) decrypter.addIdentity(identity);
    return await decrypter.decrypt(sealed);
  } catch {
    throw new NotOpened("no identity at hand opens it");
  }
}

/** The bytes of a text. */
export function bytesOf(text: string): Uint8Array {
  return Buffer.from(text);
}
