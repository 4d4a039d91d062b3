/** A key that nobody opened in time is opened by its developer, who signs in anew for it. */
import assert from "node:assert/strict";
import { assertFailure } from "../../../support/answers.ts";
import { succeed } from "../../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import { openPages, registered, signInByCode, signInByLink } from "../../../support/developers.ts";
import { offer } from "../../../support/offer.ts";
import { signInAtPages } from "../../../support/portal.ts";

const DAY_MS = 86_400_000;
const BEGIN = Date.parse("2026-03-01T00:00:00Z");
const clock = { at: BEGIN, now: () => clock.at };

type Key = { state: string; waits_until: string | null; waited_until: string | null };
type Shown = { RawKey: string; key_id: string };

/** A key of Ada's that waits, and the token of its link. */
async function begin(desk: TestDesk) {
  clock.at = BEGIN;
  await openPages(desk, { back_end_access: "all" });
  const { plans } = await offer(desk, [{ api: "tides", plan: "Tides" }]);
  const { id, email } = await registered(desk, "dev-ada");
  const { key_id, one_time_link } = await succeed<
    { key_id: string; one_time_link: { link: string } }
  >(
    desk,
    "POST",
    `/v1/developers/${id}/keys`,
    { body: { plans: [plans.Tides], deliver: "one_time_link" } },
  );
  const path = `/v1/my/keys/${key_id}`;
  return { id, email, key_id, path, token: one_time_link.link.split("#")[1] ?? "" };
}

testOnEngines(
  "open late: by a session that its developer began just now, and by no other",
  async (desk) => {
    const { id, email, path, token } = await begin(desk);
    const before = await signInByCode(desk, email);
    const { waits_until, waited_until } = await before.get<Key>("GET", path);
    assert.deepEqual([waits_until === null, waited_until], [false, null]);
    clock.at = Date.parse(waits_until ?? "") + 1000;
    const late = await signInByCode(desk, email);
    const key = await late.get<Key>("GET", path);
    assert.deepEqual([key.state, key.waits_until, key.waited_until], ["active", null, waits_until]);
    const linked = await signInByLink(desk, id);
    await assertFailure(
      await linked.send("POST", `${path}/one-time-link`),
      "fresh_sign_in_required",
    );
    clock.at += 11 * 60_000;
    await assertFailure(await late.send("POST", `${path}/one-time-link`), "fresh_sign_in_required");
    assert.equal((await late.get<Key>("GET", path)).state, "active", "a look changes nothing");
    const ada = await signInByCode(desk, email);
    const answers = await Promise.all(
      [1, 2, 3].map(() => ada.send("POST", `${path}/one-time-link`, { body: {} })),
    );
    assert.equal(answers.filter(({ ok }) => ok).length, 1, "one of those at the same time");
    for (const answer of answers) {
      if (!answer.ok) assert.ok(answer.status === 409 || answer.status === 410, `${answer.status}`);
    }
    const shown = await answers.find(({ ok }) => ok)?.json() as Shown;
    assert.ok(shown.RawKey);
    const [old, fresh] = [
      await ada.get<Key>("GET", path),
      await ada.get<Key>("GET", `/v1/my/keys/${shown.key_id}`),
    ];
    assert.deepEqual([old.state, old.waited_until], ["revoked", null]);
    assert.deepEqual([fresh.state, fresh.waited_until], ["active", null]);
    const opened = await desk.send("POST", "/v1/one-time-links/open", {
      body: { token },
      credential: null,
    });
    assert.equal(opened.ok, false);
  },
  { clock },
);

testOnEngines(
  "open late: what was opened or withdrawn is opened no more, nor another's",
  async (desk) => {
    const { email, path, key_id } = await begin(desk);
    const { data } = await succeed<{ data: { id: string }[] }>(
      desk,
      "GET",
      `/v1/one-time-links?key_id=${key_id}`,
    );
    await succeed(desk, "DELETE", `/v1/one-time-links/${data[0]?.id}`);
    clock.at += 40 * DAY_MS;
    const ada = await signInByCode(desk, email);
    assert.equal((await ada.get<Key>("GET", path)).waited_until, null);
    await assertFailure(await ada.send("POST", `${path}/one-time-link`), "one_time_link_gone");
    await registered(desk, "dev-bob");
    const bob = await signInByCode(desk, "dev-bob@example.org");
    await assertFailure(await bob.send("POST", `${path}/one-time-link`), "not_found");
  },
  { clock },
);

testOnEngines(
  "open late: the page shows a fresh key by one press, and asks who it is",
  async (desk) => {
    const { email, key_id } = await begin(desk);
    clock.at += 40 * DAY_MS;
    const path = `/portal/keys/${key_id}`;
    const ada = await signInAtPages(desk, email);
    const page = await ada.get(path);
    assert.match(page.words, /This key was not opened.* until .*2026/);
    assert.doesNotMatch(page.words, /sign in anew/);
    clock.at += 11 * 60_000;
    const later = await ada.get(path);
    assert.match(later.words, /sign in anew/);
    const away = await ada.submit(later, `${path}/open-late`);
    assert.deepEqual([away.status, away.location], [303, "/portal/account/again"]);
    assert.match((await ada.get(path)).words, /This key was not opened/);
    const anew = await signInAtPages(desk, email);
    const shown = await anew.submit(await anew.get(path), `${path}/open-late`);
    assert.match(shown.words, /Your new key Tides It is shown this once/);
    assert.doesNotMatch((await anew.get(path)).words, /This key was not opened/);
  },
  { clock },
);
