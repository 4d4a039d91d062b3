import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";
import { readPemBlocks } from "../pem.ts";
import { leastMs } from "./support/least-time.ts";
import { der, integer, octetString, oid, sequence } from "./support/der.ts";
import { encryptedKey, type Encryption, legacyPem, prfNames } from "./support/encryption.ts";
import { issue } from "./support/issue.ts";
import { curveBlock, derOf, newKey, pem, traditional, withParameters } from "./support/keys.ts";
import { certificateUpload, refusal } from "./support/reading.ts";

const PASSPHRASE = "pässwörd 🔑";
const rsa = issue({ key: newKey("rsa"), subject: { CN: "rsa" } });
const ec = issue({ subject: { CN: "ec" } });

const aes256 = { cipher: "AES-256-CBC" } as const;
const scrypt = { ...aes256, scrypt: { N: 16_384, r: 8, p: 1 } };
const pkcs8 = (key: string, how: Encryption = aes256) => encryptedKey(key, PASSPHRASE, how);

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
  await assertFits(ec, curveBlock(ec.key) + traditional(ec.key));
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
  assert.equal(Buffer.compare(Buffer.from(privateKey ?? []), derOf(key)), 0);
});

Deno.test("a compressed point in the certificate does not hide that the key fits", async () => {
  const { certificate } = issue({ key: ec.key, publicKey: compressed(ec.key) });
  assert.ok(certificate.length < ec.certificate.length - 30);
  await assertFits({ certificate }, ec.key);
});

Deno.test("encrypted PKCS#8: every cipher, digest and derivation", async () => {
  const forms: Encryption[] = [
    ...(["AES-128-CBC", "AES-192-CBC", "AES-256-CBC", "DES-EDE3-CBC"] as const)
      .map((cipher) => ({ cipher })),
    ...prfNames.map((prf) => ({ ...aes256, prf })),
    ...([16, 24, 32] as const).map((gcm) => ({ gcm })),
    ...[12, 13, 14, 15].map((tagBytes) => ({ gcm: 32, tagBytes }) as const),
    scrypt,
    { ...aes256, rounds: 100_000 },
    ...(["PBE-SHA1-3DES", "PBE-SHA1-2DES", "PBE-SHA1-RC2-40", "PBE-SHA1-RC2-128"] as const)
      .map((scheme) => ({ scheme })),
  ];
  for (const form of forms) await assertFits(rsa, pkcs8(rsa.key, form), PASSPHRASE);
});

Deno.test("legacy encrypted PEM: AES and 3DES, also with its line breaks lost", async () => {
  for (const cipher of ["AES-128-CBC", "AES-192-CBC", "AES-256-CBC", "DES-EDE3-CBC"] as const) {
    const rsaKey = legacyPem(rsa.key, PASSPHRASE, cipher);
    assert.match(rsaKey, /DEK-Info/);
    await assertFits(rsa, rsaKey, PASSPHRASE);
    const ecKey = legacyPem(ec.key, PASSPHRASE, cipher);
    await assertFits(ec, ecKey, PASSPHRASE);
    // A gateway writes both under the label of encrypted PKCS#8.
    const label = /(RSA|EC) PRIVATE/g;
    await assertFits(rsa, rsaKey.replace(label, "ENCRYPTED PRIVATE"), PASSPHRASE);
    await assertFits(ec, ecKey.replace(label, "ENCRYPTED PRIVATE"), PASSPHRASE);
    await assertFits(ec, ecKey.replaceAll("\n", " "), PASSPHRASE);
    await assertFits(ec, ecKey.replaceAll("\n", ""), PASSPHRASE);
    await assertFits(ec, ecKey.replaceAll("\n", "\r\n"), PASSPHRASE);
  }
});

Deno.test("encrypted keys without or with a wrong passphrase are refused as such", async () => {
  const keys = [
    pkcs8(ec.key),
    pkcs8(ec.key, { scheme: "PBE-SHA1-3DES" }),
    pkcs8(ec.key, scrypt),
    legacyPem(ec.key, PASSPHRASE, "AES-256-CBC"),
    legacyPem(ec.key, PASSPHRASE, "DES-EDE3-CBC"),
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
  const binary = withParameters(ec.key, oid("2b81040010"));
  const cases: [string, RegExp][] = [
    [binary, /sect283k1/],
    [traditional(binary), /sect283k1/],
    [withParameters(ec.key, explicitCurve), /explicit/],
    [sealed(PBE_MD5_DES), /PBE-MD5-DES.* openssl pkcs8 -topk8 .* -provider legacy/],
    [sealed(pbes2By(CAMELLIA_128)), /Camellia-128-CBC.* openssl pkcs8 -topk8 -v2 aes-256-cbc -in/],
    [sealed(pbes2By(ARIA_256)), /ARIA-256-CBC.* openssl pkcs8 -topk8 -v2 aes-256-cbc -in/],
    [sealed(pbes2By(ARIA_256_GCM)), /ARIA-256-GCM, which is not supported\.$/],
    [sealed(pbes2By("2a030405")), /cipher 1\.2\.3\.4\.5, which is not supported\.$/],
    [legacyPem(ec.key, PASSPHRASE, "DES-CBC"), /DES-CBC.* -provider legacy/],
    [
      legacyPem(ec.key, PASSPHRASE, "AES-128-CBC").replace("AES-128", "CAMELLIA-128"),
      /CAMELLIA-128-CBC.* openssl pkcs8 -topk8 -v2 aes-256-cbc -in/,
    ],
    [ec.key.replaceAll("PRIVATE", "OPENSSH PRIVATE"), /encoding/],
    [ec.key.replaceAll("PRIVATE", "ANY PRIVATE"), /encoding/],
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
  const pbkdf2 = pkcs8(ec.key, { ...aes256, rounds: 65_536 });
  const dear = pkcs8(ec.key, scrypt);
  const old = pkcs8(ec.key, { scheme: "PBE-SHA1-3DES", rounds: 65_536 });
  const bombs = [
    changed(pbkdf2, "0203010000", "02037fffff"),
    changed(old, "0203010000", "02037fffff"),
    changed(dear, "02024000020108020101", "0202400002017f020101"),
    changed(dear, "02024000020108020101", "0202400002010802017f"),
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

Deno.test("scrypt: every cost that RFC 7914 allows, within the memory and the rounds of an upload", async () => {
  const malformed = async (N: number, r: number, p: number) => {
    const how = { cipher: "AES-128-CBC", scrypt: { N: 16, r: 1, p: 1 } } as const;
    const block = readPemBlocks(Buffer.from(pkcs8(ec.key, how))).next().value;
    // The costs stand behind the salt, one byte each.
    const hex = Buffer.from(block?.der ?? []).toString("hex");
    assert.ok(hex.includes("020110020101020101"));
    const cost = (n: number) => n.toString(16).padStart(2, "0");
    const key = pem(
      "ENCRYPTED PRIVATE KEY",
      Buffer.from(
        hex.replace("020110020101020101", `0201${cost(N)}0201${cost(r)}0201${cost(p)}`),
        "hex",
      ),
    );
    await refusal(ec.certificate + key, "malformed", { passphrase: PASSPHRASE });
  };
  for (
    const scrypt of [{ N: 2, r: 1, p: 64 }, { N: 2, r: 1, p: 100_000 }, { N: 64, r: 100, p: 9 }]
  ) {
    await assertFits(ec, pkcs8(ec.key, { cipher: "AES-128-CBC", scrypt }), PASSPHRASE);
  }
  const tooMuch = { cipher: "AES-128-CBC", scrypt: { N: 2, r: 1, p: 300_000 } } as const;
  await refusal(ec.certificate + pkcs8(ec.key, tooMuch), "unsupported", { passphrase: PASSPHRASE });
  for (const [N, r, p] of [[1, 1, 1], [3, 1, 1], [0, 1, 1], [16, 0, 1], [16, 1, 0]] as const) {
    await malformed(N, r, p);
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

/** The public key of an elliptic key with the short form of its point. */
function compressed(key: string): Uint8Array {
  const spki = new Uint8Array(createPublicKey(key).export({ type: "spki", format: "der" }));
  const [x, y] = [spki.subarray(27, 59), spki.subarray(59)];
  const point = new Uint8Array([2 + ((y.at(-1) ?? 0) & 1), ...x]);
  return sequence(spki.slice(2, 23), der(0x03, new Uint8Array([0]), point));
}

/** P-256 with another order by its numbers, as SEC 1, appendix C.2 writes them: no known curve. */
const PRIME = "00ffffffff00000001000000000000000000000000ffffffffffffffffffffffff";
const explicitCurve = sequence(
  integer("01"),
  sequence(oid("2a8648ce3d0101"), integer(PRIME)),
  sequence(
    octetString(Buffer.from(PRIME.slice(2, -1) + "c", "hex")),
    octetString(
      Buffer.from("5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b", "hex"),
    ),
  ),
  octetString(
    Buffer.from(
      "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296" +
        "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5",
      "hex",
    ),
  ),
  integer("00ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632553"),
);

/** Algorithm identifiers of encryptions that nothing here encrypts with. */
const PBE_MD5_DES = sequence(
  oid("2a864886f70d010503"),
  sequence(octetString("8 bytes."), integer("0800")),
);
const CAMELLIA_128 = "2a83088c9a4b3d01010102";
const ARIA_256 = "2a831a8c9a6e01010c";
const ARIA_256_GCM = "2a831a8c9a6e010124";
const pbes2By = (cipher: string) =>
  sequence(
    oid("2a864886f70d01050d"),
    sequence(
      sequence(
        oid("2a864886f70d01050c"),
        sequence(octetString("8 bytes."), integer("0800")),
      ),
      sequence(oid(cipher), octetString("a block of bytes")),
    ),
  );

/** An encrypted key that says it is encrypted so. */
function sealed(algorithm: Uint8Array): string {
  return pem("ENCRYPTED PRIVATE KEY", sequence(algorithm, octetString("x".repeat(160))));
}
