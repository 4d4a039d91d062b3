/** Keys are named as the real gateway names them: by its own answers. */
import assert from "node:assert/strict";
import { hashOf } from "../../../examples/moving/keys.ts";
import { namesOf } from "../../../src/features/gateways/tyk/tyk-names.ts";
import { differencesOf } from "../../../src/features/gateways/tyk/tyk-terms.ts";
import recorded from "../../recordings/gateway/hashes.json" with { type: "json" };
import keys from "../../recordings/gateway/keys.json" with { type: "json" };

const ORG = "5e9d9544a1dcd60001d0ed20";

/** A canary's name shows by its length which function made it. */
const CANARIES = {
  murmur32: "0".repeat(8),
  murmur64: "0".repeat(16),
  murmur128: "0".repeat(32),
  sha256: "0".repeat(64),
};

for (const name of ["murmur32", "murmur64", "murmur128", "sha256"] as const) {
  Deno.test(`recorded hashes: 41 texts under ${name} have the gateway's names`, async () => {
    assert.equal(recorded[name].length, 41);
    for (const { sent, key, hash } of recorded[name]) {
      // The gateway refuses texts of fewer than three characters.
      if (key === null || hash === null) {
        assert.ok(sent !== null && sent.length < 3, String(sent));
        continue;
      }
      assert.equal(await hashOf(key), hash, `the stand-in, of ${key}`);
      assert.deepEqual(await namesOf(ORG, CANARIES[name], key), [hash], `Keydesk, of ${key}`);
      // Without a text of its own a key has the gateway's. A text that begins with the organisation
      // or is a whole key itself is made into another key, and only that one opens.
      if (sent === null || sent.startsWith(ORG) || sent.startsWith("ey")) continue;
      const names = await namesOf(ORG, CANARIES[name], sent);
      assert.ok(names.includes(hash), `Keydesk, of ${sent}`);
    }
  });
}

Deno.test("recorded sessions: members that are left out are zero, and no difference", () => {
  const read = keys.find(({ what }) => what === "read by hash: no end");
  const session = read?.body as Readonly<Record<string, unknown>>;
  assert.ok(!Object.hasOwn(session, "expires"));
  const wanted = { apply_policies: ["open"], expires: 0 };
  assert.equal(differencesOf(session, wanted, false), "");
  assert.equal(differencesOf({ ...session, expires: -1 }, wanted, false), "");
  const later = differencesOf(session, { ...wanted, expires: 1_795_990_021 }, false);
  assert.equal(later, "opens more there: ends at none there, 1795990021 here");
  const earlier = differencesOf({ ...session, expires: 1_795_990_021 }, wanted, false);
  assert.equal(earlier, "ends at 1795990021 there, 0 here");
  for (const name of ["rate", "per", "quota_max", "quota_renewal_rate"]) {
    assert.equal(differencesOf(session, { ...wanted, [name]: -1 }, false), "", name);
    const { [name]: _, ...without } = session;
    assert.equal(differencesOf(without, { ...wanted, [name]: -1 }, false), "", name);
    assert.notEqual(differencesOf(without, { ...wanted, [name]: 5 }, false), "", name);
  }
  assert.equal(differencesOf(session, { ...wanted, certificate: "" }, false), "");
  assert.notEqual(differencesOf(session, { ...wanted, certificate: "id" }, false), "");
});
