/** A token that may write developers, and not approve, gets at no key by another address. */
import assert from "node:assert/strict";
import { assertFailure } from "../../../support/answers.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import { create, smallRequest } from "../../../support/key-requests.ts";
import {
  addMailChannel,
  deliveriesOf,
  mailEngine,
  mailServer,
} from "../../../support/mail-server.ts";
import { tokenOf, v1 } from "../../../support/v1-requests.ts";
import { call } from "../../../support/people.ts";
import { deliver } from "../../../support/receiver.ts";

const victim = {
  id: "dev-1",
  email: "elif@example.org",
  fields: { Name: "Elif", company: "Tides" },
};
const asked = () => smallRequest({ by_user: "dev-1", portal_developer: victim });

/** What a portal may write of a developer, on both interfaces. */
const edits: readonly [method: string, path: string, body: Record<string, unknown>][] = [
  ["PUT", "/v1/developers/dev-1", {
    email: "thief@example.net",
    fields: victim.fields,
    account: "same_person",
  }],
  ["PUT", "/v1/developers/dev-1", {
    email: victim.email,
    fields: { ...victim.fields, company: "Else" },
  }],
  ["PUT", "/api/portal/developers/dev-1", { email: "thief@example.net", fields: victim.fields }],
  ["PUT", "/api/portal/developers/dev-1", { ...victim, inactive: true }],
];

async function etagOf(desk: TestDesk, path: string): Promise<string> {
  const response = await desk.send("GET", path);
  await response.body?.cancel();
  return response.headers.get("etag") ?? "";
}

testOnEngines(
  "developer emails: what identifies the developer belongs to a request's revision, on both interfaces",
  async (desk) => {
    const credential = await desk.token(["portal:write"]);
    const id = await create(desk, asked());
    const older = `/api/portal/requests/${id}`;
    for (const [method, path, body] of edits) {
      const before = [await etagOf(desk, older), await etagOf(desk, `/v1/key-requests/${id}`)];
      assert.equal(before[0], before[1]);
      const seen = { id, revision: (await v1.get(desk, id)).revision };
      const changed = await desk.send(method, path, { body, credential });
      assert.equal(changed.status, 200, await changed.text());
      const headers = { "if-match": before[0] ?? "" };
      for (
        const [verb, at] of [
          ["PUT", `/api/portal/requests/approve/${id}`],
          ["POST", `/v1/key-requests/${id}/approve?deliver=one_time_link`],
          ["POST", `/v1/key-requests/${id}/decline`],
        ] as const
      ) await assertFailure(await desk.send(verb, at, { headers }), "precondition_failed");
      const [many] = await v1.approveMany(desk, [seen]);
      assert.equal(many?.error?.code, "precondition_failed");
      const listed = (await v1.list(desk)).data[0]?.revision;
      assert.equal(`"${listed}"`, await etagOf(desk, older));
      assert.notEqual(`"${listed}"`, before[0]);
      await call(desk, "PUT", "/api/portal/developers/dev-1", { ...victim, inactive: false });
      assert.equal(await etagOf(desk, older), before[0]);
    }
    // Neither when they signed in, nor what they have, nor the same address in other letters.
    const before = await etagOf(desk, older);
    await v1.approve(desk, await create(desk, asked()));
    await call(desk, "PUT", "/api/portal/developers/dev-1", {
      ...victim,
      email: "Elif@Example.org",
      last_login_date: "2026-01-01T00:00:00Z",
    });
    assert.equal(await etagOf(desk, older), before);
    const headers = { "if-match": before };
    const approved = await desk.send("PUT", `/api/portal/requests/approve/${id}`, { headers });
    assert.equal(approved.status, 200, await approved.text());
  },
);

for (
  const [method, path] of [["PUT", "/v1/developers/dev-1"], [
    "PUT",
    "/api/portal/developers/dev-1",
  ]] as const
) {
  testOnEngines(
    `developer emails: ${path} after an approval leads its link nowhere else`,
    async (desk) => {
      await using smtp = await mailServer();
      await addMailChannel(desk);
      const credential = await desk.token(["portal:write"]);
      const id = await create(desk, asked());
      const { one_time_link } = await v1.approve(desk, id, "?deliver=one_time_link");
      const account = path.startsWith("/v1") ? { account: "same_person" } : {};
      const body = { email: "thief@example.net", fields: {}, ...account };
      const changed = await desk.send(method, path, { body, credential });
      assert.equal(changed.status, 200, await changed.text());
      await deliver(mailEngine(desk, smtp));
      const links = smtp.taken.filter(({ raw }) => raw.includes("/claim#"));
      assert.deepEqual(links.map(({ to }) => to), [["elif@example.org"]]);
      assert.ok(links[0]?.parsed.text?.includes(tokenOf(one_time_link)));
      const [approved] = (await deliveriesOf(desk, id)).filter(({ topic }) =>
        topic === "key_request.approved"
      );
      assert.equal(approved.state, "delivered");
      // Whoever opens the page reads whom it was meant for.
      const preview = await desk.send("POST", "/v1/one-time-links/preview", {
        credential: null,
        body: { token: tokenOf(one_time_link) },
      });
      assert.equal((await preview.json()).recipient.email, "elif@example.org");
    },
  );
}

testOnEngines(
  "developer emails: nothing that an approval hands over is mailed to an address that nobody confirmed",
  async (desk) => {
    await using smtp = await mailServer();
    await addMailChannel(desk);
    const credential = await desk.token(["portal:write"]);
    const id = await create(desk, asked());
    const body = { email: "thief@example.net", fields: victim.fields, account: "same_person" };
    await call(desk, "PUT", "/v1/developers/dev-1", body, credential);
    // Whoever approves what they see gets the link themselves.
    const { revision } = await v1.get(desk, id);
    const headers = { "if-match": `"${revision}"` };
    const { one_time_link } = await v1.approve(desk, id, "?deliver=one_time_link", { headers });
    assert.ok(one_time_link);
    await deliver(mailEngine(desk, smtp));
    assert.ok(smtp.taken.length > 0);
    assert.deepEqual(smtp.taken.filter(({ raw }) => raw.includes("/claim#")), []);
  },
);
