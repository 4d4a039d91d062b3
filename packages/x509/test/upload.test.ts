import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { NO_TIME } from "../certificate.ts";
import { issue, issueWithValidity } from "./support/issue.ts";
import { derOf, newKey, pem, publicKeyPem } from "./support/keys.ts";
import { certificateUpload, recordOf, refusal, upload } from "./support/reading.ts";

const authority = (name: string, issuer?: ReturnType<typeof issue>) =>
  issue({
    key: newKey("P-256"),
    subject: { CN: name },
    authority: true,
    keyIds: true,
    issuer,
  });
const root = authority("Root");
const middle = authority("Middle", root);
const lower = authority("Lower", middle);
const leaf = issue({
  key: newKey("P-256"),
  subject: { CN: "Leaf" },
  authority: false,
  keyIds: true,
  issuer: lower,
});
const publicKey = publicKeyPem(leaf.key);

/** Every order of `items`. */
function orders<T>(items: T[]): T[][] {
  if (items.length < 2) return [items];
  return items.flatMap((item, at) =>
    orders(items.filter((_, other) => other !== at)).map((rest) => [item, ...rest])
  );
}

Deno.test("a chain and its key in any order: the same leaf, the same chain", async () => {
  const blocks = [leaf, lower, middle, root].map((issued) => issued.certificate);
  for (const order of [...orders(blocks), ...orders([...blocks, leaf.key])]) {
    const result = await certificateUpload(order.join(""));
    assert.equal(result.leaf.subject_cn, "Leaf");
    assert.equal(result.leaf.chain_length, 4);
    const chain = result.chain.map((record) => record.subject_cn);
    assert.deepEqual(chain, ["Lower", "Middle", "Root"]);
    assert.equal(result.privateKey !== undefined, order.includes(leaf.key));
  }
});

Deno.test("the leaf is the certificate that the key belongs to, whatever it issued", async () => {
  const file = leaf.certificate + lower.certificate + middle.certificate + middle.key;
  const result = await certificateUpload(file);
  assert.equal(result.leaf.subject_cn, "Middle");
  assert.deepEqual(result.chain.map((record) => record.subject_cn), ["Leaf", "Lower"]);
});

Deno.test("of unrelated certificates one that is no authority is the leaf, else the first", async () => {
  const other = authority("Other");
  const mixed = await certificateUpload(other.certificate + leaf.certificate);
  assert.deepEqual([mixed.leaf.subject_cn, mixed.chain[0]?.subject_cn], ["Leaf", "Other"]);
  const authorities = await certificateUpload(other.certificate + root.certificate);
  assert.equal(authorities.leaf.subject_cn, "Other");
});

Deno.test("a certificate given twice counts once", async () => {
  const result = await certificateUpload(leaf.certificate + leaf.key + leaf.certificate);
  assert.deepEqual([result.leaf.chain_length, result.chain], [1, []]);
});

Deno.test("two authorities of one name are told apart by their key ids", async () => {
  const twin = authority("Lower", middle);
  const file = twin.certificate + leaf.certificate + lower.certificate;
  const result = await certificateUpload(file);
  const [issuer] = result.chain;
  assert.equal(result.leaf.subject_cn, "Leaf");
  assert.equal(issuer?.fingerprint, recordOf(lower.certificate).fingerprint);
});

Deno.test("authorities that certify each other have a leaf too, and no loop", async () => {
  const cross = issue({
    key: root.key,
    subject: { CN: "Root" },
    authority: true,
    issuer: middle,
  });
  const result = await certificateUpload(middle.certificate + cross.certificate);
  assert.equal(result.leaf.subject_cn, "Middle");
  assert.equal(result.chain.length, 1);
});

Deno.test("a bare public key: hash of its DER, no issuer, no times", async () => {
  for (const kind of ["rsa", "P-256", "ed25519"]) {
    const text = publicKeyPem(newKey(kind));
    const result = await upload(text);
    assert.ok(result.kind === "public-key");
    const { publicKey: record } = result;
    const der = derOf(text);
    const hash = createHash("sha256").update(der).digest("hex");
    assert.equal(record.fingerprint, hash);
    assert.equal(record.subject_cn, `Public Key: ${hash}`);
    assert.deepEqual([record.issuer_cn, record.dns_names, record.is_ca], ["", [], false]);
    assert.deepEqual([record.not_before, record.not_after], [NO_TIME, NO_TIME]);
    assert.equal(Buffer.compare(record.der, der), 0);
  }
});

Deno.test("an expired leaf is refused, unless expired ones are allowed; an expired issuer is not", async () => {
  const expired = issueWithValidity("20200101000000Z", "20200201000000Z");
  const refused = await refusal(expired, "expired");
  assert.match(refused.message, /2020-02-01T00:00:00Z/);
  assert.ok(await upload(expired, { allowExpired: true }));
  assert.ok(await upload(expired, { nowMs: Date.parse("2020-02-01T00:00:00Z") }));
  await refusal(expired, "expired", { nowMs: Date.parse("2020-02-01T00:00:00.001Z") });
  assert.ok(await upload(leaf.certificate + expired + leaf.key));
});

Deno.test("what cannot be taken is refused with its reason", async () => {
  const { certificate, key } = leaf;
  const request = pem("CERTIFICATE REQUEST", new Uint8Array([0x30, 0]));
  const der = derOf(certificate);
  // c2pnb163v1, over a field of characteristic 2, instead of P-256.
  const ofAnotherCurve = Buffer.from(
    derOf(publicKey).toString("hex").replace("2a8648ce3d030107", "2a8648ce3d030001"),
    "hex",
  );
  const garbage = "-----BEGIN CERTIFICATE-----\nMIIBAgMEBQ==\n-----END CERTIFICATE-----\n";
  const cases: [string | Uint8Array, Parameters<typeof refusal>[1]][] = [
    ["", "empty"],
    [" \r\n\t\n", "empty"],
    ["hello", "not_pem"],
    ['{"certificate":1}', "not_pem"],
    [der, "not_pem"],
    [certificate.slice(0, -40), "not_pem"],
    [garbage, "malformed"],
    [garbage.replace("MIIB", "M*IB"), "not_pem"],
    [key, "no_certificate"],
    [certificate + key + root.key, "two_keys"],
    [certificate + key + key, "two_keys"],
    [publicKey + publicKey, "two_keys"],
    [certificate + root.key, "key_mismatch"],
    [root.certificate + certificate + middle.key, "key_mismatch"],
    [certificate + publicKey, "mixed_public_key"],
    [publicKey + key, "mixed_public_key"],
    [publicKey.replaceAll("PUBLIC", "RSA PUBLIC"), "malformed"],
    [pem("PUBLIC KEY", ofAnotherCurve), "unsupported"],
    [garbage.replaceAll("CERTIFICATE", "PUBLIC KEY"), "malformed"],
    [request, "unsupported"],
    [certificate + request, "unsupported"],
    ["x".repeat(1024 * 1024 + 1), "too_large"],
  ];
  for (const [file, reason] of cases) await refusal(file, reason);
  await refusal(certificate, "too_large", { passphrase: "x".repeat(1_025) });
});

Deno.test("a giant chain is refused by its number, before any of it is read", async () => {
  const most = Array.from({ length: 50 }, () => leaf.certificate).join("");
  assert.ok(await upload(most));
  const refused = await refusal(most + leaf.certificate, "too_large");
  assert.match(refused.message, /more than 50 certificates/);
});
