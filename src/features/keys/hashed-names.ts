import { sha256 } from "../../kernel/sha256.ts";
import type { Connection } from "../../storage/storage.ts";
import { existingOf } from "./keys.store.ts";
import { isOfPlainForm } from "./key-form.ts";

/** The two maps of a developer that name keys. */
interface KeyMaps {
  keys?: Record<string, string[]> | undefined;
  subscriptions?: Record<string, string> | undefined;
}

/**
 * The maps with the hash, which is the key id, in the place of each plain key: of texts in the form
 * of one, known or not, and of the keys, user names and client_ids of the organisation's keys. All
 * other texts stay.
 */
export async function withHashedNames<Maps extends KeyMaps>(
  db: Connection,
  org_id: string,
  maps: Maps,
): Promise<Maps> {
  const { keys, subscriptions } = maps;
  const names = [...Object.keys(keys ?? {}), ...Object.values(subscriptions ?? {})];
  if (names.length === 0) return maps;
  const hashes = new Map(names.map((name) => [name, sha256(name)]));
  const known = await existingOf(db, org_id, [...hashes.values()]);
  const idOf = (name: string) => {
    const hash = hashes.get(name) ?? "";
    return isOfPlainForm(name) || known.has(hash) ? hash : name;
  };
  return {
    ...maps,
    ...keys && {
      keys: Object.fromEntries(Object.entries(keys).map(([key, plans]) => [idOf(key), plans])),
    },
    ...subscriptions && {
      subscriptions: Object.fromEntries(
        Object.entries(subscriptions).map(([plan, key]) => [plan, idOf(key)]),
      ),
    },
  };
}
