/** X-Keydesk-Developer-Email-Verified says what came back from an address, and nothing else. */
import assert from "node:assert/strict";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import { openPages, registered, signInByCode } from "../../../support/developers.ts";
import { emailTokenOf } from "../../../support/email-links.ts";
import { addMailChannel } from "../../../support/mail-server.ts";
import { call } from "../../../support/people.ts";

/** What a gateway is told of the address of a fresh key's developer: no memory is asked. */
async function told(desk: TestDesk, id: string): Promise<(string | null)[]> {
  const plan = (await call(desk, "POST", "/api/portal/policies", {
    name: `Plan ${crypto.randomUUID()}`,
    access_rights: { weather: { api_id: "weather" } },
  })).Message;
  const body = { apply_policies: [plan] };
  const { RawKey } = await call(desk, "POST", `/api/portal/developers/${id}/keys`, body);
  const answer = await desk.send("GET", "/v1/forward-auth?api=weather&header=x-key", {
    headers: { "x-key": RawKey },
  });
  assert.equal(answer.status, 200, await answer.text());
  // The other door says the same.
  const said = await call(desk, "POST", "/v1/keys/verify", { key: RawKey, api: "weather" });
  const verified = answer.headers.get("x-keydesk-developer-email-verified") === "true";
  assert.equal(said.developer_email_verified, verified);
  return ["", "-verified"].map((end) => answer.headers.get(`x-keydesk-developer-email${end}`));
}

testOnEngines("verified emails: a code that came back says so, a wish does not", async (desk) => {
  await openPages(desk, { sign_up: "open" });
  await registered(desk, "dev-ada", "Ada@example.org");
  assert.deepEqual(await told(desk, "dev-ada"), ["ada@example.org", "false"]);
  await signInByCode(desk, "ada@example.org");
  assert.deepEqual(await told(desk, "dev-ada"), ["ada@example.org", "true"]);
  // Whoever signs up has shown it.
  const { session } = await signInByCode(desk, "grace@example.org");
  assert.deepEqual((await told(desk, session.developer.id))[1], "true");
});

testOnEngines(
  "verified emails: another address is not, whoever says it is theirs",
  async (desk) => {
    await openPages(desk);
    await addMailChannel(desk);
    const DEVELOPER = "/v1/developers/dev-ada";
    await registered(desk, "dev-ada");
    await signInByCode(desk, "dev-ada@example.org");
    await call(desk, "PUT", DEVELOPER, { email: "ada@example.net", account: "same_person" });
    assert.deepEqual(await told(desk, "dev-ada"), ["ada@example.net", "false"]);
    const open = async (side: "new" | "old") => {
      const token = await emailTokenOf(desk, "dev-ada", side);
      const answer = await desk.send("POST", "/v1/email-confirmations", {
        credential: null,
        body: { token },
      });
      assert.equal(answer.status, 200);
      return (await answer.json()).email_state;
    };
    // The address answered, and the one before has not agreed.
    assert.equal(await open("new"), "reached");
    assert.deepEqual((await told(desk, "dev-ada"))[1], "false");
    assert.equal(await open("old"), "proved");
    assert.deepEqual((await told(desk, "dev-ada"))[1], "true");
    // Confirmed by a person, where no link is mailed: nothing came back.
    const { data } = await call(desk, "GET", "/v1/channels");
    await call(desk, "DELETE", `/v1/channels/${data[0].id}`);
    await call(desk, "PUT", DEVELOPER, { email: "ada@example.com", account: "same_person" });
    const { revision } = await call(desk, "GET", DEVELOPER);
    const confirmed = await desk.send("POST", `${DEVELOPER}/email/confirm`, {
      body: { email: "ada@example.com", account: "same_person" },
      headers: { "if-match": `"${revision}"` },
    });
    assert.equal((await confirmed.json()).email_state, "proved");
    assert.deepEqual(await told(desk, "dev-ada"), ["ada@example.com", "false"]);
  },
);
