import { Buffer } from "node:buffer";
import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { sha256Bytes } from "../../kernel/sha256.ts";

/** The content of a certificate of the demo. */
interface Wanted {
  cn: string;
  organisation: string;
  /** Milliseconds: from when until when it is valid. */
  from: number;
  to: number;
  isAuthority: boolean;
  /** Its signer; absent: it signs itself. */
  issuer?: Signer;
}

/** The signer of others. The key is in memory alone, and gone with the process. */
interface Signer {
  name: Buffer;
  keyId: Buffer;
  key: KeyObject;
}

/**
 * Signs a certificate of a fresh P-256 key (RFC 5280); gives its DER, and what signs others in its
 * name. No one keeps the key: what the demo trusts can't be made by anybody else.
 */
export function signCertificate(wanted: Wanted): { der: Uint8Array; signer: Signer } {
  const { cn, organisation, from, to, isAuthority } = wanted;
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const spki = createPublicKey(privateKey).export({ type: "spki", format: "der" });
  const hashed = (bytes: Uint8Array) => Buffer.from(sha256Bytes(bytes)).subarray(0, 20);
  const name = sequence(attribute(ORGANISATION, organisation), attribute(COMMON_NAME, cn));
  const own: Signer = { name, keyId: hashed(spki), key: privateKey };
  const by = wanted.issuer ?? own;
  // Positive, and 20 octets at most.
  const serial = Buffer.concat([Buffer.from([0x4b]), hashed(spki).subarray(0, 15)]);
  const extensions = [
    extension(BASIC_CONSTRAINTS, sequence(...isAuthority ? [der(0x01, TRUE)] : []), isAuthority),
    ...isAuthority ? [extension(KEY_USAGE, SIGNS_OTHERS, true)] : [
      extension(ALTERNATIVE_NAMES, sequence(der(0x82, Buffer.from(cn)))),
    ],
    extension(SUBJECT_KEY, der(0x04, own.keyId)),
    extension(AUTHORITY_KEY, sequence(der(0x80, by.keyId))),
  ];
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, serial),
    ECDSA_WITH_SHA256,
    by.name,
    sequence(time(from), time(to)),
    name,
    spki,
    der(0xa3, sequence(...extensions)),
  );
  const signature = der(0x03, Buffer.from([0]), sign("sha256", toBeSigned, by.key));
  return { der: sequence(toBeSigned, ECDSA_WITH_SHA256, signature), signer: own };
}

const identifier = (hex: string) => der(0x06, Buffer.from(hex, "hex"));
const TRUE = Buffer.from([0xff]);
const ECDSA_WITH_SHA256 = sequence(identifier("2a8648ce3d040302"));
const COMMON_NAME = identifier("550403");
const ORGANISATION = identifier("55040a");
const SUBJECT_KEY = identifier("551d0e");
const KEY_USAGE = identifier("551d0f");
const ALTERNATIVE_NAMES = identifier("551d11");
const BASIC_CONSTRAINTS = identifier("551d13");
const AUTHORITY_KEY = identifier("551d23");
/** keyCertSign and cRLSign. */
const SIGNS_OTHERS = der(0x03, Buffer.from([1, 0x06]));

function attribute(type: Buffer, text: string): Buffer {
  return der(0x31, sequence(type, der(0x0c, Buffer.from(text))));
}

function extension(id: Buffer, value: Buffer, isCritical = false): Buffer {
  return sequence(id, ...isCritical ? [der(0x01, TRUE)] : [], der(0x04, value));
}

/** RFC 5280 §4.1.2.5: two digits of the year to 2049, four after it. */
function time(ms: number): Buffer {
  const text = `${new Date(ms).toISOString().slice(0, 19).replaceAll(/[-T:]/g, "")}Z`;
  return text < "2050" ? der(0x17, Buffer.from(text.slice(2))) : der(0x18, Buffer.from(text));
}

function sequence(...parts: Uint8Array[]): Buffer {
  return der(0x30, ...parts);
}

/** One DER value of up to 65,535 octets. */
function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const { length } = body;
  const head = length < 128
    ? [tag, length]
    : length < 256
    ? [tag, 0x81, length]
    : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), body]);
}
