/** The people of an organisation see by what a developer is signed in, and end it. */
import assert from "node:assert/strict";
import { assertFailure } from "../../../support/answers.ts";
import { succeed } from "../../../support/companions.ts";
import { testOnEngines } from "../../../support/desk.ts";
import { openPages, registered, signInByCode, signInByLink } from "../../../support/developers.ts";
import { call } from "../../../support/people.ts";

const ADA = "/v1/developers/dev-ada";

testOnEngines(
  "developers' access: who administers or approves lists and ends sessions and tokens",
  async (desk) => {
    await openPages(desk);
    const { email } = await registered(desk, "dev-ada");
    await registered(desk, "dev-eve");
    const ada = await signInByCode(desk, email);
    const linked = await signInByLink(desk, "dev-ada");
    const eve = await signInByCode(desk, "dev-eve@example.org");
    const made = await ada.get<{ id: string; token: string }>("POST", "/v1/my/tokens", {
      name: "Nightly",
      scope: "look",
      days: 30,
    });
    const approver = await desk.token(["approve"]);
    const list = async (what: string) =>
      (await (await desk.send("GET", `${ADA}/${what}`, { credential: approver })).json()).data;
    const sessions = await list("sessions");
    assert.deepEqual(
      sessions.map(({ signed_in_by: opened_by }: { signed_in_by: string }) => opened_by),
      [
        "link",
        "code",
      ],
    );
    const tokens = await list("tokens");
    assert.deepEqual(tokens.map(({ id, name }: { id: string; name: string }) => [id, name]), [[
      made.id,
      "Nightly",
    ]]);
    assert.ok(!JSON.stringify(tokens).includes(made.token));
    const others = await desk.token(["portal:write", "portal:read", "admin:read", "revoke"]);
    const { admin } = await desk.otherOrganisation();
    const [, own] = sessions;
    for (
      const [method, path] of [
        ["GET", `${ADA}/sessions`],
        ["GET", `${ADA}/tokens`],
        ["DELETE", `${ADA}/sessions`],
        ["DELETE", `${ADA}/tokens`],
        ["DELETE", `${ADA}/sessions/${own.id}`],
        ["DELETE", `${ADA}/tokens/${made.id}`],
      ] as const
    ) {
      assert.equal((await desk.send(method, path, { credential: others })).status, 403);
      await assertFailure(await desk.send(method, path, { credential: admin }), "not_found");
    }
    // Of another developer it is none.
    const foreign = await desk.send("DELETE", `/v1/developers/dev-eve/sessions/${own.id}`);
    await assertFailure(foreign, "not_found");
    assert.deepEqual(await call(desk, "DELETE", `${ADA}/sessions/${own.id}`), { ended: 1 });
    await assertFailure(await desk.send("DELETE", `${ADA}/sessions/${own.id}`), "not_found");
    await assertFailure(await ada.send("GET", "/v1/my/keys"), "not_authorised");
    assert.equal((await linked.send("GET", "/v1/my/keys")).status, 200);
    assert.deepEqual(await call(desk, "DELETE", `${ADA}/sessions`), { ended: 1 });
    await assertFailure(await linked.send("GET", "/v1/my/keys"), "not_authorised");
    const credential = `Bearer ${made.token}`;
    assert.equal((await desk.send("GET", "/v1/my/keys", { credential })).status, 200);
    assert.deepEqual(await call(desk, "DELETE", `${ADA}/tokens`), { ended: 1 });
    await assertFailure(await desk.send("GET", "/v1/my/keys", { credential }), "not_authorised");
    assert.deepEqual([await list("sessions"), await list("tokens")], [[], []]);
    assert.equal((await eve.send("GET", "/v1/my/keys")).status, 200);
    const { data } = await call(desk, "GET", "/v1/audit-log?object=developer_session");
    const [newest] = data;
    assert.deepEqual([newest.action, newest.detail.reason], [
      "developer_session.ended",
      "ended by the organisation",
    ]);
  },
);

testOnEngines(
  "developers' access: a session that begins while all are ended opens or is ended, never both",
  async (desk) => {
    await openPages(desk);
    const { email } = await registered(desk, "dev-ada");
    await signInByCode(desk, email);
    const { token } = await succeed<{ token: string }>(desk, "POST", `${ADA}/sign-in-links`);
    const [ended, entered] = await Promise.all([
      desk.send("DELETE", `${ADA}/sessions`),
      desk.send("POST", "/v1/my/session", { credential: null, body: { link: token } }),
    ]);
    assert.equal(ended.status, 200);
    const { data } = await call(desk, "GET", `${ADA}/sessions`);
    assert.equal(data.length, entered.status === 200 && (await ended.json()).ended === 1 ? 1 : 0);
  },
);
