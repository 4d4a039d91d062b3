/** Certificates of every kind, made in this process. */
import { Buffer } from "node:buffer";
import { constants, createHash, randomBytes, sign } from "node:crypto";
import { ecdsaWithSHA256, ecdsaWithSHA512, id_ecPublicKey, id_secp521r1 } from "@peculiar/asn1-ecc";
import {
  id_mgf1,
  id_rsaEncryption,
  id_RSASSA_PSS,
  RsaSaPssParams,
  sha256,
} from "@peculiar/asn1-rsa";
import { AsnConvert, OctetString } from "@peculiar/asn1-schema";
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  Extension,
  Extensions,
  GeneralName,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
  KeyIdentifier,
  Name,
  OtherName,
  RelativeDistinguishedName,
  SubjectAlternativeName,
  SubjectKeyIdentifier,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Time,
  Validity,
  Version,
} from "@peculiar/asn1-x509";
import { utf8 } from "./der.ts";
import {
  BRAINPOOL,
  curveOf,
  derOf,
  keyInfo,
  newKey,
  pem,
  publicKeyDer,
  signingKey,
} from "./keys.ts";

/** A certificate and its key, both PEM. */
export interface Issued {
  certificate: string;
  key: string;
}

/** Attributes of a name by their short names; several values are several attributes. */
export type Attributes = Record<string, string | string[]>;

/** The properties of a test certificate. */
export interface Wanted {
  /** PKCS#8 PEM; one P-256 key for all that name none. */
  key?: string;
  /**
   * The subject: one attribute after the other, or a list whose members hold what stands together.
   */
  subject?: Attributes | Attributes[];
  /** True or a path's length for an authority, false for what says that it is none. */
  authority?: boolean | number;
  names?: Partial<GeneralName>[];
  usage?: string;
  /** Says the key's id, and the issuer's where that says its own. */
  keyIds?: boolean;
  extensions?: Extension[];
  /** How long it is valid from now on; 30 unless said. */
  days?: number;
  issuer?: Issued;
  /** No version and no extensions. */
  isFirstVersion?: boolean;
  /** Identifiers of the issuer and the subject, as X.509 v2 has them. */
  uniqueIds?: boolean;
  /** The public key, where it shall be written otherwise than the key's own. */
  publicKey?: Uint8Array;
}

const defaultKey = newKey("P-256");
const DAY_MS = 86_400_000;
const UNIQUE_ID = new Uint8Array([1, 2, 3]).buffer;

/** A certificate as wanted: self-signed, or signed by `issuer`; a P-256 key unless given. */
export function issue(wanted: Wanted): Issued {
  const { key = defaultKey, subject = { CN: "test" }, issuer, days = 30 } = wanted;
  const signer = keyOfSigner(issuer?.key ?? key);
  const own = new Uint8Array(wanted.publicKey ?? publicKeyDer(key));
  const parent = issuer && AsnConvert.parse(derOf(issuer.certificate), Certificate).tbsCertificate;
  const name = nameOf(subject);
  const serial = randomBytes(16);
  serial[0] = 0x40 | (serial[0] ?? 0) & 0x3f;
  const now = Date.now();
  const tbsCertificate = new TBSCertificate({
    version: wanted.isFirstVersion ? Version.v1 : Version.v3,
    serialNumber: new Uint8Array(serial).buffer,
    signature: signatureOf(signer),
    issuer: parent?.subject ?? name,
    validity: new Validity({
      notBefore: new Date(now),
      notAfter: new Date(now + days * DAY_MS),
    }),
    subject: name,
    subjectPublicKeyInfo: AsnConvert.parse(own, SubjectPublicKeyInfo),
    extensions: extensionsOf(wanted, own, parent),
    ...wanted.uniqueIds ? { issuerUniqueID: UNIQUE_ID, subjectUniqueID: UNIQUE_ID } : {},
  });
  const signed = AsnConvert.serialize(tbsCertificate);
  const certificate = new Certificate({
    tbsCertificate,
    signatureAlgorithm: tbsCertificate.signature,
    signatureValue: new Uint8Array(signatureValue(signer, new Uint8Array(signed))).buffer,
  });
  return { certificate: pem("CERTIFICATE", AsnConvert.serialize(certificate)), key };
}

/** A self-signed certificate with this validity, each end as YYYYMMDDHHMMSSZ. */
export function issueWithValidity(from: string, to: string): string {
  const issued = issue({ subject: { CN: "dated" } });
  const certificate = AsnConvert.parse(derOf(issued.certificate), Certificate);
  const { validity } = certificate.tbsCertificate;
  [validity.notBefore, validity.notAfter] = [timeOf(from), timeOf(to)];
  delete certificate.tbsCertificateRaw;
  const signed = AsnConvert.serialize(certificate.tbsCertificate);
  certificate.signatureValue =
    new Uint8Array(signatureValue(issued.key, new Uint8Array(signed))).buffer;
  return pem("CERTIFICATE", AsnConvert.serialize(certificate));
}

/** RFC 5280 §4.1.2.5: two digits of the year from 1950 to 2049, four in any other. */
function timeOf(text: string): Time {
  const [, year = "", ...rest] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(text) ?? [];
  const [month, day, hour, minute, second] = rest;
  const time = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number(year) >= 1950 && Number(year) < 2050
    ? new Time({ utcTime: time })
    : new Time({ generalTime: time });
}

/** A name's attributes that tests use. */
const ATTRIBUTES: Record<string, string> = {
  CN: "2.5.4.3",
  serialNumber: "2.5.4.5",
  C: "2.5.4.6",
  L: "2.5.4.7",
  ST: "2.5.4.8",
  street: "2.5.4.9",
  O: "2.5.4.10",
  OU: "2.5.4.11",
  postalCode: "2.5.4.17",
  emailAddress: "1.2.840.113549.1.9.1",
  DC: "0.9.2342.19200300.100.1.25",
};

/** A name in the form of the library. */
export function nameOf(subject: Attributes | Attributes[]): Name {
  const sets = Array.isArray(subject)
    ? subject
    : Object.entries(subject).map(([type, value]) => ({ [type]: value }));
  return new Name(sets.map((set) =>
    new RelativeDistinguishedName(
      Object.entries(set).flatMap(([type, values]) =>
        [values].flat().map((text) =>
          new AttributeTypeAndValue({ type: ATTRIBUTES[type] ?? type, value: valueOf(type, text) })
        )
      ),
    )
  ));
}

function valueOf(type: string, text: string): AttributeValue {
  if (type === "DC" || type === "emailAddress") return new AttributeValue({ ia5String: text });
  if (type === "C" || type === "serialNumber") return new AttributeValue({ printableString: text });
  return new AttributeValue({ utf8String: text });
}

/** An alternative name of a kind that is not known, with a text. */
export function otherName(typeId: string, text: string): Partial<GeneralName> {
  return { otherName: new OtherName({ typeId, value: new Uint8Array(utf8(text)).buffer }) };
}

/** An extension around a value of the library. */
export function extensionOf(extnID: string, value: unknown, critical = false): Extension {
  return new Extension({
    extnID,
    critical,
    extnValue: new OctetString(AsnConvert.serialize(value)),
  });
}

function extensionsOf(
  wanted: Wanted,
  own: Uint8Array,
  parent: TBSCertificate | undefined,
): Extensions | undefined {
  const { authority, names, usage } = wanted;
  const made = [...wanted.extensions ?? []];
  if (authority !== undefined) {
    const constraints = new BasicConstraints({ cA: authority !== false });
    if (typeof authority === "number") constraints.pathLenConstraint = authority;
    made.push(extensionOf(id_ce_basicConstraints, constraints, authority !== false));
  }
  if (names) {
    const all = new SubjectAlternativeName(names.map((name) => new GeneralName(name)));
    made.push(extensionOf(id_ce_subjectAltName, all));
  }
  if (usage) made.push(extensionOf(id_ce_extKeyUsage, new ExtendedKeyUsage([usage])));
  if (wanted.keyIds) {
    made.push(extensionOf(id_ce_subjectKeyIdentifier, new SubjectKeyIdentifier(keyId(own))));
    const theirs = parent?.extensions?.find(({ extnID }) => extnID === id_ce_subjectKeyIdentifier);
    if (theirs) {
      const { buffer } = AsnConvert.parse(theirs.extnValue.buffer, SubjectKeyIdentifier);
      const keyIdentifier = new KeyIdentifier(buffer);
      made.push(
        extensionOf(id_ce_authorityKeyIdentifier, new AuthorityKeyIdentifier({ keyIdentifier })),
      );
    }
  }
  return made.length > 0 && !wanted.isFirstVersion ? new Extensions(made) : undefined;
}

/** RFC 5280 §4.2.1.2, method 1. */
function keyId(spki: Uint8Array): ArrayBuffer {
  const { subjectPublicKey } = AsnConvert.parse(spki, SubjectPublicKeyInfo);
  const hash = createHash("sha1").update(new Uint8Array(subjectPublicKey)).digest();
  return new Uint8Array(hash).buffer;
}

/**
 * Nothing here signs with a curve of Brainpool's: the common key does, which no reader of a file
 * minds.
 */
function keyOfSigner(key: string): string {
  return curveOf(key) === BRAINPOOL.oid ? defaultKey : key;
}

const SHA256_WITH_RSA = new AlgorithmIdentifier({
  algorithm: "1.2.840.113549.1.1.11",
  parameters: null,
});

const PSS = new AlgorithmIdentifier({
  algorithm: id_RSASSA_PSS,
  parameters: AsnConvert.serialize(
    new RsaSaPssParams({
      hashAlgorithm: sha256,
      maskGenAlgorithm: new AlgorithmIdentifier({
        algorithm: id_mgf1,
        parameters: AsnConvert.serialize(sha256),
      }),
      saltLength: 32,
    }),
  ),
});

function signatureOf(key: string): AlgorithmIdentifier {
  const { algorithm } = keyInfo(key).privateKeyAlgorithm;
  switch (algorithm) {
    case id_RSASSA_PSS:
      return PSS;
    case id_ecPublicKey:
      return curveOf(key) === id_secp521r1 ? ecdsaWithSHA512 : ecdsaWithSHA256;
    case id_rsaEncryption:
      return SHA256_WITH_RSA;
    default:
      return new AlgorithmIdentifier({ algorithm });
  }
}

function signatureValue(key: string, bytes: Uint8Array): Buffer {
  const { algorithm } = signatureOf(key);
  const held = signingKey(key);
  if (algorithm === id_RSASSA_PSS) {
    const padding = constants.RSA_PKCS1_PSS_PADDING;
    return sign("sha256", bytes, { key: held, padding, saltLength: 32 });
  }
  if (algorithm === ecdsaWithSHA512.algorithm) return sign("sha512", bytes, held);
  const isEdwards = held.asymmetricKeyType === "ed25519" || held.asymmetricKeyType === "ed448";
  return sign(isEdwards ? null : "sha256", bytes, held);
}
