/**
 * Seeded mutations of real certificates, keys and files through the endpoints: never a 5xx, never a
 * lost count.
 */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { setImmediate } from "node:timers/promises";
import { CERTS, form, issue, listed } from "../../support/certificates.ts";
import { testOnEngines } from "../../support/desk.ts";
import { shortOr } from "../../support/effort.ts";
import { mutate, randomFrom } from "../../../packages/x509/test/support/mutate.ts";
import { newKey } from "../../../packages/x509/test/support/keys.ts";
import { pkcs12 } from "../../../packages/x509/test/support/pkcs12.ts";
import { roots } from "../../../packages/x509/test/support/roots.ts";

/** How many on each engine. What is read is the same on both. */
const CASES = { sqlite: shortOr(3_000, 20_000), postgres: shortOr(500, 1_500) };
/** Calls under way at once. */
const CALLERS = 16;
const SEED = Number(Deno.env.get("FUZZ_SEED") ?? 3);

function corpus(): Uint8Array[] {
  const pems = roots
    .match(/-----BEGIN.*?END CERTIFICATE-----\n/gs) ?? [];
  const issued = ["P-256", "ed25519", "rsa"].map((kind) =>
    issue({ key: newKey(kind), subject: { CN: kind }, days: 900 })
  );
  return [
    ...pems.slice(0, 20).map((pem) => Buffer.from(pem)),
    ...issued.map(({ certificate, key }) => Buffer.from(certificate + key)),
    ...issued.map((one) => pkcs12(one, "", { rounds: 1 })),
  ];
}

testOnEngines("fuzz: changed uploads are added or refused with a sentence", async (desk) => {
  const random = randomFrom(SEED);
  const samples = corpus();
  const pick = () => samples[Math.floor(random() * samples.length)] ?? new Uint8Array();
  const cases = CASES[desk.engine];
  let added = 0;
  let made = 0;
  const call = async () => {
    const round = made++;
    const original = pick();
    // Inside the armour too: there the DER itself is changed.
    const bytes = random() < 0.5
      ? mutate(original, pick(), random)
      : changedInside(original, pick(), random);
    const path = random() < 0.3 ? `${CERTS}/bundle` : CERTS;
    const init = random() < 0.2 ? form(bytes) : { body: bytes };
    const response = await desk.send("POST", path, init);
    const answer = await response.json();
    const context = `case ${round} of seed ${SEED}: ${JSON.stringify(answer)}`;
    if (response.status === 200) added += path === CERTS ? 1 : answer.added;
    else {
      assert.ok([400, 404, 413].includes(response.status), context);
      assert.ok(answer.Message.length > 0 && answer.Message.length < 400, context);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, async () => {
    while (made < cases) {
      await call();
      // In process nothing need ever wait: without a turn of the event loop other threads would not
      // be heard.
      await setImmediate();
    }
  }));
  assert.ok(added > 0 && added < cases);
  const { cert_basics } = await listed(desk, "p=-1");
  const pages = (await listed(desk)).pages;
  assert.equal(pages, Math.ceil(cert_basics.length / 10));
  assert.ok(cert_basics.length <= added);
  for (const { id } of cert_basics) {
    assert.equal((await desk.send("DELETE", `${CERTS}/${id}`)).status, 200);
  }
  assert.deepEqual(await listed(desk), { cert_basics: [], pages: 0 });
  assert.ok(!desk.logLines.join("").includes('"trace"'));
});

function changedInside(original: Uint8Array, other: Uint8Array, random: () => number): Uint8Array {
  const text = Buffer.from(original).toString("latin1");
  const match = /(-----BEGIN [A-Z ]+-----\n)(.*?)(-----END)/s.exec(text);
  if (!match) return mutate(original, other, random);
  const [, begin = "", body = ""] = match;
  const changed = mutate(Buffer.from(body, "base64"), other, random);
  return Buffer.from(
    text.replace(begin + body, `${begin}${Buffer.from(changed).toString("base64")}\n`),
  );
}
