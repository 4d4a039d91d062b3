/** A key's answers are kept in memory, and show every change at once. */
import assert from "node:assert/strict";
import { putLeak } from "../../../src/features/hygiene/leaks/leaks.store.ts";
import { noteUses } from "../../../src/features/verification/last-uses.transactions.ts";
import { defineTransaction } from "../../../src/storage/storage.ts";
import { DEVELOPERS } from "../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { eventually } from "../../support/eventually.ts";
import { call, issue, KEYS, movableClock } from "../../support/keys.ts";
import { outcome, planWith } from "../../support/verification.ts";

const leak = defineTransaction("test.leak", async (tx, { org_id, id }: Place) => {
  const what = { org_id, object: "credential", object_id: id } as const;
  const report = { reported_at: AT, reported_by: "", url: "https://example.org/leak" };
  await putLeak(tx, { ...what, ...report, action: "tell" });
});

interface Place {
  org_id: string;
  id: string;
}

const AT = "2026-01-02T03:04:05.000Z";

/** Reads until the answer comes from memory, and gives it. */
async function kept(desk: TestDesk, path: string): Promise<string> {
  const { readCache } = desk.app.ctx;
  let text = "";
  // On PostgreSQL any commit on the server ends what is kept.
  await eventually(path, async () => {
    const { hits } = readCache;
    text = await (await desk.send("GET", path)).text();
    return readCache.hits > hits;
  });
  return text;
}

testOnEngines(
  "kept keys: whatever changes a key, its developer or its plan is shown by the next answer",
  async (desk) => {
    const { org_id } = desk;
    const { storage } = desk.app.ctx;
    const plan = await planWith(desk, {}, ["weather"]);
    const { key_id } = await issue(desk, [plan]);
    const shown = `${KEYS}/${key_id}`;
    const { developer_id } = await call(desk, "GET", shown);
    const changes: [string, string, () => Promise<unknown>][] = [
      [
        "a use",
        shown,
        () => storage.commit(noteUses, { uses: [{ org_id, key_id, last_used_at: AT }] }),
      ],
      ["a leak", shown, () => storage.commit(leak, { org_id, id: key_id })],
      ["the developer", shown, async () =>
        call(desk, "PUT", `${DEVELOPERS}/${developer_id}`, {
          ...await call<object>(desk, "GET", `${DEVELOPERS}/${developer_id}`),
          email: "other@example.org",
        })],
      ["the plan", `/api/keys/${key_id}`, () =>
        call(desk, "PUT", `/api/portal/policies/${plan}`, {
          name: "Other",
          rate: 7,
          per: 3,
          access_rights: { weather: {} },
        })],
      ["the state", shown, () => call(desk, "POST", `${shown}/suspend`, { reason: "why" })],
      [
        "the state",
        `/api/keys/${key_id}`,
        () => call(desk, "POST", `${shown}/resume`, { reason: "why" }),
      ],
    ];
    for (const [what, path, change] of changes) {
      const before = await kept(desk, path);
      await change();
      const after = await (await desk.send("GET", path)).text();
      assert.notEqual(after, before, what);
      assert.equal(await kept(desk, path), after, what);
    }
    for (const path of [shown, `/api/keys/${key_id}`]) await kept(desk, path);
    await call(desk, "POST", `${shown}/revoke`, { reason: "over" });
    assert.equal((await call(desk, "GET", shown)).state, "revoked");
    assert.equal((await desk.send("GET", `/api/keys/${key_id}`)).status, 404);
  },
  { extra: [leak] },
);

testOnEngines("kept keys: what is left of a quota is never kept", async (desk) => {
  const plan = await planWith(desk, { quota_max: 5, quota_renewal_rate: 3600 }, ["weather"]);
  const { RawKey, key_id } = await issue(desk, [plan]);
  const left = async () => {
    const { data } = await call<{ data: { quota_remaining: number } }>(
      desk,
      "GET",
      `/api/keys/${key_id}`,
    );
    return data.quota_remaining;
  };
  for (let n = 5; n > 0; n--) {
    assert.deepEqual([await left(), await left()], [n, n]);
    await outcome(desk, RawKey);
  }
});

const clock = movableClock();
testOnEngines(
  "kept keys: one that ends is shown as expired, though nobody changes it",
  async (desk) => {
    const plan = await planWith(desk, {}, ["weather"]);
    const { key_id } = await issue(desk, [plan]);
    const shown = `${KEYS}/${key_id}`;
    const expires_at = new Date(clock.now() + 60_000).toISOString();
    await call(desk, "PUT", `${shown}/expiry`, { expires_at });
    assert.equal(JSON.parse(await kept(desk, shown)).state, "active");
    assert.equal(JSON.parse(await kept(desk, `/api/keys/${key_id}`)).data.is_inactive, false);
    clock.at += 60_000;
    assert.equal((await call(desk, "GET", shown)).state, "expired");
    const { data } = await call<{ data: { is_inactive: boolean } }>(
      desk,
      "GET",
      `/api/keys/${key_id}`,
    );
    assert.equal(data.is_inactive, true);
  },
  { clock },
);

testOnEngines(
  "kept keys: a caller who may not read keys is refused what others have read",
  async (desk) => {
    const { key_id } = await issue(desk, [await planWith(desk, {}, ["weather"])]);
    const other = await desk.otherOrganisation();
    const token = await desk.token(["verify"]);
    for (const path of [`${KEYS}/${key_id}`, `/api/keys/${key_id}`]) {
      await kept(desk, path);
      assert.equal((await desk.send("GET", path, { credential: token })).status, 403);
      assert.equal((await desk.send("GET", path, { credential: other.admin })).status, 404);
    }
  },
);

testOnEngines("kept keys: no id leads to what is kept for somebody who sees more", async (desk) => {
  const { key_id } = await issue(desk, [await planWith(desk, {}, ["weather"])]);
  const shown = `${KEYS}/${key_id}`;
  const note = "Ask Lena first.";
  await call(desk, "PUT", `${shown}/labels`, { note });
  const credential = await desk.token(["portal:read"]);
  const reads = async (path: string) => await desk.send("GET", path, { credential });
  assert.equal((await reads(shown)).status, 200);
  assert.ok((await kept(desk, shown)).includes(note));
  for (const before of ["with its note ", "true ", "key with its note ", `${desk.org_id} key `]) {
    const answer = await reads(`${KEYS}/${encodeURIComponent(before + key_id)}`);
    assert.deepEqual([answer.status, (await answer.text()).includes(note)], [404, false], before);
  }
});
