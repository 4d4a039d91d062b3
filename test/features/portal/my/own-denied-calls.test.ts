/** What the holder of a key is told of its calls that were denied. */
import assert from "node:assert/strict";
import { denialReasons } from "../../../../src/contract/denied-calls.ts";
import { deniedCallsCard } from "../../../../src/features/portal/pages/denied-calls-card.ts";
import { textsFor } from "../../../../src/features/portal/pages/texts.ts";
import { succeed } from "../../../support/companions.ts";
import { testOnEngines } from "../../../support/desk.ts";
import { openPages, registered, signInByCode } from "../../../support/developers.ts";
import { offer } from "../../../support/offer.ts";
import { signInAtPages } from "../../../support/portal.ts";
import { written } from "../../../support/usage.ts";

type Shown = { RawKey: string; key_id: string };

testOnEngines(
  "own denied calls: the holder reads why and what to do, nobody's else, no gateway and no address",
  async (desk) => {
    await openPages(desk);
    const { plans } = await offer(desk, [
      { api: "tides", plan: "Tides" },
      { api: "waves", plan: "Waves" },
    ]);
    await succeed(desk, "PUT", "/v1/apis/waves", { body: { name: "Heights of waves" } });
    const { email } = await registered(desk, "dev-ada");
    await registered(desk, "dev-bob");
    await succeed(desk, "POST", "/v1/gateways", {
      body: { connection: "checks", name: "secret-edge" },
    });
    const issue = (id: string) =>
      succeed<Shown>(desk, "POST", `/v1/developers/${id}/keys`, { body: { plans: [plans.Tides] } });
    const [own, other] = [await issue("dev-ada"), await issue("dev-bob")];
    const verify = (key: string, api_id: string) =>
      succeed(desk, "POST", "/v1/keys/verify", {
        body: { key, api_id, address: "203.0.113.9" },
        headers: { "x-keydesk-gateway": "secret-edge" },
      });
    await verify(own.RawKey, "waves");
    await verify(own.RawKey, "waves");
    await verify(other.RawKey, "storms");
    await written(desk);
    const ada = await signInByCode(desk, email);
    const path = `/v1/my/keys/${own.key_id}`;
    const key = await ada.get<{ denied_calls: Record<string, unknown>[] }>("GET", path);
    assert.equal(key.denied_calls.length, 2);
    const { at, ...told } = key.denied_calls[0] ?? {};
    assert.ok(typeof at === "string");
    assert.deepEqual(told, {
      reason: "wrong_api",
      status: 403,
      api_id: "waves",
      limit: null,
      per_seconds: null,
      retry_after: null,
      valid_for: ["tides"],
    });
    assert.doesNotMatch(JSON.stringify(key), /secret-edge|203\.0\.113|storms/);
    const page = await (await signInAtPages(desk, email)).get(`/portal/keys/${own.key_id}`);
    assert.match(
      page.words,
      /Denied calls .*is not valid for the API that was called \(Heights of waves\)\. Call an API of its plans.* 2 calls, the last on /,
    );
    assert.doesNotMatch(page.text, /secret-edge|203\.0\.113|storms/);
    const missing = await ada.send("GET", `/v1/my/keys/${other.key_id}`, {});
    assert.equal(missing.status, 404);
    await missing.body?.cancel();
  },
);

Deno.test("own denied calls: every reason has its sentence and the one thing to do, in each language", () => {
  for (const language of ["en", "de"]) {
    const t = textsFor(language, null);
    const said = new Set<string>();
    for (const reason of denialReasons) {
      if (reason === "unknown") continue;
      const hasLimit = reason === "over_rate" || reason === "over_quota";
      const one = {
        at: "2026-01-05T09:00:00.000Z",
        reason,
        status: 403,
        api_id: null,
        limit: hasLimit ? 1000 : null,
        per_seconds: hasLimit ? 60 : null,
        retry_after: null,
        valid_for: [],
      };
      const card = deniedCallsCard(t, [one]);
      const text = card === false ? "" : card.text;
      assert.doesNotMatch(text, /refused\.|undefined/);
      said.add(text);
    }
    // Two of them say the same thing to do, and none the same sentence.
    assert.equal(said.size, denialReasons.length - 1);
    assert.equal(deniedCallsCard(t, []), false);
  }
});
