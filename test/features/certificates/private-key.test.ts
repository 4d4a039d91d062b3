import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";
import { readPemBlocks } from "../../../src/features/certificates/reading/pem.ts";
import { leastMs } from "./support/least-time.ts";
import { issue, newKey, openssl } from "./support/openssl.ts";
import { certificateUpload, refusal } from "./support/reading.ts";

const PASSPHRASE = "pässwörd 🔑";
const pass = ["-passout", `pass:${PASSPHRASE}`];
const legacy = ["-provider", "default", "-provider", "legacy"];
const rsa = issue({ key: newKey("rsa"), subject: "CN=rsa" });
const ec = issue({ subject: "CN=ec" });

const pkcs8 = (key: string, ...options: string[]) =>
  String(openssl(["pkcs8", ...legacy, "-topk8", ...options, ...pass], key));
const traditional = (key: string, ...options: string[]) =>
  String(openssl(["pkey", ...legacy, "-traditional", ...options], key));

/** Asserts that `certificate` with `key` gives a PKCS#8 key that fits the certificate. */
async function assertFits(
  { certificate }: { certificate: string },
  key: string | Uint8Array,
  passphrase?: string,
): Promise<void> {
  const file = Buffer.concat([Buffer.from(certificate), Buffer.from(key)]);
  const { privateKey } = await certificateUpload(file, { passphrase });
  assert.ok(privateKey);
  const held = createPrivateKey({ key: Buffer.from(privateKey), format: "der", type: "pkcs8" });
  const spki = { format: "der", type: "spki" } as const;
  const certified = new X509Certificate(certificate).publicKey.export(spki);
  assert.equal(Buffer.compare(createPublicKey(held).export(spki), certified), 0);
}

Deno.test("plain keys: PKCS#8, PKCS#1 and SEC1, with parameters before them or not", async () => {
  await assertFits(rsa, rsa.key);
  await assertFits(rsa, traditional(rsa.key));
  await assertFits(ec, ec.key);
  await assertFits(ec, traditional(ec.key));
  const parameters = String(openssl(["ecparam", "-name", "prime256v1"]));
  await assertFits(ec, parameters + traditional(ec.key));
});

Deno.test("plain keys of every supported kind", async () => {
  for (const kind of ["P-384", "P-521", "secp256k1", "secp224r1", "ed25519", "ed448"]) {
    const issued = issue({ key: newKey(kind) });
    await assertFits(issued, issued.key);
  }
});

Deno.test("an RSA-PSS key is matched and kept, though the runtime cannot write it", async () => {
  const { certificate, key } = issue({ key: newKey("rsa-pss") });
  const { privateKey } = await certificateUpload(certificate + key);
  const der = openssl(["pkcs8", "-topk8", "-nocrypt", "-outform", "DER"], key);
  assert.equal(Buffer.compare(Buffer.from(privateKey ?? []), der), 0);
});

Deno.test("a compressed point in the certificate does not hide that the key fits", async () => {
  const key = String(openssl(["ec", "-conv_form", "compressed"], ec.key));
  const { certificate } = issue({ key });
  await assertFits({ certificate }, ec.key);
});

Deno.test("encrypted PKCS#8: every cipher, digest and derivation that openssl writes today", async () => {
  const forms = [
    ...["aes-128-cbc", "aes-192-cbc", "aes-256-cbc", "des3"].map((cipher) => ["-v2", cipher]),
    ...["hmacWithSHA1", "hmacWithSHA224", "hmacWithSHA384", "hmacWithSHA512"].map((prf) => [
      ...["-v2", "aes-256-cbc", "-v2prf", prf],
    ]),
    ["-scrypt"],
    ["-iter", "100000"],
    ...["PBE-SHA1-3DES", "PBE-SHA1-2DES", "PBE-SHA1-RC2-40", "PBE-SHA1-RC2-128"].map((v1) => [
      ...["-v1", v1],
    ]),
  ];
  for (const form of forms) await assertFits(rsa, pkcs8(rsa.key, ...form), PASSPHRASE);
});

Deno.test("legacy encrypted PEM: AES and 3DES, also with its line breaks lost", async () => {
  for (const cipher of ["-aes128", "-aes192", "-aes256", "-des3"]) {
    const rsaKey = traditional(rsa.key, cipher, ...pass);
    assert.match(rsaKey, /DEK-Info/);
    await assertFits(rsa, rsaKey, PASSPHRASE);
    const ecKey = traditional(ec.key, cipher, ...pass);
    await assertFits(ec, ecKey, PASSPHRASE);
    await assertFits(ec, ecKey.replaceAll("\n", " "), PASSPHRASE);
    await assertFits(ec, ecKey.replaceAll("\n", ""), PASSPHRASE);
    await assertFits(ec, ecKey.replaceAll("\n", "\r\n"), PASSPHRASE);
  }
});

Deno.test("encrypted keys without or with a wrong passphrase are refused as such", async () => {
  const keys = [
    pkcs8(ec.key),
    pkcs8(ec.key, "-v1", "PBE-SHA1-3DES"),
    pkcs8(ec.key, "-scrypt"),
    traditional(ec.key, "-aes256", ...pass),
    traditional(ec.key, "-des3", ...pass),
  ];
  for (const key of keys) {
    await refusal(ec.certificate + key, "passphrase_required");
    await refusal(ec.certificate + key, "passphrase_required", { passphrase: "" });
    for (let attempt = 0; attempt < 20; attempt++) {
      await refusal(ec.certificate + key, "wrong_passphrase", { passphrase: `wrong ${attempt}` });
    }
  }
});

Deno.test("kinds, curves and ciphers that are not supported are refused by name", async () => {
  const brainpool = newKey("brainpoolP256r1");
  const cases: [string, RegExp][] = [
    [brainpool, /brainpoolP256r1/],
    [traditional(brainpool), /brainpoolP256r1/],
    [String(openssl(["ec", "-param_enc", "explicit"], ec.key)), /explicit/],
    [pkcs8(ec.key, "-v1", "PBE-MD5-DES"), /1\.2\.840\.113549\.1\.5\.3/],
    [pkcs8(ec.key, "-v2", "camellia-128-cbc"), /1\.2\.392\.200011\.61\.1\.1\.1\.2/],
    [traditional(ec.key, "-des", ...pass), /DES-CBC/],
    [traditional(ec.key, "-camellia128", ...pass), /CAMELLIA-128-CBC/],
    [ec.key.replaceAll("PRIVATE", "OPENSSH PRIVATE"), /encoding/],
    [ec.key.replaceAll("PRIVATE", "DSA PRIVATE"), /encoding/],
  ];
  for (const [key, message] of cases) {
    const refused = await refusal(ec.certificate + key, "unsupported", { passphrase: PASSPHRASE });
    assert.match(refused.message, message);
  }
});

Deno.test("a huge derivation is refused before it is begun", async () => {
  const changed = (pem: string, from: string, to: string) => {
    const [block] = readPemBlocks(Buffer.from(pem));
    const hex = Buffer.from(block?.der ?? []).toString("hex");
    assert.ok(hex.includes(from));
    const body = Buffer.from(hex.replace(from, to), "hex").toString("base64");
    return `-----BEGIN ENCRYPTED PRIVATE KEY-----\n${body}\n-----END ENCRYPTED PRIVATE KEY-----\n`;
  };
  const pbkdf2 = pkcs8(ec.key, "-iter", "65536");
  const scrypt = pkcs8(ec.key, "-scrypt");
  const bombs = [
    changed(pbkdf2, "0203010000", "02037fffff"),
    changed(pkcs8(ec.key, "-v1", "PBE-SHA1-3DES", "-iter", "65536"), "0203010000", "02037fffff"),
    changed(scrypt, "02024000020108020101", "0202400002017f020101"),
    changed(scrypt, "02024000020108020101", "0202400002010802017f"),
  ];
  const msOf = (key: string) =>
    leastMs(() => certificateUpload(ec.certificate + key, { passphrase: PASSPHRASE }));
  const harmless = await msOf(pbkdf2);
  for (const key of bombs) {
    await refusal(ec.certificate + key, "unsupported", { passphrase: PASSPHRASE });
    // Derived, it would cost 16 to 128 times as much as what it was made of.
    const refusing = await msOf(key);
    assert.ok(refusing < 4 * harmless, `${harmless} ms, ${refusing} ms`);
  }
});

Deno.test("no refusal carries a piece of the key or the passphrase", async () => {
  const body = ec.key.split("\n").slice(1, -2).join("");
  const cut = body.slice(0, 60);
  const broken = [
    `-----BEGIN PRIVATE KEY-----\n${cut}\n-----END PRIVATE KEY-----\n`,
    `-----BEGIN EC PRIVATE KEY-----\n${body}\n-----END EC PRIVATE KEY-----\n`,
    `-----BEGIN PRIVATE KEY-----\n${body}`,
    `-----BEGIN ${body.slice(0, 40).toUpperCase()}-----\nx\n`,
    pkcs8(ec.key),
  ];
  for (const key of broken) {
    const options = { passphrase: "not this secret", nowMs: Date.now(), allowExpired: false };
    const error = await certificateUpload(ec.certificate + key, options).then(
      () => assert.fail("expected a refusal"),
      (thrown: Error) => thrown,
    );
    const shown = Deno.inspect(error) + error.stack + JSON.stringify(error);
    for (const secret of [cut.slice(0, 20), body.slice(20, 40), "not this secret"]) {
      assert.ok(!shown.includes(secret), error.message);
    }
  }
});
