/** The part of node-forge that Keydesk uses. Its "binary strings" hold one byte a character. */

export interface ForgeBuffer {
  length(): number;
  getBytes(count?: number): string;
}

export interface ForgeNode {
  readonly tagClass: number;
  readonly type: number;
  readonly constructed: boolean;
  /**
   * Children of a constructed value, else the content as a binary string (a BMPString's as text).
   */
  readonly value: string | ForgeNode[];
}

export interface ForgeAsn1 {
  fromDer(bytes: string | ForgeBuffer, options: {
    strict: boolean;
    parseAllBytes: boolean;
    decodeBitStrings: boolean;
    maxDepth: number;
  }): ForgeNode;
  toDer(node: ForgeNode): ForgeBuffer;
  derToOid(bytes: string): string | undefined;
}

export interface ForgeCipher {
  start(
    iv: string | ForgeBuffer | { iv: string; tagLength: number; tag: ForgeBuffer },
  ): void;
  update(input: ForgeBuffer): void;
  /** False when the padding is wrong. */
  finish(): boolean;
  readonly output: ForgeBuffer;
}

export interface ForgeUtil {
  createBuffer(bytes?: string): ForgeBuffer;
}

export interface ForgePbe {
  opensslDeriveBytes(password: string, salt: string, length: number): string;
}

export interface Forge {
  readonly asn1: ForgeAsn1;
  readonly util: ForgeUtil;
  readonly pbe: ForgePbe;
  readonly aes: { createDecryptionCipher(key: string | ForgeBuffer): ForgeCipher };
  readonly des: { createDecryptionCipher(key: string | ForgeBuffer): ForgeCipher };
  readonly rc2: { createDecryptionCipher(key: string | ForgeBuffer, bits: number): ForgeCipher };
  readonly cipher: { createDecipher(algorithm: "AES-GCM", key: string): ForgeCipher };
}

declare const forge: Forge;
export default forge;
