import { api, codeOf } from "../api/client.ts";
import { listAuditLog } from "../api/endpoints.ts";
import { may } from "../api/session.ts";
import { say } from "../said.ts";
import { ChangedMeanwhile } from "./form-state.ts";
import { relativeTime } from "./time.tsx";

/**
 * Saves a form. If another person was quicker (412), `reread` gives the present state as the form's
 * draft, and the form goes on with it: see FormDialog.
 */
export async function saveUnlessChanged<T>(
  object_id: string,
  save: () => Promise<T>,
  reread: () => Promise<unknown>,
): Promise<T> {
  try {
    return await save();
  } catch (error) {
    if (codeOf(error) !== "precondition_failed") throw error;
    const [now, who] = await Promise.all([reread(), changedBy(object_id)]);
    throw new ChangedMeanwhile(
      now,
      `${who}. What you did not touch shows it now; save again to put your changes on top.`,
    );
  }
}

/** "Grace changed this 2 min. ago", as far as one may know who did. */
async function changedBy(object_id: string): Promise<string> {
  const changedTitle = "Another person changed this meanwhile";
  if (!may("audit")) return changedTitle;
  try {
    const { data: [event] } = await api.call(listAuditLog, { query: { object_id, limit: 1 } });
    return event ? say`${event.actor_name} changed this ${relativeTime(event.at)}` : changedTitle;
  } catch {
    return changedTitle;
  }
}
