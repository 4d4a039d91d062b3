/** Changes of one key at the same moment, through two desks: one consistent end, whoever wins. */
import assert from "node:assert/strict";
import type { ServerCall } from "../../../src/open-server.ts";
import { approve } from "../../../src/features/key-requests/key-requests.operations.ts";
import { create } from "../../../src/features/key-requests/key-requests.service.ts";
import { reissueKey } from "../../../src/features/key-requests/reissue.transactions.ts";
import { importLines } from "../../../src/features/keys/import.service.ts";
import { changePlans } from "../../../src/features/keys/key-life.transactions.ts";
import { restoreKey } from "../../../src/features/keys/restore-key.transactions.ts";
import * as keys from "../../../src/features/keys/keys.service.ts";
import { type KeyPage, listKeys } from "../../../src/features/keys/list-keys.service.ts";
import type { Key } from "../../../src/features/keys/show-key.ts";
import { purgeEnded } from "../../../src/maintenance/retention/retention.transactions.ts";
import { Failure } from "../../../src/kernel/failure.ts";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { statement } from "../../../src/storage/statement.ts";
import { testEachEngine } from "../../support/desk.ts";
import { withDesks } from "../../support/desks.ts";
import { shortOr } from "../../support/effort.ts";

const ROUNDS = shortOr(12, 24);

/** What became of a call: done, or the code of its failure. */
async function endOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return "done";
  } catch (error) {
    return error instanceof Failure ? error.code : String(error);
  }
}

function raceOn(
  promise: string,
  test: (one: ServerCall, two: ServerCall) => Promise<void>,
): void {
  testEachEngine(promise, (engine) =>
    withDesks(engine, 2, async ([one, two]) => {
      assert.ok(one && two);
      await test(one, two);
      await assertBooks(one);
    }));
}

/**
 * Runs a race on many keys, all of few developers, and gives each key with the ends of its calls.
 */
async function run(
  one: ServerCall,
  two: ServerCall,
  race: (key_id: string, a: ServerCall, b: ServerCall, n: number) => Promise<unknown>[],
): Promise<{ key_id: string; request_id: string; ends: string[] }[]> {
  return await Promise.all(Array.from({ length: ROUNDS }, async (_, n) => {
    const request_id = await create(one, { by_user: `dev-${n % 3}`, for_plan: "plan" });
    const key_id = sha256((await approve(one, request_id, null)).RawKey);
    const [a, b] = n % 2 === 0 ? [one, two] : [two, one];
    return { key_id, request_id, ends: await Promise.all(race(key_id, a, b, n).map(endOf)) };
  }));
}

const developersSql = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("developers").select(["id", "document"]).where("org_id", "=", p.org_id)
);
const listedSql = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("credential_plans").select(["plan_id", "state", "issued_at", "key_id"])
    .where("org_id", "=", p.org_id)
);

/** Every key, page by page. */
async function everyKey(ctx: ServerCall): Promise<Key[]> {
  const all: Key[] = [];
  let cursor: string | null | undefined = undefined;
  while (cursor !== null) {
    const page: KeyPage = await listKeys(ctx, { limit: 100, cursor });
    all.push(...page.data);
    cursor = page.next_cursor;
  }
  return all;
}

/** Every developer's maps and the lists by plan tell what the keys tell. */
async function assertBooks(ctx: ServerCall): Promise<void> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const all = await everyKey(ctx);
  for (const { id, document } of await reader.rows(developersSql, { org_id })) {
    const { keys: held, subscriptions } = JSON.parse(document);
    const own = all.filter((key) =>
      key.developer_id === id && key.state !== "revoked" && key.replaced_by === null
    );
    const expected = Object.fromEntries(own.map((key) => [key.key_id, key.plans]));
    assert.deepEqual(held, expected, id);
    for (const [plan, key_id] of Object.entries<string>(subscriptions)) {
      assert.ok(held[key_id]?.includes(plan), `${id}: ${plan}`);
    }
  }
  const listed = await reader.rows(listedSql, { org_id });
  const expected = all.flatMap((key) =>
    key.plans.map((plan) => {
      const state = key.state === "expired" ? "active" : key.state;
      return [plan, state, key.created, key.key_id].join(" ");
    })
  );
  const found = listed.map((row) => [row.plan_id, row.state, row.issued_at, row.key_id].join(" "));
  assert.deepEqual(found.sort(), expected.sort());
}

raceOn("rotates at once: one wins, the others are refused, one key is minted", async (one, two) => {
  const rounds = await run(one, two, (key_id, a, b) => [
    keys.rotate(a, key_id, { overlap_seconds: 60 }, null),
    keys.rotate(b, key_id, { overlap_seconds: 60 }, null),
    keys.rotate(a, key_id, { overlap_seconds: 60 }, null),
  ]);
  for (const { ends } of rounds) {
    assert.deepEqual(ends.toSorted(), ["done", "key_rotated", "key_rotated"]);
  }
  assert.equal((await everyKey(one)).length, 2 * ROUNDS);
});

raceOn("revokes and suspends at once: revoked is where every key ends", async (one, two) => {
  const rounds = await run(one, two, (key_id, a, b) => [
    keys.change(a, key_id, "suspend", "a", null),
    keys.change(b, key_id, "revoke", "b", null),
    keys.change(a, key_id, "revoke", "c", null),
    keys.change(b, key_id, "resume", "d", null),
  ]);
  for (const { key_id, ends } of rounds) {
    const [suspended, ...rest] = ends;
    assert.ok(["done", "key_revoked"].includes(suspended ?? ""), `${suspended}`);
    assert.deepEqual([rest[0], rest[1]].toSorted(), ["done", "key_revoked"]);
    assert.equal((await keys.changed(one, key_id)).state, "revoked");
  }
});

raceOn(
  "approving a change of a key while it is revoked: never a revoked key in a developer's maps",
  async (one, two) => {
    const rounds = await run(one, two, (key_id, a, b, n) => [
      create(a, { by_user: `dev-${n % 3}`, for_plan: "more", key: key_id })
        .then((id) => approve(a, id, null)),
      keys.change(b, key_id, "revoke", "lost", null),
    ]);
    for (const { key_id, ends: [approved, revoked] } of rounds) {
      assert.equal(revoked, "done");
      assert.ok(["done", "unknown_key"].includes(approved ?? ""), `${approved}`);
      assert.equal((await keys.changed(one, key_id)).state, "revoked");
    }
  },
);

raceOn(
  "re-issue against rotate and revoke: at most one key of the request is left alive",
  async (one, two) => {
    const rounds: string[] = await Promise.all(Array.from({ length: ROUNDS }, async (_, n) => {
      const id = await create(one, { by_user: `dev-${n % 3}`, for_plan: "plan" });
      const key_id = sha256((await approve(one, id, null)).RawKey);
      const ends = await Promise.all([
        endOf(reissue(one, id)),
        endOf(keys.rotate(two, key_id, { overlap_seconds: 0 }, null)),
        endOf(reissue(two, id)),
        ...n % 2 === 0 ? [endOf(keys.change(one, key_id, "revoke", "x", null))] : [],
      ]);
      for (const end of ends) assert.match(end, /^(done|key_(revoked|rotated|expired))$/);
      return id;
    }));
    const active = (await everyKey(one)).filter(({ state }) => state === "active");
    for (const id of rounds) {
      assert.ok(active.filter((key) => key.request_id === id).length <= 1, id);
    }
  },
);

raceOn("plans changed at once: the key, its lists and its developer agree", async (one, two) => {
  const rounds = await run(one, two, (key_id, a, b) => [
    setPlans(a, key_id, ["a", "b"]),
    setPlans(b, key_id, ["b", "c"]),
    keys.rotate(a, key_id, { overlap_seconds: 60 }, null),
    setPlans(b, key_id, ["d"]),
  ]);
  for (const { ends } of rounds) assert.deepEqual(ends, Array(4).fill("done"));
});

raceOn("one file imported twice at once: every key is added once", async (one, two) => {
  const lines = Array.from({ length: 300 }, (_, n) => ({
    line: n + 1,
    text: JSON.stringify({ key: `key-${n}`, developer: `dev-${n % 7}`, plans: ["plan"] }),
  }));
  const run = (import_id: string) => ({ import_id, dryRun: false, murmurUntil: null });
  const results = await Promise.all([
    importLines(one, run("one"), lines),
    importLines(two, run("two"), lines.toReversed()),
    importLines(two, run("three"), lines),
  ]);
  const added = results.flat().filter(({ result }) => result === "added");
  assert.equal(new Set(added.map(({ line }) => line)).size, lines.length);
  assert.equal(added.length, lines.length);
});

/** The same desk, called by somebody who may end keys and nothing else. */
const asPortal = (desk: ServerCall, revokeRateLimit = 1_000_000): ServerCall => ({
  ...desk,
  settings: { ...desk.settings, revokeRateLimit },
  principal: { ...desk.principal, token_id: "portal", permissions: ["portal:read", "revoke"] },
});

raceOn(
  "bringing a key back twice at once: one does it, and the other is told that it is there",
  async (one, two) => {
    const rounds = await run(one, two, (key_id, a, b) => {
      const ended = keys.change(asPortal(one), key_id, "revoke", "x", null);
      return [
        ended.then(() => restore(a, key_id)),
        ended.then(() => restore(b, key_id)),
      ];
    });
    for (const { key_id, ends } of rounds) {
      assert.deepEqual(ends.toSorted(), ["done", "key_not_revoked"]);
      assert.equal((await keys.changed(one, key_id)).state, "active");
    }
  },
);

raceOn(
  "bringing a key back against its purge and another end: it is there, or it is gone for good",
  async (one, two) => {
    const rounds = await run(one, two, (key_id, a, b) => {
      const ended = keys.change(asPortal(one), key_id, "revoke", "x", null);
      const purge = { table: "ended_keys", now: Date.now() + 8 * 86_400_000 } as const;
      return [
        ended.then(() => restore(a, key_id)),
        ended.then(() => b.storage.commit(purgeEnded, purge)),
        ended.then(() => keys.change(b, key_id, "revoke", "for good", null)),
      ];
    });
    for (const { key_id, ends: [back, , final] } of rounds) {
      const { state, undo } = await keys.changed(one, key_id);
      assert.ok(["done", "key_revoked"].includes(back ?? ""), `${back}`);
      assert.ok(["done", "key_revoked"].includes(final ?? ""), `${final}`);
      assert.equal(state, back === "done" && final !== "done" ? "active" : "revoked");
      assert.equal(undo, null);
    }
  },
);

raceOn(
  "the rate limit under calls at once through two desks: no key more than it allows",
  async (one, two) => {
    const rounds = await run(one, two, (key_id, a) => [
      keys.change(asPortal(a, 7), key_id, "revoke", "x", null),
    ]);
    const ends = rounds.flatMap((round) => round.ends);
    assert.equal(ends.filter((end) => end === "done").length, 7);
    assert.equal(ends.filter((end) => end === "too_many_revoked").length, ROUNDS - 7);
  },
);

/** As `setKeyPlans` does it. */
function setPlans(ctx: ServerCall, key_id: string, plans: string[]) {
  const { references } = ctx.settings;
  const call = keys.callOf(ctx, key_id, null);
  return ctx.storage.commit(changePlans, { ...call, plans, references });
}

/** As `restoreKey` does it. */
function restore(ctx: ServerCall, key_id: string) {
  const { owner: _, ...call } = keys.callOf(ctx, key_id, null);
  return ctx.storage.commit(restoreKey, { ...call, reason: "x" });
}

/** As `reissueKeyEndpoint` does it. */
function reissue(ctx: ServerCall, request_id: string) {
  return ctx.storage.commit(reissueKey, { ...keys.mintOf(ctx, "answer", null), request_id });
}
