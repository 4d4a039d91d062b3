import { Buffer } from "node:buffer";
import {
  type Asn1,
  children,
  content,
  isContext,
  objectIdentifier,
  sequence,
  Tag,
  toDer,
} from "./asn1.ts";
import type { DistinguishedName } from "./certificate.ts";
import { CertificateRefused } from "./refusal.ts";

const MAX_ATTRIBUTES = 100;
const MAX_ATTRIBUTE_LENGTH = 1_024;
const MAX_ALTERNATIVE_NAMES = 5_000;
const MAX_ALTERNATIVE_NAME_LENGTH = 2_048;

/** The subject alternative names, each kind in its order, verbatim. */
export interface AlternativeNames {
  dns: string[];
  email: string[];
  uri: string[];
  ip: string[];
}

/** The distinguished name in `node`: every value decoded by its string type, nothing escaped. */
export function readDistinguishedName(node: Asn1 | undefined): DistinguishedName {
  const attributes = sequence(node).flatMap((set) => children(set));
  if (attributes.length > MAX_ATTRIBUTES) throw tooManyNames();
  const name = emptyName();
  for (const attribute of attributes) {
    const [type, value] = sequence(attribute);
    if (!value) throw new Error("expected a value");
    addAttribute(name, objectIdentifier(type), attributeText(value));
  }
  return name;
}

/** A name without attributes. */
export function emptyName(): DistinguishedName {
  return {
    CommonName: "",
    Organization: [],
    OrganizationalUnit: [],
    Country: [],
    Province: [],
    Locality: [],
    StreetAddress: [],
    PostalCode: [],
    SerialNumber: "",
    Names: [],
  };
}

/** The DNS, e-mail, URI and IP names in the GeneralNames `node`; other kinds are passed over. */
export function readAlternativeNames(node: Asn1): AlternativeNames {
  const names: AlternativeNames = { dns: [], email: [], uri: [], ip: [] };
  const all = sequence(node);
  if (all.length > MAX_ALTERNATIVE_NAMES) throw tooManyNames();
  for (const name of all) {
    if (isContext(name, 1)) names.email.push(alternativeText(name));
    else if (isContext(name, 2)) names.dns.push(alternativeText(name));
    else if (isContext(name, 6)) names.uri.push(alternativeText(name));
    else if (isContext(name, 7)) names.ip.push(ipAddress(content(name)));
  }
  return names;
}

/** The attributes that have a member of their own; X.520 numbers them under 2.5.4. */
function addAttribute(name: DistinguishedName, type: string, value: string): void {
  if (!type.startsWith("hex:")) {
    name.Names.push({ Type: type.split(".").map(Number), Value: value });
  }
  switch (type) {
    case "2.5.4.3":
      name.CommonName = value;
      break;
    case "2.5.4.5":
      name.SerialNumber = value;
      break;
    case "2.5.4.6":
      name.Country.push(value);
      break;
    case "2.5.4.7":
      name.Locality.push(value);
      break;
    case "2.5.4.8":
      name.Province.push(value);
      break;
    case "2.5.4.9":
      name.StreetAddress.push(value);
      break;
    case "2.5.4.10":
      name.Organization.push(value);
      break;
    case "2.5.4.11":
      name.OrganizationalUnit.push(value);
      break;
    case "2.5.4.17":
      name.PostalCode.push(value);
      break;
  }
}

/** UTF8-, Numeric-, Printable-, IA5- and VisibleString. */
const UTF8_STRINGS = new Set([12, 18, 19, 22, 26]);
/** Written as Latin-1 by everyone, whatever T.61 says. */
const TELETEX_STRING = 20;

function attributeText(node: Asn1): string {
  if (node.tagClass !== 0 || node.constructed) return nameText(toDer(node));
  if (UTF8_STRINGS.has(node.type)) return checked(fromUtf8(content(node)), MAX_ATTRIBUTE_LENGTH);
  if (node.type === Tag.universalString) {
    return checked(fromUtf32(content(node)), MAX_ATTRIBUTE_LENGTH);
  }
  if (node.type === Tag.bmpString || node.type === TELETEX_STRING) {
    return checked(content(node), MAX_ATTRIBUTE_LENGTH);
  }
  return nameText(toDer(node));
}

/** A value that is no text, as RFC 4514 §2.4 writes it. */
function nameText(der: Uint8Array): string {
  return checked(`#${Buffer.from(der).toString("hex")}`, MAX_ATTRIBUTE_LENGTH);
}

function alternativeText(node: Asn1): string {
  return checked(fromUtf8(content(node)), MAX_ALTERNATIVE_NAME_LENGTH);
}

function checked(text: string, maxLength: number): string {
  if (text.length > maxLength) {
    throw new CertificateRefused(
      "too_large",
      `A name in the certificate is longer than ${maxLength} characters.`,
    );
  }
  if (text.includes("\0")) {
    throw new CertificateRefused(
      "malformed",
      "A name in the certificate contains a NUL character.",
    );
  }
  return text.toWellFormed();
}

// deno-lint-ignore no-control-regex -- all of ASCII
const ASCII = /^[\u0000-\u007f]*$/;
const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** UTF-8 where it is; bytes of another 8-bit set, which old authorities wrote, as Latin-1. */
function fromUtf8(binary: string): string {
  if (ASCII.test(binary)) return binary;
  const bytes = Buffer.from(binary, "latin1");
  try {
    return strictUtf8.decode(bytes);
  } catch {
    return bytes.toString("latin1");
  }
}

function fromUtf32(binary: string): string {
  if (binary.length % 4 !== 0) throw new Error("expected whole characters");
  const bytes = Buffer.from(binary, "latin1");
  let text = "";
  for (let at = 0; at < bytes.length; at += 4) text += String.fromCodePoint(bytes.readUInt32BE(at));
  return text;
}

function ipAddress(binary: string): string {
  const bytes = [...Buffer.from(binary, "latin1")];
  if (bytes.length === 4) return bytes.join(".");
  if (bytes.length !== 16) throw new Error("expected an IP address");
  const groups = Array.from(
    { length: 8 },
    (_, i) => ((bytes[2 * i] ?? 0) * 256 + (bytes[2 * i + 1] ?? 0)).toString(16),
  );
  return shortened(groups);
}

/** RFC 5952: the first longest run of two or more zero groups becomes `::`. */
function shortened(groups: string[]): string {
  const zeros = groups.map((group) => (group === "0" ? "0" : "-")).join("");
  const run = zeros.match(/0{2,}/g)?.reduce((a, b) => (b.length > a.length ? b : a));
  if (!run) return groups.join(":");
  const at = zeros.indexOf(run);
  return `${groups.slice(0, at).join(":")}::${groups.slice(at + run.length).join(":")}`;
}

function tooManyNames(): CertificateRefused {
  return new CertificateRefused("too_large", "The certificate has too many names.");
}
