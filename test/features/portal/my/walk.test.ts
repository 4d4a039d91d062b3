/**
 * Every operation that a developer calls for themselves: who gets in, what each kind of session and
 * token opens, and that nobody reaches what is another's.
 */
import assert from "node:assert/strict";
import { wholeAnswer } from "../../../support/answers.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import {
  codesOf,
  type DeveloperClient,
  openPages,
  registered,
  signIn,
  signInByCode,
  signInByLink,
} from "../../../support/developers.ts";
import { offer } from "../../../support/offer.ts";
import { signIn as signInAtConsole } from "../../../support/sign-in.ts";
import { call } from "../../../support/people.ts";
import {
  acceptedBody,
  developersCalls,
  pathWith,
  toldPathWith,
  type WalkedCall,
} from "../../../support/walk.ts";

const ABSENT = "0".repeat(24);

async function codeOf(answer: Response): Promise<string> {
  const text = await answer.text();
  return answer.ok ? "" : JSON.parse(text).code;
}

/** Calls with the body of the example, at ids that name nothing. */
function callAbsent(client: Pick<DeveloperClient, "send">, { endpoint, method }: WalkedCall) {
  return client.send(method, pathWith(endpoint, ABSENT), acceptedBody(endpoint));
}

testOnEngines("my walk: nobody gets in but developers", async (desk) => {
  await openPages(desk);
  assert.ok(developersCalls.length >= 20);
  const console = await signInAtConsole(desk, { credential: desk.admin });
  for (const [n, { endpoint, method, name }] of developersCalls.entries()) {
    // Each once: who presents what is wrong again and again has to wait.
    const presented = [
      { credential: null },
      { credential: await desk.token(["admin", "approve", "act:developer"]) },
      { credential: `kdd_garbage${n}` },
      {
        credential: null,
        headers: { cookie: console.cookie, "x-csrf-token": console.csrf },
      },
      {
        credential: null,
        headers: { cookie: `keydesk_developer=garbage${n}` },
      },
    ];
    for (const { headers, credential } of presented) {
      const { headers: usual, ...body } = acceptedBody(endpoint);
      const init = { ...body, credential, headers: { ...usual, ...headers } };
      const answer = await desk.send(method, pathWith(endpoint, ABSENT), init);
      assert.equal(answer.status, 401, `${name}: ${await answer.text()}`);
    }
  }
});

testOnEngines("my walk: an access token presented here stays good elsewhere", async (desk) => {
  await openPages(desk);
  // Only who has an address is counted.
  const init = { credential: await desk.token(["portal:read"]), from: "192.0.2.7" };
  const seen = new Set<number>();
  for (let n = 0; n < 15; n++) seen.add((await desk.send("GET", "/v1/my", init)).status);
  assert.ok(!seen.has(200));
  assert.equal((await desk.send("GET", "/v1/key-requests", init)).status, 200);
});

/** A developer with one of everything. */
async function ada(desk: TestDesk) {
  await openPages(desk);
  const { plans } = await offer(desk, [
    { api: "tides", plan: "Free", approval: "automatic" },
    { api: "tides", plan: "Partners" },
  ]);
  const { id, email } = await registered(desk, "dev-ada");
  const client = await signInByCode(desk, email);
  const pending = await client.get<{ id: string }>("POST", "/v1/my/requests", {
    plan: plans.Partners,
  });
  const issued = await client.get<{ id: string; key: { id: string } }>(
    "POST",
    "/v1/my/requests",
    { plan: plans.Free },
  );
  const key = await call(
    desk,
    "POST",
    `/v1/developers/${id}/keys`,
    { plans: [plans.Free] },
    desk.admin,
  );
  const token = async (scope: string) =>
    await client.get<{ id: string; token: string }>("POST", "/v1/my/tokens", {
      name: scope,
      scope,
      days: 1,
    });
  const tokens = { look: await token("look"), keys: await token("keys") };
  const { data } = await client.get<{ data: { id: string }[] }>("GET", "/v1/my/sessions");
  const session = data[0]?.id ?? "";
  const ids = [
    ...[pending.id, issued.id, issued.key.id, key.key_id, session],
    ...[tokens.look.id, tokens.keys.id],
  ];
  return { id, client, ids, tokens };
}

/** What a developer has, as they read it. */
async function read(client: DeveloperClient): Promise<string> {
  const paths = ["/v1/my/requests", "/v1/my/keys", "/v1/my/tokens"];
  return JSON.stringify(await Promise.all(paths.map((path) => client.get("GET", path))));
}

testOnEngines("my walk: another's things are answered like what is not there", async (desk) => {
  const { id, client, ids } = await ada(desk);
  const bob = await signInByCode(desk, (await registered(desk, "dev-bob")).email);
  const other = await desk.otherOrganisation();
  const host = "others.example.org";
  await call(desk, "PUT", "/v1/developer-pages", { enabled: true, host }, other.admin);
  await call(desk, "POST", "/v1/developers", { email: "carol@example.org" }, other.admin);
  const asked = await desk.send("POST", "/v1/my/codes", {
    credential: null,
    headers: { host },
    body: { email: "carol@example.org" },
  });
  const { ticket } = await asked.json();
  const carol = await signIn(desk, { ticket, code: (await codesOf(desk))[0]?.code }, host);
  const before = await read(client);
  for (const [who, foreign] of [[bob, ids], [carol, [...ids, "tides"]]] as const) {
    for (const { endpoint, method, name } of developersCalls) {
      if (!endpoint.path.includes("{")) continue;
      const answer = async (id: string) => {
        const sent = await who.send(method, pathWith(endpoint, id), acceptedBody(endpoint));
        assert.ok(sent.status >= 400, `${name}: ${sent.status}`);
        return JSON.stringify(await wholeAnswer(sent))
          .replaceAll(toldPathWith(endpoint, id), "<path>");
      };
      for (const id of foreign) {
        assert.equal(await answer(id), await answer("0".repeat(id.length)), `${name} with ${id}`);
      }
    }
    for (const { endpoint, method, name } of developersCalls) {
      if (method !== "GET" || endpoint.path.includes("{")) continue;
      const text = await (await who.send(method, endpoint.path)).text();
      for (const theirs of [...ids, id, "ada@example.org"]) {
        assert.ok(!text.includes(theirs), `${name} shows ${theirs}`);
      }
    }
  }
  assert.equal(await read(client), before);
});

testOnEngines("my walk: what a portal opened asks for a code where all is needed", async (desk) => {
  const { id } = await ada(desk);
  for (const one of developersCalls) {
    // Some of them end the session.
    const code = await codeOf(await callAbsent(await signInByLink(desk, id), one));
    const { developerNeeds } = one.endpoint;
    assert.equal(code === "code_required", developerNeeds === "all", `${one.name}: ${code}`);
    const isOwn = developerNeeds === "own session";
    assert.equal(code === "fresh_sign_in_required", isOwn, `${one.name}: ${code}`);
  }
});

testOnEngines("my walk: a token opens what its scope says", async (desk) => {
  const { tokens } = await ada(desk);
  const as = (token: string) => ({
    send: (method: string, path: string, init: { body?: unknown } = {}) =>
      desk.send(method, path, { ...init, credential: token }),
  });
  const denied: string[] = [];
  for (const one of developersCalls) {
    const { endpoint: { developerNeeds }, method, name } = one;
    const look = await codeOf(await callAbsent(as(tokens.look.token), one));
    const mayLook = developerNeeds === "looking" ||
      (developerNeeds === undefined && method === "GET");
    assert.equal(look === "access_denied", !mayLook, `look, ${name}: ${look}`);
    const keys = await codeOf(await callAbsent(as(tokens.keys.token), one));
    if (keys === "access_denied") denied.push(name);
    assert.ok(!["code_required", "not_authorised"].includes(keys), `keys, ${name}: ${keys}`);
  }
  // The account is changed in a session alone.
  assert.deepEqual(denied.toSorted(), ACCOUNT);
});

const ACCOUNT = [
  "DELETE /v1/my/sessions",
  "DELETE /v1/my/sessions/{id}",
  "DELETE /v1/my/tokens/{id}",
  "POST /v1/my/email/codes",
  "POST /v1/my/tokens",
  "PUT /v1/my/email",
  "PUT /v1/my/mails",
  "PUT /v1/my/password",
  "PUT /v1/my/profile",
];
