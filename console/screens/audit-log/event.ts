import { api } from "../../api/client.ts";
import { listAuditLog } from "../../api/endpoints.ts";
import type { Event } from "./grouped.ts";

/**
 * An event by its id, for a link that was passed on: ids begin with their second, so few have to be
 * looked through. Null where there is none.
 */
export async function findEvent(id: string): Promise<Event | null> {
  const second = Number.parseInt(id.slice(0, 8), 16) * 1000;
  if (Number.isNaN(second)) return null;
  const [after, before] = [-1000, 2000].map((ms) => new Date(second + ms).toISOString());
  let cursor: string | undefined;
  do {
    const query = { after, before, limit: 100, cursor };
    const { data, next_cursor } = await api.call(listAuditLog, { query });
    const found = data.find((event) => event.id === id);
    if (found) return found;
    cursor = next_cursor ?? undefined;
  } while (cursor !== undefined);
  return null;
}
