/**
 * The part of node-forge that tests encrypt with. Its "binary strings" hold one byte a character.
 */
declare namespace forge {
  interface Bytes {
    getBytes(): string;
  }
  interface Cipher {
    start(iv: string | { iv: string; tagLength: number }): void;
    update(input: Bytes): void;
    finish(): boolean;
    readonly output: Bytes;
    readonly mode: { readonly tag: Bytes };
  }
  interface Digest {
    start(): void;
  }
  const util: { createBuffer(bytes: string): Bytes };
  const cipher: { createCipher(algorithm: "AES-GCM", key: string): Cipher };
  const aes: { createEncryptionCipher(key: string): Cipher };
  const des: { createEncryptionCipher(key: string): Cipher };
  const rc2: { createEncryptionCipher(key: string, bits: number): Cipher };
  const md: Readonly<Record<"sha1" | "sha256" | "sha384" | "sha512", { create(): Digest }>>;
  const pbe: {
    opensslDeriveBytes(password: string, salt: string, length: number): string;
    generatePkcs12Key(
      password: string | null,
      salt: Bytes,
      id: 1 | 2 | 3,
      rounds: number,
      length: number,
      digest: Digest,
    ): Bytes;
  };
}
export default forge;
