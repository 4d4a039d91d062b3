/** What may be presented, by whom it may be asked about, and what leads nowhere. */
import assert from "node:assert/strict";
import { presentedIn } from "../../../src/features/verification/presented.ts";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { testOnEngines } from "../../support/desk.ts";
import { call, KEYS } from "../../support/keys.ts";
import { sendForm, tokenFor } from "../../support/oauth.ts";
import { heeds, issueKnown, outcome, planWith, valid } from "../../support/verification.ts";

testOnEngines("presented: a user name opens with its password and nothing else", async (desk) => {
  const plan = await planWith(desk, { auth_type: "basic" });
  const { RawKey: username, Password: password } = await issueKnown(desk, [plan]);
  const token = await issueKnown(desk, ["plan-weather"], "dev-bob");
  assert.equal((await valid(desk, { username, password })).kind, "basic");
  const wrong = [
    { username, password: `${password}x` },
    { username, password: "" },
    { username, password: sha256(password) },
    { username: "nobody", password },
    { username: "", password },
    { key: username },
    { key: password },
    { username: token.RawKey, password: "" },
    { username: token.RawKey, password },
  ];
  for (const one of wrong) assert.equal(await outcome(desk, one), "unknown", JSON.stringify(one));
});

testOnEngines(
  "presented: an OAuth token stands for its client until either of them ends",
  async (desk) => {
    const plan = await planWith(desk, { auth_type: "oauth" }, ["weather"]);
    const { RawKey: client_id, Password: client_secret, key_id } = await issueKnown(desk, [plan]);
    const client = { client_id, client_secret };
    const [one, two] = [await tokenFor(desk, client), await tokenFor(desk, client)];
    for (const token of [one, two]) {
      const verdict = await valid(desk, { key: token, api_id: "weather" });
      assert.deepEqual([verdict.kind, verdict.key_id], ["oauth", key_id]);
      assert.ok(verdict.expires_at !== null);
    }
    assert.equal(await outcome(desk, { key: one, api_id: "tides" }), "wrong_api");
    // The client's own credentials open nothing here.
    const own = [{ key: client_id }, { username: client_id, password: client_secret }];
    for (const presented of own) assert.equal(await outcome(desk, presented), "unknown");
    assert.equal(await outcome(desk, { username: one, password: client_secret }), "unknown");
    await sendForm(desk, "/oauth/revoke", { token: one, ...client });
    await heeds(desk, one, "unknown");
    assert.equal(await outcome(desk, two), "valid");
    await call(desk, "POST", `${KEYS}/${key_id}/suspend`, { reason: "x" });
    await heeds(desk, two, "suspended");
    await call(desk, "POST", `${KEYS}/${key_id}/resume`, { reason: "x" });
    await heeds(desk, two, "valid");
    await call(desk, "POST", `${KEYS}/${key_id}/revoke`, { reason: "x" });
    await heeds(desk, two, "revoked");
  },
);

testOnEngines("presented: another organisation's key is one that nobody knows", async (desk) => {
  const { RawKey } = await issueKnown(desk);
  const other = await desk.otherOrganisation();
  await valid(desk, RawKey);
  for (let n = 0; n < 2; n++) assert.equal(await outcome(desk, RawKey, other.admin), "unknown");
  assert.equal(await outcome(desk, RawKey), "valid");
});

testOnEngines("verify: what no key can be is unknown", async (desk) => {
  for (const key of ["", " ", "x".repeat(4097), "ключ"]) {
    assert.equal(await outcome(desk, { key }), "unknown", JSON.stringify(key));
  }
});

Deno.test("presented: headers are read as RFC 7617 and RFC 6750 have them", () => {
  const basic = (text: string) =>
    `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(text)))}`;
  const key = (name: string) => ({ name, password: undefined });
  const none = { name: "", password: "" };
  const cases: [string | null, unknown][] = [
    [null, undefined],
    ["", undefined],
    ["   ", undefined],
    ["abc==", key("abc==")],
    ["Bearer abc==", key("abc==")],
    ["bEARER \t abc ", key("abc")],
    ["Bearer", key("Bearer")],
    [basic("ada:pass"), { name: "ada", password: "pass" }],
    [basic("ada:p:a:ss:"), { name: "ada", password: "p:a:ss:" }],
    [basic("ada:"), { name: "ada", password: "" }],
    [basic(":pass"), { name: "", password: "pass" }],
    [basic("Zoë:pässword"), { name: "Zoë", password: "pässword" }],
    [basic("no-colon"), none],
    ["Basic %%%", none],
    [`Basic ${btoa("\xff:\xff")}`, none],
    ["Basic", key("Basic")],
  ];
  for (const [header, expected] of cases) assert.deepEqual(presentedIn(header), expected);
});
