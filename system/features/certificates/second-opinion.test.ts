/** What the runtime's own reader refuses, and ours reads; OpenSSL is the second reader. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createPrivateKey } from "node:crypto";
import { validMembers } from "../../../packages/x509/chain-members.ts";
import { openssl } from "./support/openssl.ts";
import {
  der,
  integer,
  octetString,
  oddCertificate,
  oid,
  pemOf,
  sequence,
} from "../../../packages/x509/test/support/der.ts";
import { issue } from "../../../packages/x509/test/support/issue.ts";
import { derOf, newKey, pem } from "../../../packages/x509/test/support/keys.ts";
import {
  certificateUpload,
  recordOf,
  refusal,
} from "../../../packages/x509/test/support/reading.ts";

const bits = (tag: number, ...bytes: number[]) => der(tag, new Uint8Array(bytes));

/** A certificate with these unique identifiers behind its key. */
function withUniqueIds(ids: Uint8Array[], plain = oddCertificate()): Uint8Array {
  const [tbs, ...rest] = members(plain);
  assert.ok(tbs);
  const fields = members(tbs);
  const at = fields.findIndex((field) => field[0] === 0xa3);
  const before = at < 0 ? fields : fields.slice(0, at);
  return sequence(sequence(...before, ...ids, ...at < 0 ? [] : fields.slice(at)), ...rest);
}

/** The members of a SEQUENCE of fewer than 64 KiB, each with its header. */
function members(value: Uint8Array): Uint8Array[] {
  const sizeOf = (bytes: Uint8Array): [header: number, length: number] => {
    const first = bytes[1] ?? 0;
    if (first < 0x80) return [2, first];
    if (first === 0x81) return [3, bytes[2] ?? 0];
    return [4, (bytes[2] ?? 0) * 256 + (bytes[3] ?? 0)];
  };
  const found: Uint8Array[] = [];
  for (let at = sizeOf(value)[0]; at < value.length;) {
    const [header, length] = sizeOf(value.subarray(at));
    found.push(value.subarray(at, at + header + length));
    at += header + length;
  }
  return found;
}

const taken: [name: string, ids: Uint8Array[]][] = [
  ["the issuer's", [bits(0x81, 0, 1, 2)]],
  ["the subject's", [bits(0x82, 0, 1, 2)]],
  ["both", [bits(0x81, 0, 1), bits(0x82, 0, 2)]],
  ["of bits that are no whole bytes", [bits(0x81, 4, 0xf0)]],
  ["without any bit", [bits(0x81, 0)]],
];

for (const [name, ids] of taken) {
  Deno.test(`unique identifiers are read as OpenSSL reads them: ${name}`, () => {
    const text = pemOf(withUniqueIds(ids));
    const record = recordOf(text);
    const facts = ["-noout", "-serial", "-fingerprint", "-sha256", "-dates"];
    const read = String(openssl(["x509", ...facts, "-dateopt", "iso_8601"], text));
    const line = (start: string) => read.split("\n").find((one) => one.startsWith(start)) ?? "";
    const print = line("sha256 Fingerprint=").split("=")[1]?.replaceAll(":", "").toLowerCase();
    assert.equal(record.fingerprint, print);
    assert.equal(record.serial_number, line("serial=").split("=")[1]?.toLowerCase());
    assert.equal(record.not_after, line("notAfter=").slice(9).replace(" ", "T"));
    assert.equal(record.subject_cn, "odd");
  });
}

Deno.test("unique identifiers: malformed ones are refused", async () => {
  const wrong = [
    [bits(0x81)],
    [bits(0x81, 9, 1)],
    [bits(0x81, 0, 1), bits(0x81, 0, 2)],
    [der(0xa1, integer("01"))],
  ];
  for (const ids of wrong) await refusal(pemOf(withUniqueIds(ids)), "malformed");
});

Deno.test("a certificate with unique identifiers has its key, and its place in a chain", async () => {
  const issued = issue({ key: newKey("P-256"), subject: { CN: "v2" } });
  const text = pemOf(withUniqueIds([bits(0x81, 0, 1)], derOf(issued.certificate)));
  const { leaf, privateKey } = await certificateUpload(text + issued.key);
  assert.equal(leaf.subject_cn, "v2");
  assert.ok(privateKey);
  const chain = Buffer.from(leaf.der).toString("base64");
  assert.deepEqual(validMembers(chain, Date.now()), [chain]);
  assert.deepEqual(validMembers(chain, Date.now() + 365 * 86_400_000), []);
});

const CURVES = {
  "P-256": "2a8648ce3d030107",
  "P-384": "2b81040022",
  "P-521": "2b81040023",
} as const;

for (const [curve, id] of Object.entries(CURVES)) {
  Deno.test(`an elliptic key with zeros before it is the key: ${curve}`, async () => {
    const issued = issue({ key: newKey(curve), subject: { CN: curve } });
    const { d = "" } = createPrivateKey(issued.key).export({ format: "jwk" });
    for (const zeros of [1, 3]) {
      const number = octetString(Buffer.alloc(zeros), Buffer.from(d, "base64url"));
      const algorithm = sequence(oid("2a8648ce3d0201"), oid(id));
      const forms = [
        pem("EC PRIVATE KEY", sequence(integer("01"), number, der(0xa0, oid(id)))),
        pem(
          "PRIVATE KEY",
          sequence(integer("00"), algorithm, octetString(sequence(integer("01"), number))),
        ),
      ];
      for (const form of forms) {
        const { privateKey } = await certificateUpload(issued.certificate + form);
        const key = Buffer.from(privateKey ?? []);
        const held = createPrivateKey({ key, format: "der", type: "pkcs8" });
        assert.deepEqual(held.export({ format: "jwk" }).d, d);
      }
    }
    const long = octetString(Buffer.from([1]), Buffer.from(d, "base64url"));
    const file = pem("EC PRIVATE KEY", sequence(integer("01"), long, der(0xa0, oid(id))));
    await refusal(issued.certificate + file, "unsupported");
  });
}
