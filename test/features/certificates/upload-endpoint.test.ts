/** POST /api/certs: what is taken, what is refused and with which words. */
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { assertFailure } from "../../support/answers.ts";
import { add, addBundle, CERTS, form, issue, listed, made } from "../../support/certificates.ts";
import { openTestDesk, type TestDesk, testOnEngines } from "../../support/desk.ts";
import { encryptedKey } from "../../../packages/x509/test/support/encryption.ts";
import { newKey, publicKeyPem } from "../../../packages/x509/test/support/keys.ts";
import { pkcs12 } from "../../../packages/x509/test/support/pkcs12.ts";

const root = issue({
  key: newKey("P-256"),
  subject: { CN: "Root" },
  authority: true,
});
const leaf = issue({
  key: newKey("P-256"),
  subject: { CN: "leaf.example.org" },
  authority: false,
  names: [{ dNSName: "leaf.example.org" }, { dNSName: "*.leaf.example.org" }],
  issuer: root,
  days: 3650,
});
const other = issue({ key: newKey("ed25519"), subject: { CN: "other" } });

const fingerprintOf = (pem: string) =>
  new X509Certificate(pem).fingerprint256.replaceAll(":", "").toLowerCase();

testOnEngines(
  "upload: PEM as the body gives id, message and status, in this order",
  async (desk) => {
    const response = await desk.send("POST", CERTS, { body: leaf.certificate });
    const id = desk.org_id + fingerprintOf(leaf.certificate);
    assert.equal(id.length, 88);
    assert.equal(
      await response.text(),
      `{"id":"${id}","message":"Certificate added","status":"ok"}`,
    );
    assert.equal(response.status, 200);
  },
);

testOnEngines("upload: a form with the file under any field name", async (desk) => {
  for (const [field, pem] of [["data", leaf.certificate], ["x", root.certificate]] as const) {
    const response = await desk.send("POST", `${CERTS}/`, form(pem, { field }));
    assert.equal((await response.json()).id, desk.org_id + fingerprintOf(pem));
  }
  assert.equal((await listed(desk)).cert_basics.length, 2);
});

testOnEngines("upload: leaf, chain and key in any order are one certificate", async (desk) => {
  const id = await add(desk, root.certificate + leaf.key + leaf.certificate);
  assert.equal(id, desk.org_id + fingerprintOf(leaf.certificate));
  const { cert_basics } = await listed(desk);
  assert.equal(cert_basics.length, 1);
  assert.equal(cert_basics[0]?.has_private, true);
  assert.equal(cert_basics[0]?.chain_length, 2);
});

testOnEngines("upload: the same certificate with its key has the key added, once", async (desk) => {
  const first = await add(desk, root.certificate);
  const id = await add(desk, leaf.certificate);
  assert.equal(await add(desk, leaf.certificate + leaf.key), id);
  const { cert_basics } = await listed(desk);
  assert.deepEqual(cert_basics.map((item) => [item.id, item.has_private]), [
    [first, false],
    [id, true],
  ]);
  assert.equal((await listed(desk, "filter=with_pk")).pages, 1);
  assert.deepEqual(
    (await listed(desk, "filter=without_pk")).cert_basics.map((item) => item.id),
    [first],
  );
  const again = await desk.send("POST", CERTS, { body: leaf.key + leaf.certificate });
  assert.equal(again.status, 404);
});

testOnEngines("upload: another organisation's certificate gets no key of ours", async (desk) => {
  const theirs = await desk.otherOrganisation();
  const credential = theirs.admin;
  const id = await add(desk, leaf.certificate, { credential });
  const ours = await add(desk, leaf.certificate + leaf.key);
  assert.notEqual(ours, id);
  assert.equal((await listed(desk, "", { credential })).cert_basics[0]?.has_private, false);
  for (const method of ["GET", "DELETE"]) {
    assert.equal((await desk.send(method, `${CERTS}/${id}`)).status, 404);
    assert.equal((await desk.send(method, `${CERTS}/${ours}`, { credential })).status, 404);
  }
  assert.equal((await listed(desk, "q=leaf.example", { credential })).cert_basics.length, 1);
  assert.equal((await desk.send("GET", `${CERTS}/${id}`, { credential })).status, 200);
});

testOnEngines("upload: PKCS#12 and an encrypted key open with the passphrase", async (desk) => {
  const file = pkcs12({ ...leaf, chain: root.certificate }, "open sesame");
  const headers = { passphrase: "open sesame" };
  const closed = await desk.send("POST", CERTS, { body: file });
  await assertFailure(closed, "invalid_input", {
    message: "The PKCS#12 file needs its passphrase.",
  });
  const wrong = await desk.send("POST", CERTS, { body: file, headers: { passphrase: "x" } });
  assert.equal(wrong.status, 400);
  const opened = await desk.send("POST", CERTS, { body: file, headers });
  assert.equal((await opened.json()).id, desk.org_id + fingerprintOf(leaf.certificate));
  const key = encryptedKey(other.key, "form word", { cipher: "AES-256-CBC" });
  const sent = form(other.certificate + key, { passphrase: "form word" });
  assert.equal((await desk.send("POST", CERTS, sent)).status, 200);
  assert.equal((await listed(desk, "filter=with_pk")).cert_basics.length, 2);
});

testOnEngines(
  "upload: over 1 MiB is a 413, whatever the setting for other bodies",
  async (desk) => {
    const body = leaf.certificate + "#".repeat(1024 * 1024);
    assert.equal((await desk.send("POST", CERTS, { body })).status, 413);
    assert.equal((await desk.send("POST", CERTS, form(body))).status, 413);
    assert.equal((await desk.send("POST", CERTS, { body: "#".repeat(3 << 20) })).status, 413);
  },
  { environment: { KEYDESK_BODY_LIMIT: String(2 << 20) } },
);

testOnEngines("upload: a bare public key has an id of its own and no times", async (desk) => {
  const publicKey = publicKeyPem(leaf.key);
  const id = await add(desk, publicKey);
  const hash = id.slice(24);
  const [item] = (await listed(desk, "status=valid")).cert_basics;
  assert.equal(item?.subject_cn, `Public Key: ${hash}`);
  assert.deepEqual([item?.issuer_cn, item?.not_after, item?.not_before], [
    "",
    "0001-01-01T00:00:00Z",
    "0001-01-01T00:00:00Z",
  ]);
  assert.deepEqual([item?.status, item?.days_left], ["valid", null]);
  for (const status of ["expired", "expiring", "not_yet_valid"]) {
    assert.equal((await listed(desk, `status=${status}`)).pages, 0);
  }
  const pem = await (await desk.send("GET", `${CERTS}/export`)).text();
  assert.ok(pem.endsWith(publicKey), pem);
});

testOnEngines("bundle: a result for each certificate, expired ones are taken", async (desk) => {
  const ended = made({ cn: "ended", from: "20100101000000Z", to: "20110101000000Z" });
  const bad = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
  const answer = await addBundle(
    desk,
    leaf.certificate + bad + ended + leaf.certificate + leaf.key,
  );
  assert.deepEqual(Object.keys(answer), ["added", "exists", "refused", "skipped", "results"]);
  assert.deepEqual([answer.added, answer.exists, answer.refused], [2, 1, 2]);
  assert.deepEqual(
    answer.results.map((item: { result: string; reason?: string }) => item.reason ?? item.result),
    ["added", "malformed", "added", "exists", "unsupported"],
  );
  const { cert_basics } = await listed(desk);
  assert.deepEqual(cert_basics.map((item) => item.status), ["valid", "expired"]);
  assert.equal((await addBundle(desk, ended)).exists, 1);
});

testOnEngines("delete: the certificate and its file are gone, and can come again", async (desk) => {
  const id = await add(desk, leaf.certificate + leaf.key);
  const response = await desk.send("DELETE", `${CERTS}/${id}`);
  assert.equal(await response.text(), `{"message":"removed","status":"ok"}`);
  for (const gone of [id, "x", `${desk.org_id}${"0".repeat(64)}`]) {
    await assertFailure(
      await desk.send("DELETE", `${CERTS}/${gone}`),
      "certificate_not_removed",
    );
    await assertFailure(await desk.send("GET", `${CERTS}/${gone}`), "certificate_not_found");
  }
  assert.deepEqual(await listed(desk, "q=leaf"), { cert_basics: [], pages: 0 });
  assert.equal(await add(desk, leaf.certificate), id);
  const [item] = (await listed(desk, "q=leaf")).cert_basics;
  assert.equal(item?.has_private, false);
});

Deno.test("upload: a costly PKCS#12 file keeps no other request waiting", async () => {
  await using desk = await openTestDesk("sqlite");
  const one = issue({ key: newKey("P-256"), subject: { CN: "costly" }, days: 900 });
  const file = pkcs12(one, "pw", { rounds: 240_000 });
  let isDone = false;
  const uploaded = (async () => {
    const response = await desk.send("POST", CERTS, {
      body: file,
      headers: { passphrase: "pw" },
    });
    isDone = true;
    return response.status;
  })();
  let answered = 0;
  while (!isDone) {
    await (await desk.send("GET", CERTS)).text();
    // The event loop's turn: what holds this thread shows here.
    await new Promise((resolve) => setTimeout(resolve));
    answered++;
  }
  assert.equal(await uploaded, 200);
  // On the serving thread the derivation would be one piece, in which nobody else is answered.
  assert.ok(answered > 20, `${answered} answers`);
});

testOnEngines(
  "upload: a chain that comes with the key completes a lone certificate",
  async (desk) => {
    const id = await add(desk, leaf.certificate);
    const read = async () => await (await desk.send("GET", `${CERTS}/${id}`)).json();
    const before = await read();
    assert.deepEqual([before.chain_length, before.has_private], [1, false]);
    assert.equal(await add(desk, leaf.key + root.certificate + leaf.certificate), id);
    const after = await read();
    assert.deepEqual(after, { ...before, chain_length: 2, has_private: true });
    const { chain } = await fileOf(desk, id);
    assert.equal(chain, root.certificate.replaceAll(/-----.*?-----|\n/g, ""));
    // Complete now: the same again is refused, and another chain changes nothing.
    const again = await desk.send("POST", CERTS, { body: leaf.certificate + leaf.key });
    assert.equal(again.status, 404);
    assert.equal((await fileOf(desk, id)).chain, chain);
  },
);

testOnEngines(
  "upload: a chain that is stored already stays when the key comes alone",
  async (desk) => {
    const id = await add(desk, leaf.certificate + root.certificate);
    const { chain } = await fileOf(desk, id);
    assert.equal(await add(desk, leaf.certificate + leaf.key), id);
    assert.equal((await fileOf(desk, id)).chain, chain);
    assert.equal((await (await desk.send("GET", `${CERTS}/${id}`)).json()).chain_length, 2);
  },
);

async function fileOf(desk: TestDesk, id: string): Promise<{ chain: string }> {
  const [file] = await desk.app.ctx.storage.reader.rows<Record<never, never>, { chain: string }>({
    compile: () => ({
      sql: `select chain from certificate_files where fingerprint = '${id.slice(24)}'`,
      values: () => [],
    }),
  }, {});
  assert.ok(file);
  return file;
}
