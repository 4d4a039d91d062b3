/** Keys, certificates and PKCS#12 files that `openssl` writes are read, or refused by name. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createPrivateKey } from "node:crypto";
import {
  certificateUpload,
  recordOf,
  refusal,
} from "../../../packages/x509/test/support/reading.ts";
import { legacy, openssl, opensslWith } from "./support/openssl.ts";

const PASSPHRASE = "pässwörd 🔑";
const pass = ["-passout", `pass:${PASSPHRASE}`];

/** A new private key as PKCS#8 PEM. */
function newKey(...options: string[]): string {
  return String(openssl(["genpkey", ...options]));
}

const curve = (name: string) => ["-algorithm", "EC", "-pkeyopt", `ec_paramgen_curve:${name}`];
const rsaOf2048 = (algorithm: string) => [
  "-algorithm",
  algorithm,
  "-pkeyopt",
  "rsa_keygen_bits:2048",
];

/** A self-signed certificate of a key; `config` holds lines of its name and of its extensions. */
function certificateOf(key: string, config = { name: "CN=test", extensions: "" }): string {
  const text = `[req]\ndistinguished_name=dn\nprompt=no\nutf8=yes\nx509_extensions=ext\n` +
    `string_mask=utf8only\n[dn]\n${config.name}\n[ext]\n${config.extensions}\n`;
  return String(opensslWith({ key, config: text }, [
    "req",
    "-x509",
    "-new",
    "-key",
    "<key>",
    "-config",
    "<config>",
  ]));
}

const pkcs8 = (key: string, ...options: string[]) =>
  String(openssl(["pkcs8", ...legacy, "-topk8", ...options, ...pass], key));
const traditional = (key: string, ...options: string[]) =>
  String(openssl(["pkey", ...legacy, "-traditional", ...options], key));

const rsaKey = newKey(...rsaOf2048("RSA"));
const rsa = { key: rsaKey, certificate: certificateOf(rsaKey) };
const ecKey = newKey(...curve("P-256"));
const ec = { key: ecKey, certificate: certificateOf(ecKey) };

/** Asserts that `file` is taken with the private key `expected`. */
async function assertKey(file: string | Uint8Array, expected: string): Promise<void> {
  const { privateKey } = await certificateUpload(file, { passphrase: PASSPHRASE });
  const held = createPrivateKey({
    key: Buffer.from(privateKey ?? []),
    format: "der",
    type: "pkcs8",
  });
  assert.ok(held.equals(createPrivateKey(expected)));
}

Deno.test("certificates and keys of every kind", async () => {
  const kinds: Record<string, [string[], string, number]> = {
    rsa: [rsaOf2048("RSA"), "RSA", 2048],
    "P-384": [curve("P-384"), "ECDSA", 384],
    "P-521": [curve("P-521"), "ECDSA", 521],
    secp256k1: [curve("secp256k1"), "ECDSA", 256],
    secp224r1: [curve("secp224r1"), "ECDSA", 224],
    ed25519: [["-algorithm", "ED25519"], "Ed25519", 256],
    ed448: [["-algorithm", "ED448"], "Ed448", 456],
  };
  for (const [kind, [options, algorithm, size]] of Object.entries(kinds)) {
    const key = newKey(...options);
    const certificate = certificateOf(key);
    const { key_algorithm, key_size } = recordOf(certificate);
    assert.deepEqual([key_algorithm, key_size], [algorithm, size], kind);
    await assertKey(certificate + key, key);
  }
  const pss = newKey(...rsaOf2048("RSA-PSS"));
  const { privateKey } = await certificateUpload(certificateOf(pss) + pss);
  const der = openssl(["pkcs8", "-topk8", "-nocrypt", "-outform", "DER"], pss);
  assert.equal(Buffer.compare(Buffer.from(privateKey ?? []), der), 0);
});

Deno.test("encrypted PKCS#8: every cipher, digest and derivation that openssl writes today", async () => {
  const forms = [
    ...["aes-128-cbc", "aes-192-cbc", "aes-256-cbc", "des3"].map((cipher) => ["-v2", cipher]),
    ...[
      "hmacWithSHA1",
      "hmacWithSHA224",
      "hmacWithSHA384",
      "hmacWithSHA512",
      "hmacWithSHA512-224",
      "hmacWithSHA512-256",
    ].map((prf) => [
      "-v2",
      "aes-256-cbc",
      "-v2prf",
      prf,
    ]),
    ["-scrypt"],
    ["-iter", "100000"],
    ...["PBE-SHA1-3DES", "PBE-SHA1-2DES", "PBE-SHA1-RC2-40", "PBE-SHA1-RC2-128"].map((v1) => [
      "-v1",
      v1,
    ]),
  ];
  for (const form of forms) await assertKey(rsa.certificate + pkcs8(rsa.key, ...form), rsa.key);
});

Deno.test("keys in the form of their kind, plain and with DEK-Info, behind their parameters", async () => {
  const parameters = String(openssl(["ecparam", "-name", "prime256v1"]));
  await assertKey(rsa.certificate + traditional(rsa.key), rsa.key);
  await assertKey(ec.certificate + parameters + traditional(ec.key), ec.key);
  for (const cipher of ["-aes128", "-aes192", "-aes256", "-des3"]) {
    for (const { certificate, key } of [rsa, ec]) {
      await assertKey(certificate + traditional(key, cipher, ...pass), key);
    }
  }
});

Deno.test("kinds, curves and ciphers that are not supported are refused by name", async () => {
  const binary = newKey(...curve("sect283k1"));
  const cases: [string, RegExp][] = [
    [binary, /sect283k1/],
    [traditional(binary), /sect283k1/],
    [newKey(...curve("sect283k1"), "-pkeyopt", "ec_param_enc:explicit"), /explicit/],
    [pkcs8(ec.key, "-v1", "PBE-MD5-DES"), /PBE-MD5-DES/],
    [pkcs8(ec.key, "-v2", "camellia-128-cbc"), /Camellia-128-CBC/],
    [pkcs8(ec.key, "-v2", "aria-192-cbc"), /ARIA-192-CBC/],
    [pkcs8(ec.key, "-v2", "sm4-cbc"), /SM4-CBC/],
    [traditional(ec.key, "-des", ...pass), /DES-CBC/],
    [traditional(ec.key, "-camellia128", ...pass), /CAMELLIA-128-CBC/],
  ];
  for (const [key, message] of cases) {
    const refused = await refusal(ec.certificate + key, "unsupported", { passphrase: PASSPHRASE });
    assert.match(refused.message, message);
  }
});

Deno.test("the command of a refusal writes what is taken: keys and PKCS#12, also of legacy ciphers", async () => {
  const passphrases = ["-passin", `pass:${PASSPHRASE}`, ...pass];
  const convert = async (file: string | Uint8Array, cipher: RegExp) => {
    const { message } = await refusal(file, "unsupported", { passphrase: PASSPHRASE });
    assert.match(message, cipher);
    const [, command = ""] = /Convert it by: openssl (.*) -in FILE -out FILE\.pem$/.exec(message) ??
      assert.fail(message);
    return String(openssl([...command.split(" "), ...passphrases], file));
  };
  for (
    const form of [["-v2", "camellia-256-cbc"], ["-v2", "aria-128-cbc"], ["-v1", "PBE-MD5-DES"]]
  ) {
    const converted = await convert(ec.certificate + pkcs8(ec.key, ...form), /uses [\w-]+,/);
    await assertKey(ec.certificate + converted, ec.key);
  }
  for (const cipher of ["camellia-256-cbc", "aria-256-cbc", "PBE-SHA1-RC4-128"]) {
    const words = ["-export", ...legacy, "-inkey", "<key>", "-in", "<certificate>", ...pass];
    const by = ["-keypbe", cipher, "-certpbe", cipher];
    const file = opensslWith(rsa, ["pkcs12", ...words, ...by]);
    await assertKey(await convert(file, /uses [\w-]+,/), rsa.key);
  }
});

Deno.test("PKCS#12: modern, legacy and unusual encryption all open", async () => {
  const old = ["-keypbe", "PBE-SHA1-3DES", "-certpbe", "PBE-SHA1-RC2-40", "-macalg", "sha1"];
  const both = (cipher: string) => ["-keypbe", cipher, "-certpbe", cipher];
  const forms: Record<string, string[]> = {
    "today's default": [],
    "OpenSSL 1 and Windows": old,
    "3DES with two keys, RC2 with 128 bits": [
      "-keypbe",
      "PBE-SHA1-2DES",
      "-certpbe",
      "PBE-SHA1-RC2-128",
    ],
    "AES-128, SHA-512 MAC": [...both("AES-128-CBC"), "-macalg", "sha512"],
    "AES-192, SHA-384 MAC": [...both("AES-192-CBC"), "-macalg", "sha384"],
    "other MACs": ["-macalg", "sha224"],
    "SHA-512/256 MAC": ["-macalg", "sha512-256"],
    "SHA3-512 MAC": ["-macalg", "sha3-512"],
    "BouncyCastle's counts": [...old, "-iter", "600000"],
    "certificates not encrypted": ["-certpbe", "NONE"],
    "nothing encrypted": both("NONE"),
    "no MAC": ["-nomac"],
    "100,000 iterations": ["-iter", "100000"],
    "Java's counts": [...old, "-iter", "50000"],
  };
  for (const [name, options] of Object.entries(forms)) {
    const files = { ...rsa, chain: ec.certificate };
    const file = opensslWith(files, [
      "pkcs12",
      "-export",
      ...legacy,
      "-inkey",
      "<key>",
      "-in",
      "<certificate>",
      "-certfile",
      "<chain>",
      ...pass,
      ...options,
    ]);
    const { leaf, chain } = await certificateUpload(file, { passphrase: PASSPHRASE });
    assert.equal(leaf.fingerprint, recordOf(rsa.certificate).fingerprint, name);
    assert.equal(chain.length, 1, name);
    await assertKey(file, rsa.key);
  }
});

Deno.test("certificates in the other forms that openssl writes", () => {
  const { fingerprint } = recordOf(ec.certificate);
  const trusted = ["x509", "-trustout", "-addtrust", "serverAuth", "-setalias", "a"];
  for (const args of [trusted, ["x509", "-text"]]) {
    assert.equal(recordOf(openssl(args, ec.certificate)).fingerprint, fingerprint);
  }
  const request = openssl(["req", "-new", "-key", "/dev/stdin", "-subj", "/CN=old"], ec.key);
  const first = opensslWith({ key: ec.key, request }, [
    "x509",
    "-req",
    "-in",
    "<request>",
    "-signkey",
    "<key>",
    "-days",
    "1",
  ]);
  const { subject_cn, subject_key_id } = recordOf(first);
  assert.deepEqual([subject_cn, subject_key_id], ["old", ""]);
});

Deno.test("names and extensions as openssl's configuration writes them", () => {
  const record = recordOf(certificateOf(ec.key, {
    name:
      "1.C=DE\n2.C=FR\nO=Müller\\, Söhne / 日本\nOU=first\n+OU=b+c=d\nCN=api\\#1 ö\n0.DC=example",
    extensions: "basicConstraints=critical,CA:TRUE,pathlen:3\nsubjectKeyIdentifier=hash\n" +
      "authorityKeyIdentifier=keyid\nsubjectAltName=DNS:*.a,IP:2001:db8::1,URI:spiffe://a/b," +
      "email:a@b.example,RID:1.2.3,otherName:1.2;UTF8:x",
  }));
  assert.equal(record.subject_cn, "api#1 ö");
  assert.deepEqual(record.subject.Names.map(({ Value }) => Value), [
    "DE",
    "FR",
    "Müller, Söhne / 日本",
    "b+c=d",
    "first",
    "api#1 ö",
    "example",
  ]);
  assert.deepEqual([record.is_ca, record.path_length], [true, 3]);
  assert.match(record.subject_key_id, /^[0-9a-f]{40}$/);
  assert.deepEqual([record.dns_names, record.ip_addresses], [["*.a"], ["2001:db8::1"]]);
  assert.deepEqual(record.uris, ["spiffe://a/b"]);
  assert.deepEqual(record.email_addresses, ["a@b.example"]);
});
