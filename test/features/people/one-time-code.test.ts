/** Codes of authenticator apps, by the vectors of RFC 4226 and RFC 6238. */
import assert from "node:assert/strict";
import {
  codeOfStep,
  isAppCode,
  newOneTimeSecret,
  newRecoveryCodes,
  plainCode,
  recoveryHash,
  stepAt,
  stepOfCode,
  uriOf,
} from "../../../src/features/people/one-time-code.ts";

/** "12345678901234567890" in base32. */
const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

Deno.test("one-time code: the values of RFC 4226, appendix D", () => {
  const codes = Array.from({ length: 10 }, (_, step) => codeOfStep(SECRET, step));
  assert.deepEqual(codes, [
    "755224",
    "287082",
    "359152",
    "969429",
    "338314",
    "254676",
    "287922",
    "162583",
    "399871",
    "520489",
  ]);
});

Deno.test("one-time code: the times of RFC 6238, appendix B, in six digits", () => {
  const codes = [59, 1111111109, 1111111111, 1234567890, 2000000000, 20000000000]
    .map((second) => codeOfStep(SECRET, stepAt(second * 1000)));
  assert.deepEqual(codes, ["287082", "081804", "050471", "005924", "279037", "353130"]);
});

Deno.test("one-time code: one step before and after this moment's counts, no other", () => {
  const now = 1234567890_000;
  const steps = Array.from({ length: 9 }, (_, index) => stepAt(now) - 4 + index);
  const found = steps.map((step) => stepOfCode(SECRET, codeOfStep(SECRET, step), now));
  const [before, here, after] = [-1, 0, 1].map((one) => stepAt(now) + one);
  const none = undefined;
  assert.deepEqual(found, [none, none, none, before, here, after, none, none, none]);
  assert.equal(stepOfCode(SECRET, "5924", now), undefined);
  assert.equal(stepOfCode(newOneTimeSecret(), codeOfStep(SECRET, stepAt(now)), now), undefined);
});

Deno.test("one-time code: secrets are of 160 bits, recovery codes of 120, and none comes twice", () => {
  const secrets = Array.from({ length: 200 }, newOneTimeSecret);
  assert.ok(secrets.every((one) => /^[A-Z2-7]{32}$/.test(one)));
  const codes = Array.from({ length: 20 }, newRecoveryCodes).flat();
  assert.ok(codes.every((one) => /^([a-z2-7]{4}-){5}[a-z2-7]{4}$/.test(one)));
  assert.equal(new Set([...secrets, ...codes]).size, 400);
  // Each sign comes about as often as each other.
  const counts = Map.groupBy(secrets.join(""), (sign) => sign);
  assert.equal(counts.size, 32);
  for (const [sign, those] of counts) assert.ok(those.length > 100 && those.length < 320, sign);
});

Deno.test("one-time code: blanks, hyphens and capitals of what is typed do not count", () => {
  assert.equal(plainCode(" 123 456 "), "123456");
  assert.ok(isAppCode("012345") && !isAppCode("12345") && !isAppCode("1234567"));
  const whose = { org_id: "o", user_id: "u" };
  assert.equal(recoveryHash(whose, "ABCD efgh"), recoveryHash(whose, "abcd-efgh"));
  assert.notEqual(
    recoveryHash(whose, "abcd"),
    recoveryHash({ ...whose, user_id: "v" }, "abcd"),
  );
});

Deno.test("one-time code: the address of an app is whole, however long the account is", () => {
  assert.equal(
    uriOf("grace@example.org", SECRET),
    "otpauth://totp/Keydesk:grace%40example.org?issuer=Keydesk" +
      `&secret=${SECRET}&algorithm=SHA1&digits=6&period=30`,
  );
  for (const name of ["ü".repeat(100), "😀".repeat(60), "x".repeat(300), "a&secret=B"]) {
    const uri = new URL(uriOf(name, SECRET));
    assert.equal(uri.searchParams.get("secret"), SECRET);
    assert.equal(decodeURIComponent(uri.pathname.split(":")[1] ?? ""), name);
  }
});
