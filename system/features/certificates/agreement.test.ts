import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { readBundle } from "../../../packages/x509/bundle.ts";
import type { CertificateRecord, DistinguishedName } from "../../../packages/x509/certificate.ts";
import { readPemBlocks } from "../../../packages/x509/pem.ts";
import { pemOf } from "../../../packages/x509/test/support/der.ts";
import { openssl } from "./support/openssl.ts";

const BUNDLE = "/etc/ssl/certs/ca-certificates.crt";

/** The facts of a certificate in the words of `openssl x509`. */
function opensslFacts(pem: string) {
  const text = String(openssl([
    "x509",
    "-noout",
    "-text",
    "-serial",
    "-fingerprint",
    "-sha256",
    "-dates",
    "-subject",
    "-issuer",
    "-nameopt",
    "sep_multiline,oid,utf8",
    "-dateopt",
    "iso_8601",
  ], pem));
  const line = (pattern: RegExp) => pattern.exec(text)?.[1]?.trim() ?? "";
  return {
    subject: section(text, "subject"),
    issuer: section(text, "issuer"),
    notBefore: line(/^notBefore=(.*)$/m).replace(" ", "T"),
    notAfter: line(/^notAfter=(.*)$/m).replace(" ", "T"),
    serial: line(/^serial=(.*)$/m).toLowerCase(),
    fingerprint: line(/Fingerprint=(.*)$/m).replaceAll(":", "").toLowerCase(),
    isAuthority: /^ +CA:TRUE/m.test(text),
    pathLength: line(/pathlen:(\d+)/),
    // Directory names have no place in the record; the one root that has one puts it last.
    names: line(/Subject Alternative Name:.*\n(.*)$/m).replace(/, DirName:.*$/, ""),
    signature: line(/Signature Algorithm: (.*)$/m),
    keySize: line(/Public-Key: \((\d+) bit\)/),
    subjectKeyId: line(/Subject Key Identifier:.*\n(.*)$/m).replaceAll(":", "").toLowerCase(),
  };
}

/** `subject=` and its indented `2.5.4.3=value` lines, as pairs. */
function section(text: string, name: string): string[] {
  const lines = text.split("\n");
  const start = lines.findIndex((line) => line === `${name}=`);
  const end = lines.findIndex((line, at) => at > start && !line.startsWith("    "));
  return lines.slice(start + 1, end).map((line) => line.trim());
}

function ourFacts(record: CertificateRecord): ReturnType<typeof opensslFacts> {
  const alternatives = [
    ...record.dns_names.map((name) => `DNS:${name}`),
    ...record.email_addresses.map((name) => `email:${name}`),
  ];
  return {
    subject: pairs(record.subject),
    issuer: pairs(record.issuer),
    notBefore: record.not_before,
    notAfter: record.not_after,
    serial: record.serial_number,
    fingerprint: record.fingerprint,
    isAuthority: record.is_ca,
    pathLength: String(record.path_length ?? ""),
    names: alternatives.join(", "),
    signature: record.signature_algorithm,
    keySize: String(record.key_size),
    subjectKeyId: record.subject_key_id,
  };
}

function pairs(name: DistinguishedName): string[] {
  return name.Names.map(({ Type, Value }) => `${Type.join(".")}=${Value}`);
}

const commonName = (lines: string[]) =>
  lines.find((line) => line.startsWith("2.5.4.3="))?.slice(8) ?? "";

Deno.test("every Mozilla root is read as openssl reads it", () => {
  const bytes = readFileSync(BUNDLE);
  const results = [...readBundle(bytes)];
  assert.equal(results.length, bytes.toString().split("-----BEGIN").length - 1);
  assert.ok(results.length > 100, "the bundle of Debian's ca-certificates is expected here");
  for (const [at, block] of [...readPemBlocks(bytes)].entries()) {
    const result = results[at];
    assert.ok(result?.ok && block.der, `certificate ${at} was refused`);
    const expected = opensslFacts(pemOf(block.der));
    assert.deepEqual(ourFacts(result.certificate), expected);
    assert.equal(result.certificate.subject_cn, commonName(expected.subject));
    assert.equal(result.certificate.issuer_cn, commonName(expected.issuer));
  }
});
