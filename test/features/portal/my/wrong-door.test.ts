/** A token that is good at another door is no guess at a credential. */
import assert from "node:assert/strict";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import { openPages, registered, signInByCode } from "../../../support/developers.ts";
import { newPerson } from "../../../support/people.ts";

/** More than any wrong credential may be presented. */
const OFTEN = 60;

async function statuses(desk: TestDesk, path: string, credential: string): Promise<Set<number>> {
  const seen = new Set<number>();
  for (let n = 0; n < OFTEN; n++) {
    const response = await desk.send("GET", path, { credential, from: "192.0.2.7" });
    await response.body?.cancel();
    seen.add(response.status);
  }
  return seen;
}

testOnEngines(
  "wrong door: a person's access token at /v1/my is 401 however often, and goes on at its own",
  async (desk) => {
    await openPages(desk);
    const { credential } = await newPerson(desk, ["portal:read"]);
    assert.deepEqual([...await statuses(desk, "/v1/my/keys", credential)], [401]);
    assert.deepEqual([...await statuses(desk, "/v1/me", credential)], [200]);
    // What nobody has is one.
    assert.ok((await statuses(desk, "/v1/my/keys", "nobody-has-this-one-at-all")).has(429));
  },
);

testOnEngines(
  "wrong door: so is a developer's token where people's are taken",
  async (desk) => {
    await openPages(desk);
    const { email } = await registered(desk, "dev-ada");
    const ada = await signInByCode(desk, email);
    const body = { name: "laptop", scope: "look", days: 30 };
    const { token } = await (await ada.send("POST", "/v1/my/tokens", { body })).json();
    assert.deepEqual([...await statuses(desk, "/v1/key-requests", token)], [401]);
    assert.deepEqual([...await statuses(desk, "/v1/my/keys", token)], [200]);
  },
);
