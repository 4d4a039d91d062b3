import { parsePermissions } from "../../../calls/principal.ts";
import { allows } from "../../../contract/permissions.ts";
import type { Connection } from "../../../storage/storage.ts";
import { findPerson } from "../../people/people.store.ts";

/** Whether a person of the organisation may see now what a developer sees. */
export async function maySee(db: Connection, org_id: string, id: string): Promise<boolean> {
  const person = await findPerson(db, { org_id, id });
  if (!person || person.deactivated_at !== null || person.suspended_at !== null) return false;
  const permissions = parsePermissions(person.permissions);
  return allows(permissions, "admin") && allows(permissions, "portal:read");
}
