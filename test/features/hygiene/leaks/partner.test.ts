/** POST /v1/leaks/partner: reports in the form of GitHub's secret scanning. */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { newAccessToken } from "../../../../src/features/people/access-token.ts";
import { reportsBehind } from "../../../../src/features/hygiene/leaks/leaks.store.ts";
import { isSigned, parsePartnerKeys } from "../../../../src/features/hygiene/leaks/partner-keys.ts";
import { LONGEST_SIGNED_BODY } from "../../../../src/kernel/input-limits.ts";
import { sha256 } from "../../../../src/kernel/sha256.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import { issue, readKey } from "../../../support/keys.ts";
import { openDesk, partnerKeyId, partnerKeys, signed, workOff } from "../../../support/leaks.ts";

const environment = openDesk;
const send = (desk: TestDesk, body: string, headers = signed(body)) =>
  desk.send("POST", "/v1/leaks/partner", { credential: null, body, headers });
const match = (token: string, more = {}) => ({
  token,
  type: "keydesk_key",
  url: "https://example.org/a",
  source: "content",
  ...more,
});
const waiting = (desk: TestDesk) =>
  reportsBehind(desk.app.ctx.storage.reader, { behind: "" }, 2000);

testOnEngines(
  "partner: a signed report is worked off, and a replay changes nothing",
  async (desk) => {
    const { RawKey, key_id } = await issue(desk);
    const body = JSON.stringify([match(RawKey), match("nothing-known")]);
    for (let i = 0; i < 3; i++) {
      const response = await send(desk, body);
      assert.deepEqual([response.status, await response.json()], [200, []]);
      await workOff(desk);
    }
    const { leaked } = await readKey(desk, key_id);
    assert.deepEqual([leaked?.reported_by, leaked?.url], [
      `partner ${partnerKeyId}`,
      "https://example.org/a",
    ]);
    const auditLog = await desk.send(
      "GET",
      `/v1/audit-log?object_id=${key_id}&action=key.leaked`,
    );
    assert.equal((await auditLog.json()).data.length, 1);
  },
  { environment },
);

testOnEngines("partner: the answer goes by a text's form alone, known or not", async (desk) => {
  const { RawKey } = await issue(desk);
  const token = newAccessToken();
  const typo = `${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`;
  const badKey = `kd_live_${"x".repeat(43)}_000000`;
  const texts = [RawKey, token, desk.admin, typo, badKey, "some words"];
  const body = JSON.stringify(texts.map((text) => match(text)));
  const response = await send(desk, body);
  const label = "false_positive";
  assert.deepEqual(await response.json(), [
    { token_hash: sha256(typo), token_type: "keydesk_key", label },
    { token_hash: sha256(badKey), token_type: "keydesk_key", label },
  ]);
}, { environment: { ...environment, KEYDESK_KEY_FORMAT: "kd" } });

testOnEngines(
  "partner: a thousand matches are taken; odd places and endless texts lose none of the others",
  async (desk) => {
    const many = JSON.stringify(Array.from({ length: 1000 }, (_, i) => match(`key-${i}`)));
    assert.equal((await send(desk, many)).status, 200);
    assert.equal((await waiting(desk)).length, 1000);
    await workOff(desk);
    const { RawKey, key_id } = await issue(desk);
    const odd = [match("x".repeat(5000)), match(RawKey, { url: `https://e.org/${"\u202e"}` })];
    assert.equal((await send(desk, JSON.stringify(odd))).status, 200);
    await workOff(desk);
    assert.equal((await readKey(desk, key_id)).leaked?.url, null);
    for (const body of ["{", "{}", '[{"type":"x"}]', '["x"]', "[1]"]) {
      assert.equal((await send(desk, body)).status, 400, body);
    }
    assert.equal((await send(desk, " ".repeat(LONGEST_SIGNED_BODY + 1))).status, 413);
  },
  { environment },
);

Deno.test("partner: keys are read as they are published, and nothing else is", () => {
  const keys = parsePartnerKeys(partnerKeys);
  assert.deepEqual([...keys?.keys() ?? []], [partnerKeyId]);
  const body = new TextEncoder().encode("[]");
  const good = signed("[]");
  const signature = good["github-public-key-signature"] ?? "";
  assert.ok(keys && isSigned(keys, { identifier: partnerKeyId, signature, body }));
  const pem = (type: "ec" | "rsa") =>
    (type === "ec"
      ? generateKeyPairSync("ec", { namedCurve: "P-384" })
      : generateKeyPairSync("rsa", { modulusLength: 2048 })).publicKey
      .export({ type: "spki", format: "pem" });
  const other = (key: unknown) =>
    JSON.stringify({ public_keys: [{ key_identifier: "a", key, is_current: true }] });
  for (
    const text of [
      "",
      "[]",
      "{}",
      '{"public_keys":[]}',
      other("x"),
      other(pem("ec")),
      other(pem("rsa")),
    ]
  ) {
    assert.equal(parsePartnerKeys(text), undefined, text.slice(0, 40));
  }
});
