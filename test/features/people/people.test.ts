/** People: who may give what to whom, and that somebody can always administer. */
import assert from "node:assert/strict";
import { permissions } from "../../../src/contract/permissions.ts";
import { assertFailure } from "../../support/answers.ts";
import { testOnEngines } from "../../support/desk.ts";
import { allItems, call, newPerson, statusOf, testClock } from "../../support/people.ts";
import { bySession, signIn } from "../../support/sign-in.ts";
import { storedText } from "../../support/stored.ts";

const PEOPLE = "/v1/people";

testOnEngines("people: added, read, replaced and listed newest first", async (desk) => {
  const input = { name: "  Grace Ø ", permissions: ["approve", "portal:read", "approve"] };
  const created = await call(desk, "POST", PEOPLE, input);
  assert.match(created.id, /^[0-9a-f]{24}$/);
  assert.deepEqual({ ...created, id: "", date_created: "" }, {
    id: "",
    name: "Grace Ø",
    permissions: ["portal:read", "approve"],
    state: "active",
    date_created: "",
    deactivated_at: null,
    suspended_at: null,
    email: null,
    role: null,
    scope: null,
  });
  assert.deepEqual(await call(desk, "GET", `${PEOPLE}/${created.id}`), created);
  const changed = { name: "Grace Hopper", permissions: [] };
  const { left_open, ...updated } = await call(desk, "PUT", `${PEOPLE}/${created.id}`, changed);
  assert.deepEqual(left_open, { plans: [], key_requests: [] });
  assert.deepEqual(updated, { ...created, ...changed });
  const listed = await allItems(desk, `${PEOPLE}?limit=1`);
  assert.deepEqual(listed.map(({ name }) => name), ["Grace Hopper", "administrator"]);
  assert.deepEqual(listed[0], updated);
});

testOnEngines(
  "people: a list stands still while people are added, and links to its next page",
  async (desk) => {
    for (let n = 0; n < 5; n++) {
      await call(desk, "POST", PEOPLE, {
        name: `p${n}`,
        permissions: [],
      });
    }
    const first = await desk.send("GET", `${PEOPLE}?limit=2`);
    const page = await first.json();
    const link = /^<(.*)>; rel="next"$/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
    await call(desk, "POST", PEOPLE, { name: "late", permissions: [] });
    const second = await call(desk, "GET", link);
    const names = [...page.data, ...second.data].map(({ name }: { name: string }) => name);
    assert.deepEqual(names, ["p4", "p3", "p2", "p1"]);
    const last = await desk.send("GET", `${PEOPLE}?limit=100`);
    assert.equal(last.headers.get("link"), null);
  },
);

testOnEngines("people: If-Match lets through only what was read", async (desk) => {
  const { id } = await call(desk, "POST", PEOPLE, { name: "Grace", permissions: [] });
  const path = `${PEOPLE}/${id}`;
  const etag = (await desk.send("GET", path)).headers.get("etag") ?? "";
  assert.match(etag, /^"[0-9a-f]{32}"$/);
  const put = (name: string, tag: string) =>
    desk.send("PUT", path, { body: { name, permissions: [] }, headers: { "if-match": tag } });
  const changed = await put("Ada", `"other", ${etag}`);
  assert.equal(changed.status, 200);
  await assertFailure(await put("Eve", etag), "precondition_failed");
  await assertFailure(await put("Eve", `W/${changed.headers.get("etag")}`), "precondition_failed");
  await assertFailure(
    await desk.send("DELETE", path, { headers: { "if-match": etag } }),
    "precondition_failed",
  );
  assert.equal((await put("Eve", "*")).status, 200);
  assert.equal((await call(desk, "GET", path)).name, "Eve");
});

testOnEngines(
  "people: nobody gives what they don't hold, to others or to themselves",
  async (desk) => {
    const lesser = await newPerson(desk, ["admin", "portal:write"]);
    const as = { credential: lesser.credential };
    const refused = async (response: Response, lacking: string) =>
      await assertFailure(response, "permission_not_held", {
        message: `You can't give what you don't hold: ${lacking}.`,
      });
    const body = { name: "Eve", permissions: ["secrets", "portal:read"] };
    await refused(await desk.send("POST", PEOPLE, { ...as, body }), "secrets");
    const self = { name: "Eve", permissions: ["admin", "portal:write", "operator"] };
    await refused(
      await desk.send("PUT", `${PEOPLE}/${lesser.id}`, { ...as, body: self }),
      "operator",
    );
    // Reading lies within writing, and taking away is not giving.
    const own = { name: "Eve", permissions: ["portal:read"] };
    assert.equal((await desk.send("POST", PEOPLE, { ...as, body: own })).status, 200);
    const rich = await newPerson(desk, ["secrets", "approve"]);
    // A credential of somebody who holds more would be a way around.
    const credentials = `${PEOPLE}/${rich.id}/access-tokens`;
    const everything = { ...as, body: { name: "x" } };
    await refused(await desk.send("POST", credentials, everything), "approve, secrets");
    const path = `/v1/access-tokens/${rich.credential_id}/rotate`;
    await refused(
      await desk.send("POST", path, { ...as, body: { overlap_seconds: 0 } }),
      "approve, secrets",
    );
    assert.equal(await statusOf(desk, rich.credential), 200);
  },
);

const clock = testClock();

testOnEngines(
  "people: somebody who is deactivated is refused within a second, for good",
  async (desk) => {
    const person = await newPerson(desk, ["portal:read"]);
    const path = `${PEOPLE}/${person.id}`;
    assert.equal(await statusOf(desk, person.credential), 200);
    const { left_open: _, ...gone } = await call(desk, "DELETE", path);
    assert.equal(gone.state, "deactivated");
    clock.at += 1000;
    assert.equal(await statusOf(desk, person.credential), 401);
    assert.deepEqual(await call(desk, "GET", path), gone);
    const body = { name: "Grace", permissions: [] };
    await assertFailure(await desk.send("DELETE", path), "person_deactivated");
    await assertFailure(await desk.send("PUT", path, { body }), "person_deactivated");
    const issue = await desk.send("POST", `${path}/access-tokens`, { body: { name: "x" } });
    await assertFailure(issue, "person_deactivated");
    const [credential] = await allItems(desk, `${path}/access-tokens`);
    assert.equal(credential.state, "revoked");
  },
  { clock },
);

testOnEngines(
  "people: fewer permissions reach the access tokens within a second",
  async (desk) => {
    const person = await newPerson(desk, ["portal:read", "certs:read"]);
    await call(desk, "GET", "/api/portal/requests", undefined, person.credential);
    const body = { name: "Grace", permissions: ["certs:read"] };
    await call(desk, "PUT", `${PEOPLE}/${person.id}`, body);
    clock.at += 1000;
    const init = { credential: person.credential };
    assert.equal((await desk.send("GET", "/api/portal/requests", init)).status, 403);
    assert.equal((await desk.send("GET", "/api/certs", init)).status, 200);
  },
  { clock },
);

testOnEngines(
  "people: the weaker touch neither the stronger nor their access tokens",
  async (desk) => {
    const weaker = await newPerson(desk, ["admin", "portal:write"]);
    const as = { credential: weaker.credential };
    const stronger = await newPerson(desk, ["admin", "approve"], { scope: ["admin"] });
    const path = `${PEOPLE}/${stronger.id}`;
    const credential = `/v1/access-tokens/${stronger.credential_id}`;
    const less = { name: "Eve", permissions: ["admin"] };
    const refused = (response: Response) =>
      assertFailure(response, "person_holds_more", {
        message: "This person holds more than you do: approve.",
      });
    const before = await storedText(desk);
    for (
      const response of [
        await desk.send("DELETE", path, as),
        await desk.send("PUT", path, { ...as, body: less }),
        await desk.send("POST", `${path}/suspend`, as),
        await desk.send("DELETE", credential, as),
        await desk.send("PUT", `${credential}/addresses`, { ...as, body: { addresses: [] } }),
      ]
    ) await refused(response);
    assert.equal(await storedText(desk), before);
    await call(desk, "POST", `${path}/suspend`);
    await refused(await desk.send("POST", `${path}/resume`, as));
    // A name may be mended, and what one holds oneself be given.
    const more = { name: "Eve", permissions: ["admin", "approve", "portal:write"] };
    assert.equal((await desk.send("PUT", path, { ...as, body: more })).status, 200);
    // An equal is nobody stronger.
    const equal = await newPerson(desk, ["admin", "portal:write"]);
    assert.equal((await desk.send("DELETE", `${PEOPLE}/${equal.id}`, as)).status, 200);
  },
);

testOnEngines(
  "people: the weaker send the mails of the stronger nowhere else",
  async (desk) => {
    const weaker = await newPerson(desk, ["admin"]);
    const as = { credential: weaker.credential };
    const permissions = ["admin", "approve"] as const;
    const { id } = await newPerson(desk, permissions);
    const path = `${PEOPLE}/${id}`;
    const refused = async (email: string) =>
      assertFailure(
        await desk.send("PUT", path, { ...as, body: { name: "Ada", permissions, email } }),
        "person_holds_more",
        { message: "This person holds more than you do: approve." },
      );
    await refused("eve@example.org");
    const whole = { name: "Ada", permissions, email: "ada@example.org" };
    await call(desk, "PUT", path, whole);
    const before = await storedText(desk);
    await refused("eve@example.org");
    await refused("");
    assert.equal(await storedText(desk), before);
    // A name may be mended, with the address as it is or unsaid.
    for (const body of [whole, { name: "Ada L.", permissions }]) {
      const mended = await desk.send("PUT", path, { ...as, body });
      assert.deepEqual([mended.status, (await mended.json()).email], [200, whole.email]);
    }
    // Nor does a narrow access token of one's own, which somebody may have a copy of.
    const narrow = await call(desk, "POST", `${path}/access-tokens`, {
      name: "narrow",
      scope: ["admin"],
      deliver: "answer",
    });
    as.credential = narrow.access_token;
    await refused("eve@example.org");
    const equal = await newPerson(desk, ["admin"]);
    const body = { name: "Equal", permissions: ["admin"], email: "equal@example.org" };
    const moved = await desk.send("PUT", `${PEOPLE}/${equal.id}`, { ...as, body });
    assert.equal(moved.status, 200);
  },
);

testOnEngines(
  "people: a narrow access token revokes itself, and nothing stronger of its own person",
  async (desk) => {
    const { id, credential_id } = await newPerson(desk, ["admin", "secrets"]);
    const path = `${PEOPLE}/${id}/access-tokens`;
    const narrow = await call(desk, "POST", path, {
      name: "narrow",
      scope: ["admin"],
      deliver: "answer",
    });
    const as = { credential: narrow.access_token };
    const other = await desk.send("DELETE", `/v1/access-tokens/${credential_id}`, as);
    await assertFailure(other, "person_holds_more", {
      message: "This person holds more than you do: secrets.",
    });
    assert.equal((await desk.send("DELETE", `/v1/access-tokens/${narrow.id}`, as)).status, 200);
  },
);

testOnEngines(
  "people: whoever is suspended opens nothing within a second until resumed; sessions end at once, for good",
  async (desk) => {
    const person = await newPerson(desk, ["admin", "approve"]);
    const path = `${PEOPLE}/${person.id}`;
    const second = await call(desk, "POST", `${path}/access-tokens`, {
      name: "second",
      deliver: "answer",
    });
    const browser = await signIn(desk, { credential: person.credential });
    const ofSession = async () => (await bySession(desk, browser, "GET", "/v1/me")).status;
    assert.equal(await statusOf(desk, person.credential), 200);
    const suspended = await call(desk, "POST", `${path}/suspend`);
    assert.equal(suspended.state, "suspended");
    assert.equal(await ofSession(), 401);
    // What it changes is looked at anew: not even within the second.
    const late = { credential: person.credential, body: { name: "x", permissions: [] } };
    await assertFailure(await desk.send("POST", PEOPLE, late), "not_authorised");
    clock.at += 1000;
    for (const credential of [person.credential, second.access_token]) {
      assert.equal(await statusOf(desk, credential), 401);
      const again = { credential: null, body: { access_token: credential } };
      assert.equal((await desk.send("POST", "/v1/session", again)).status, 401);
    }
    const states = (await allItems(desk, `${path}/access-tokens`)).map(({ state }) => state);
    assert.deepEqual(states, ["suspended", "suspended"]);
    await assertFailure(await desk.send("POST", `${path}/suspend`), "person_suspended");

    const resumed = await call(desk, "POST", `${path}/resume`);
    assert.deepEqual([resumed.state, resumed.suspended_at], ["active", null]);
    assert.equal(await statusOf(desk, person.credential), 200);
    // What was ended stays so.
    assert.equal(await ofSession(), 401);
    await assertFailure(await desk.send("POST", `${path}/resume`), "person_not_suspended");
    await call(desk, "DELETE", path);
    await assertFailure(await desk.send("POST", `${path}/suspend`), "person_deactivated");
    const { data } = await call(desk, "GET", `/v1/audit-log?object_id=${person.id}`);
    assert.deepEqual(data.map(({ action }: { action: string }) => action).sort(), [
      "person.created",
      "person.deactivated",
      "person.resumed",
      "person.suspended",
    ]);
  },
  { clock },
);

testOnEngines("people: the last administrator can't be suspended", async (desk) => {
  const me = await call(desk, "GET", "/v1/me");
  const path = `${PEOPLE}/${me.person.id}/suspend`;
  await assertFailure(await desk.send("POST", path), "last_administrator");
  const other = await newPerson(desk, permissions);
  await call(desk, "POST", `${PEOPLE}/${other.id}/suspend`);
  // A suspended administrator is none.
  await assertFailure(await desk.send("POST", path), "last_administrator");
  await call(desk, "POST", `${PEOPLE}/${other.id}/resume`);
  assert.equal((await desk.send("POST", path)).status, 200);
});

testOnEngines("people: an Idempotency-Key adds a person once", async (desk) => {
  const init = {
    body: { name: "Grace", permissions: [] },
    headers: { "idempotency-key": "add-grace-0123456789" },
  };
  const first = await (await desk.send("POST", PEOPLE, init)).json();
  assert.deepEqual(await (await desk.send("POST", PEOPLE, init)).json(), first);
  assert.equal((await allItems(desk, PEOPLE)).length, 2);
  const other = { ...init, body: { name: "Ada", permissions: [] } };
  await assertFailure(await desk.send("POST", PEOPLE, other), "idempotency_key_reused");
});

testOnEngines("users: people as the original's clients read them, page by page", async (desk) => {
  const names = ["Grace Brewster Hopper", "Ada", ...Array.from({ length: 9 }, (_, n) => `P ${n}`)];
  for (const name of names) {
    await call(desk, "POST", PEOPLE, { name, permissions: [], email: "p@example.org" });
  }
  const people = await allItems(desk, `${PEOPLE}?limit=100`);
  const { users, pages } = await call(desk, "GET", "/api/users/");
  assert.deepEqual(
    [users.map(({ id }: { id: string }) => id), pages],
    [people.map(({ id }) => id), 1],
  );
  const [administrator, grace] = users.toReversed();
  const { id } = grace;
  assert.deepEqual(grace, {
    id,
    first_name: "Grace Brewster",
    last_name: "Hopper",
    email_address: "p@example.org",
    active: true,
    org_id: desk.org_id,
  });
  assert.deepEqual(
    [administrator.first_name, administrator.last_name, administrator.email_address],
    [
      "administrator",
      "",
      "",
    ],
  );
  await call(desk, "DELETE", `${PEOPLE}/${id}`);
  assert.deepEqual(await call(desk, "GET", "/api/users?p=2"), {
    users: [{ ...grace, active: false }, administrator],
    pages: 2,
  });
  assert.deepEqual(await call(desk, "GET", "/api/users?p=3"), { users: [], pages: 2 });
});
