import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createPrivateKey } from "node:crypto";
import { id_SafeContents, id_SecretBag, SafeBag, SafeContents } from "@peculiar/asn1-pfx";
import { AsnConvert } from "@peculiar/asn1-schema";
import { readEntries } from "../entries.ts";
import { readUpload } from "../upload.ts";
import { Unavailable } from "../refusal.ts";
import { sequence } from "./support/der.ts";
import { encryptedKey, type Encryption, prfNames } from "./support/encryption.ts";
import { issue } from "./support/issue.ts";
import { newKey } from "./support/keys.ts";
import { leastMs } from "./support/least-time.ts";
import {
  certificateBag,
  keyBag,
  LEGACY,
  pkcs12,
  plainPkcs12,
  type Protection,
  shroudedBag,
} from "./support/pkcs12.ts";
import { certificateUpload, recordOf, refusal } from "./support/reading.ts";

const PASSPHRASE = "pässwörd 🔑";
const root = issue({ subject: { CN: "Root" }, authority: true });
const leaf = issue({
  key: newKey("rsa"),
  subject: { CN: "Leaf" },
  authority: false,
  issuer: root,
});
const chain = root.certificate;
const OPEN = { key: "none", certificates: "none" } as const;

const both = (encryption: Encryption) => ({ key: encryption, certificates: encryption });

Deno.test("PKCS#12: modern, legacy and unusual encryption all open", async () => {
  const forms: Record<string, Protection> = {
    "today's default": {},
    "OpenSSL 1 and Windows": LEGACY,
    "3DES with two keys, RC2 with 128 bits": {
      key: { scheme: "PBE-SHA1-2DES" },
      certificates: { scheme: "PBE-SHA1-RC2-128" },
    },
    "AES-GCM": { key: { gcm: 32 }, certificates: { gcm: 16, tagBytes: 12 } },
    "SHA3-512": both({ cipher: "AES-256-CBC", prf: "sha3-512" }),
    "AES-128, SHA-512 MAC": { ...both({ cipher: "AES-128-CBC" }), mac: "sha512" },
    "AES-192, SHA-384 MAC": { ...both({ cipher: "AES-192-CBC" }), mac: "sha384" },
    "certificates not encrypted": { certificates: "none" },
    "nothing encrypted": OPEN,
    "no MAC": { mac: "none" },
    "100,000 iterations": { rounds: 100_000 },
    "Java's counts": { ...LEGACY, rounds: 50_000 },
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
  const without = pkcs12(leaf, "x", { isWithoutKey: true });
  assert.equal((await certificateUpload(without, { passphrase: "x" })).privateKey, undefined);
});

Deno.test("PKCS#12: an empty passphrase needs none to be given", async () => {
  for (const options of [{}, LEGACY]) {
    const file = pkcs12(leaf, "", options);
    assert.ok((await certificateUpload(file)).privateKey);
  }
});

Deno.test("PKCS#12: without or with a wrong passphrase it is refused as such", async () => {
  const unsigned = { mac: "none" } as const;
  for (const options of [{}, LEGACY, unsigned, { ...LEGACY, ...unsigned }]) {
    const file = pkcs12(leaf, PASSPHRASE, options);
    await refusal(file, "passphrase_required");
    await refusal(file, "wrong_passphrase", { passphrase: "wrong" });
  }
});

Deno.test("PKCS#12: 600,000 rounds in each place are asked for their passphrase, and open", async () => {
  const file = pkcs12({ ...leaf, chain }, PASSPHRASE, { rounds: 600_000 });
  await refusal(file, "passphrase_required");
  await refusal(file, "wrong_passphrase", { passphrase: "wrong" });
  assert.ok((await certificateUpload(file, { passphrase: PASSPHRASE })).privateKey);
  // The tries of an empty passphrase have a budget of their own.
  const mac = { prf: "sha256", mac: "sha256" } as const;
  const open = pkcs12({ ...leaf, chain }, "", { mac, rounds: 700_000 });
  assert.ok((await certificateUpload(open)).privateKey);
});

Deno.test("PKCS#12: 2,000,000 rounds in all are taken, and no more", async () => {
  const holding = (...rounds: number[]) =>
    plainPkcs12(
      ...rounds.map((count) =>
        shroudedBag(leaf.key, "x", { cipher: "AES-256-CBC", rounds: count })
      ),
      certificateBag(leaf.certificate),
    );
  const passphrase = "x";
  const once = { ...OPEN, mac: "none", key: { cipher: "AES-256-CBC" } } as const;
  const whole = pkcs12(leaf, passphrase, { ...once, rounds: 2_000_000 });
  assert.ok((await certificateUpload(whole, { passphrase })).privateKey);
  await refusal(pkcs12(leaf, passphrase, { ...once, rounds: 2_000_001 }), "unsupported", {
    passphrase,
  });
  const { message } = await refusal(holding(1_000_000, 1_000_001), "unsupported", { passphrase });
  assert.match(message, /1000001 rounds.* 2000000 rounds in all/);
});

Deno.test("PKCS#12: an upload that is not wanted any more ends while it derives", async () => {
  const file = pkcs12(leaf, "x", { certificates: "none", mac: "none", rounds: 2_000_000 });
  const key = encryptedKey(leaf.key, "x", { cipher: "AES-256-CBC", rounds: 2_000_000 });
  const options = { passphrase: "x", nowMs: Date.now(), allowExpired: true };
  for (const bytes of [file, Buffer.from(leaf.certificate + key)]) {
    for (const read of [readUpload, readEntries]) {
      const controller = new AbortController();
      const reading = read(bytes, { ...options, signal: controller.signal });
      // The reading has begun: its thread is asked in one of the next turns.
      await new Promise((resolve) => setTimeout(resolve));
      controller.abort();
      await assert.rejects(
        Promise.resolve(reading),
        (error) => error instanceof Unavailable,
      );
    }
  }
});

Deno.test("PKCS#12: without a MAC an empty passphrase is tried for a few rounds alone", async () => {
  const unsigned = (rounds: number) => pkcs12(leaf, "", { ...LEGACY, mac: "none", rounds });
  assert.ok((await certificateUpload(unsigned(2048))).privateKey);
  const dear = unsigned(100_000);
  await refusal(dear, "passphrase_required");
});

Deno.test("PKCS#12: a MAC by PBMAC1 is checked, by every digest", async () => {
  for (const [index, prf] of prfNames.entries()) {
    const mac = prfNames[(index + 3) % prfNames.length] ?? "sha256";
    const file = pkcs12({ ...leaf, chain }, PASSPHRASE, { ...OPEN, mac: { prf, mac } });
    assert.ok((await certificateUpload(file, { passphrase: PASSPHRASE })).privateKey, prf);
    await refusal(file, "wrong_passphrase", { passphrase: "wrong" });
    await refusal(file, "passphrase_required");
    const open = pkcs12({ ...leaf, chain }, "", { mac: { prf, mac } });
    assert.ok((await certificateUpload(open)).privateKey, prf);
    const subject = Buffer.from(file).indexOf("Leaf");
    file[subject] = (file[subject] ?? 0) ^ 1;
    await refusal(file, "wrong_passphrase", { passphrase: PASSPHRASE });
  }
});

Deno.test("PKCS#12: PBMAC1 with a key too short or too long is refused, and its length is paid for", async () => {
  const of = (length: number, rounds = 2048) =>
    pkcs12(leaf, PASSPHRASE, { ...OPEN, rounds, mac: { prf: "sha256", mac: "sha256", length } });
  for (const length of [20, 256, 1024]) {
    assert.ok((await certificateUpload(of(length), { passphrase: PASSPHRASE })).privateKey);
  }
  for (const length of [1, 19, 1025, 1_000_000]) {
    const refused = await refusal(of(length, 1), "unsupported", { passphrase: PASSPHRASE });
    assert.match(refused.message, new RegExp(`a key of ${length} bytes`));
  }
  const dear = of(1024, 125_001);
  await refusal(dear, "unsupported", { passphrase: PASSPHRASE });
  await refusal(dear, "passphrase_required");
});

Deno.test("PKCS#12: a changed byte breaks the MAC", async () => {
  const file = pkcs12(leaf, PASSPHRASE, OPEN);
  const subject = Buffer.from(file).indexOf("Leaf");
  file[subject] = (file[subject] ?? 0) ^ 1;
  await refusal(file, "wrong_passphrase", { passphrase: PASSPHRASE });
});

Deno.test("PKCS#12: two private keys are refused, and so is a key of another certificate", async () => {
  const file = pkcs12(leaf, "x", OPEN);
  assert.ok(await certificateUpload(file, { passphrase: "x" }));
  const cert = certificateBag(leaf.certificate);
  await refusal(plainPkcs12(keyBag(leaf.key), keyBag(root.key), cert), "two_keys");
  await refusal(plainPkcs12(keyBag(root.key), cert), "key_mismatch");
  await refusal(plainPkcs12(keyBag(leaf.key)), "no_certificate");
  assert.ok((await certificateUpload(plainPkcs12(keyBag(leaf.key), cert))).privateKey);
});

Deno.test("PKCS#12: huge iteration counts are refused at once: MAC, outer and nested", async () => {
  const places: Record<string, Protection> = {
    mac: OPEN,
    "SHA-512 MAC": { ...OPEN, mac: "sha512" },
    outer: { mac: "none" },
    "outer, legacy": { ...LEGACY, mac: "none" },
    nested: { certificates: "none", mac: "none" },
    "nested, legacy": { key: LEGACY.key, certificates: "none", mac: "none" },
  };
  for (const [place, options] of Object.entries(places)) {
    const hex = Buffer.from(pkcs12(leaf, PASSPHRASE, { rounds: 32_768, ...options }))
      .toString("hex");
    // The certificates' encryption comes first in a file, then the key's, then the MAC.
    assert.ok(hex.includes("0203008000"), place);
    const bomb = Buffer.from(hex.replace("0203008000", "02037fffff"), "hex");
    const refused = await refusal(bomb, "unsupported", { passphrase: PASSPHRASE });
    assert.match(refused.message, /8388607 rounds/, place);
    const msOf = (file: Buffer, enough?: number) =>
      leastMs(() => certificateUpload(file, { passphrase: PASSPHRASE }), enough);
    // Derived, it would cost 256 times as much as what it was made of.
    const harmless = await msOf(Buffer.from(hex, "hex"));
    const refusing = await msOf(bomb, 4 * harmless);
    assert.ok(refusing < 4 * harmless, `${place}: ${harmless} ms, ${refusing} ms`);
  }
});

Deno.test("PKCS#12: many derivations are bounded together, not only each of them", async () => {
  const shrouded = shroudedBag(root.key, "x", { cipher: "AES-256-CBC", rounds: 500_000 });
  const holding = (count: number) => plainPkcs12(...Array.from({ length: count }, () => shrouded));
  const [one, hundred] = [holding(1), holding(100)];
  await refusal(hundred, "unsupported", { passphrase: "x" });
  const msOf = (file: Uint8Array, enough?: number) =>
    leastMs(() => certificateUpload(file, { passphrase: "x" }), enough);
  const alone = await msOf(one);
  const together = await msOf(hundred, 40 * alone);
  assert.ok(together < 40 * alone, `${alone} ms, ${together} ms`);
});

Deno.test("PKCS#12: bags nested too deep or too many are refused", async () => {
  const bag = (bagId: string, bagValue: ArrayBuffer) => new SafeBag({ bagId, bagValue });
  let nested = bag(id_SafeContents, AsnConvert.serialize(new SafeContents()));
  for (let depth = 0; depth < 6; depth++) {
    nested = bag(id_SafeContents, AsnConvert.serialize(new SafeContents([nested])));
  }
  await refusal(plainPkcs12(nested), "too_large");
  const secret = bag(id_SecretBag, new Uint8Array(sequence()).buffer);
  await refusal(plainPkcs12(...Array.from({ length: 2_001 }, () => secret)), "too_large");
  await refusal(plainPkcs12(secret), "no_certificate");
});
