/**
 * What a developer's maps say of many keys at once: the same as of one after the other, in one
 * pass.
 */
import assert from "node:assert/strict";
import fc from "fast-check";
import {
  type Developer,
  withKeyId,
  withKeyPlans,
} from "../../../src/features/developers/developer.ts";
import {
  type KeptDeveloper,
  withLiveKeys,
} from "../../../src/features/accounts/deleted-developer.ts";
import { withKeyIds, withPlansOfKeys } from "../../../src/features/developers/key-maps.ts";
import { sha256 } from "../../../src/kernel/sha256.ts";

const CLIENT = {
  secret: "",
  redirect_uri: "",
  app_description: "",
  use_case: "",
  date_created: "",
};
const CLIENTS = ["client-a", "client-b", "client-c"];
const ids = ["key-1", "key-2", ...CLIENTS.map((id) => sha256(id))];
const key = fc.constantFrom(...ids);
const plan = fc.constantFrom("p1", "p2", "p3", "constructor");
const plans = fc.uniqueArray(plan, { maxLength: 3 });

/** The maps of a developer, as far as these functions look at one. */
const maps = fc.record({
  keys: fc.dictionary(key, plans, { noNullPrototype: true }),
  subscriptions: fc.dictionary(plan, key, { noNullPrototype: true }),
  clients: fc.uniqueArray(fc.tuple(plan, fc.constantFrom(...CLIENTS)), { selector: String }),
}).map(({ keys, subscriptions, clients }) => {
  const oauth_clients: Developer["oauth_clients"] = {};
  for (const [name, client_id] of clients) {
    const client = { ...CLIENT, client_id };
    oauth_clients[name] = [
      ...Object.hasOwn(oauth_clients, name) ? oauth_clients[name] ?? [] : [],
      client,
    ];
  }
  return { keys, subscriptions, oauth_clients } as unknown as Developer;
});

/** What the maps say, whatever their order. */
function told({ keys, subscriptions, oauth_clients }: Developer) {
  const sorted = Object.entries(oauth_clients).map(([name, list]) =>
    [name, list.map(({ client_id }) => client_id)] as const
  );
  return { keys, subscriptions, oauth_clients: Object.fromEntries(sorted) };
}

Deno.test("key maps: new plans of many keys say what one key after the other does", () => {
  const changes = fc.uniqueArray(fc.record({ key_id: key, plans }), {
    selector: ({ key_id }) => key_id,
  });
  fc.assert(fc.property(maps, changes, (full, changed) => {
    const one = changed.reduce(
      (full, { key_id, plans }) => withKeyPlans(full, key_id, plans),
      full,
    );
    assert.deepEqual(told(withPlansOfKeys(full, changed)), told(one));
  }));
});

Deno.test("key maps: new ids of many keys say what one key after the other does", () => {
  fc.assert(fc.property(maps, fc.uniqueArray(key), (full, renamed) => {
    const names = new Map(renamed.map((id) => [id, `new ${id}`]));
    const one = renamed.reduce((full, id) => withKeyId(full, id, `new ${id}`), full);
    assert.deepEqual(told(withKeyIds(full, names)), told(one));
  }));
});

Deno.test("key maps: ten times as many keys are ten times the work, not a hundred times", () => {
  const [few, many] = [workOf(200), workOf(2000)];
  assert.ok(many <= 11 * few, `${few}, ${many}`);
});

/**
 * Entries of maps that are gone through while so many keys that lived on come back: with other
 * plans, half with other ids.
 */
function workOf(count: number): number {
  const all = Array.from({ length: count }, (_, n) => ({
    key_id: `key-${n}`,
    imported_as: n % 2 === 0 ? `earlier-${n}` : null,
    replaced_by: null,
    plans: [`new-${n}`],
  }));
  const named = all.map(({ key_id, imported_as }) => imported_as ?? key_id);
  const full = {
    keys: Object.fromEntries(named.map((id, n) => [id, [`plan-${n}`]])),
    subscriptions: Object.fromEntries(named.map((id, n) => [`plan-${n}`, id])),
    oauth_clients: {},
  };
  // as: withLiveKeys looks at no more of it.
  const kept = { developer: full, live: named } as unknown as KeptDeveloper;
  const entries = Object.entries;
  let seen = 0;
  Object.entries = <T>(of: Record<string, T>) => {
    const all = entries(of);
    seen += all.length;
    return all;
  };
  try {
    const { keys } = withLiveKeys(kept, all);
    assert.equal(entries(keys).length, count);
  } finally {
    Object.entries = entries;
  }
  return seen;
}
