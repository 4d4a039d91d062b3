import type { Developer } from "./developer.ts";
import { sha256 } from "../../kernel/sha256.ts";

type Client = Developer["oauth_clients"][string][number];

/** The entries of a developer's maps for one key, beside its plans. */
export interface KeyMaps {
  /** Whether `keys` names it: not where another one has taken over. */
  named: boolean;
  /** Plans for which `subscriptions` name it. */
  subscriptions: string[];
  /** Plans under which its OAuth client stands. */
  client_of: string[];
  client: Client | null;
}

/** The maps' entries for these keys. */
export function keyMapsOf(full: Developer, key_ids: readonly string[]): Map<string, KeyMaps> {
  const maps = new Map(
    key_ids.map((id) => [id, emptyMaps(Object.hasOwn(full.keys, id))]),
  );
  for (const [plan, id] of Object.entries(full.subscriptions)) {
    maps.get(id)?.subscriptions.push(plan);
  }
  for (const [plan, clients] of Object.entries(full.oauth_clients)) {
    for (const client of clients) {
      const named = maps.get(sha256(client.client_id));
      named?.client_of.push(plan);
      if (named) named.client = client;
    }
  }
  return maps;
}

function emptyMaps(named: boolean): KeyMaps {
  return { named, subscriptions: [], client_of: [], client: null };
}

/** The developer without these keys: gone from `keys`, `subscriptions` and `oauth_clients`. */
export function withoutKeys(full: Developer, key_ids: readonly string[]): Developer {
  const gone = new Set(key_ids);
  const clients = Object.entries(full.oauth_clients).map(([plan, list]) =>
    [plan, list.filter((client) => !gone.has(sha256(client.client_id)))] as const
  );
  return {
    ...full,
    keys: Object.fromEntries(Object.entries(full.keys).filter(([key]) => !gone.has(key))),
    subscriptions: Object.fromEntries(
      Object.entries(full.subscriptions).filter(([, key]) => !gone.has(key)),
    ),
    oauth_clients: Object.fromEntries(
      clients.filter(([plan, list]) => list.length > 0 || !full.oauth_clients[plan]?.length),
    ),
  };
}

/**
 * The developer with keys under other ids: by their ids until now. Takes one pass over the maps,
 * however many they are.
 */
export function withKeyIds(full: Developer, ids: ReadonlyMap<string, string>): Developer {
  const renamed = (key: string) => ids.get(key) ?? key;
  return {
    ...full,
    keys: Object.fromEntries(
      Object.entries(full.keys).map(([key, plans]) => [renamed(key), plans]),
    ),
    subscriptions: Object.fromEntries(
      Object.entries(full.subscriptions).map(([plan, key]) => [plan, renamed(key)]),
    ),
  };
}

/**
 * The developer after the plans of these keys changed, as `withKeyPlans` has it of one after the
 * other. Takes one pass over the maps, however many keys there are.
 */
export function withPlansOfKeys(
  full: Developer,
  changed: readonly { key_id: string; plans: readonly string[] }[],
): Developer {
  const gone = new Set(changed.map(({ key_id }) => key_id));
  const clients = new Map<string, Client>();
  const others = new Map(
    Object.entries(full.oauth_clients).map(([plan, list]) => [
      plan,
      list.filter((client) => {
        const key_id = sha256(client.client_id);
        if (gone.has(key_id)) clients.set(key_id, client);
        return !gone.has(key_id);
      }),
    ]),
  );
  const subscriptions = new Map(
    Object.entries(full.subscriptions).filter(([, key]) => !gone.has(key)),
  );
  for (const { key_id, plans } of changed) {
    const client = clients.get(key_id);
    for (const plan of plans) {
      subscriptions.set(plan, key_id);
      const list = others.get(plan);
      if (!client) continue;
      if (list) list.push(client);
      else others.set(plan, [client]);
    }
  }
  const plansOf = changed.map(({ key_id, plans }): [string, string[]] => [key_id, [...plans]]);
  return {
    ...full,
    keys: { ...full.keys, ...Object.fromEntries(plansOf) },
    subscriptions: Object.fromEntries(subscriptions),
    oauth_clients: Object.fromEntries(
      [...others].filter(([plan, list]) => list.length > 0 || !full.oauth_clients[plan]?.length),
    ),
  };
}

/**
 * The developer with a key that comes back. A subscription that another key has taken meanwhile
 * stays with that.
 */
export function withKeyAgain(
  full: Developer,
  { key_id, plans }: { key_id: string; plans: readonly string[] },
  maps: KeyMaps,
): Developer {
  // Maps, because a plan may be called "constructor".
  const subscriptions = new Map(Object.entries(full.subscriptions));
  for (const plan of maps.subscriptions) {
    if (!subscriptions.has(plan)) subscriptions.set(plan, key_id);
  }
  const clients = new Map(Object.entries(full.oauth_clients));
  for (const plan of maps.client_of) {
    if (maps.client) clients.set(plan, [...clients.get(plan) ?? [], maps.client]);
  }
  return {
    ...full,
    keys: maps.named ? { ...full.keys, [key_id]: [...plans] } : full.keys,
    subscriptions: Object.fromEntries(subscriptions),
    oauth_clients: Object.fromEntries(clients),
  };
}
