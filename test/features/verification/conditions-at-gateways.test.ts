/**
 * Each condition of a key at each gateway that asks Keydesk; the table of docs/verification.md
 * names these tests. Proxies that really run: system/features/verification/conditions.test.ts.
 */
import assert from "node:assert/strict";
import { newSealingKey } from "../../../src/kernel/sealing/sealing-keys.ts";
import { succeed } from "../../support/companions.ts";
import { openTestDesk, type TestDesk, testEachEngine } from "../../support/desk.ts";
import {
  type Call,
  type GrantedKey,
  grantedKeys,
  offerTokens,
} from "../../support/granted-keys.ts";
import { introspected, tokenFor } from "../../support/oauth.ts";
import { ask } from "../../support/verification.ts";

const START = Date.parse("2026-03-01T00:00:00Z");
const ENDS = "2026-03-02T00:00:00.000Z";
const HERE = "192.0.2.7";
const ELSEWHERE = "198.51.100.1";
const PROXY = "10.0.0.1";
const API = "weather";

/** A desk with a key on each condition, and a clock that its test moves. */
function onEngines(
  name: string,
  test: (
    desk: TestDesk,
    keys: Awaited<ReturnType<typeof grantedKeys>>,
    clock: { at: number },
  ) => Promise<void>,
  auth_type: "authToken" | "oauth" = "authToken",
): void {
  testEachEngine(`conditions at gateways: ${name}`, async (engine) => {
    const clock = { at: START, now: () => clock.at };
    const sealingKey = newSealingKey().trim();
    const environment = { KEYDESK_SEALING_KEY: sealingKey, KEYDESK_TRUSTED_PROXIES: "10.0.0.0/8" };
    await using desk = await openTestDesk(engine, { environment, clock });
    const call: Call = (method, path, body) => succeed(desk, method, path, { body });
    const keys = await grantedKeys(call, {
      api: API,
      auth_type,
      addresses: ["192.0.2.0/24"],
      expires_at: ENDS,
      tokenOf: offerTokens(sealingKey, desk.org_id),
    });
    await test(desk, keys, clock);
  });
}

onEngines("/v1/keys/verify goes by every condition", async (desk, keys, clock) => {
  const said = async (condition: keyof typeof keys, address?: string) => {
    const { RawKey: key } = keys[condition].credential;
    const body = { key, api_id: API, ...address === undefined ? {} : { address } };
    const { valid, reason, rate, quota, plans } = await (await ask(desk, body)).json();
    return { said: valid ? "valid" : reason, rate: rate?.limit, quota: quota?.limit, plans };
  };
  assert.equal((await said("end")).said, "valid");
  assert.deepEqual([(await said("rate")).rate, (await said("rate")).said], [2, "valid"]);
  assert.equal((await said("rate")).said, "over_rate");
  assert.deepEqual([(await said("quota")).quota, (await said("quota")).said], [2, "valid"]);
  assert.equal((await said("quota")).said, "over_quota");
  assert.equal((await said("plan left out")).said, "wrong_api");
  const placed = await said("plan put in its place");
  assert.deepEqual([placed.said, placed.plans], ["valid", [keys["plan put in its place"].plan]]);
  assert.deepEqual(
    [
      (await said("addresses", HERE)).said,
      (await said("addresses", ELSEWHERE)).said,
      (await said("addresses")).said,
    ],
    ["valid", "address", "address_unknown"],
  );
  clock.at = Date.parse(ENDS);
  assert.equal((await said("end")).said, "expired");
});

onEngines("Traefik's question goes by every condition", async (desk, keys, clock) => {
  // What its ForwardAuth sends: the headers that it is told, and its own of the visitor.
  const asked = async (
    condition: keyof typeof keys,
    visitor: string | null = HERE,
    from = PROXY,
  ) => {
    const answer = await desk.send("GET", `/v1/forward-auth?api=${API}`, {
      credential: null,
      from,
      headers: {
        authorization: `Bearer ${keys[condition].credential.RawKey}`,
        "x-keydesk-authorization": `Bearer ${desk.admin}`,
        "x-keydesk-gateway": "edge-1;1",
        "x-forwarded-method": "GET",
        "x-forwarded-proto": "https",
        "x-forwarded-host": "api.example.org",
        "x-forwarded-uri": "/forecast?city=Bergen",
        ...visitor === null ? {} : { "x-forwarded-for": visitor },
      },
    });
    await answer.body?.cancel();
    return [answer.status, answer.headers.get("x-keydesk-reason")];
  };
  assert.deepEqual(await asked("end"), [200, null]);
  for (const [condition, reason] of [["rate", "over_rate"], ["quota", "over_quota"]] as const) {
    assert.deepEqual(
      [await asked(condition), await asked(condition), await asked(condition)],
      [[200, null], [200, null], [429, reason]],
    );
  }
  assert.deepEqual(await asked("plan left out"), [403, "wrong_api"]);
  assert.deepEqual(await asked("plan put in its place"), [200, null]);
  assert.deepEqual(await asked("addresses"), [200, null]);
  assert.deepEqual(await asked("addresses", ELSEWHERE), [403, "address"]);
  assert.deepEqual(await asked("addresses", null), [403, "address_unknown"]);
  assert.deepEqual(await asked("addresses", HERE, ELSEWHERE), [403, "address_unknown"]);
  clock.at = Date.parse(ENDS);
  assert.deepEqual(await asked("end"), [401, "expired"]);
});

onEngines("/oauth/introspect goes by what it can know", async (desk, keys, clock) => {
  const tokenOf = async ({ credential: { RawKey, Password, client_id, secret } }: GrantedKey) =>
    await tokenFor(desk, {
      client_id: client_id ?? RawKey,
      client_secret: secret ?? Password ?? "",
    });
  const told = async (one: GrantedKey) => {
    const { active, plans } = await introspected(desk, await tokenOf(one));
    return { active, plans };
  };
  for (const condition of ["rate", "quota", "plan left out", "plan put in its place"] as const) {
    // It counts nothing: whoever asks it counts themselves. It names the plans that were granted.
    for (let n = 0; n < 3; n++) {
      const { plan } = keys[condition];
      assert.deepEqual(await told(keys[condition]), { active: true, plans: [plan] }, condition);
    }
  }
  assert.deepEqual(await told(keys.addresses), { active: false, plans: undefined });
  const token = await tokenOf(keys.end);
  assert.equal((await introspected(desk, token)).active, true);
  clock.at = Date.parse(ENDS);
  assert.deepEqual(await introspected(desk, token), { active: false });
}, "oauth");
