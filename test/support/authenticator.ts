/** A browser with an authenticator, as far as a server sees them: it makes and uses passkeys. */
import { Buffer } from "node:buffer";
import {
  createHash,
  createSign,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from "node:crypto";

/** What an answer says that a test may falsify. */
export interface Told {
  challenge: string;
  origin: string;
  rpId: string;
  /** False: it looked at nobody's finger. */
  isVerified?: boolean;
  /** What it counts; absent: one more than before. */
  counter?: number;
  userHandle?: string | undefined;
}

/** A passkey with its private key; what it counts begins with 1. */
export class Authenticator {
  readonly id: string;
  readonly #key: KeyObject;
  readonly #point: { x: string; y: string };
  counter = 0;

  constructor() {
    this.id = randomBytes(16).toString("base64url");
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const { x = "", y = "" } = publicKey.export({ format: "jwk" });
    this.#key = privateKey;
    this.#point = { x, y };
  }

  /** What `navigator.credentials.create` gives. */
  create(told: Told): { id: string; client_data: string; attestation: string } {
    const id = Buffer.from(this.id, "base64url");
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const data = Buffer.concat([
      this.#head(told, 0x40),
      Buffer.alloc(16),
      length,
      id,
      this.#coseKey(),
    ]);
    const attestation = Buffer.concat([
      Buffer.from([0xa3]),
      word("fmt"),
      word("none"),
      word("attStmt"),
      Buffer.from([0xa0]),
      word("authData"),
      bytes(data),
    ]);
    return {
      id: this.id,
      client_data: clientData("webauthn.create", told),
      attestation: attestation.toString("base64url"),
    };
  }

  /** What `navigator.credentials.get` gives. */
  get(told: Told): {
    id: string;
    client_data: string;
    authenticator_data: string;
    signature: string;
    user_handle?: string;
  } {
    const client_data = clientData("webauthn.get", told);
    const data = this.#head(told, 0);
    const hash = createHash("sha256").update(Buffer.from(client_data, "base64url")).digest();
    const signature = createSign("sha256").update(data).update(hash).sign(this.#key);
    return {
      id: this.id,
      client_data,
      authenticator_data: data.toString("base64url"),
      signature: signature.toString("base64url"),
      ...told.userHandle === undefined ? {} : { user_handle: told.userHandle },
    };
  }

  /** The hash of the host, what was looked at, and what it counts. */
  #head({ rpId, isVerified = true, counter = ++this.counter }: Told, more: number): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    const flags = 0x01 | (isVerified ? 0x04 : 0) | more;
    const host = createHash("sha256").update(rpId).digest();
    return Buffer.concat([host, Buffer.from([flags]), count]);
  }

  /** {1: 2, 3: -7, -1: 1, -2: x, -3: y} */
  #coseKey(): Buffer {
    const { x, y } = this.#point;
    return Buffer.concat([
      Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
      bytes(Buffer.from(x, "base64url")),
      Buffer.from([0x22]),
      bytes(Buffer.from(y, "base64url")),
    ]);
  }
}

function clientData(type: string, { challenge, origin }: Told): string {
  const text = JSON.stringify({ type, challenge, origin, crossOrigin: false });
  return Buffer.from(text).toString("base64url");
}

function word(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);
}

function bytes(data: Buffer): Buffer {
  const head = data.length < 256
    ? [0x58, data.length]
    : [0x59, data.length >> 8, data.length & 255];
  return Buffer.concat([Buffer.from(head), data]);
}
