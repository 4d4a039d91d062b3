import assert from "node:assert/strict";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { create } from "./support/refused.ts";

const LIST = "/api/portal/requests";

/** Names that every object seems to have already. */
const inherited = ["toString", "hasOwnProperty", "valueOf", "isPrototypeOf", "__defineGetter__"];
/**
 * Names that reach a prototype: fine as a value, dropped as a member's name that a client sends.
 */
const reaching = ["constructor", "__proto__", "prototype"];

/** A JSON text, because an object literal can't have a member of the name `__proto__`. */
function bodyFor(name: string, auth_type: string): string {
  const quoted = JSON.stringify(name);
  return `{"by_user":${quoted},"for_plan":${quoted},"fields":{${quoted}:"mine","other":"too"},` +
    `"portal_developer":{"id":${quoted},"keys":{${quoted}:[${quoted}]},` +
    `"subscriptions":{${quoted}:${quoted}},"fields":{${quoted}:{"deep":1}},` +
    `"oauth_clients":{${quoted}:[{"client_id":${quoted},"secret":"s"}]}},` +
    `"catalogue_entry":{"policy_id":${quoted},"auth_type":"${auth_type}","name":${quoted}}` +
    `${auth_type === "oauth" ? `,"oauth_info":{"redirect_uri":${quoted}}` : ""}}`;
}

async function read(desk: TestDesk, id: string) {
  const response = await desk.send("GET", `${LIST}/${id}`);
  assert.equal(response.status, 200, String(desk.logLines.at(-1)));
  return await response.json();
}

const own = (object: object, name: string) => Object.getOwnPropertyDescriptor(object, name)?.value;

for (const auth_type of ["authToken", "basic", "oauth"]) {
  testOnEngines(
    `bad input: ids called like members of every object work as any other (${auth_type})`,
    async (desk) => {
      for (const name of [...inherited, ...reaching]) {
        const id = await create(desk, bodyFor(name, auth_type));
        const before = await read(desk, id);
        assert.equal(before.by_user, name);
        assert.deepEqual(before.apply_policies, [name]);
        assert.equal(before.catalogue_entry.name, name);
        const kept = inherited.includes(name);
        assert.equal(own(before.fields, name), kept ? "mine" : undefined);
        assert.equal(before.fields.other, "too");
        assert.deepEqual(own(before.portal_developer.keys, name), kept ? [name] : undefined);

        const response = await desk.send("PUT", `${LIST}/approve/${id}`);
        const answer = await response.json();
        assert.equal(response.status, 200, JSON.stringify(answer));
        const { portal_developer, approved } = await read(desk, id);
        assert.equal(approved, true);
        const key_id = own(portal_developer.subscriptions, name);
        assert.match(key_id, /^[0-9a-f]{64}$/);
        assert.deepEqual(portal_developer.keys[key_id], [name]);
        const clients = own(portal_developer.oauth_clients ?? {}, name) ?? [];
        const sent = kept ? 1 : 0;
        assert.equal(clients.length, auth_type === "oauth" ? sent + 1 : sent);
        if (auth_type === "oauth") {
          assert.equal(clients.at(-1).client_id, answer.RawKey);
          assert.equal(clients.at(-1).secret, answer.Password);
        }
      }
      // The next caller's objects are as they always were.
      assert.equal(Object.getOwnPropertyNames({}).length, 0);
      assert.equal(({} as { deep?: number }).deep, undefined);
      const list = await (await desk.send("GET", LIST)).json();
      assert.equal(list.Data.length, inherited.length + reaching.length);
    },
  );
}
