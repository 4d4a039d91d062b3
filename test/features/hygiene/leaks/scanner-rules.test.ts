/**
 * The scanners' rules in examples/leaks and docs/leaks.md find what is minted, and no other words.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { isMistyped, newAccessToken } from "../../../../src/features/people/access-token.ts";
import {
  isMistypedToken,
  newDeveloperToken,
} from "../../../../src/features/developers/developer-token.ts";
import { mint, newAttempt } from "../../../../src/features/keys/key-kinds.ts";
import { checkKeyForm } from "../../../../src/features/keys/key-form.ts";
import { randomAlphanumeric, randomBytes, toHex } from "../../../../src/kernel/ids.ts";
import { repository } from "../../../support/command.ts";

const FILES = ["examples/leaks/gitleaks.toml", "examples/leaks/trufflehog.yaml", "docs/leaks.md"];

/** A file's expressions, for keys, access tokens, and tokens of developers and OAuth clients. */
async function rulesOf(file: string): Promise<Record<"kd_" | "kda_" | "kdd_" | "kdt_", RegExp>> {
  const text = await Deno.readTextFile(join(repository, file));
  const rule = (prefix: string) => {
    const [, source] = new RegExp(String.raw`(\\b${prefix}\S*\\b)`).exec(text) ?? [];
    assert.ok(source, `${file}: ${prefix}`);
    return new RegExp(source);
  };
  return { kd_: rule("kd_"), kda_: rule("kda_"), kdd_: rule("kdd_"), kdt_: rule("kdt_") };
}

function newKey(env: string): string {
  return mint("token", newAttempt({ name: "kd", env }), "org").reveal.RawKey;
}

const within = (secret: string) => [
  secret,
  `KEY=${secret}`,
  `"${secret}",`,
  `https://example.org/?key=${secret}&a=b`,
];

for (const file of FILES) {
  Deno.test(`scanner rules: ${file} finds every secret that is minted, wherever it stands`, async () => {
    const rules = await rulesOf(file);
    for (let i = 0; i < 500; i++) {
      const key = newKey(["live", "test", "a", "abcdefghij12"][i % 4] ?? "");
      const token = newAccessToken();
      assert.equal(checkKeyForm(key), "well-formed");
      for (const text of within(key)) assert.equal(rules.kd_.exec(text)?.[0], key);
      for (const text of within(token)) assert.equal(rules.kda_.exec(text)?.[0], token);
      const own = newDeveloperToken();
      assert.ok(!isMistypedToken(own));
      for (const text of within(own)) assert.equal(rules.kdd_.exec(text)?.[0], own);
      const oauth = `kdt_${randomAlphanumeric(43)}`;
      for (const text of within(oauth)) assert.equal(rules.kdt_.exec(text)?.[0], oauth);
    }
  });

  Deno.test(`scanner rules: ${file} finds no other words`, async () => {
    const rules = Object.values(await rulesOf(file));
    const legacy = mint("token", newAttempt({ name: "legacy" }), "org").reveal.RawKey;
    const words = [
      legacy,
      "kd_live_",
      "kda_",
      "kd_live_key_id",
      "kda_token_checksum",
      "KEYDESK_KEY_ENV",
      ...Array.from({ length: 500 }, () => toHex(randomBytes(64))),
      ...Array.from({ length: 500 }, () => randomAlphanumeric(60)),
      ...Array.from({ length: 100 }, () => newKey("live").slice(0, -1)),
      ...Array.from({ length: 100 }, () => `${newAccessToken()}x`),
    ];
    for (const rule of rules) {
      for (const word of words) assert.ok(!rule.test(word), `${rule}: ${word}`);
    }
  });
}

Deno.test("scanner rules: the checksum tells a secret from what only looks like one", () => {
  const invented = `kda_${"a".repeat(43)}_0aaaaa`;
  assert.ok(isMistyped(invented));
  assert.ok(isMistypedToken(`kdd_${"a".repeat(43)}_0aaaaa`));
  assert.equal(checkKeyForm(`kd_live_${"a".repeat(43)}_0aaaaa`), "typo");
});
