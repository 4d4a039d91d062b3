/**
 * An existing custom portal: it registers people, logs them in, shows the catalogue, asks, and
 * shows the key.
 */
import assert from "node:assert/strict";
import { engines } from "../support/desk.ts";
import { openListeningDesk } from "../support/raw-http.ts";

for (const engine of engines) {
  for (const references of ["open", "strict"]) {
    Deno.test({
      name: `${engine}: a portal works over HTTP from registration to the key (${references})`,
      sanitizeOps: false,
      sanitizeResources: false,
      fn: async () => {
        await using desk = await openListeningDesk({ KEYDESK_REFERENCES: references }, engine);
        const portal = await desk.token(["portal:write"]);
        await walk(new Portal(desk.address, portal), new Portal(desk.address, desk.admin));
      },
    });
  }
}

// deno-lint-ignore no-explicit-any -- a legacy client knows no types
type Json = any;

/** A client as old portals have one: raw credential, no content type, status compared with 200. */
class Portal {
  readonly #base: string;
  readonly #credential: string;

  constructor(address: { hostname: string; port: number }, credential: string) {
    this.#base = `http://${address.hostname}:${address.port}/api/portal`;
    this.#credential = credential;
  }

  async call(method: string, path: string, body?: Json, expected = 200): Promise<Json> {
    const response = await fetch(`${this.#base}${path}`, {
      method,
      headers: { authorization: this.#credential },
      ...body === undefined ? {} : { body: new TextEncoder().encode(JSON.stringify(body)) },
    });
    const answer = await response.json();
    assert.equal(response.status, expected, `${method} ${path}: ${JSON.stringify(answer)}`);
    return answer;
  }
}

async function walk(portal: Portal, admin: Portal): Promise<void> {
  // The bootstrap script of the operator.
  const plan = async (name: string) => (await admin.call("POST", "/policies", { name })).Message;
  const manual = await plan("By hand");
  const automatic = await plan("At once");
  await admin.call("POST", "/configuration", { require_key_approval: true });
  const entries = [
    { name: "Manual", policy_id: manual, api_id: "a", show: true },
    {
      name: "Automatic",
      policy_id: automatic,
      api_id: "b",
      show: true,
      config: { override: true, require_key_approval: false },
    },
  ];
  await admin.call("POST", "/catalogue/", { apis: entries, email: "apis@example.org" });

  // Register and log in.
  const email = "ada+portal@example.org";
  const { Message: id } = await portal.call("POST", "/developers", {
    email,
    password: "her own secret",
    fields: { name: "Ada" },
    inactive: false,
  });
  await portal.call("POST", "/developers", { email }, 400);
  await portal.call("POST", "/developers/verify_credentials", {
    username: email,
    password: "wrong",
  }, 401);
  const signedIn = await portal.call("POST", "/developers/verify_credentials", {
    username: email,
    password: "her own secret",
  });
  assert.equal(signedIn.Message, id);
  const developer = await portal.call("GET", `/developers/email/${encodeURIComponent(email)}`);
  assert.equal(developer.id, id);

  // See what there is, and ask for both.
  const { apis } = await portal.call("GET", "/catalogue");
  assert.deepEqual(apis.map((entry: Json) => entry.name), ["Manual", "Automatic"]);
  assert.equal((await portal.call("GET", "/configuration")).require_key_approval, true);
  const ask = async (entry: Json) =>
    (await portal.call("POST", "/requests", {
      by_user: id,
      for_plan: entry.policy_id,
      apply_policies: [entry.policy_id],
      fields: { use: "trying" },
      portal_developer: developer,
      catalogue_entry: entry,
    })).Message;
  const [byHand, atOnce] = [await ask(apis[0]), await ask(apis[1])];

  // The portal may approve what is automatic, the administrator the rest.
  await portal.call("PUT", `/requests/approve/${byHand}`, {}, 403);
  const first = await portal.call("PUT", `/requests/approve/${atOnce}`, {});
  const second = await admin.call("PUT", `/requests/approve/${byHand}`, developer);
  assert.ok(first.RawKey !== "" && second.RawKey !== "" && first.RawKey !== second.RawKey);

  // The keys stand among the developer's subscriptions, by plan.
  const after = await portal.call("GET", `/developers/${id}`);
  assert.deepEqual(Object.keys(after.subscriptions).sort(), [manual, automatic].sort());
  assert.deepEqual(after.keys[after.subscriptions[manual]], [manual]);
  assert.deepEqual(after.keys[after.subscriptions[automatic]], [automatic]);
  const requests = await portal.call("GET", "/requests?p=1");
  assert.deepEqual(requests.Data.map((one: Json) => one.approved), [true, true]);
  assert.equal(requests.Data[0].portal_developer.email, email);

  // The profile page: change it, then leave.
  await portal.call("PUT", `/developers/${id}`, { ...after, fields: { name: "Ada L." } });
  const changed = await portal.call("GET", `/developers/${id}`);
  assert.deepEqual([changed.fields, changed.keys], [{ name: "Ada L." }, after.keys]);
  await portal.call("POST", `/developers/password/${id}`, { password: "another one" });
  await portal.call("POST", "/developers/verify_credentials", {
    username: email,
    password: "another one",
  });
  await portal.call("DELETE", `/developers/${id}`);
  await portal.call("GET", `/developers/${id}`, undefined, 404);
  assert.equal((await portal.call("GET", "/developers")).Pages, 0);
}
