/**
 * Walks the registry: what nobody, a wrong credential, one without the permission, and a foreign
 * one get.
 */
import assert from "node:assert/strict";
import { bodyErrors, commonErrors, type Endpoint } from "../../src/contract/endpoint.ts";
import { allows, type Permission, permissions } from "../../src/contract/permissions.ts";
import { listTokens } from "../../src/features/people/access-tokens.store.ts";
import { createToken, endToken } from "../../src/features/people/operator.transactions.ts";
import { toWords } from "../../src/features/people/person.ts";
import { sha256 } from "../../src/kernel/sha256.ts";
import { assertFailure, wholeAnswer } from "../support/answers.ts";
import { openTestDesk, testOnEngines } from "../support/desk.ts";
import { openPages } from "../support/developers.ts";
import { readDocument } from "../support/document.ts";
import { approve, create, list, read, smallRequest } from "../support/key-requests.ts";
import { storedCredentials } from "../support/stored.ts";
import {
  acceptedBody,
  guardedCalls,
  pathWith,
  presenting,
  toldPathWith,
  type WalkedCall,
  walkedCalls,
} from "../support/walk.ts";

/** The permissions that do not open this endpoint. */
function insufficient({ permission }: Endpoint): Permission[] {
  return permissions.filter((granted) =>
    typeof permission !== "string" && !permission.some((wanted) => allows([granted], wanted))
  );
}

testOnEngines(
  "every endpoint: nobody, an odd and a wrong credential get 401 before anything else",
  async (desk) => {
    const id = await create(desk, smallRequest());
    const revoked = "x".repeat(43);
    const presented = [null, "", " ", "Bearer", "Bearer ", revoked, `Bearer ${desk.admin}x`];
    const doubled = `${desk.admin}, ${desk.admin}`;
    const odd = [
      desk.admin.toUpperCase(),
      doubled,
      "x".repeat(100_000),
    ];
    const basic = `Basic ${btoa(`x:${desk.admin}`)}`;
    for (const { endpoint, method, name } of guardedCalls) {
      const asClient = endpoint.clientAuthentication ? [] : [basic];
      for (const credential of [...presented, ...odd, ...asClient]) {
        for (const target of [id, "f".repeat(24), "%00"]) {
          const response = await desk.send(method, pathWith(endpoint, target), {
            credential,
            body: method === "GET" ? null : "{",
          });
          assert.equal(response.headers.get("www-authenticate"), "Bearer", name);
          await assertFailure(response, "not_authorised");
        }
      }
    }
    assert.equal((await list(desk)).Data.length, 1);
  },
);

testOnEngines(
  "every endpoint: a credential without the permission gets 403 and its path",
  async (desk) => {
    const id = await create(desk, smallRequest());
    const before = await read(desk, id);
    const holding = new Map<Permission, string>();
    for (const permission of permissions) holding.set(permission, await desk.token([permission]));
    const nothing = await desk.token([]);
    for (const { endpoint, method } of guardedCalls) {
      const path = pathWith(endpoint, id);
      for (const permission of insufficient(endpoint)) {
        const credential = holding.get(permission) ?? "";
        const init = { ...presenting(endpoint, credential), body: method === "GET" ? null : "{" };
        const response = await desk.send(method, `${path}?p=x`, init);
        const told = toldPathWith(endpoint, id);
        const message = `access denied: You do not have permission to access  ${told}`;
        await assertFailure(response, "access_denied", { message });
      }
      const none = await desk.send(method, path, presenting(endpoint, nothing));
      assert.equal(none.status, 403);
    }
    assert.deepEqual(await read(desk, id), before);
  },
);

/** What asks for more where a call says more, and the words by which its description tells that. */
const BY_WHAT_IS_SAID: Readonly<Record<string, RegExp>> = {
  startJob: /`portal:read`/,
  countSelection: /`portal:read`/,
  createView: /the permission that reads the list/,
  putColumns: /the permission that reads the list/,
  deactivateDeveloper: /needs the permission `revoke`/,
  reactivateDeveloper: /needs `approve`/,
  setMailServer: /access tokens are denied/,
  applyConfig: /Each change takes the permission of its operation/,
  confirmConfigReview: /access tokens are denied/,
  deleteMailServer: /Access tokens are denied/,
  testMailServer: /Access tokens are denied/,
};

Deno.test("every endpoint: what its document says it needs opens it, and nothing less", async () => {
  await using desk = await openTestDesk("sqlite");
  const tokens = new Map<string, string>();
  const refuses = async ({ endpoint, method }: WalkedCall, held: Permission[]) => {
    const credential = tokens.get(held.join()) ?? await desk.token(held);
    tokens.set(held.join(), credential);
    const { headers, ...accepted } = acceptedBody(endpoint);
    const by = presenting(endpoint, credential);
    const init = { ...accepted, ...by, headers: { ...headers, ...by.headers } };
    const response = await desk.send(method, pathWith(endpoint, "f".repeat(24)), init);
    await response.body?.cancel();
    return response.headers.get("x-keydesk-error") === "access_denied";
  };
  const wrong: string[] = [];
  for (const { name, operation, ...call } of readDocument().operations) {
    if (typeof call.endpoint.permission === "string") continue;
    const told = /Needs the permission (.+?)\.(?: |$)/.exec(operation?.description ?? "")?.[1] ??
      "";
    const [either = "", ...besides] = told.split(" and ");
    // as: what is none of them is refused when the token is made.
    for (const one of either.split(" or ") as Permission[]) {
      const all = [one, ...besides as Permission[]];
      const told = BY_WHAT_IS_SAID[call.endpoint.id]?.test(operation?.description ?? "") ?? false;
      if (!told && await refuses({ ...call, name }, all)) wrong.push(`${name} by ${all}`);
      if (besides.length > 0 && !await refuses({ ...call, name }, [one])) {
        wrong.push(`${name} by ${one} alone`);
      }
    }
  }
  assert.deepEqual(wrong, []);
});

testOnEngines(
  "every endpoint: a foreign id answers exactly like one that does not exist",
  async (desk) => {
    const pending = await create(desk, smallRequest());
    const issued = await create(desk, smallRequest());
    await approve(desk, issued);
    const before = [await read(desk, pending), await read(desk, issued)];
    const credentials = await storedCredentials(desk);
    const foreign = [
      pending,
      issued,
      "dev-ada",
      "plan-weather",
      credentials[0]?.key_id ?? "",
      desk.org_id,
    ];
    const other = await desk.otherOrganisation();
    // Every way in: an administrator, and each permission by itself, since each sees other paths of
    // the code.
    const callers = [other.admin];
    for (const one of permissions) callers.push(await desk.token([one], other.org_id));
    for (const { endpoint, method, name } of guardedCalls) {
      if (!endpoint.path.includes("{")) continue;
      for (const credential of callers) {
        const answer = async (id: string) => {
          const init = { ...acceptedBody(endpoint), credential };
          const whole = await wholeAnswer(await desk.send(method, pathWith(endpoint, id), init));
          // A 403 repeats the path as it was asked for.
          return JSON.stringify(whole).replaceAll(toldPathWith(endpoint, id), "<path>");
        };
        for (const id of foreign) {
          // As long as the foreign one, because a 403 tells its own length.
          const absent = await answer("0".repeat(id.length));
          assert.equal(await answer(id), absent, `${name} with ${id}`);
        }
      }
    }
    assert.deepEqual([await read(desk, pending), await read(desk, issued)], before);
    assert.deepEqual(await storedCredentials(desk), credentials);
  },
);

testOnEngines(
  "every endpoint: lists of another organisation show nothing of ours",
  async (desk) => {
    const id = await create(
      desk,
      smallRequest({ portal_developer: { id: "dev-ada", email: "ada@example.org" } }),
    );
    await approve(desk, id);
    const { admin: credential } = await desk.otherOrganisation();
    for (const { endpoint, method, name } of guardedCalls) {
      if (method !== "GET" || endpoint.path.includes("{")) continue;
      for (const query of ["", "?p=1", "?p=-1"]) {
        const answer = await desk.send(method, `${endpoint.path}${query}`, { credential });
        const text = await answer.text();
        for (const ours of [id, desk.org_id, "dev-ada", "ada@example.org"]) {
          assert.ok(!text.includes(ours), `${name} shows ${ours}`);
        }
      }
    }
  },
);

testOnEngines(
  "every endpoint: public ones are named here, and show nothing of anybody",
  async (desk) => {
    await create(desk, smallRequest());
    await openPages(desk);
    const open = walkedCalls.filter(({ endpoint }) => endpoint.permission === "public");
    const names = [
      // The form of declarations, which says nothing of an organisation.
      "GET /v1/config/schema",
      // Whoever holds the token of a link; test/claims.
      "POST /v1/one-time-links/preview",
      "POST /v1/one-time-links/fate",
      "POST /v1/one-time-links/open",
      "GET /claim",
      "GET /claim.js",
      "GET /claim.css",
      // Whoever holds the token of a mailed link; test/features/portal/emails.
      "POST /v1/email-confirmations/preview",
      "POST /v1/email-confirmations",
      "GET /confirm",
      "GET /confirm.js",
      // The same of an offer's mail; test/features/key-requests.
      "POST /v1/offers/preview",
      "POST /v1/offers/accept",
      "POST /v1/offers/answer",
      "GET /offer",
      "GET /offer.js",
      // What an only organisation shows of itself; test/branding.
      "GET /v1/branding/sign-in",
      // Anybody's, closed by default, and a signed partner's; test/leaks.
      "POST /v1/leaks",
      "POST /v1/leaks/partner",
      // Their callers authenticate themselves; test/oauth.
      "POST /oauth/token",
      "POST /oauth/revoke",
      // Its caller presents a credential or a code in the body; test/access.
      "POST /v1/session",
      // The same for everybody, and whoever holds the text of an invitation; test/sign-in.
      "POST /v1/session/preview",
      "POST /v1/session/ways",
      "POST /v1/session/passkey",
      // A person that an identity provider vouches for, and that provider.
      "POST /v1/session/provider/{id}",
      "POST /v1/session/provider/{id}/answer",
      "POST /v1/my/session/provider/{id}/logout",
      "POST /v1/session/provider/{id}/logout",
      // A public key; test/features/people/identity-providers.
      "GET /v1/session/provider/{id}/jwks",
      "POST /v1/invitations/preview",
      "POST /v1/invitations/accept",
      // The same for developers; test/features/portal/access.
      "GET /v1/my/pages",
      "POST /v1/my/codes",
      "POST /v1/my/session",
      "GET /healthz",
      "GET /livez",
      "GET /readyz",
      "GET /hello",
      "GET /openapi.json",
      "GET /openapi-3.1.json",
      "GET /reference",
      "GET /reference/{file}",
    ];
    assert.deepEqual(open.map(({ name }) => name).sort(), names.sort());
    for (const { endpoint, method } of open) {
      // What a path names is asked for elsewhere: files of the reference in test/reference.
      if (method !== "GET" || endpoint.path.includes("{")) continue;
      const response = await desk.send(method, endpoint.path, { credential: null });
      assert.equal(response.status, 200);
      const text = await response.text();
      for (const ours of [desk.org_id, "dev-ada", "plan-weather"]) assert.ok(!text.includes(ours));
    }
  },
);

testOnEngines(
  "every endpoint: a failure that it answers with is one that its contract declares",
  async (desk) => {
    const id = await create(desk, smallRequest());
    await approve(desk, id);
    const reader = await desk.token(["certs:read"]);
    for (const { endpoint, method, name } of guardedCalls) {
      const bodies = endpoint.body === undefined
        ? [null]
        : [null, "{", "[]", "{}", JSON.stringify(smallRequest({ by_user: "x" })), "x".repeat(2000)];
      const declared = [...endpoint.errors, ...commonErrors, ...endpoint.body ? bodyErrors : []];
      for (const credential of [desk.admin, reader, null]) {
        for (const target of [id, "f".repeat(24), "%00"]) {
          for (const body of bodies) {
            const path = `${pathWith(endpoint, target)}?p=x`;
            const headers = { "idempotency-key": "short" };
            const response = await desk.send(method, path, { credential, body, headers });
            const code = response.headers.get("x-keydesk-error");
            assert.ok(
              code === null || declared.some((known) => known === code),
              `${name}: ${code}`,
            );
            assert.ok(response.status < 500, name);
          }
        }
      }
    }
  },
  { environment: { KEYDESK_BODY_LIMIT: "1024" } },
);

const clock = { at: Date.parse("2026-03-01T00:00:00Z"), now: () => clock.at };

testOnEngines(
  "every endpoint: a revoked credential is refused within a second",
  async (desk) => {
    const credential = await desk.token(["portal:read"]);
    await list(desk, "", credential);
    const { storage } = desk.app.ctx;
    const actor = { org_id: desk.org_id, user_id: "test", token_id: "test", now: clock.at };
    for (const { id, name } of await listTokens(storage.reader, { org_id: desk.org_id })) {
      if (name === "test") await storage.commit(endToken, { actor, id });
    }
    clock.at += 1000;
    for (const { endpoint, method } of guardedCalls) {
      const response = await desk.send(
        method,
        pathWith(endpoint, "x"),
        presenting(endpoint, credential),
      );
      await assertFailure(response, "not_authorised");
    }
  },
  { clock },
);

testOnEngines(
  "every endpoint: a credential is refused once its time is over",
  async (desk) => {
    const credential = "expiring-credential-0123456789abcdef";
    const actor = { org_id: desk.org_id, user_id: "test", token_id: "test", now: clock.at };
    await desk.app.ctx.storage.commit(createToken, {
      actor,
      name: "expiring",
      hash: sha256(credential),
      permissions: toWords(permissions),
      expires_at: new Date(clock.at + 5000).toISOString(),
    });
    await list(desk, "", credential);
    clock.at += 5000;
    for (const { endpoint, method } of guardedCalls) {
      const response = await desk.send(
        method,
        pathWith(endpoint, "x"),
        presenting(endpoint, credential),
      );
      await assertFailure(response, "not_authorised");
    }
  },
  { clock },
);
