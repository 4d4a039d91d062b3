/** What authorities, Windows and Java hand out: DER, PKCS#7, keystores, blocks of other kinds. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { X509Certificate } from "node:crypto";
import { CERTS, form, issue, listed } from "../../../test/support/certificates.ts";
import { testOnEngines } from "../../../test/support/desk.ts";
import { openssl, opensslWith } from "./support/openssl.ts";
import { integer, octetString, oid, sequence } from "../../../packages/x509/test/support/der.ts";
import { derOf, newKey, pem } from "../../../packages/x509/test/support/keys.ts";
import { pkcs12 } from "../../../packages/x509/test/support/pkcs12.ts";
import { readBundle } from "../../../packages/x509/bundle.ts";
import { readEntries } from "../../../packages/x509/entries.ts";
import { CertificateRefused } from "../../../packages/x509/refusal.ts";

const authority = (CN: string, issuer?: ReturnType<typeof issue>) =>
  issue({ key: newKey("P-256"), subject: { CN }, authority: true, keyIds: true, issuer });
const root = authority("Root");
const middle = authority("Middle", root);
const other = authority("Other");
const leaf = issue({ key: newKey("P-256"), subject: { CN: "leaf" }, keyIds: true, issuer: middle });
const second = issue({ key: newKey("P-256"), subject: { CN: "second" }, keyIds: true });

const all = root.certificate + middle.certificate + leaf.certificate;
const printOf = (text: string) =>
  new X509Certificate(text).fingerprint256.replaceAll(":", "").toLowerCase();
const pkcs7 = (form: "PEM" | "DER") =>
  opensslWith({ all }, ["crl2pkcs7", "-nocrl", "-certfile", "<all>", "-outform", form]);
/** The certificates of a bundle as OpenSSL reads it. */
const readByOpenssl = (bundle: Uint8Array, form: "PEM" | "DER") =>
  (String(openssl(["pkcs7", "-inform", form, "-print_certs"], bundle))
    .match(/-----BEGIN.*?-----END[^\n]*\n/gs) ?? []).map(printOf);
const request = String(
  opensslWith({ key: leaf.key }, ["req", "-new", "-key", "<key>", "-subj", "/CN=leaf"]),
);
const parameters = String(openssl(["ecparam", "-name", "prime256v1"]));

const read = (bytes: Uint8Array | string) =>
  [...readBundle(Buffer.from(bytes))].map((one) =>
    one.ok ? one.certificate.fingerprint : one.isPassedOver ? "skipped" : one.reason
  );

Deno.test("DER and PKCS#7 give the certificates that OpenSSL reads in them", () => {
  const bundle = pkcs7("DER");
  const expected = readByOpenssl(bundle, "DER");
  assert.equal(expected.length, 3);
  const text = String(pkcs7("PEM"));
  const files: Record<string, [Uint8Array | string, string[]]> = {
    "DER": [derOf(leaf.certificate), [printOf(leaf.certificate)]],
    "DER, one behind the other": [
      Buffer.concat([derOf(leaf.certificate), derOf(root.certificate), Buffer.from("\n")]),
      [printOf(leaf.certificate), printOf(root.certificate)],
    ],
    "PKCS#7 in DER": [bundle, expected],
    "PKCS#7 in PEM": [text, readByOpenssl(Buffer.from(text), "PEM")],
    "PKCS#7 as Windows labels it": [text.replaceAll("PKCS7", "CERTIFICATE"), expected],
    "PKCS#7 of CMS": [text.replaceAll("PKCS7", "CMS"), expected],
    "PKCS#7 of indefinite length": [indefinite(bundle), expected],
    "PKCS#7 beside PEM": [text + other.certificate, [...expected, printOf(other.certificate)]],
  };
  for (const [name, [file, prints]] of Object.entries(files)) {
    assert.deepEqual(read(file), prints, name);
  }
});

/** The same bundle with its outermost length left open, as Java and Windows write it. */
function indefinite(bundle: Uint8Array): Uint8Array {
  const header = 2 + ((bundle[1] ?? 0) & 0x7f);
  const body = bundle.subarray(header);
  return Buffer.concat([Buffer.from([0x30, 0x80]), body, Buffer.from([0, 0])]);
}

Deno.test("damaged DER and PKCS#7 are refused with a reason, at every length", () => {
  for (const file of [pkcs7("DER"), derOf(leaf.certificate)]) {
    for (let length = 0; length < file.length; length += 7) {
      for (const one of readBundle(file.subarray(0, length))) assert.ok(!one.ok || length === 0);
    }
  }
});

Deno.test("a block of another kind is passed over and said; alone it is no certificate", async () => {
  const file = request + leaf.certificate + parameters;
  assert.deepEqual(read(file), ["skipped", printOf(leaf.certificate), "skipped"]);
  assert.deepEqual(read(request), ["skipped", "no_certificate"]);
  const crl = pem("X509 CRL", sequence());
  const { uploads, notTaken } = await readEntries(
    Buffer.from(parameters + leaf.key + crl + leaf.certificate + request),
    { nowMs: Date.now() },
  );
  assert.equal(uploads.length, 1);
  assert.deepEqual(notTaken.map(({ message }) => message), [
    "The PEM block is parameters of a key, and is passed over.",
    "The PEM block is a revocation list, and is passed over.",
    "The PEM block is a certificate request, and is passed over.",
  ]);
});

const keystore = (hex: string) => Buffer.concat([Buffer.from(hex, "hex"), Buffer.alloc(64)]);
const algorithm = sequence(oid("2a864886f70d01050d"));
const OPENSSH = "ssh-keygen -p -m PKCS8 -f FILE";

/** What cannot be read, and what its refusal says. */
const named: [name: string, file: Uint8Array | string, words: RegExp][] = [
  ["JKS", keystore("feedfeed00000002"), /\(JKS\).*keytool -importkeystore.*-srcstoretype JKS/],
  ["JCEKS", keystore("cececece00000002"), /\(JCEKS\).*keytool.*-srcstoretype JCEKS/],
  ["BKS", keystore("0000000200000014"), /\(BKS\).*keytool.*-srcstoretype BKS -providerclass/],
  [
    "BCFKS",
    sequence(
      sequence(algorithm, octetString("x")),
      sequence(algorithm, algorithm, octetString("x")),
    ),
    /\(BCFKS\).*-srcstoretype BCFKS/,
  ],
  ["PKCS#8 in DER", derOf(leaf.key), /private key in DER.*openssl pkey -inform DER/],
  ["an encrypted one", sequence(algorithm, octetString("x")), /private key in DER/],
  ["PKCS#1 in DER", sequence(integer("00"), integer("05")), /private key in DER/],
  ["an OpenSSH public key", "ssh-rsa AAAAB3NzaC1yc2E= me\n", /ssh-keygen -e -m PKCS8/],
  ["a text", "hello", /no line -----BEGIN CERTIFICATE-----, and is no DER/],
];

Deno.test("a file of another kind is named with the command that converts it", async () => {
  for (const [name, file, words] of named) {
    const [one] = [...readBundle(Buffer.from(file))];
    assert.ok(one && !one.ok, name);
    assert.match(one.message, words, name);
  }
  const ssh = (text: string) => pem("OPENSSH PRIVATE KEY", Buffer.from(text));
  for (const [kind, words] of [["ssh-rsa", OPENSSH], ["ssh-ed25519", "converts no Ed25519"]]) {
    const file = Buffer.from(leaf.certificate + ssh(`openssh-key-v1\0${kind}`));
    const refused = await readEntries(file, { nowMs: Date.now() }).catch((error) => error);
    assert.ok(refused instanceof CertificateRefused);
    assert.ok(refused.message.includes(words ?? ""), refused.message);
  }
});

testOnEngines(
  "v1 upload: DER, PKCS#7 and other blocks; /api/certs takes PEM alone",
  async (desk) => {
    const v1 = async (file: Uint8Array | string, query = "") => {
      const { body, headers } = form(file);
      const answer = await desk.send("POST", `/v1/certificates${query}`, { body, headers });
      return await answer.json();
    };
    const file = derOf(leaf.certificate);
    for (const body of [file, pkcs7("PEM"), pkcs7("DER"), request + leaf.certificate]) {
      assert.equal((await desk.send("POST", CERTS, { body })).status, 400);
    }
    assert.equal((await v1(file)).added, 1);
    const { added, exists } = await v1(pkcs7("DER"));
    assert.deepEqual([added, exists], [2, 1]);
    const told = await v1(request + other.certificate);
    assert.deepEqual([told.added, told.skipped, told.refused], [1, 1, 0]);
    assert.deepEqual(told.results[0], {
      index: 0,
      line: 1,
      result: "skipped",
      reason: "foreign_block",
      message: "The PEM block is a certificate request, and is passed over.",
    });
    const bundle = await desk.send("POST", `${CERTS}/bundle`, { body: pkcs7("DER") });
    assert.deepEqual((await bundle.json()).exists, 3);
    assert.equal((await v1(pkcs7("PEM") + leaf.key)).key_added, 1);
  },
);

testOnEngines("v1 upload: each certificate of a truststore is an entry", async (desk) => {
  const v1 = async (body: Uint8Array | string, query = "") => {
    const answer = await desk.send("POST", `/v1/certificates${query}`, {
      body,
      headers: { passphrase: "open sesame" },
    });
    return await answer.json();
  };
  const store = pkcs12(
    { ...root, chain: other.certificate + middle.certificate },
    "open sesame",
    { isWithoutKey: true },
  );
  const { added, results } = await v1(store);
  assert.equal(added, 3);
  const names = (list: { subject_cn: string }[]) => list.map((one) => one.subject_cn).sort();
  assert.deepEqual(names(results), ["Middle", "Other", "Root"]);
  const listing = (await listed(desk)).cert_basics;
  assert.deepEqual(names(listing), ["Middle", "Other", "Root"]);
  assert.deepEqual(listing.map((one) => one.chain_length), [1, 1, 1]);
  assert.equal((await v1(store)).exists, 3);

  const withKey = pkcs12(
    { ...leaf, chain: middle.certificate + second.certificate + root.certificate },
    "open sesame",
  );
  const keyed = await v1(withKey);
  assert.deepEqual(names(keyed.results), ["leaf", "second"]);
  const [own] = (await listed(desk, "filter=with_pk")).cert_basics;
  assert.deepEqual([own?.subject_cn, own?.chain_length], ["leaf", 3]);

  const each = await v1(withKey, "?as=each");
  assert.deepEqual([each.added, each.exists], [0, 4]);
  const two = await v1(leaf.certificate + leaf.key + second.key + second.certificate);
  assert.deepEqual([two.key_added, two.exists], [1, 1]);
  const one = await v1(leaf.certificate + leaf.key + second.key, "?as=one");
  assert.equal(one.results[0].reason, "two_keys");
  const stray = await v1(leaf.certificate + other.key);
  assert.equal(stray.results[0].reason, "key_mismatch");
});

Deno.test("a bundle and a truststore hold more than 50 certificates", async () => {
  const many = Array.from(
    { length: 60 },
    (_, i) => issue({ subject: { CN: `many ${i}` }, authority: true }),
  );
  const [first, ...rest] = many;
  assert.ok(first);
  const chain = rest.map(({ certificate }) => certificate).join("");
  const file = pkcs12({ ...first, chain }, "x", { isWithoutKey: true });
  const opened = await readEntries(file, { nowMs: Date.now(), passphrase: "x" });
  assert.equal(opened.uploads.length, 60);
  const keyed = leaf.key + leaf.certificate + first.certificate + chain;
  assert.equal((await readEntries(Buffer.from(keyed), { nowMs: Date.now() })).uploads.length, 61);
  assert.equal(read(first.certificate + chain).length, 60);
});

testOnEngines("upload: a passphrase beyond ASCII opens by header as by form", async (desk) => {
  for (const [passphrase, as] of [["pässwörd 🔑", "utf8"], ["pässwörd", "latin1"]] as const) {
    const file = pkcs12(leaf, passphrase);
    const headers = { passphrase: Buffer.from(passphrase, as).toString("latin1") };
    const byHeader = await desk.send("POST", "/v1/certificates", { body: file, headers });
    const answer = await byHeader.json();
    assert.equal(answer.refused, 0, JSON.stringify(answer));
    const byForm = await desk.send("POST", "/v1/certificates", form(file, { passphrase }));
    assert.equal((await byForm.json()).exists, 1);
    const [stored] = (await listed(desk)).cert_basics;
    assert.equal((await desk.send("DELETE", `${CERTS}/${stored?.id}`)).status, 200);
    assert.equal((await desk.send("POST", CERTS, { body: file, headers })).status, 200);
    assert.equal((await desk.send("DELETE", `${CERTS}/${stored?.id}`)).status, 200);
  }
});
