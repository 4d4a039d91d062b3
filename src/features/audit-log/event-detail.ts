import { type EventNames, splitNames } from "../../changes/event-names.ts";
import { type Personal, withPersonal } from "../../changes/personal.ts";
import type { EventRow } from "./audit-log.store.ts";

/** The detail of an event with what is personal in it, and the names that it kept, apart. */
export function eventDetailOf(
  { detail, personal }: Pick<EventRow, "detail" | "personal">,
): { detail: Record<string, unknown>; names: EventNames } {
  // as: recordAudit wrote both, each an object.
  const parsed = JSON.parse(detail) as Record<string, unknown>;
  const { detail: rest, names } = splitNames(
    withPersonal(parsed, JSON.parse(personal) as Personal),
  );
  const object = names.object ?? nameIn(rest);
  return { detail: { ...rest }, names: object === undefined ? names : { ...names, object } };
}

/** The name of the thing itself, where the detail says it. */
function nameIn(
  { before, after, ...detail }: Readonly<Record<string, unknown>>,
): string | undefined {
  for (const one of [detail, after, before]) {
    const name = typeof one === "object" && one !== null ? Reflect.get(one, "name") : undefined;
    if (typeof name === "string") return name;
  }
  return undefined;
}
