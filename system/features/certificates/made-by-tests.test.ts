/** What the tests in `test/` make by a library is what `openssl` takes it for. */
import assert from "node:assert/strict";
import {
  encryptedKey,
  type Encryption,
  legacyPem,
} from "../../../packages/x509/test/support/encryption.ts";
import { issue, issueWithValidity } from "../../../packages/x509/test/support/issue.ts";
import {
  curveBlock,
  newKey,
  publicKeyPem,
  traditional,
} from "../../../packages/x509/test/support/keys.ts";
import { LEGACY, pkcs12, type Protection } from "../../../packages/x509/test/support/pkcs12.ts";
import { legacy, openssl, opensslWith } from "./support/openssl.ts";

const PASSPHRASE = "pässwörd 🔑";
const pass = ["-passin", `pass:${PASSPHRASE}`];
const rsa = issue({ key: newKey("rsa"), subject: { CN: "rsa" } });
const ec = issue({ subject: { CN: "ec" } });

const plain = (key: string) => String(openssl(["pkey", ...legacy, ...pass], key));

Deno.test("keys of every kind are valid, and their other forms are openssl's own", () => {
  const kinds = [
    "rsa",
    "rsa-pss",
    "P-256",
    "P-384",
    "P-521",
    "secp256k1",
    "secp224r1",
    "brainpoolP256r1",
    "ed25519",
    "ed448",
  ];
  for (const kind of kinds) {
    const key = newKey(kind);
    assert.match(String(openssl(["pkey", "-check", "-noout"], key)), /valid/, kind);
    assert.equal(publicKeyPem(key), String(openssl(["pkey", "-pubout"], key)), kind);
  }
  for (const { key } of [rsa, ec]) {
    assert.equal(traditional(key), String(openssl(["pkey", "-traditional"], key)));
  }
  assert.equal(curveBlock(ec.key), String(openssl(["ecparam", "-name", "prime256v1"])));
});

Deno.test("certificates are signed by who they say, for the time they say", () => {
  // Brainpool's certificate is signed by another key, since the runtime signs with no such curve.
  const kinds = ["rsa", "rsa-pss", "P-256", "P-384", "P-521", "secp256k1", "ed25519", "ed448"];
  for (const kind of kinds) {
    const root = issue({ key: newKey(kind), subject: { CN: "Root" }, authority: 1, keyIds: true });
    const leaf = issue({ subject: { CN: "Leaf" }, issuer: root, keyIds: true });
    const files = { root: root.certificate, leaf: leaf.certificate };
    const verdict = opensslWith(files, [
      "verify",
      "-check_ss_sig",
      "-CAfile",
      "<root>",
      "<leaf>",
      "<root>",
    ]);
    assert.equal(String(verdict).match(/: OK$/gm)?.length, 2, kind);
  }
  const dated = issueWithValidity("19491231235959Z", "20500101000000Z");
  const dates = String(openssl(["x509", "-noout", "-dates", "-dateopt", "iso_8601"], dated));
  assert.equal(dates, "notBefore=1949-12-31 23:59:59Z\nnotAfter=2050-01-01 00:00:00Z\n");
});

Deno.test("encrypted keys open with their passphrase", () => {
  const forms: Encryption[] = [
    { cipher: "AES-128-CBC" },
    { cipher: "AES-192-CBC", prf: "sha1" },
    { cipher: "AES-256-CBC", prf: "sha224", rounds: 100_000 },
    { cipher: "AES-256-CBC", prf: "sha384" },
    { cipher: "DES-EDE3-CBC", prf: "sha512" },
    { cipher: "AES-256-CBC", scrypt: { N: 16_384, r: 8, p: 1 } },
    { scheme: "PBE-SHA1-3DES" },
    { scheme: "PBE-SHA1-2DES" },
    { scheme: "PBE-SHA1-RC2-40" },
    { scheme: "PBE-SHA1-RC2-128" },
  ];
  for (const how of forms) {
    assert.equal(plain(encryptedKey(rsa.key, PASSPHRASE, how)), rsa.key, JSON.stringify(how));
  }
  const ciphers = ["AES-128-CBC", "AES-192-CBC", "AES-256-CBC", "DES-EDE3-CBC", "DES-CBC"] as const;
  for (const cipher of ciphers) {
    for (const { key } of [rsa, ec]) assert.equal(plain(legacyPem(key, PASSPHRASE, cipher)), key);
  }
});

Deno.test("PKCS#12 files open with their passphrase", () => {
  const forms: Protection[] = [
    {},
    LEGACY,
    { key: { scheme: "PBE-SHA1-2DES" }, certificates: { scheme: "PBE-SHA1-RC2-128" } },
    { mac: "sha384", rounds: 5_000 },
    { mac: "sha512" },
    { mac: "none" },
    { key: "none", certificates: "none" },
  ];
  for (const form of forms) {
    const file = pkcs12({ ...rsa, chain: ec.certificate }, PASSPHRASE, form);
    const text = String(openssl(["pkcs12", ...legacy, "-nodes", ...pass], file));
    for (const part of [rsa.key, rsa.certificate, ec.certificate]) {
      assert.ok(text.includes(part), JSON.stringify(form));
    }
  }
});
