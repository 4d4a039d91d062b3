import { api, decisionKey } from "../../api/client.ts";
import { queries } from "../../api/queries.ts";
import { keepKey } from "../../api/unused-endpoints.ts";
import type { Key } from "../keys/key.ts";

/** Says that a key is needed; gives it as it is then. */
export async function keep({ key_id }: Key): Promise<Key> {
  const kept = await api.call(keepKey, { params: { key_id }, body: {}, headers: decisionKey() });
  void queries.invalidateQueries({ queryKey: ["key-schedules", key_id] });
  return kept;
}
