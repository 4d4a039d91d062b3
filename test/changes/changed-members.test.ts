/** What the audit log keeps of a change: enough to see it, never a secret, never without bound. */
import assert from "node:assert/strict";
import { changedMembers } from "../../src/changes/changed-members.ts";

Deno.test("changed members: those that differ alone, nested as they are", () => {
  const before = {
    same: 1,
    rate: 10,
    tags: ["a"],
    gone: true,
    access_rights: { one: { limit: 1, versions: ["v1"] }, two: {} },
  };
  const after = {
    same: 1,
    rate: 20,
    tags: ["a", "b"],
    fresh: null,
    access_rights: { one: { limit: 2, versions: ["v1"] }, three: { limit: 3 } },
  };
  assert.deepEqual(changedMembers(before, after), {
    before: {
      rate: 10,
      tags: ["a"],
      gone: true,
      access_rights: { one: { limit: 1 }, two: {} },
    },
    after: {
      rate: 20,
      tags: ["a", "b"],
      fresh: null,
      access_rights: { one: { limit: 2 }, three: { limit: 3 } },
    },
  });
  assert.deepEqual(changedMembers(before, before), { before: {}, after: {} });
  assert.deepEqual(changedMembers({}, { rate: 1 }), { before: {}, after: { rate: 1 } });
});

Deno.test("changed members: what is named like a secret is hidden on both sides, switches are not", () => {
  const before = { client_secret: "old", nested: { access_token: { value: "old" } } };
  const after = {
    client_secret: "new",
    nested: { access_token: { value: "new" } },
    api_key: "new",
    list: [{ password: "new", name: "n" }],
    hide_token_data: true,
    key_expires_in: 60,
  };
  const hidden = "(hidden)";
  assert.deepEqual(changedMembers(before, after), {
    before: { client_secret: hidden, nested: { access_token: hidden } },
    after: {
      client_secret: hidden,
      nested: { access_token: hidden },
      api_key: hidden,
      list: [{ password: hidden, name: "n" }],
      hide_token_data: true,
      key_expires_in: 60,
    },
  });
});

Deno.test("changed members: what is named like a secret in other ways, or stands in a URL, is hidden", () => {
  const names = ["pwd", "X-Api-Key", "authorization", "hmac", "jwt", "private", "smtp_pass"];
  for (const name of [...names, "encryption_key", "licence_key", "apiKey", "signing-key"]) {
    assert.deepEqual(changedMembers({}, { [name]: "clear" }).after, { [name]: "(hidden)" }, name);
  }
  const lists = { headers: [{ name: "password", value: "clear" }, { name: "Accept", value: "*" }] };
  const { after } = changedMembers({}, { ...lists, url: "https://u:CLEAR@h/?q=a@b", key: "c" });
  assert.deepEqual(after, {
    headers: [{ name: "password", value: "(hidden)" }, { name: "Accept", value: "*" }],
    url: "https://(hidden)@h/?q=a@b",
    key: "c",
  });
});

Deno.test("changed members: of what is not known the name alone is told", () => {
  const known = (name: string) =>
    name === "ours"
      ? true
      : name === "nested"
      ? (inner: string) => inner === "in" || undefined
      : undefined;
  const before = { ours: { a: 1 }, theirs: "old", nested: { in: 1, own: "old" }, gone: "old" };
  const after = { ours: { a: 2 }, theirs: "new", nested: { in: 2, own: "new" }, same: { a: [1] } };
  assert.deepEqual(changedMembers(before, after, known), {
    before: {
      ours: { a: 1 },
      theirs: "(changed)",
      nested: { in: 1, own: "(changed)" },
      gone: "(changed)",
    },
    after: {
      ours: { a: 2 },
      theirs: "(changed)",
      nested: { in: 2, own: "(changed)" },
      same: "(changed)",
    },
  });
});

Deno.test("changed members: long values are cut between characters, and much is bounded in all", () => {
  const { after } = changedMembers({}, { text: "x" + "😀".repeat(1000), list: Array(999).fill(7) });
  assert.equal(after.text, "x" + "😀".repeat(249) + "…");
  assert.match(String(after.list), /^\[7,7,.*…$/);
  const many = Object.fromEntries(
    Array.from({ length: 5000 }, (_, i) => [`m${i}`, { deep: "y".repeat(400) }]),
  );
  for (const [old, now] of [[{}, many], [many, {}], [{ many }, { many: { m1: {} } }]] as const) {
    const changed = changedMembers(old, now);
    assert.equal(changed.shortened, true);
    assert.ok(JSON.stringify(changed).length < 20_000);
  }
  const names = Object.fromEntries(Array.from({ length: 99 }, (_, i) => ["n".repeat(999) + i, i]));
  assert.ok(JSON.stringify(changedMembers(names, {})).length < 20_000);
});

Deno.test("changed members: a member called __proto__ is one like others", () => {
  const after = JSON.parse('{"__proto__":{"a":1},"nested":{"__proto__":1}}');
  const text = JSON.stringify(changedMembers({ nested: {} }, after));
  assert.equal(text, '{"before":{},"after":{"nested":{"__proto__":1},"__proto__":{"a":1}}}');
  assert.equal(({} as Record<string, unknown>).a, undefined);
});
