/** The way back says which certificates the original's gateway refuses, before it is gone. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { decrypted } from "../../../src/maintenance/archive/age.ts";
import { issueWithValidity } from "../../../packages/x509/test/support/issue.ts";
import { derOf, newKey, pem, publicKeyPem } from "../../../packages/x509/test/support/keys.ts";
import { issue } from "../../support/certificates.ts";
import { temporaryFolder } from "../../support/command.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { exported, freshPair } from "../../support/moving-out.ts";

function kept(name: string) {
  const path = `../../../packages/x509/test/kept/${name}.json`;
  // as: the files in kept/ are of this shape.
  return JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8")) as {
    keys: Record<string, { pkcs8: string; spki: string; certificate: string; public: string }>;
  };
}

const older = kept("older").keys;

/** A certificate of a post-quantum key that a program wrote, with that key. */
function postQuantum(writer: string, name: string): string {
  const { pkcs8, spki } = kept(writer).keys[name] ?? { pkcs8: "", spki: "" };
  const bytes = (text: string) => new Uint8Array(Buffer.from(text, "base64"));
  const { certificate } = issue({ publicKey: bytes(spki), subject: { CN: `${writer} ${name}` } });
  return certificate + pem("PRIVATE KEY", bytes(pkcs8));
}

/** A certificate of a key of this kind, with the key. */
function withKey(kind: string): string {
  const { certificate, key } = issue({ key: newKey(kind), subject: { CN: kind } });
  return certificate + key;
}

const alone = (kind: string, CN: string) =>
  issue({ key: newKey(kind), subject: { CN } }).certificate;
const over = issueWithValidity("20200101000000Z", "20210101000000Z");
const unique = issue({ uniqueIds: true, subject: { CN: "unique identifiers" } });
const taken = issue({ subject: { CN: "taken" }, names: [{ dNSName: "taken.example" }] });
const old = (name: string) => `${older[name]?.certificate}${older[name]?.pkcs8}`;

const FILES: readonly [file: string, loss?: string][] = [
  [over, "expired_certificates"],
  [older.brainpoolP512t1?.certificate ?? "", "refused_curves"],
  [old("prime256v1, explicit"), "refused_curves"],
  [alone("secp256k1", "bitcoin"), "refused_curves"],
  [withKey("ed448"), "refused_key_kinds"],
  [withKey("rsa-pss"), "refused_key_kinds"],
  [old("DSA"), "refused_key_kinds"],
  [postQuantum("openssl", "ML-DSA-44"), "refused_key_kinds"],
  [publicKeyPem(newKey("ed448")), "unread_public_keys"],
  [older.SM2?.public ?? "", "unread_public_keys"],
  // The gateway takes these.
  [taken.certificate + taken.key],
  [unique.certificate + unique.key],
  [alone("ed448", "alone")],
  [alone("rsa-pss", "alone too")],
  [withKey("ed25519")],
  [withKey("P-521")],
  [withKey("secp224r1")],
  [old("RSA, three primes")],
  [publicKeyPem(newKey("P-256"))],
  [older.DSA?.public ?? ""],
];

async function fill(desk: TestDesk, files: readonly string[]): Promise<void> {
  for (const file of files) {
    const answer = await desk.send("POST", "/v1/certificates", {
      body: file,
      headers: { "content-type": "application/x-pem-file" },
    });
    assert.equal(answer.status < 300, true, `${answer.status} ${await answer.text()}`);
  }
}

const REFUSED = [
  "expired_certificates",
  "refused_curves",
  "refused_key_kinds",
  "unread_public_keys",
];

testOnEngines(
  "export: what the gateway refuses of certificates is told, kind by kind",
  async (desk) => {
    await fill(desk, FILES.map(([file]) => file));
    const before = await desk.send("GET", "/v1/audit-log?limit=100");
    const activity = await before.text();
    for (const encryption of [undefined, (await freshPair()).encryption]) {
      const report = await exported(desk, undefined, encryption ? { encryption } : {});
      const told = report.unknown_to_the_original.filter(({ what }) => REFUSED.includes(what));
      const counts = Object.fromEntries(told.map(({ what, count }) => [what, count]));
      const wanted: Record<string, number> = {};
      for (const [, loss] of FILES) if (loss) wanted[loss] = (wanted[loss] ?? 0) + 1;
      assert.deepEqual(counts, wanted);
      const names = told.flatMap(({ names = [] }) => names);
      assert.equal(names.length, told.reduce((sum, { count }) => sum + count, 0));
      assert.ok(names.some((name) => name.startsWith(`bitcoin ${desk.org_id}`)), names.join());
    }
    // A dry run leaves nothing, not even in the audit log.
    assert.equal(await (await desk.send("GET", "/v1/audit-log?limit=100")).text(), activity);
  },
);

testOnEngines("export: private keys go in the form that their reader takes", async (desk) => {
  await using folder = await temporaryFolder();
  const { encryption, identities } = await freshPair();
  const bothBytes = kept("openssl").keys["ML-DSA-44"]?.pkcs8 ?? "";
  const expandedBytes = kept("jdk").keys["ML-DSA-44"]?.pkcs8 ?? "";
  await fill(desk, [
    postQuantum("openssl", "ML-DSA-44"),
    postQuantum("jdk", "ML-DSA-44"),
    withKey("P-256"),
  ]);
  const keysOf = async (name: string) => {
    const file = await Deno.open(join(folder.path, name, "redis.jsonl.age"));
    const lines = (await new Response(await decrypted(file.readable, identities)).text()).trim();
    return lines.split("\n").map((line) => {
      const { value } = JSON.parse(line) as { value: string };
      const [, key = ""] = /(-----BEGIN PRIVATE KEY[^]*)/.exec(value) ?? [];
      return derOf(key);
    });
  };
  const lengths: Record<string, number[]> = { held: [], seed: [], expanded: [], both: [] };
  for (const form of [undefined, "seed", "expanded", "both"] as const) {
    const name = form ?? "held";
    const report = await exported(desk, join(folder.path, name), {
      encryption,
      ...form ? { keyForm: form } : {},
    });
    const lost = report.unknown_to_the_original.find(({ what }) => what === "key_forms");
    assert.equal(lost?.count, form === "seed" || form === "both" ? 1 : undefined, name);
    const keys = await keysOf(name);
    lengths[name] = keys.map(({ length }) => length).toSorted((a, b) => a - b);
  }
  const [ec = 0] = lengths.held ?? [];
  const both = Buffer.from(bothBytes, "base64").length;
  const expanded = Buffer.from(expandedBytes, "base64").length;
  assert.deepEqual(lengths, {
    held: [ec, expanded, both],
    seed: [54, ec, expanded],
    expanded: [ec, expanded, expanded],
    both: [ec, expanded, both],
  });
});
