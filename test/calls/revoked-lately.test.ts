/** What was revoked, as it stands in the file. */
import assert from "node:assert/strict";
import { type Revocation, REVOKED_FILE, RevokedLately } from "../../src/calls/revoked-lately.ts";

const one = (n: number, more: Partial<Revocation> = {}): Revocation => ({
  org_id: "65b0c1d2e3f4a5b6c7d8e9f0",
  object: "credential",
  object_id: `key-${n}`,
  at: new Date(Date.UTC(2026, 0, 1, 0, 0, n)).toISOString(),
  isRevoked: true,
  ...more,
});

async function inFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "keydesk-revoked-" });
  try {
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function loaded(folder: string): Promise<RevokedLately> {
  const known = new RevokedLately(folder);
  await known.load();
  return known;
}

Deno.test("revoked: what was added is known after a start, by organisation, kind and id", () =>
  inFolder(async (folder) => {
    const known = await loaded(folder);
    await known.add([one(1), one(2), one(2)]);
    await known.add([one(2, { isRevoked: false, at: "2026-01-02T00:00:00Z" })]);
    for (const each of [known, await loaded(folder)]) {
      assert.equal(each.since(one(1)), one(1).at);
      assert.equal(each.since(one(2)), undefined, "restored");
      assert.equal(each.since({ ...one(1), object: "access_token" }), undefined);
      assert.equal(each.since({ ...one(1), org_id: "65b0c1d2e3f4a5b6c7d8e9f1" }), undefined);
    }
    const text = await Deno.readTextFile(`${folder}/${REVOKED_FILE}`);
    assert.equal(text.split("\n").length - 1, 3, "nothing twice");
    assert.doesNotMatch(text, /key-1/);
    assert.equal((await Deno.stat(`${folder}/${REVOKED_FILE}`)).mode! & 0o777, 0o600);
  }));

Deno.test("revoked: a restoring that is older than the revocation counts for nothing", () =>
  inFolder(async (folder) => {
    const known = await loaded(folder);
    await known.add([one(1), one(1, { isRevoked: false, at: "2025-01-01T00:00:00Z" })]);
    assert.equal(known.since(one(1)), one(1).at);
  }));

Deno.test("revoked: what is older than 30 days goes, and what several processes added twice", () =>
  inFolder(async (folder) => {
    const [mine, theirs] = [await loaded(folder), await loaded(folder)];
    const late = one(3, { at: "2026-03-01T00:00:00.000Z" });
    await mine.add([one(1), late]);
    await theirs.add([one(1), late]);
    const known = await loaded(folder);
    await known.tidy(Date.parse("2026-03-02T00:00:00Z"));
    assert.deepEqual([known.since(one(1)), known.since(late)], [undefined, late.at]);
    const text = await Deno.readTextFile(`${folder}/${REVOKED_FILE}`);
    assert.equal(text.split("\n").length - 1, 1);
  }));

Deno.test("revoked: a line that was broken off, and any other, is passed over", () =>
  inFolder(async (folder) => {
    await (await loaded(folder)).add([one(1)]);
    await Deno.writeTextFile(`${folder}/${REVOKED_FILE}`, "\n+ 2026 else\n\0\n+ 2026-01", {
      append: true,
    });
    const known = await loaded(folder);
    assert.equal(known.size, 1);
    // The next line stands for itself.
    await known.add([one(2)]);
    assert.equal((await loaded(folder)).since(one(2)), one(2).at);
  }));

Deno.test("revoked: 100,000 are kept, the oldest goes", () =>
  inFolder(async (folder) => {
    const known = await loaded(folder);
    await known.add(Array.from({ length: 100_001 }, (_, n) => one(n)));
    for (const each of [known, await loaded(folder)]) {
      assert.equal(each.size, 100_000);
      assert.equal(each.since(one(0)), undefined);
      assert.ok(each.since(one(100_000)));
    }
  }));
