import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { readBundle } from "../bundle.ts";
import type { CertificateRecord } from "../certificate.ts";
import { pemOf } from "./support/der.ts";
import { readPemBlocks } from "../pem.ts";
import { CertificateRefused } from "../refusal.ts";
import { readUpload } from "../upload.ts";
import { shortOr } from "../../../test/support/effort.ts";
import { processorMs } from "../../../test/support/processor.ts";
import { leastMs } from "./support/least-time.ts";
import { mutate, randomFrom } from "./support/mutate.ts";
import { encryptedKey, encryptedKeyDer, type Encryption } from "./support/encryption.ts";
import { issue, otherName } from "./support/issue.ts";
import { derOf, newKey, publicKeyDer, traditionalDer } from "./support/keys.ts";
import { LEGACY, pkcs12, type Protection } from "./support/pkcs12.ts";
import { roots } from "./support/roots.ts";

const CASES = shortOr(4_000, 20_000);
const SEED = Number(Deno.env.get("FUZZ_SEED") ?? 1);
/** The dearest case may cost as many times as much as one key with half a million rounds. */
const TIMES_ONE_KEY = 40;
const PASSPHRASE = "fuzz";

/** A sample to mutate, and how a mutated one is uploaded. */
interface Sample {
  bytes: Uint8Array;
  wrap: (bytes: Uint8Array) => Uint8Array;
}

const same = (bytes: Uint8Array) => bytes;
const armoured = (label: string) => (der: Uint8Array) =>
  Buffer.from(
    `-----BEGIN ${label}-----\n${Buffer.from(der).toString("base64")}\n-----END ${label}-----\n`,
  );

const protections: Protection[] = [
  {},
  { mac: "none" },
  { key: "none", certificates: "none", mac: "none" },
  LEGACY,
];

const encryptions: Encryption[] = [
  { cipher: "AES-256-CBC", rounds: 1 },
  { cipher: "DES-EDE3-CBC", rounds: 1 },
  { scheme: "PBE-SHA1-RC2-40", rounds: 1 },
  { cipher: "AES-256-CBC", scrypt: { N: 2, r: 1, p: 1 } },
];

function corpus(): Sample[][] {
  const authorities = [...readPemBlocks(Buffer.from(roots))];
  const leaf = issue({
    key: newKey("P-256"),
    subject: [{ CN: "leaf" }, { OU: ["a", "b"] }],
    authority: 1,
    keyIds: true,
    names: [
      { dNSName: "*.a" },
      { iPAddress: "1.2.3.4" },
      { iPAddress: "::1" },
      { uniformResourceIdentifier: "http://a" },
      { rfc822Name: "a@b" },
      { registeredID: "1.2.3" },
      otherName("1.2", "x"),
    ],
  });
  const issued = ["rsa", "rsa-pss", "P-521", "brainpoolP256r1", "ed25519", "ed448"].map((kind) =>
    issue({ key: newKey(kind) })
  );
  const certificates = [...issued, leaf].flatMap(({ certificate }) => [
    ...readPemBlocks(Buffer.from(certificate)),
  ]);
  return [
    [...authorities, ...certificates].map(({ der }) => ({
      bytes: der ?? new Uint8Array(),
      wrap: (changed: Uint8Array) => Buffer.from(pemOf(changed)),
    })),
    keySamples(leaf.certificate, [leaf.key, ...issued.map(({ key }) => key)]),
    [leaf, ...issued].map(({ certificate, key }) => ({
      bytes: Buffer.from(`# x\r\n${certificate}${key}`),
      wrap: same,
    })),
    protections.map((protection) => ({
      bytes: pkcs12(leaf, PASSPHRASE, { rounds: 1, ...protection }),
      wrap: same,
    })),
  ];
}

/** Keys of every encoding behind a certificate; the changes are made in the key's DER. */
function keySamples(certificate: string, keys: string[]): Sample[] {
  const [ec = "", rsa = ""] = keys;
  const encrypted = encryptions.map((how) => encryptedKeyDer(ec, PASSPHRASE, how));
  const behind = (label: string) => (der: Uint8Array) =>
    Buffer.concat([Buffer.from(certificate), armoured(label)(der)]);
  const publicKeys = keys.map(publicKeyDer);
  return [
    ...keys.map((key) => ({
      bytes: derOf(key),
      wrap: behind("PRIVATE KEY"),
    })),
    ...encrypted.map((bytes) => ({ bytes, wrap: behind("ENCRYPTED PRIVATE KEY") })),
    { bytes: traditionalDer(rsa), wrap: behind("RSA PRIVATE KEY") },
    { bytes: traditionalDer(ec), wrap: behind("EC PRIVATE KEY") },
    ...publicKeys.map((bytes) => ({ bytes, wrap: armoured("PUBLIC KEY") })),
  ];
}

/** A key that half a million rounds protect, behind its certificate. */
function dearKey(): Uint8Array {
  const { certificate, key } = issue({ key: newKey("P-256") });
  const locked = encryptedKey(key, PASSPHRASE, { cipher: "AES-256-CBC", rounds: 500_000 });
  return Buffer.from(certificate + locked);
}

/** Whatever was read can be stored and answered: no NUL, no lone surrogate, times of one form. */
function assertSound(record: CertificateRecord): void {
  const { der: _, ...facts } = record;
  const text = JSON.stringify(facts);
  assert.ok(!text.includes("\\u0000") && !/\\ud[89a-f]/i.test(text), text);
  assert.match(record.not_before, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  assert.match(record.not_after, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  assert.match(record.fingerprint, /^[0-9a-f]{64}$/);
  assert.ok(record.key_size >= 0 && record.subject_cn.length <= 1_024);
}

/** Reads one file both ways; true when it was taken. Throws for anything but a refusal. */
async function survives(file: Uint8Array): Promise<boolean> {
  for (const result of readBundle(file)) if (result.ok) assertSound(result.certificate);
  try {
    const options = { nowMs: Date.now(), allowExpired: true, passphrase: PASSPHRASE };
    const upload = await readUpload(file, options);
    const records = upload.kind === "certificate"
      ? [upload.leaf, ...upload.chain]
      : [upload.publicKey];
    records.forEach(assertSound);
    return true;
  } catch (error) {
    if (!(error instanceof CertificateRefused)) throw error;
    assert.ok(error.message.length < 300 && error.cause === undefined);
    return false;
  }
}

Deno.test(`${CASES} changed files: each is read or refused, none hangs (seed ${SEED})`, async () => {
  const kinds = corpus();
  for (const { bytes, wrap } of kinds.flat()) await survives(wrap(bytes));
  const random = randomFrom(SEED);
  const pick = <T>(from: T[]): T => {
    const picked = from[Math.floor(random() * from.length)];
    assert.ok(picked !== undefined);
    return picked;
  };
  let taken = 0;
  let slowest: { ms: number; file: Uint8Array } = { ms: 0, file: new Uint8Array() };
  for (let index = 0; index < CASES; index++) {
    // Every second case is a certificate; the other kinds share the rest.
    const kind = random() < 0.5 ? kinds[0] ?? [] : pick(kinds);
    const { bytes, wrap } = pick(kind);
    const file = wrap(mutate(bytes, pick(kind).bytes, random));
    const before = processorMs();
    try {
      if (await survives(file)) taken++;
    } catch (error) {
      const shown = Buffer.from(file).toString("base64");
      throw new Error(`seed ${SEED}, case ${index}: ${shown}`, { cause: error });
    }
    const ms = processorMs() - before;
    if (ms > slowest.ms) slowest = { ms, file };
  }
  // Once more and alone: the first time something else may have been in its way.
  const dearest = await leastMs(() => survives(slowest.file));
  const known = dearKey();
  const one = await leastMs(() => survives(known));
  assert.ok(dearest < TIMES_ONE_KEY * one, `${dearest} ms, one key ${one} ms`);
  // Changes that reach no code behind the first check would show nothing.
  assert.ok(taken > CASES / 50 && taken < CASES, `${taken} of ${CASES} were taken`);
});
