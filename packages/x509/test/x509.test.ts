import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { X509Certificate } from "node:crypto";
import {
  AccessDescription,
  AuthorityInfoAccessSyntax,
  CRLDistributionPoints,
  DistributionPoint,
  DistributionPointName,
  GeneralName,
  id_ce_cRLDistributionPoints,
  id_pe_authorityInfoAccess,
} from "@peculiar/asn1-x509";
import { readBundle } from "../bundle.ts";
import { CertificateRefused } from "../refusal.ts";
import { readCertificate } from "../x509.ts";
import {
  BASIC_CONSTRAINTS,
  der,
  extension,
  integer,
  nameOf,
  octetString,
  oddCertificate,
  oid,
  pemOf,
  sequence,
  set,
  SUBJECT_ALTERNATIVE_NAME,
  utf8,
} from "./support/der.ts";
import { leastMs } from "./support/least-time.ts";
import {
  extensionOf,
  issue,
  issueWithValidity,
  nameOf as subjectOf,
  otherName,
} from "./support/issue.ts";
import { derOf, newKey } from "./support/keys.ts";
import { recordOf } from "./support/reading.ts";

const read = (wanted: Parameters<typeof issue>[0]) => recordOf(issue(wanted).certificate);

Deno.test("keys: algorithm, size and signature of every kind", () => {
  const kinds = {
    rsa: ["RSA", 2048, "sha256WithRSAEncryption"],
    "rsa-pss": ["RSA-PSS", 2048, "rsassaPss"],
    "P-256": ["ECDSA", 256, "ecdsa-with-SHA256"],
    "P-384": ["ECDSA", 384, "ecdsa-with-SHA256"],
    "P-521": ["ECDSA", 521, "ecdsa-with-SHA512"],
    secp256k1: ["ECDSA", 256, "ecdsa-with-SHA256"],
    brainpoolP256r1: ["ECDSA", 256, "ecdsa-with-SHA256"],
    ed25519: ["Ed25519", 256, "ED25519"],
    ed448: ["Ed448", 456, "ED448"],
  };
  for (const [kind, expected] of Object.entries(kinds)) {
    const record = read({ key: newKey(kind) });
    const { key_algorithm, key_size, signature_algorithm } = record;
    assert.deepEqual([key_algorithm, key_size, signature_algorithm], expected);
  }
});

Deno.test("alternative names: every kind, verbatim and in order, other kinds passed over", () => {
  const record = read({
    names: [
      { dNSName: "*.example.com" },
      { dNSName: "example.com" },
      { dNSName: "^api-[0-9]+\\.example\\.com$" },
      { dNSName: "xn--mnchen-3ya.example" },
      { iPAddress: "192.0.2.1" },
      { iPAddress: "2001:db8::1" },
      { iPAddress: "::1" },
      { iPAddress: "2001:db8:0:1:1:1:1:1" },
      { uniformResourceIdentifier: "spiffe://example.com/a,DNS:evil.example" },
      { rfc822Name: "someone@example.com" },
      otherName("1.2.3.4", "other"),
      { directoryName: subjectOf({ CN: "directory" }) },
    ],
  });
  assert.deepEqual(record.dns_names, [
    "*.example.com",
    "example.com",
    "^api-[0-9]+\\.example\\.com$",
    "xn--mnchen-3ya.example",
  ]);
  assert.deepEqual(record.ip_addresses, [
    "192.0.2.1",
    "2001:db8::1",
    "::1",
    "2001:db8:0:1:1:1:1:1",
  ]);
  assert.deepEqual(record.uris, ["spiffe://example.com/a,DNS:evil.example"]);
  assert.deepEqual(record.email_addresses, ["someone@example.com"]);
});

Deno.test("unique identifiers of issuer and subject change nothing of what is read", () => {
  const wanted = { subject: { CN: "unique" }, names: [{ dNSName: "a.example" }] };
  const record = read({ ...wanted, uniqueIds: true });
  const { subject_cn, dns_names, key_algorithm } = read(wanted);
  assert.deepEqual(
    [record.subject_cn, record.dns_names, record.key_algorithm],
    [subject_cn, dns_names, key_algorithm],
  );
});

Deno.test("a comma or quote inside a DNS name makes no second name (CVE-2021-44532)", () => {
  const names = [der(0x82, "a.example, DNS:evil.example"), der(0x82, 'b"\n.example')];
  const record = readCertificate(
    oddCertificate({ extensions: [extension(SUBJECT_ALTERNATIVE_NAME, sequence(...names))] }),
  );
  assert.deepEqual(record.dns_names, ["a.example, DNS:evil.example", 'b"\n.example']);
});

Deno.test("without names: no alternative names, the common name is none of them; no common name", () => {
  const plain = read({ subject: { CN: "only.example" } });
  assert.deepEqual([plain.dns_names, plain.subject_cn], [[], "only.example"]);
  const nameless = read({ subject: { O: "Nobody" } });
  assert.deepEqual([nameless.subject_cn, nameless.issuer_cn], ["", ""]);
  assert.deepEqual(recordOf(pemOf(oddCertificate({ subject: sequence() }))).subject.Names, []);
});

Deno.test("subject: internationalised, escaped and multi-valued names are given unescaped", () => {
  const { subject, subject_cn, issuer } = read({
    subject: [
      { C: "DE" },
      { C: "FR" },
      { O: 'Müller, "Söhne" / 日本 <x>' },
      { OU: ["b+c=d", "first"] },
      { CN: "api#1 \\ ö" },
      { serialNumber: "42" },
      { emailAddress: "a@b.example" },
      { DC: "example" },
      { street: "Main Street" },
      { postalCode: "12345" },
      { L: "Bonn" },
      { ST: "NRW" },
    ],
  });
  assert.equal(subject_cn, "api#1 \\ ö");
  assert.deepEqual(subject, issuer);
  assert.deepEqual({ ...subject, Names: subject.Names.map(({ Value }) => Value) }, {
    CommonName: "api#1 \\ ö",
    Organization: ['Müller, "Söhne" / 日本 <x>'],
    OrganizationalUnit: ["b+c=d", "first"],
    Country: ["DE", "FR"],
    Province: ["NRW"],
    Locality: ["Bonn"],
    StreetAddress: ["Main Street"],
    PostalCode: ["12345"],
    SerialNumber: "42",
    Names: [
      "DE",
      "FR",
      'Müller, "Söhne" / 日本 <x>',
      "b+c=d",
      "first",
      "api#1 \\ ö",
      "42",
      "a@b.example",
      "example",
      "Main Street",
      "12345",
      "Bonn",
      "NRW",
    ],
  });
  assert.deepEqual(subject.Names[8]?.Type, [0, 9, 2342, 19200300, 100, 1, 25]);
});

Deno.test("subject: every string type, and values that are no text", () => {
  const cases: [Uint8Array, string][] = [
    [utf8("Zoë 🔑"), "Zoë 🔑"],
    [der(0x13, "Printable"), "Printable"],
    [der(0x14, Buffer.from("Müller", "latin1")), "Müller"],
    [der(0x16, "ia5"), "ia5"],
    [der(0x1e, Buffer.from("日本", "utf16le").swap16()), "日本"],
    [der(0x1e, Buffer.from([0xd8, 0x00])), "\ufffd"],
    [der(0x1c, Buffer.from("0001f511", "hex")), "🔑"],
    [der(0x0c, Buffer.from("Müller", "latin1")), "Müller"],
    [octetString("abc"), "#0403616263"],
  ];
  for (const [value, expected] of cases) {
    const record = readCertificate(oddCertificate({ subject: nameOf(value) }));
    assert.equal(record.subject_cn, expected);
  }
});

Deno.test("subject: a line feed in a name adds no attribute; of several common names the last counts", () => {
  const injected = readCertificate(oddCertificate({ subject: nameOf(utf8("x\nO=evil")) }));
  assert.deepEqual([injected.subject_cn, injected.subject.Organization], ["x\nO=evil", []]);
  const common = (text: string) => sequence(oid("550403"), utf8(text));
  const several = sequence(set(common("a"), common("b")), set(common("c")));
  assert.equal(readCertificate(oddCertificate({ subject: several })).subject_cn, "c");
});

Deno.test("authority: the CA flag, path length and key ids", () => {
  const root = issue({
    subject: { CN: "Root" },
    authority: 3,
    keyIds: true,
  });
  const leaf = issue({
    key: newKey("ed25519"),
    subject: { CN: "Leaf" },
    authority: false,
    keyIds: true,
    issuer: root,
  });
  const [rootRecord, record] = [recordOf(root.certificate), recordOf(leaf.certificate)];
  assert.deepEqual([rootRecord.is_ca, rootRecord.path_length], [true, 3]);
  assert.deepEqual([record.is_ca, record.path_length, record.issuer_cn], [false, null, "Root"]);
  assert.match(rootRecord.subject_key_id, /^[0-9a-f]{40}$/);
  assert.equal(record.authority_key_id, rootRecord.subject_key_id);
  const unlimited = read({ authority: true });
  assert.deepEqual([unlimited.is_ca, unlimited.path_length], [true, null]);
});

Deno.test("validity: before 1970, across 1950 and 2050, to the year 9999", () => {
  const cases = [
    ["19300101000000Z", "19491231235959Z", "1930-01-01T00:00:00Z", "1949-12-31T23:59:59Z"],
    ["19500101000000Z", "20491231235959Z", "1950-01-01T00:00:00Z", "2049-12-31T23:59:59Z"],
    ["19691231235959Z", "20500101000000Z", "1969-12-31T23:59:59Z", "2050-01-01T00:00:00Z"],
    ["00010101000000Z", "99991231235959Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"],
  ];
  for (const [from = "", to = "", notBefore, notAfter] of cases) {
    const record = recordOf(issueWithValidity(from, to));
    assert.deepEqual([record.not_before, record.not_after], [notBefore, notAfter]);
  }
});

Deno.test("validity: an offset is turned into UTC; impossible times are refused", () => {
  const at = (notAfter: Uint8Array) => readCertificate(oddCertificate({ notAfter })).not_after;
  assert.equal(at(der(0x17, "300101003000+0100")), "2029-12-31T23:30:00Z");
  const impossible = ["301301000000Z", "300230000000Z", "300101250000Z", "3001010000", "", "x"];
  for (const text of impossible) {
    assert.throws(() => at(der(0x17, text)), CertificateRefused, text);
  }
  assert.throws(() => at(der(0x18, "300101000000Z")), CertificateRefused);
});

Deno.test("serial number: whole bytes in hex, signed, without leading zeros", () => {
  const cases = { "00": "00", "0a": "0a", "00ff": "ff", "80": "-80", "ff": "-01", "000001": "01" };
  for (const [content, expected] of Object.entries(cases)) {
    const record = readCertificate(oddCertificate({ serial: integer(content) }));
    assert.equal(record.serial_number, expected);
  }
});

Deno.test("fingerprint and DER are those of the certificate itself", () => {
  const { certificate } = issue({});
  const record = recordOf(certificate);
  assert.equal(Buffer.compare(record.der, derOf(certificate)), 0);
  const hash = new X509Certificate(certificate).fingerprint256.replaceAll(":", "").toLowerCase();
  assert.equal(record.fingerprint, hash);
  assert.equal(pemOf(record.der), certificate);
});

Deno.test("what no honest authority writes is refused with its reason", () => {
  const names = (count: number, name: string) =>
    extension(
      SUBJECT_ALTERNATIVE_NAME,
      sequence(...Array.from({ length: count }, () => der(0x82, name))),
    );
  const constraints = (value: Uint8Array) =>
    extension(BASIC_CONSTRAINTS, sequence(der(0x01, new Uint8Array([255])), value));
  const cases: [Parameters<typeof oddCertificate>[0], string, RegExp][] = [
    [{ extensions: [names(1, "a"), names(1, "b")] }, "malformed", /extension 2\.5\.29\.17 twice/],
    [{ extensions: [names(5_001, "a")] }, "too_large", /too many names/],
    [{ extensions: [names(1, "a".repeat(2_049))] }, "too_large", /longer than 2048/],
    [{ extensions: [names(1, "a.example\0.evil")] }, "malformed", /NUL/],
    [{ extensions: [names(1_000, "a".repeat(300))] }, "too_large", /256 KiB/],
    [{ subject: nameOf(utf8("a".repeat(1_025))) }, "too_large", /longer than 1024/],
    [{ subject: nameOf(utf8("a\0b")) }, "malformed", /NUL/],
    [{ extensions: [constraints(integer("7f".repeat(9)))] }, "malformed", /malformed/],
    [{ extensions: [names(1, "ok"), sequence(oid("551d11"))] }, "malformed", /twice/],
  ];
  for (const [odd, reason, message] of cases) {
    assert.throws(() => readCertificate(oddCertificate(odd)), { reason, message });
  }
});

Deno.test("version 1 and unknown types of any size are read", () => {
  const { certificate: first } = issue({ subject: { CN: "old" }, isFirstVersion: true });
  const { subject_cn, is_ca, path_length, subject_key_id } = recordOf(first);
  assert.deepEqual([subject_cn, is_ca, path_length, subject_key_id], ["old", false, null, ""]);
  // 2.25 and a UUID of 128 bits: more than a number holds.
  const giant = `6983${"ff".repeat(16)}7f`;
  const odd = oddCertificate({
    subject: sequence(...[giant, "550403"].map((id) => set(sequence(oid(id), utf8("x"))))),
    extensions: [extension(giant, utf8("x"))],
  });
  assert.deepEqual(readCertificate(odd).subject.Names, [{ Type: [2, 5, 4, 3], Value: "x" }]);
});

Deno.test("the largest and the most nested certificates cost little", async () => {
  const names = Array.from({ length: 5_000 }, (_, at) => der(0x82, `host-${at}.example`));
  const many = oddCertificate({
    extensions: [extension(SUBJECT_ALTERNATIVE_NAME, sequence(...names))],
  });
  let nested = sequence();
  for (let depth = 0; depth < 5_000; depth++) nested = sequence(nested);
  const nulls = der(0x30, "\x05\x00".repeat(120_000));
  const bytes = [many, oddCertificate({ subject: nested }), nested, nulls];
  const perByte = async (file: Buffer) => await leastMs(() => readBundle(file)) / file.length;
  const ordinary = await perByte(Buffer.from(issue({}).certificate.repeat(100)));
  for (const der of bytes) {
    const file = Buffer.from(pemOf(der));
    const [result] = readBundle(file);
    assert.equal(result?.ok, der === many);
    const odd = await perByte(file);
    assert.ok(odd < 20 * ordinary, `${odd} ms a byte, ordinary certificates ${ordinary}`);
  }
});

Deno.test({
  name: "an address inside a certificate is never fetched: reading needs no network",
  permissions: { net: false },
  fn: () => {
    const url = "http://127.0.0.1:9/";
    const address = new GeneralName({ uniformResourceIdentifier: url });
    const access = new AuthorityInfoAccessSyntax(
      ["1.3.6.1.5.5.7.48.1", "1.3.6.1.5.5.7.48.2"].map((accessMethod) =>
        new AccessDescription({ accessMethod, accessLocation: address })
      ),
    );
    const point = new DistributionPoint({
      distributionPoint: new DistributionPointName({ fullName: [address] }),
    });
    const record = read({
      names: [address],
      extensions: [
        extensionOf(id_pe_authorityInfoAccess, access),
        extensionOf(id_ce_cRLDistributionPoints, new CRLDistributionPoints([point])),
      ],
    });
    assert.deepEqual(record.uris, [url]);
  },
});
