/**
 * Members that hold secrets: sealed at rest, shown only with the permission `secrets`, masked by a
 * setting.
 */
import assert from "node:assert/strict";
import { testOnEngines } from "../support/desk.ts";
import {
  approve,
  create,
  list,
  read,
  type ShownRequest,
  smallRequest,
  update,
} from "../support/key-requests.ts";
import { liveRecords, liveRecordsOf } from "../support/live-records.ts";

const DEVELOPER = {
  id: "dev-ada",
  email: "ada@example.org",
  nonce: "the nonce",
  sso_key: "the sso key",
  oauth_clients: { p: [{ client_id: "c1", secret: "s1" }, { client_id: "c2", secret: "" }] },
  PWHistory: ["hash 1"],
};
const BODY = smallRequest({ jwt_secret: "the jwt secret", portal_developer: DEVELOPER });
const SHOWN = ["the jwt secret", "the nonce", "the sso key", "s1", ""];
const HIDDEN = ["", "", "", "", ""];

function secretsOf({ jwt_secret, portal_developer }: ShownRequest): string[] {
  const { nonce, sso_key, oauth_clients = {} } = portal_developer;
  const secrets = Object.values(oauth_clients).flat().map((client) => client.secret);
  return [jwt_secret, nonce, sso_key, ...secrets];
}

testOnEngines(
  "secrets: shown to a credential with the permission, in read and list",
  async (desk) => {
    const id = await create(desk, BODY);
    const credential = await desk.token(["portal:read", "secrets"]);
    assert.deepEqual(secretsOf(await read(desk, id, credential)), SHOWN);
    for (const request of (await list(desk, "", credential)).Data) {
      assert.deepEqual(secretsOf(request), SHOWN);
    }
  },
);

testOnEngines(
  "secrets: every other credential reads them empty, in read and list",
  async (desk) => {
    const id = await create(desk, BODY);
    const credential = await desk.token([
      "portal:write",
      "approve",
      "admin",
      "verify",
      "certs:write",
    ]);
    assert.deepEqual(secretsOf(await read(desk, id, credential)), HIDDEN);
    for (const query of ["", "?p=1"]) {
      for (const request of (await list(desk, query, credential)).Data) {
        assert.deepEqual(secretsOf(request), HIDDEN);
      }
    }
  },
);

testOnEngines("secrets: nothing else of the answer depends on the permission", async (desk) => {
  const id = await create(desk, BODY);
  const [open, closed] = [
    await read(desk, id),
    await read(desk, id, await desk.token(["portal:read"])),
  ];
  for (const shown of [open, closed]) {
    shown.jwt_secret = shown.portal_developer.nonce = shown.portal_developer.sso_key = "";
    for (const client of Object.values(shown.portal_developer.oauth_clients ?? {}).flat()) {
      client.secret = "";
    }
  }
  assert.equal(JSON.stringify(open), JSON.stringify(closed));
});

testOnEngines("secrets: KEYDESK_MASK_SECRETS hides them from everybody", async (desk) => {
  const id = await create(desk, BODY);
  assert.deepEqual(secretsOf(await read(desk, id)), HIDDEN);
  assert.deepEqual((await list(desk)).Data.map(secretsOf), [HIDDEN]);
}, { environment: { KEYDESK_MASK_SECRETS: "true" } });

testOnEngines(
  "secrets: a developer that is kept with the request alone has theirs sealed, too",
  async (desk) => {
    await liveRecordsOf(desk).developer({ id: "dev-bob", email: "ada@example.org" });
    const id = await create(desk, BODY);
    assert.deepEqual(secretsOf(await read(desk, id)), SHOWN);
    assert.deepEqual(secretsOf(await read(desk, id, await desk.token(["portal:read"]))), HIDDEN);
  },
  { extra: liveRecords },
);

testOnEngines(
  "secrets: an issued OAuth secret is shown with the permission alone",
  async (desk) => {
    const id = await create(desk, smallRequest({ oauth_info: {} }));
    const { Password } = await approve(desk, id);
    assert.deepEqual(secretsOf(await read(desk, id)), ["", "", "", Password]);
    const reader = await desk.token(["portal:write", "approve"]);
    assert.deepEqual(secretsOf(await read(desk, id, reader)), ["", "", "", ""]);
  },
);

testOnEngines("secrets: approving keeps the developer's own", async (desk) => {
  const id = await create(desk, BODY);
  await approve(desk, id);
  assert.deepEqual(secretsOf(await read(desk, id)), SHOWN);
});

testOnEngines(
  "secrets: a client that writes back what it could not see empties them",
  async (desk) => {
    const id = await create(desk, smallRequest({ jwt_secret: "the jwt secret" }));
    const seen = await read(desk, id, await desk.token(["portal:read"]));
    await update(desk, id, seen);
    assert.equal((await read(desk, id)).jwt_secret, "");
  },
);

testOnEngines("secrets: texts of any characters come back as they were", async (desk) => {
  const jwt_secret = '"\\\n\u2028 ключ 🔑 ${x} </script>';
  assert.equal(
    (await read(desk, await create(desk, smallRequest({ jwt_secret })))).jwt_secret,
    jwt_secret,
  );
});

testOnEngines("PWHistory is always empty, whatever was sent", async (desk) => {
  for (const PWHistory of [["h"], [1, { a: 1 }], [], null]) {
    const portal_developer = {
      ...DEVELOPER,
      id: `dev-${JSON.stringify(PWHistory)}`,
      email: "",
      PWHistory,
    };
    const id = await create(desk, { for_plan: "p", portal_developer });
    assert.deepEqual((await read(desk, id)).portal_developer.PWHistory, []);
    await approve(desk, id);
    assert.deepEqual((await read(desk, id)).portal_developer.PWHistory, []);
  }
});
