/** The people who count for the steps of a policy. */
import { allows } from "../../contract/permissions.ts";
import { type PersonRow, toPerson } from "./person.ts";

/** A group of people. Without role and people: all approvers. */
export interface Group {
  /** The id of the role that its people have; null: it goes by people, or takes everybody. */
  role: string | null;
  /** The ids of its people; null: it goes by the role, or takes everybody. */
  people: string[] | null;
}

/**
 * Whether a person is in force and may approve by themselves: temporary access counts for nothing.
 */
export function isApprover(row: PersonRow): boolean {
  const { state, permissions } = toPerson(row);
  return state === "active" && allows(permissions, "approve");
}

/** Whether a person counts in a group, as they are at this moment. */
export function isAmong(group: Group, row: PersonRow): boolean {
  if (!isApprover(row)) return false;
  const { id, role } = toPerson(row);
  if (group.people !== null) return group.people.includes(id);
  return group.role === null || group.role === role;
}
