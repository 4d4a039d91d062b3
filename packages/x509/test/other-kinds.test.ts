/**
 * Keys and certificates that the runtime reads none of. `kept/` holds what other programs wrote,
 * made for these tests: system/features/certificates makes them anew.
 */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import { inForm, type KeyForm, keyForms } from "../post-quantum.ts";
import { encryptedKey } from "./support/encryption.ts";
import { der } from "./support/der.ts";
import { issue } from "./support/issue.ts";
import { derOf, pem } from "./support/keys.ts";
import { certificateUpload, recordOf, refusal, upload } from "./support/reading.ts";

interface Kept<Key> {
  writer: string;
  keys: Record<string, Key>;
  certificates: Record<string, string>;
}

function kept<Key>(name: string): Kept<Key> {
  // as: the files in kept/ are of this shape.
  return JSON.parse(readFileSync(new URL(`kept/${name}.json`, import.meta.url), "utf8")) as Kept<
    Key
  >;
}

const bytes = (base64: string) => new Uint8Array(Buffer.from(base64, "base64"));
const older = kept<{
  pkcs8: string;
  traditional?: string;
  public: string;
  pkcs1Public?: string;
  certificate: string;
}>("older").keys;
const writers = (["openssl", "jdk", "python"] as const).map((name) =>
  kept<{ pkcs8: string; spki: string }>(name)
);
const [openssl, jdk, python] = writers;

/** A private key (PKCS#8, DER) of a program and a certificate around its public key. */
function pairOf(of: typeof openssl, name: string) {
  const key = of?.keys[name];
  assert.ok(key, name);
  const { certificate } = issue({ publicKey: bytes(key.spki), subject: { CN: name } });
  return { certificate, pkcs8: bytes(key.pkcs8), key: pem("PRIVATE KEY", bytes(key.pkcs8)) };
}

const SIZES: Record<string, [algorithm: string, size: number]> = {
  prime192v1: ["ECDSA", 192],
  brainpoolP160r1: ["ECDSA", 160],
  brainpoolP224t1: ["ECDSA", 224],
  brainpoolP256r1: ["ECDSA", 256],
  brainpoolP512t1: ["ECDSA", 512],
  SM2: ["ECDSA", 256],
  "prime256v1, explicit": ["ECDSA", 256],
  "secp521r1, explicit": ["ECDSA", 521],
  "brainpoolP384r1, explicit": ["ECDSA", 384],
  "RSA, three primes": ["RSA", 2048],
  DSA: ["DSA", 2048],
};

Deno.test("other kinds: curves, DSA and RSA of three primes are taken with their keys", async () => {
  assert.deepEqual(Object.keys(older).sort(), Object.keys(SIZES).sort());
  for (const [name, one] of Object.entries(older)) {
    const record = recordOf(one.certificate);
    assert.deepEqual([record.key_algorithm, record.key_size], SIZES[name], name);
    for (const key of [one.pkcs8, one.traditional ?? one.pkcs8]) {
      const { privateKey } = await certificateUpload(one.certificate + key);
      assert.ok(privateKey, name);
      // The result is again a key of the same certificate.
      await certificateUpload(one.certificate + pem("PRIVATE KEY", privateKey));
    }
    const { privateKey } = await certificateUpload(one.certificate + one.pkcs8);
    assert.deepEqual(Buffer.from(privateKey ?? []), derOf(one.pkcs8), `${name} as it came`);
    const encrypted = encryptedKey(one.pkcs8, "secret", { cipher: "AES-256-CBC" });
    await certificateUpload(one.certificate + encrypted, { passphrase: "secret" });
    const other = Object.values(older).find(({ certificate }) => certificate !== one.certificate);
    await refusal((other?.certificate ?? "") + one.pkcs8, "key_mismatch");
  }
});

Deno.test("other kinds: their public keys are taken, also RSA's own form", async () => {
  for (const [name, one] of Object.entries(older)) {
    const result = await upload(one.public);
    assert.ok(result.kind === "public-key");
    const { key_algorithm, key_size } = result.publicKey;
    assert.deepEqual([key_algorithm, key_size], SIZES[name], name);
    if (one.pkcs1Public) assert.deepEqual(await upload(one.pkcs1Public), result);
  }
  const point = derOf(older.brainpoolP256r1?.public ?? "");
  point[point.length - 1] = (point.at(-1) ?? 0) ^ 1;
  await refusal(pem("PUBLIC KEY", point), "unsupported");
  const text = (older["RSA, three primes"]?.pkcs1Public ?? "").replace(/MII\w+/, "MIIB");
  await refusal(text, "malformed");
});

Deno.test("other kinds: a key whose numbers contradict each other is malformed", async () => {
  for (const name of ["RSA, three primes", "prime192v1"]) {
    const { certificate = "", pkcs8 = "" } = older[name] ?? {};
    const key = derOf(pkcs8);
    // The number of the elliptic key becomes larger than its curve's order, the modulus another.
    if (name === "prime192v1") key.fill(0xff, 34, 58);
    else key[60] = (key[60] ?? 0) ^ 1;
    await refusal(certificate + pem("PRIVATE KEY", key), "malformed");
  }
});

Deno.test("post-quantum: names and sizes of certificates and public keys", async () => {
  const sizes: Record<string, number> = {
    "ML-DSA-44": 10_496,
    "ML-DSA-65": 15_616,
    "ML-DSA-87": 20_736,
    "ML-KEM-512": 512,
    "ML-KEM-768": 768,
    "ML-KEM-1024": 1_024,
  };
  for (const of of writers) {
    for (const [name, { spki }] of Object.entries(of?.keys ?? {})) {
      const result = await upload(pem("PUBLIC KEY", bytes(spki)));
      assert.ok(result.kind === "public-key");
      const { key_algorithm, key_size } = result.publicKey;
      const size = sizes[name] ?? parseInt(name.split("-")[3] ?? "") * 2;
      assert.deepEqual([key_algorithm, key_size], [name, size]);
      const info = bytes(spki);
      const shorter = Buffer.from(info.subarray(info[1] === 0x82 ? 4 : 2, -1));
      const cut = pem("PUBLIC KEY", der(0x30, shortBits(shorter)));
      await refusal(cut, "unsupported");
    }
    for (const [name, certificate] of Object.entries(of?.certificates ?? {})) {
      const record = recordOf(pem("CERTIFICATE", bytes(certificate)));
      assert.deepEqual([record.key_algorithm, record.signature_algorithm], [name, name]);
      assert.equal(record.subject_cn, name);
    }
  }
  assert.equal(Object.keys(openssl?.keys ?? {}).length, 18);
});

/** Members of a SubjectPublicKeyInfo whose bits lost their last byte, with lengths that fit. */
function shortBits(members: Buffer): Uint8Array {
  const algorithm = members.subarray(0, 13);
  const bits = members.subarray(13);
  const head = bits[1] === 0x82 ? 4 : 2;
  return new Uint8Array(Buffer.concat([algorithm, der(0x03, bits.subarray(head))]));
}

Deno.test("post-quantum: keys of each writer belong to their certificate, and stay as they came", async () => {
  for (const of of writers) {
    for (const name of Object.keys(of?.keys ?? {})) {
      const { certificate, key, pkcs8 } = pairOf(of, name);
      const { privateKey } = await certificateUpload(certificate + key);
      assert.deepEqual(Buffer.from(privateKey ?? []), Buffer.from(pkcs8), name);
      const encrypted = encryptedKey(key, "secret", { cipher: "AES-256-CBC" });
      await certificateUpload(certificate + encrypted, { passphrase: "secret" });
    }
    for (const [name, certificate] of Object.entries(of?.certificates ?? {})) {
      await certificateUpload(pem("CERTIFICATE", bytes(certificate)) + pairOf(of, name).key);
    }
  }
  for (const name of ["ML-DSA-65", "ML-KEM-768"]) {
    const { certificate } = pairOf(openssl, name);
    for (const  of of[jdk, python]) {
      await refusal(certificate + pairOf(of, name).key, "key_mismatch");
    }
  }
});

Deno.test("post-quantum: each form is made of the seed, and of an expanded key none but itself", async () => {
  const formsOf = (key: Uint8Array) => keyForms.filter((form) => inForm(key, form) !== undefined);
  for (const name of ["ML-DSA-44", "ML-DSA-65", "ML-DSA-87", "ML-KEM-768", "ML-KEM-1024"]) {
    const both = pairOf(openssl, name);
    const seed = pairOf(python, name);
    assert.deepEqual(inForm(both.pkcs8, "both"), both.pkcs8, "as OpenSSL writes it");
    assert.deepEqual(inForm(seed.pkcs8, "seed"), seed.pkcs8, "as Python writes it");
    for (const { pkcs8, certificate } of [both, seed]) {
      assert.deepEqual(formsOf(pkcs8), keyForms);
      for (const form of keyForms) {
        const made = inForm(pkcs8, form) ?? new Uint8Array();
        await certificateUpload(certificate + pem("PRIVATE KEY", made));
        const again: readonly KeyForm[] = form === "expanded" ? ["expanded"] : keyForms;
        assert.deepEqual(formsOf(made), again);
      }
    }
    const expanded = pairOf(jdk, name).pkcs8;
    assert.deepEqual(formsOf(expanded), ["expanded"]);
    assert.deepEqual(inForm(expanded, "expanded"), expanded, "as a JDK writes it");
  }
  const ec = derOf(older.brainpoolP256r1?.pkcs8 ?? "");
  assert.deepEqual(keyForms.map((form) => inForm(ec, form)), [ec, ec, ec], "another kind stays");
  const slh = pairOf(openssl, "SLH-DSA-SHA2-128s").pkcs8;
  assert.deepEqual(inForm(slh, "seed"), slh, "SLH-DSA has one form");
});

Deno.test("post-quantum: a seed beside another expanded key, and a damaged one, are malformed", async () => {
  for (
    const [of, name] of [[openssl, "ML-DSA-65"], [openssl, "ML-KEM-768"], [jdk, "ML-DSA-65"], [
      jdk,
      "ML-KEM-768",
    ]] as const
  ) {
    const { certificate, pkcs8 } = pairOf(of, name);
    // The hash of the public key, and the second vector or the matrix' seed.
    for (const at of name === "ML-DSA-65" ? [-3_900, -3_400] : [-40, -70]) {
      const damaged = pkcs8.slice();
      const place = damaged.length + at;
      damaged[place] = (damaged[place] ?? 0) ^ 1;
      await refusal(certificate + pem("PRIVATE KEY", damaged), "malformed");
    }
    const short = pem("PRIVATE KEY", pkcs8.slice(0, -1));
    await refusal(certificate + short, "malformed");
  }
});
