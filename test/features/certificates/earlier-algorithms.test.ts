/** Certificates that code before stored with its own words for algorithms get those of today. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import { nameCertificates } from "../../../src/features/certificates/certificate-care.transactions.ts";
import { namesOfAlgorithmsSchema } from "../../../src/storage/migrations/0099-newest.ts";
import { builders } from "../../../src/storage/statement.ts";
import { defineTransaction } from "../../../src/storage/storage.ts";
import { add, issue } from "../../support/certificates.ts";
import { testOnEngines } from "../../support/desk.ts";
import { call } from "../../support/people.ts";
import { newKey, publicKeyPem } from "../../../packages/x509/test/support/keys.ts";

function kept(name: string) {
  // as: the files in kept/ are of this shape.
  return JSON.parse(
    readFileSync(new URL(`../../../packages/x509/test/kept/${name}.json`, import.meta.url), "utf8"),
  ) as {
    keys: Record<string, { spki: string; certificate: string }>;
  };
}

const postQuantum = issue({
  publicKey: new Uint8Array(Buffer.from(kept("openssl").keys["ML-DSA-44"]?.spki ?? "", "base64")),
  subject: { CN: "post-quantum" },
});
const brainpool = kept("older").keys.brainpoolP512t1?.certificate ?? "";
const plain = issue({ subject: { CN: "plain" }, names: [{ dNSName: "a.example" }] });
const bare = publicKeyPem(newKey("ed448"));

/** What earlier code wrote in place of what is written now; the pieces are replaced as texts. */
const earlier: readonly [file: string, ...pieces: (readonly [now: string, then: string])[]][] = [
  [
    postQuantum.certificate,
    ['"key_algorithm":"ML-DSA-44"', '"key_algorithm":"2.16.840.1.101.3.4.3.17"'],
    ['"key_size":10496', '"key_size":0'],
  ],
  [brainpool, ['"key_size":512', '"key_size":0']],
  [
    plain.certificate,
    ['"signature_algorithm":"ecdsa-with-SHA256"', '"signature_algorithm":"1.2.840.10045.4.3.2"'],
  ],
  [bare, ['"key_size":456', '"key_size":0']],
];

/** Runs a text on the store, as another process would. */
const run = defineTransaction(
  "test.run",
  (tx, text: string) => tx.change({ compile: () => ({ sql: text, values: () => [] }) }, {}),
);

testOnEngines(
  "certificates: what was stored with numbers for its algorithms is read anew after the upgrade",
  async (desk) => {
    const { storage } = desk.app.ctx;
    const before = [];
    for (const [file, ...pieces] of earlier) {
      const id = await add(desk, file);
      before.push(await call(desk, "GET", `/v1/certificates/${id}`));
      for (const [now, then] of pieces) {
        const where = `where fingerprint = '${id.slice(desk.org_id.length)}'`;
        const sql = `update certificates set details = replace(details, '${now}', '${then}') `;
        assert.equal(await storage.commit(run, sql + where), 1);
      }
    }
    const shown = async () => {
      const { data } = await call(desk, "GET", "/v1/certificates");
      return data.map((one: Record<string, unknown>) => [
        one.key_algorithm,
        one.key_size,
        one.signature_algorithm,
      ]);
    };
    const wanted = before.map((one) => [
      one.key_algorithm,
      one.key_size,
      one.signature_algorithm,
    ]);
    assert.notDeepEqual(await shown(), wanted);
    for (const one of namesOfAlgorithmsSchema(builders[storage.reader.dialect])) {
      assert.equal(await storage.commit(run, one.compile().sql), earlier.length);
    }
    assert.equal(await storage.commit(nameCertificates, null), earlier.length);
    assert.deepEqual(await shown(), wanted);
    for (const one of before) {
      assert.deepEqual(await call(desk, "GET", `/v1/certificates/${one.id}`), one);
    }
    assert.equal(await storage.commit(nameCertificates, null), 0);
  },
  { extra: [run] },
);
