import type { z } from "zod";
import type * as contract from "../../../src/features/accounts/v1.contract.ts";
import { queries } from "../../api/queries.ts";

/** A developer as the list shows them. */
export type DeveloperRow = z.output<typeof contract.v1Developer>;

/** One in full. */
export type DeveloperDetail = z.output<typeof contract.developerDetail>;

/** The portal's name for them; else their address, else their id. */
export function nameOf(
  { fields, email, id }: Pick<DeveloperRow, "fields" | "email" | "id">,
): string {
  return textOf(fields.name) || textOf(fields.Name) || email || id;
}

/** Their company, if they stated it. */
export function companyOf({ fields }: Pick<DeveloperRow, "fields">): string {
  return textOf(fields.company) || textOf(fields.Company);
}

/** "3 keys"; many are "1000 or more". */
export function countOf(count: number): string {
  return count >= 1000 ? "1000+" : String(count);
}

/** The list's fields of a developer that was read in full. */
export function toRow(developer: DeveloperDetail): DeveloperRow {
  const {
    subscriptions: _,
    revision: __,
    suspended_keys: ___,
    has_former_keys: ____,
    confirmation_asks: _____,
    ...row
  } = developer;
  return row;
}

/** After a change: what shows developers is read again, but for one that is `gone`. */
export function forgetDevelopers(gone?: string): void {
  void queries.invalidateQueries({
    queryKey: ["developers"],
    predicate: ({ queryKey }) => gone === undefined || queryKey[1] !== gone,
  });
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}
