import { Buffer } from "node:buffer";
import { parseAsn1, sequence } from "./asn1.ts";
import { curveOf } from "./elliptic-key.ts";
import { readKeyKind } from "./public-key.ts";
import { certifiedKey, readCertificate } from "./x509.ts";

/** Why the original's gateway does not take a certificate, or cannot list a public key. */
export type RefusalThere = "expired" | "curve" | "key_kind" | "public_key";

/** A certificate as it would go there: texts of DER in base64, the leaf first. */
interface FileThere {
  members: readonly string[];
  hasKey: boolean;
  isPublicKey: boolean;
}

/**
 * Why the original's gateway refuses a file; undefined: it takes it. Seen at release 5.14: no file
 * with a member that is over, or with a curve that Go does not know by its name, whether there is a
 * private key or not; and no private key but of RSA, ECDSA and Ed25519. It stores a bare public key
 * unread, but gives no detailed list where it can't read one.
 */
export function refusalThere(file: FileThere, nowMs: number): RefusalThere | undefined {
  const ders = file.members.map((one) => new Uint8Array(Buffer.from(one, "base64")));
  const [leaf] = ders;
  if (!leaf) return undefined;
  if (file.isPublicKey) return isReadThere(leaf) ? undefined : "public_key";
  if (ders.some((der) => Date.parse(readCertificate(der).not_after) < nowMs)) return "expired";
  if (ders.some((der) => !hasCurveOfGo(certifiedKey(der)))) return "curve";
  const { algorithm } = readKeyKind(certifiedKey(leaf));
  return file.hasKey && !KEYS_OF_GO.has(algorithm) ? "key_kind" : undefined;
}

const KEYS_OF_GO = new Set(["RSA", "ECDSA", "Ed25519"]);
const PUBLIC_KEYS_OF_GO = new Set([...KEYS_OF_GO, "DSA", "X25519"]);
const CURVES_OF_GO = new Set(["secp224r1", "prime256v1", "secp384r1", "secp521r1"]);

function isReadThere(der: Uint8Array): boolean {
  const info = parseAsn1(der);
  return PUBLIC_KEYS_OF_GO.has(readKeyKind(info).algorithm) && hasCurveOfGo(info);
}

/** True also of a key that has no curve. */
function hasCurveOfGo(publicKeyInfo: ReturnType<typeof parseAsn1>): boolean {
  if (readKeyKind(publicKeyInfo).algorithm !== "ECDSA") return true;
  const curve = curveOf(sequence(sequence(publicKeyInfo)[0])[1]);
  return curve !== undefined && !curve.isExplicit && CURVES_OF_GO.has(curve.numbers.name);
}
