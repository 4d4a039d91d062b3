import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createPrivateKey } from "node:crypto";
import { der, integer, octetString, oid, sequence } from "./support/der.ts";
import { issue, newKey, openssl, pkcs12 } from "./support/openssl.ts";
import { leastMs } from "./support/least-time.ts";
import { certificateUpload, recordOf, refusal } from "./support/reading.ts";

const PASSPHRASE = "pässwörd 🔑";
const root = issue({ subject: "CN=Root", extensions: "basicConstraints=critical,CA:TRUE" });
const leaf = issue({
  key: newKey("rsa"),
  subject: "CN=Leaf",
  extensions: "basicConstraints=CA:FALSE",
  issuer: root,
});
const chain = root.certificate;
const LEGACY = ["-keypbe", "PBE-SHA1-3DES", "-certpbe", "PBE-SHA1-RC2-40", "-macalg", "sha1"];

Deno.test("PKCS#12: modern, legacy and unusual encryption all open", async () => {
  const forms: Record<string, string[]> = {
    "today's default": [],
    "OpenSSL 1 and Windows": LEGACY,
    "3DES with two keys, RC2 with 128 bits": [
      ...["-keypbe", "PBE-SHA1-2DES", "-certpbe", "PBE-SHA1-RC2-128"],
    ],
    "AES-128, SHA-512 MAC": [
      "-keypbe",
      "AES-128-CBC",
      "-certpbe",
      "AES-128-CBC",
      "-macalg",
      "sha512",
    ],
    "AES-192, SHA-384 MAC": [
      "-keypbe",
      "AES-192-CBC",
      "-certpbe",
      "AES-192-CBC",
      "-macalg",
      "sha384",
    ],
    "certificates not encrypted": ["-certpbe", "NONE"],
    "nothing encrypted": ["-keypbe", "NONE", "-certpbe", "NONE"],
    "no MAC": ["-nomac"],
    "100,000 iterations": ["-iter", "100000"],
    "Java's counts": [...LEGACY, "-iter", "50000"],
  };
  for (const [name, options] of Object.entries(forms)) {
    const file = pkcs12({ ...leaf, chain }, PASSPHRASE, options);
    const result = await certificateUpload(file, { passphrase: PASSPHRASE });
    assert.equal(result.leaf.fingerprint, recordOf(leaf.certificate).fingerprint, name);
    assert.deepEqual(result.chain.map((record) => record.subject_cn), ["Root"], name);
    assert.equal(result.leaf.chain_length, 2);
    const key = createPrivateKey({
      key: Buffer.from(result.privateKey ?? []),
      format: "der",
      type: "pkcs8",
    });
    assert.ok(key.equals(createPrivateKey(leaf.key)), name);
  }
});

Deno.test("PKCS#12: an elliptic key, and a file of certificates only", async () => {
  const ed = issue({ key: newKey("ed25519") });
  assert.ok((await certificateUpload(pkcs12(ed, "x"), { passphrase: "x" })).privateKey);
  const without = pkcs12(leaf, "x", ["-nokeys"]);
  assert.equal((await certificateUpload(without, { passphrase: "x" })).privateKey, undefined);
});

Deno.test("PKCS#12: an empty passphrase needs none to be given", async () => {
  for (const options of [[], LEGACY]) {
    const file = pkcs12(leaf, "", options);
    assert.ok((await certificateUpload(file)).privateKey);
  }
});

Deno.test("PKCS#12: without or with a wrong passphrase it is refused as such", async () => {
  for (const options of [[], LEGACY, ["-nomac"], [...LEGACY, "-nomac"]]) {
    const file = pkcs12(leaf, PASSPHRASE, options);
    await refusal(file, "passphrase_required");
    await refusal(file, "wrong_passphrase", { passphrase: "wrong" });
  }
});

Deno.test("PKCS#12: a changed byte breaks the MAC", async () => {
  const file = pkcs12(leaf, PASSPHRASE, ["-keypbe", "NONE", "-certpbe", "NONE"]);
  const subject = Buffer.from(file).indexOf("Leaf");
  file[subject] = (file[subject] ?? 0) ^ 1;
  await refusal(file, "wrong_passphrase", { passphrase: PASSPHRASE });
});

Deno.test("PKCS#12: two private keys are refused, and so is a key of another certificate", async () => {
  const file = pkcs12({ ...leaf, key: leaf.key }, "x", ["-keypbe", "NONE", "-certpbe", "NONE"]);
  assert.ok(await certificateUpload(file, { passphrase: "x" }));
  const bag = (key: string) =>
    sequence(
      oid("2a864886f70d010c0a0101"),
      der(0xa0, openssl(["pkcs8", "-topk8", "-nocrypt", "-outform", "DER"], key)),
    );
  const certificateBag = sequence(
    oid("2a864886f70d010c0a0103"),
    der(
      0xa0,
      sequence(
        oid("2a864886f70d01091601"),
        der(0xa0, octetString(recordOf(leaf.certificate).der)),
      ),
    ),
  );
  await refusal(plainPkcs12(bag(leaf.key), bag(root.key), certificateBag), "two_keys");
  await refusal(plainPkcs12(bag(root.key), certificateBag), "key_mismatch");
  await refusal(plainPkcs12(bag(leaf.key)), "no_certificate");
  assert.ok((await certificateUpload(plainPkcs12(bag(leaf.key), certificateBag))).privateKey);
});

Deno.test("PKCS#12: huge iteration counts are refused at once: MAC, outer and nested", async () => {
  const places = {
    mac: ["-keypbe", "NONE", "-certpbe", "NONE"],
    "SHA-512 MAC": ["-keypbe", "NONE", "-certpbe", "NONE", "-macalg", "sha512"],
    outer: ["-nomac"],
    "outer, legacy": [...LEGACY, "-nomac"],
    nested: ["-keypbe", "AES-256-CBC", "-certpbe", "NONE", "-nomac"],
    "nested, legacy": ["-keypbe", "PBE-SHA1-3DES", "-certpbe", "NONE", "-nomac"],
  };
  for (const [place, options] of Object.entries(places)) {
    const hex = Buffer.from(pkcs12(leaf, PASSPHRASE, ["-iter", "65536", ...options])).toString(
      "hex",
    );
    // The certificates' encryption comes first in a file, then the key's, then the MAC.
    assert.ok(hex.includes("0203010000"), place);
    const bomb = Buffer.from(hex.replace("0203010000", "02037fffff"), "hex");
    const refused = await refusal(bomb, "unsupported", { passphrase: PASSPHRASE });
    assert.match(refused.message, /8388607 rounds/, place);
    const msOf = (file: Buffer) =>
      leastMs(() => certificateUpload(file, { passphrase: PASSPHRASE }));
    // Derived, it would cost 128 times as much as what it was made of.
    const [harmless, refusing] = [await msOf(Buffer.from(hex, "hex")), await msOf(bomb)];
    assert.ok(refusing < 4 * harmless, `${place}: ${harmless} ms, ${refusing} ms`);
  }
});

Deno.test("PKCS#12: many derivations are bounded together, not only each of them", async () => {
  const shrouded = openssl([
    "pkcs8",
    "-topk8",
    "-iter",
    "500000",
    "-outform",
    "DER",
    "-passout",
    "pass:x",
  ], root.key);
  const holding = (count: number) =>
    plainPkcs12(
      ...Array.from(
        { length: count },
        () => sequence(oid("2a864886f70d010c0a0102"), der(0xa0, shrouded)),
      ),
    );
  const [one, hundred] = [holding(1), holding(100)];
  await refusal(hundred, "unsupported", { passphrase: "x" });
  const msOf = (file: Uint8Array) => leastMs(() => certificateUpload(file, { passphrase: "x" }));
  const [alone, together] = [await msOf(one), await msOf(hundred)];
  assert.ok(together < 40 * alone, `${alone} ms, ${together} ms`);
});

Deno.test("PKCS#12: bags nested too deep or too many are refused", async () => {
  let nested = sequence(oid("2a864886f70d010c0a0106"), der(0xa0, sequence()));
  for (let depth = 0; depth < 6; depth++) {
    nested = sequence(oid("2a864886f70d010c0a0106"), der(0xa0, sequence(nested)));
  }
  await refusal(plainPkcs12(nested), "too_large");
  const secret = sequence(oid("2a864886f70d010c0a0105"), der(0xa0, sequence()));
  await refusal(plainPkcs12(...Array.from({ length: 201 }, () => secret)), "too_large");
  await refusal(plainPkcs12(secret), "no_certificate");
});

/** A PKCS#12 file of these bags: neither encrypted nor with a MAC. */
function plainPkcs12(...bags: Uint8Array[]): Uint8Array {
  const data = (content: Uint8Array) =>
    sequence(oid("2a864886f70d010701"), der(0xa0, octetString(content)));
  return sequence(integer("03"), data(sequence(data(sequence(...bags)))));
}
