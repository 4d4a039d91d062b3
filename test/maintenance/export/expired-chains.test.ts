/** Chains of certificates with a member that is over, on their way in and out. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { Gateway } from "../../../examples/moving/gateway.ts";
import { decrypted } from "../../../src/maintenance/archive/age.ts";
import { add } from "../../support/certificates.ts";
import { temporaryFolder } from "../../support/command.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { exported, freshPair, imported } from "../../support/moving-out.ts";
import { call } from "../../support/people.ts";
import { issue } from "../../../packages/x509/test/support/issue.ts";

const root = issue({ authority: true, subject: { CN: "root" } });
const over = issue({ authority: true, subject: { CN: "over" }, issuer: root, days: -1 });
const leaf = issue({ issuer: over, subject: { CN: "leaf" } });
const pem = [leaf.certificate, over.certificate, root.certificate, leaf.key].join("\n");

const membersOf = (text: string) => text.match(/BEGIN CERTIFICATE/g)?.length;

/** What an export with secrets says of records in a gateway's Redis. */
async function recordsOf(desk: TestDesk, path: string) {
  const { encryption, identities } = await freshPair();
  const report = await exported(desk, path, { encryption });
  const file = await Deno.open(join(path, "redis.jsonl.age"));
  const text = await new Response(await decrypted(file.readable, identities)).text();
  const records = text.trim().split("\n").map((line): { key: string; value: string } =>
    JSON.parse(line)
  );
  const [record] = records.filter(({ key }) => key.startsWith("cert-raw-"));
  assert.ok(record);
  const lost = report.unknown_to_the_original.find(({ what }) => what === "expired_chains");
  return { record, lost: lost?.count ?? 0 };
}

testOnEngines(
  "export: a member of a chain that is over stays behind, and is named",
  async (desk) => {
    await using folder = await temporaryFolder();
    const id = await add(desk, pem);
    const { record, lost } = await recordsOf(desk, join(folder.path, "out"));
    assert.deepEqual([record.key, membersOf(record.value), lost], [`cert-raw-${id}`, 2, 1]);
    // The gateway takes that file, and no file with the whole chain.
    const gateway = new Gateway(desk.org_id);
    assert.throws(() => gateway.addCertificate(pem), /expired/);
    assert.equal(gateway.addCertificate(record.value), id);
    // Here nothing of it was changed.
    assert.equal((await call(desk, "GET", `/v1/certificates/${id}`)).chain_length, 3);
  },
);

testOnEngines(
  "import: a chain that ended since the gateway took it comes whole, and goes back cut",
  async (desk) => {
    await using folder = await temporaryFolder();
    // Its id at the gateway is that of the leaf.
    const gateway = new Gateway(desk.org_id);
    const id = gateway.addCertificate([leaf.certificate, leaf.key].join("\n"));
    const path = join(folder.path, "in");
    await Deno.mkdir(path);
    const line = JSON.stringify({ key: `cert-raw-${id}`, value: pem });
    await Deno.writeTextFile(join(path, "redis.jsonl"), `${line}\n`);
    const { summaries, found } = await imported(desk, path);
    assert.deepEqual(found, []);
    const certificates = summaries.find(({ kind }) => kind === "certificate");
    assert.equal(certificates?.added, 1);
    const shown = await call(desk, "GET", `/v1/certificates/${id}`);
    assert.deepEqual([shown.chain_length, shown.has_private], [3, true]);
    const { record, lost } = await recordsOf(desk, join(folder.path, "out"));
    assert.deepEqual([record.key, membersOf(record.value), lost], [`cert-raw-${id}`, 2, 1]);
    gateway.removeCertificate(id);
    assert.equal(gateway.addCertificate(record.value), id);
  },
);
