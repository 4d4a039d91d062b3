/** Nonces by which an identity broker and a portal sign a developer in. */
import assert from "node:assert/strict";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { permissions } from "../../../src/contract/permissions.ts";
import { assertFailure } from "../../support/answers.ts";
import { succeed } from "../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { movableClock, tracesOf } from "../../support/keys.ts";
import { denied, invalid, testRefusals, unauthenticated } from "../../support/refusals.ts";
import { statement } from "../../../src/storage/statement.ts";

const SSO = "/api/sso";
const REDEEM = "/v1/sso/redeem";

const noncesSql = statement<Record<never, never>>()((db) =>
  db.selectFrom("sso_nonces").selectAll()
);
const noncesOf = (desk: TestDesk) => desk.app.ctx.storage.reader.rows(noncesSql, {});

async function nonceFor(desk: TestDesk, EmailAddress: string, credential = desk.admin) {
  const body = { ForSection: "portal", EmailAddress };
  const { Meta } = await succeed<{ Meta: string }>(desk, "POST", SSO, { body, credential });
  return Meta;
}

const redeem = (desk: TestDesk, nonce: string, credential = desk.admin) =>
  desk.send("POST", REDEEM, { body: { nonce }, credential });

const clock = movableClock();
const start = clock.at;

testOnEngines(
  "sso: a nonce gives its developer once, in whatever case the address came",
  async (desk) => {
    const body = { id: "dev-ada", email: "ada@example.org" };
    await succeed(desk, "POST", "/v1/developers", { body });
    const credential = await desk.token(["act:developer"]);
    const nonce = await nonceFor(desk, " Ada@Example.org ", credential);
    assert.match(nonce, /^[\w-]{43}$/);
    const [row] = await noncesOf(desk);
    assert.equal(row?.hash, sha256(nonce));
    const twins = await Promise.all([1, 2, 3, 4].map(() => redeem(desk, nonce, credential)));
    const won = twins.filter(({ status }) => status === 200);
    assert.equal(won.length, 1);
    assert.deepEqual(await won[0]?.json(), { developer_id: "dev-ada" });
    for (const twin of twins) if (twin.status !== 200) await assertFailure(twin, "nonce_gone");
    assert.deepEqual(await noncesOf(desk), []);
    const { audit } = await tracesOf(desk, row?.id ?? "");
    assert.deepEqual(audit.map(([action]) => action), ["sso_nonce.created", "sso_nonce.redeemed"]);
    assert.deepEqual(audit[1]?.[1], { developer_id: "dev-ada" });
    const log = desk.logLines.join("");
    assert.ok(!log.includes(nonce) && !JSON.stringify(audit).includes(nonce));
    const { last_login_date } = await succeed<{ last_login_date: string }>(
      desk,
      "GET",
      "/api/portal/developers/dev-ada",
    );
    assert.match(last_login_date, /^2/);
  },
);

testOnEngines(
  "sso: while nobody who may sign in has the address, a nonce is not used up",
  async (desk) => {
    const nonce = await nonceFor(desk, "ada@example.org");
    await assertFailure(await redeem(desk, nonce), "not_found");
    const body = { id: "dev-ada", email: "ada@example.org", inactive: true };
    await succeed(desk, "POST", "/api/portal/developers", { body });
    await assertFailure(await redeem(desk, nonce), "not_found");
    const path = "/api/portal/developers/dev-ada";
    await succeed(desk, "PUT", path, { body: { ...body, inactive: false } });
    assert.deepEqual(await (await redeem(desk, nonce)).json(), { developer_id: "dev-ada" });
  },
);

testOnEngines(
  "sso: an address that somebody put in another's place signs in to nothing until it is confirmed",
  async (desk) => {
    const body = { id: "dev-ada", email: "ada@example.org" };
    await succeed(desk, "POST", "/v1/developers", { body });
    const path = "/api/portal/developers/dev-ada";
    const thief = { ...body, email: "eve@example.org" };
    const credential = await desk.token(["portal:write", "act:developer"]);
    await succeed(desk, "PUT", path, { body: thief, credential });
    const nonce = await nonceFor(desk, thief.email, credential);
    await assertFailure(await redeem(desk, nonce, credential), "not_found");
    const confirm = "/v1/developers/dev-ada/email/confirm";
    await succeed(desk, "POST", confirm, { body: { email: thief.email, account: "same_person" } });
    assert.deepEqual(await (await redeem(desk, nonce)).json(), { developer_id: "dev-ada" });
  },
);

testOnEngines("sso: a nonce lives for 60 seconds, and in its organisation alone", async (desk) => {
  clock.at = start;
  const body = { id: "dev-ada", email: "ada@example.org" };
  await succeed(desk, "POST", "/v1/developers", { body });
  const other = await desk.otherOrganisation();
  const made = await Promise.all([nonceFor(desk, body.email), nonceFor(desk, body.email)]);
  await assertFailure(await redeem(desk, made[0], other.admin), "nonce_gone");
  clock.at += 59_999;
  assert.equal((await redeem(desk, made[0])).status, 200);
  clock.at += 1;
  await assertFailure(await redeem(desk, made[1]), "nonce_gone");
}, { clock });

testRefusals("sso", (desk) => {
  const portal = { ForSection: "portal", EmailAddress: "ada@example.org" };
  const others = permissions.filter((one) => one !== "act:developer");
  const rows = [
    unauthenticated("POST", SSO, portal),
    unauthenticated("POST", REDEEM, { nonce: "x" }),
    // Whoever holds all else, as the administrators of before do, makes none.
    denied(["POST", SSO, portal], ...others),
    denied(["POST", REDEEM, { nonce: "x" }], ...others),
    ...["dashboard", "Portal", "", "admin"].map((ForSection) => ({
      name: `for the section "${ForSection}"`,
      call: ["POST", SSO, { ...portal, ForSection }] as const,
      code: "sso_not_enabled" as const,
      message: "SSO not enabled for org.",
    })),
    { name: "at /admin/sso", call: ["POST", "/admin/sso", portal], code: "unknown_path" } as const,
    invalid("no section", ["POST", SSO, {}], "ForSection: expected a string"),
    invalid(
      "no address",
      ["POST", SSO, { ForSection: "portal" }],
      "EmailAddress: must not be empty",
    ),
    invalid(
      "an address with a blank in it",
      ["POST", SSO, { ...portal, EmailAddress: "a da@example.org" }],
      "EmailAddress: must not hold blanks or invisible characters",
    ),
    invalid("no nonce", ["POST", REDEEM, {}], "nonce: expected a string"),
    {
      name: "a nonce that never was",
      call: ["POST", REDEEM, { nonce: "x" }],
      code: "nonce_gone",
    } as const,
  ];
  return Promise.resolve({ rows, unchanged: () => noncesOf(desk) });
});
