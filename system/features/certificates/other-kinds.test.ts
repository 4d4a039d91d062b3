/**
 * Keys that the runtime reads none of, made by `openssl`: it says of each what we say, and makes
 * the same public key of the private one.
 */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { curves } from "../../../packages/x509/curves.ts";
import { parseAsn1 } from "../../../packages/x509/asn1.ts";
import { keyFrom } from "../../../packages/x509/private-key.ts";
import { derOf, pem } from "../../../packages/x509/test/support/keys.ts";
import {
  certificateUpload,
  recordOf,
  upload,
} from "../../../packages/x509/test/support/reading.ts";
import { openssl, opensslWith } from "./support/openssl.ts";

const explicit = ["-pkeyopt", "ec_param_enc:explicit"];
const curve = (name: string) => ["-algorithm", "EC", "-pkeyopt", `ec_paramgen_curve:${name}`];
const names = Object.values(curves).map(({ name }) => name);

/** Each kind with what `openssl genpkey` is told. */
const kinds: Record<string, string[]> = {
  ...Object.fromEntries(names.map((name) => [name, curve(name)])),
  ...Object.fromEntries(names.map((name) => [`${name} explicit`, [...curve(name), ...explicit]])),
  "RSA of three primes": rsaOf(3),
  "RSA of four primes": rsaOf(4),
};

function rsaOf(primes: number): string[] {
  const of = ["-pkeyopt", "rsa_keygen_bits:4096", "-pkeyopt", `rsa_keygen_primes:${primes}`];
  return ["-algorithm", "RSA", ...of];
}

const SM2 = ["-sm3", "-sigopt", "distid:1234567812345678"];

function certificateOf(key: string, name: string): string {
  const more = name.startsWith("SM2") ? SM2 : [];
  const words = ["req", "-x509", "-new", "-key", "<key>", "-subj", `/CN=${name}`, ...more];
  return String(opensslWith({ key }, words));
}

async function assertAgrees(name: string, key: string): Promise<void> {
  const certificate = certificateOf(key, name);
  const { privateKey } = await certificateUpload(certificate + key);
  assert.deepEqual(Buffer.from(privateKey ?? []), derOf(key), `${name}: as it came`);
  const record = recordOf(certificate);
  const text = String(openssl(["x509", "-noout", "-text"], certificate));
  const size = Number(/Public-Key: \((\d+) bit/.exec(text)?.[1]);
  assert.equal(record.key_size, size, name);
  const their = String(openssl(["pkey", "-pubout"], key));
  const taken = await upload(their);
  assert.ok(taken.kind === "public-key");
  assert.deepEqual([taken.publicKey.key_size, taken.publicKey.key_algorithm], [
    size,
    record.key_algorithm,
  ]);
  const { publicKeyInfo } = keyFrom(parseAsn1(derOf(key)));
  // A curve that is spelled out is named in ours.
  const theirs = name.endsWith("explicit")
    ? String(openssl(["ec", "-pubin", "-param_enc", "named_curve"], their))
    : their;
  assert.equal(pem("PUBLIC KEY", publicKeyInfo), theirs, name);
  if (name.startsWith("SM2")) return;
  const own = String(openssl(["pkey", "-traditional"], key));
  await certificateUpload(certificate + own);
}

for (const [name, words] of Object.entries(kinds)) {
  Deno.test(`${name}: the key, its public key and a certificate are read as openssl reads them`, async () => {
    await assertAgrees(name, String(openssl(["genpkey", ...words])));
  });
}

Deno.test("DSA: likewise, and RSA's public key in its own form", async () => {
  const parameters = String(openssl(["dsaparam", "2048"]));
  const traditional = String(opensslWith({ parameters }, ["gendsa", "<parameters>"]));
  await assertAgrees("DSA", String(openssl(["pkcs8", "-topk8", "-nocrypt"], traditional)));
  const key = String(openssl(["genpkey", "-algorithm", "RSA"]));
  const own = await upload(String(openssl(["rsa", "-RSAPublicKey_out"], key)));
  assert.deepEqual(own, await upload(String(openssl(["pkey", "-pubout"], key))));
});
