/**
 * Guesses at passwords: slowed by user name for everybody, by address, and never for somebody else.
 */
import assert from "node:assert/strict";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";

const clock = { at: Date.parse("2026-03-01T00:00:00.000Z"), now: () => clock.at };
const password = "a long sentence that only she knows";

async function register(desk: TestDesk, email: string): Promise<void> {
  const response = await desk.send("POST", "/api/portal/developers", { body: { email, password } });
  assert.equal(response.status, 200);
}

async function logIn(desk: TestDesk, username: string, given = password, from = "192.0.2.1") {
  const path = "/api/portal/developers/verify_credentials";
  return await desk.send("POST", path, { body: { username, password: given }, from });
}

testOnEngines(
  "passwords: guesses at a name end in 429, for the right one too, and only for a while",
  async (desk) => {
    await register(desk, "ada@example.org");
    await register(desk, "bob@example.org");
    for (let i = 0; i < 6; i++) {
      assert.equal(
        (await logIn(desk, "ada@example.org", `guess ${i}`, `192.0.2.${i}`)).status,
        401,
      );
    }
    for (const given of ["guess", password]) {
      const response = await logIn(desk, "ADA@example.org", given, "198.51.100.7");
      assert.equal(response.status, 429);
      assert.equal(response.headers.get("retry-after"), "1");
    }
    assert.equal((await logIn(desk, "bob@example.org")).status, 200);
    const other = await desk.otherOrganisation();
    const theirs = await desk.send("POST", "/api/portal/developers/verify_credentials", {
      body: { username: "ada@example.org", password },
      credential: other.admin,
    });
    assert.equal(theirs.status, 401);
    clock.at += 1000;
    assert.equal((await logIn(desk, "ada@example.org")).status, 200);
    for (let i = 0; i < 6; i++) {
      assert.equal((await logIn(desk, "ada@example.org", "x")).status, 401);
    }
    assert.equal((await logIn(desk, "ada@example.org", "x")).status, 429);
  },
  { clock },
);
