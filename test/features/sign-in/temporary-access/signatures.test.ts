/** The passkey's signature that begins temporary access: whatever is wrong with it, none begins. */
import assert from "node:assert/strict";
import { Authenticator, type Told } from "../../../support/authenticator.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import {
  type Insider,
  insider,
  ruleFor,
  sendStart,
  signedStart,
  takeTemporaryAccess,
} from "../../../support/temporary-access.ts";
import { testClock } from "../../../support/people.ts";
import { bySession } from "../../../support/sign-in.ts";

const clock = testClock();

/** What is sent; `grace` may get temporary access by `rule`. */
type Send = (desk: TestDesk, grace: Insider, rule: string) => Promise<Response>;

const refused: Record<string, Send> = {
  "a nonce of its own": async (desk, grace, rule) => {
    const { signature, ...body } = await signedStart(desk, grace, rule);
    const nonce = `${"a".repeat(43)}.${clock.at + 60_000}.${"b".repeat(43)}`;
    return await sendStart(desk, grace.browser, { ...body, signature: { ...signature, nonce } });
  },
  "a nonce that is over": async (desk, grace, rule) => {
    const body = await signedStart(desk, grace, rule);
    clock.at += 2 * 60_000;
    return await sendStart(desk, grace.browser, body);
  },
  "an unknown passkey": async (desk, { browser }, rule) => {
    const stranger = { browser, authenticator: new Authenticator() };
    return await sendStart(desk, browser, await signedStart(desk, stranger, rule));
  },
  "a removed passkey": async (desk, grace, rule) => {
    const body = await signedStart(desk, grace, rule);
    const { data } = await (await bySession(desk, grace.browser, "GET", "/v1/passkeys")).json();
    const path = `/v1/passkeys/${data[0].id}`;
    assert.equal((await bySession(desk, grace.browser, "DELETE", path)).status, 200);
    return await sendStart(desk, grace.browser, body);
  },
};

const falsified: Record<string, Partial<Told>> = {
  "another origin": { origin: "https://desk.example.org" },
  "another host": { rpId: "example.org" },
  "nobody looked at": { isVerified: false },
  "a counter that stood still": { counter: 0 },
};

for (const [what, told] of Object.entries(falsified)) {
  refused[what] = async (desk, grace, rule) => {
    // What counts has counted on before.
    const { id } = await takeTemporaryAccess(desk, grace, rule);
    await bySession(desk, grace.browser, "DELETE", `/v1/temporary-access/${id}`);
    const body = await signedStart(desk, grace, rule, 30, told);
    return await sendStart(desk, grace.browser, body);
  };
}

for (const [what, send] of Object.entries(refused)) {
  testOnEngines(`temporary access, signed: ${what} is refused`, async (desk) => {
    const grace = await insider(desk);
    const rule = await ruleFor(desk, [grace.id]);
    const answer = await send(desk, grace, rule);
    assert.deepEqual([answer.status, (await answer.json()).code], [400, "signature_refused"]);
    const { temporary_access } = await (await bySession(desk, grace.browser, "GET", "/v1/session"))
      .json();
    assert.equal(temporary_access, null);
  }, { clock });
}

testOnEngines(
  "temporary access, signed: of one signature sent eight times, one begins",
  async (desk) => {
    const grace = await insider(desk);
    const body = await signedStart(desk, grace, await ruleFor(desk, [grace.id]));
    const send = () => sendStart(desk, grace.browser, body);
    const answers = await Promise.all(Array.from({ length: 8 }, send));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    for (const answer of answers) await answer.body?.cancel();
  },
  { clock },
);
