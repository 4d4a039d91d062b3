import { Buffer } from "node:buffer";
import { CertificateRefused } from "./refusal.ts";
import { membersOf, type Tlv, tlvAt } from "./tlv.ts";

/** The kind of a file that is not PEM. */
type FileKind = "certificates" | "pkcs7" | "pkcs12" | "unknown";

const SIGNED_DATA = Buffer.from("2a864886f70d010702", "hex");

const Tags = { integer: 0x02, bits: 0x03, octets: 0x04, oid: 0x06, sequence: 0x30, set: 0x31 };

/** The kind of `bytes`, by their first members alone. Never throws. */
export function kindOfFile(bytes: Uint8Array): FileKind {
  const [first, second, third] = membersAt(bytes, tlvAt(bytes));
  if (first?.tag === Tags.oid && isSignedData(bytes, first)) return "pkcs7";
  if (first?.tag === Tags.integer && second?.tag === Tags.sequence) {
    const [type, content] = membersAt(bytes, second);
    return type?.tag === Tags.oid && content?.tag === 0xa0 ? "pkcs12" : "unknown";
  }
  return first?.tag === Tags.sequence && second?.tag === Tags.sequence && third?.tag === Tags.bits
    ? "certificates"
    : "unknown";
}

/** Certificates as DER, one behind the other, each with its own bytes; blanks end the file. */
export function* derCertificates(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length;) {
    const end = tlvAt(bytes, at)?.end ?? bytes.length;
    const one = bytes.subarray(at, end);
    if (at > 0 && end === bytes.length && one.every((byte) => byte <= 0x20)) return;
    yield one;
    at = end;
  }
}

/**
 * The certificates of a PKCS#7 bundle (RFC 2315 §9.1, RFC 5652 §5.1) with the bytes that they have
 * there. Its signatures, signed content and revocation lists are passed over.
 * @throws CertificateRefused (malformed, no_certificate)
 */
export function pkcs7Certificates(bytes: Uint8Array): Uint8Array[] {
  const [type, content] = membersAt(bytes, tlvAt(bytes));
  const signed = content && [...membersOf(bytes, content)][0];
  if (!type || !isSignedData(bytes, type) || signed?.tag !== Tags.sequence) {
    throw new CertificateRefused("malformed", "The PKCS#7 bundle is malformed.");
  }
  const set = membersAt(bytes, signed).find(({ tag }) => tag === 0xa0);
  const found = set ? [...membersOf(bytes, set)].filter(({ tag }) => tag === Tags.sequence) : [];
  if (found.length === 0) {
    throw new CertificateRefused("no_certificate", "The PKCS#7 bundle has no certificate.");
  }
  return found.map(({ start, end }) => bytes.subarray(start, end));
}

/** True when these bytes are PKCS#7 signed data, whatever a label says. */
export function isPkcs7(bytes: Uint8Array): boolean {
  return kindOfFile(bytes) === "pkcs7";
}

/** The refusal that names a file of another kind and the command that converts it. */
export function refusalOfFile(bytes: Uint8Array): CertificateRefused {
  const named = nameOfFile(bytes);
  if (!named) {
    return new CertificateRefused(
      "not_pem",
      "The file has no line -----BEGIN CERTIFICATE-----, and is no DER, PKCS#7 or PKCS#12.",
    );
  }
  const [name, command] = named;
  return new CertificateRefused("unsupported", `The file is ${name}. Convert it by: ${command}`);
}

/** The refusal of a private key in OpenSSH's own form, given its decoded block. */
export function refusalOfOpenSsh(der: Uint8Array): CertificateRefused {
  // The public part stands in it unencrypted. OpenSSH 9.2 says that it converted an Ed25519 key,
  // and writes its own form again.
  const isEd25519 = Buffer.from(der).includes("ssh-ed25519");
  return new CertificateRefused(
    "unsupported",
    isEd25519
      ? "The private key is in OpenSSH's own form, and ssh-keygen converts no Ed25519 key."
      : "The private key is in OpenSSH's own form. Convert it by: ssh-keygen -p -m PKCS8 -f FILE",
  );
}

/** The name of a kind with its article, and the command. */
type Named = readonly [name: string, command: string];

const toPkcs12 = (more = "") =>
  `keytool -importkeystore -srckeystore FILE${more} -destkeystore FILE.p12 -deststoretype PKCS12`;
const bouncyCastle = (type: string) =>
  toPkcs12(
    ` -srcstoretype ${type} -providerclass org.bouncycastle.jce.provider.BouncyCastleProvider` +
      " -providerpath bcprov.jar",
  );

function nameOfFile(bytes: Uint8Array): Named | undefined {
  const start = Buffer.from(bytes.subarray(0, 64));
  const number = start.length >= 32 ? start.readUInt32BE(0) : 0;
  if (number === 0xfeedfeed) {
    return ["a Java keystore (JKS)", toPkcs12(" -srcstoretype JKS")];
  }
  if (number === 0xcececece) {
    return ["a Java keystore (JCEKS)", toPkcs12(" -srcstoretype JCEKS")];
  }
  if ((number === 1 || number === 2) && start.readUInt32BE(4) === 20) {
    return ["a BouncyCastle keystore (BKS)", bouncyCastle("BKS")];
  }
  if (/^\s{0,8}(ssh-(rsa|dss|ed25519)|ecdsa-sha2-nistp\d+) AAAA/.test(start.toString("latin1"))) {
    return ["an OpenSSH public key", "ssh-keygen -e -m PKCS8 -f FILE"];
  }
  return nameOfDer(bytes);
}

function nameOfDer(bytes: Uint8Array): Named | undefined {
  const members = membersAt(bytes, tlvAt(bytes));
  const [first, second] = members;
  const [, inner] = membersAt(bytes, first);
  if (members.length === 2 && first?.tag === Tags.sequence) {
    const check = membersAt(bytes, second);
    const isMac = second?.tag === Tags.sequence && check.length === 3 &&
      check[2]?.tag === Tags.octets;
    if (inner && (isMac || second?.tag === 0xa0)) {
      return ["a BouncyCastle keystore (BCFKS)", bouncyCastle("BCFKS")];
    }
    if (second?.tag === Tags.octets) return [DER_KEY, PKEY];
    if (second?.tag === Tags.bits) {
      return ["a public key in DER", "openssl pkey -pubin -inform DER -in FILE -out FILE.pem"];
    }
  }
  const isKey = first?.tag === Tags.integer && second !== undefined &&
    [Tags.integer, Tags.octets, Tags.sequence].includes(second.tag);
  return isKey ? [DER_KEY, PKEY] : undefined;
}

const DER_KEY = "a private key in DER";
const PKEY = "openssl pkey -inform DER -in FILE -out FILE.pem";

function isSignedData(bytes: Uint8Array, { from, to }: Tlv): boolean {
  return SIGNED_DATA.equals(bytes.subarray(from, to));
}

/** The first members of a SEQUENCE; none of anything else. */
function membersAt(bytes: Uint8Array, value: Tlv | undefined): Tlv[] {
  return value?.tag === Tags.sequence ? [...membersOf(bytes, value).take(16)] : [];
}
