import { relativeTime } from "../parts/time.tsx";
import { api } from "./client.ts";
import { listActivity } from "./endpoints.ts";
import { may } from "./session.ts";

/** "Grace changed this 2 min. ago", as far as one may know who did. */
export async function changedBy(object_id: string): Promise<string> {
  const somebody = "Somebody changed this meanwhile";
  if (!may("admin")) return somebody;
  try {
    const { data: [event] } = await api.call(listActivity, { query: { object_id, limit: 1 } });
    return event ? `${event.actor_name} changed this ${relativeTime(event.at)}` : somebody;
  } catch {
    return somebody;
  }
}
