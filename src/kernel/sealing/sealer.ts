import { hmac } from "@noble/hashes/hmac.js";
import { sha256 as digest } from "@noble/hashes/sha2.js";
import { Buffer } from "node:buffer";
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";
import {
  type CheckForm,
  checkValue,
  formOf,
  type KeyCheck,
  type SealingKeys,
} from "./sealing-keys.ts";

/** Which value a sealed text belongs to. A sealed text opens in its own place only. */
export interface SealedPlace {
  table: string;
  org_id: string;
  id: string;
  column: string;
}

/** Seals values to be read again, by AES-256-GCM under versioned keys, bound to their place. */
export class Sealer {
  readonly #keys: SealingKeys;
  readonly #checksums = new Map<number, Checksums>();

  constructor(keys: SealingKeys) {
    this.#keys = keys;
  }

  /** `<key version>.<base64 of nonce, ciphertext and tag>`. */
  seal(place: SealedPlace, plain: string): string {
    const version = this.#keys.current;
    return `${version}.${encrypt(this.#key(version), placeText(place), plain)}`;
  }

  /**
   * The value that was sealed in this place. Throws when the text was changed, moved, or its key is
   * missing.
   */
  open(place: SealedPlace, sealed: string): string {
    const dot = sealed.indexOf(".");
    return decrypt(
      this.#key(Number(sealed.slice(0, dot))),
      placeText(place),
      sealed.slice(dot + 1),
    );
  }

  /** Whether the text that is in this place can be opened with the keys at hand. */
  canOpen(place: SealedPlace, sealed: string): boolean {
    try {
      this.open(place, sealed);
      return true;
    } catch {
      return false;
    }
  }

  /** Whether a text is sealed with the newest key. */
  isCurrent(sealed: string): boolean {
    return sealed.startsWith(`${this.#keys.current}.`);
  }

  /** Whether the key of a sealed text or of a checksum is at hand. */
  hasKeyOf(sealed: string): boolean {
    return this.#keys.keys.has(Number(sealed.slice(0, sealed.indexOf("."))));
  }

  /**
   * Like seal, under a key that needs `secret` as well: neither the store nor the server alone can
   * open it.
   */
  sealWith(secret: string, place: SealedPlace, plain: string): string {
    const version = this.#keys.current;
    return `${version}.${encrypt(this.#derive(version, secret), placeText(place), plain)}`;
  }

  /** Opens what sealWith made, given the same secret. Throws like open. */
  openWith(secret: string, place: SealedPlace, sealed: string): string {
    const dot = sealed.indexOf(".");
    const key = this.#derive(Number(sealed.slice(0, dot)), secret);
    return decrypt(key, placeText(place), sealed.slice(dot + 1));
  }

  /**
   * Seals what is encrypted under a key of `secret` alone: both are needed to read it, and the seal
   * can be renewed without the secret, by `open` and `seal`. The secret must be unguessable by
   * itself: 128 random bits or more.
   */
  sealTwice(secret: string, place: SealedPlace, plain: string): string {
    return this.seal(place, encrypt(keyOfSecret(secret), placeText(place), plain));
  }

  /** Opens what sealTwice made, given the same secret. Throws like open. */
  openTwice(secret: string, place: SealedPlace, sealed: string): string {
    return decrypt(keyOfSecret(secret), placeText(place), this.open(place, sealed));
  }

  /**
   * A name for `secret` that can be stored and looked up, and guessed only with the server's key at
   * hand.
   */
  blindIndex(secret: string): string {
    // The lowest version, so that adding a key does not change the names.
    const version = Math.min(...this.#keys.keys.keys());
    return createHmac("sha256", this.#key(version)).update(`index\0${secret}`).digest("hex");
  }

  /**
   * `<key version>.<base64url of 32 bytes>`: an HMAC-SHA-256 of the text under a key that
   * HKDF-SHA-256 derives from the newest sealing key. Without a sealing key it can't be made.
   */
  checksum(text: string): string {
    const version = this.#keys.current;
    return `${version}.${this.#hmac(version, text)}`;
  }

  /** Whether a checksum is that of this text, under any key at hand. Never throws. */
  isChecksumOf(text: string, checksum: string): boolean {
    const dot = checksum.indexOf(".");
    const version = Number(checksum.slice(0, dot));
    if (dot < 1 || !this.#keys.keys.has(version)) return false;
    const expected = Buffer.from(this.#hmac(version, text));
    const given = Buffer.from(checksum.slice(dot + 1));
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  /** The versions of the keys at hand. */
  get versions(): number[] {
    return [...this.#keys.keys.keys()];
  }

  /** The check value of a version; see checkValue. Throws if there is no such version. */
  checkValue(version: number, form: CheckForm): string {
    return checkValue(this.#key(version), form);
  }

  /** The form of a check; see formOf. */
  formOf(check: KeyCheck): ReturnType<typeof formOf> {
    return formOf(this.#keys, check);
  }

  #hmac(version: number, text: string): string {
    let checksums = this.#checksums.get(version);
    if (!checksums) {
      const derived = hkdfSync("sha256", this.#key(version), "keydesk", CHECKSUM_INFO, 32);
      checksums = new Checksums(new Uint8Array(derived));
      this.#checksums.set(version, checksums);
    }
    return checksums.of(text);
  }

  #key(version: number): Uint8Array {
    const key = this.#keys.keys.get(version);
    if (!key) throw new Error(`sealing key version ${version} is missing`);
    return key;
  }

  #derive(version: number, secret: string): Uint8Array {
    return new Uint8Array(hkdfSync("sha256", this.#key(version), "keydesk", secret, 32));
  }
}

/**
 * HMAC-SHA-256 under one key, begun once. Not the runtime's own, for the reason that is in
 * kernel/sha256.ts; it takes twice as long, too.
 */
class Checksums {
  readonly #begun;
  readonly #working;

  constructor(key: Uint8Array) {
    this.#begun = hmac.create(digest, key);
    this.#working = hmac.create(digest, key);
  }

  /** Base64url of 32 bytes. */
  of(text: string): string {
    const result = Buffer.allocUnsafe(32);
    this.#begun._cloneInto(this.#working).update(utf8.encode(text)).digestInto(result);
    return result.toString("base64url");
  }
}

const utf8 = new TextEncoder();

/** Of HKDF: sets this key apart from those of secrets, which are other texts. */
const CHECKSUM_INFO = "checksums of rows";

function keyOfSecret(secret: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret, "keydesk", "secret alone", 32));
}

function placeText(place: SealedPlace): string {
  return [place.table, place.org_id, place.id, place.column].join("\0");
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

function encrypt(key: Uint8Array, aad: string, plain: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  cipher.setAAD(Buffer.from(aad));
  const body = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, body, cipher.getAuthTag()]).toString("base64");
}

function decrypt(key: Uint8Array, aad: string, text: string): string {
  const bytes = Buffer.from(text, "base64");
  const end = bytes.length - TAG_BYTES;
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(aad));
  decipher.setAuthTag(bytes.subarray(end));
  return decipher.update(bytes.subarray(NONCE_BYTES, end), undefined, "utf8") +
    decipher.final("utf8");
}
