import { exactTime } from "../../parts/time.tsx";
import { say } from "../../said.ts";
import type { Event } from "./grouped.ts";
import type { GroupedEvent } from "./grouped.ts";
import { actorOf } from "./words.ts";

/**
 * How many sign-ins were refused, where an event tells of several; undefined where it tells of
 * anything else.
 */
export function refusedOf({ action, detail, others = [] }: GroupedEvent): number | undefined {
  if (action !== "sign_in.refused") return undefined;
  const times = (one: Pick<Event, "detail">) =>
    typeof one.detail.count === "number" ? one.detail.count : 1;
  const sum = others.reduce((number, one) => number + times(one), times({ detail }));
  return sum > 1 ? sum : undefined;
}

/** The common source of several refusals, behind their number. */
export function fromWhere({ client_address, token_id, actor_name, actor }: GroupedEvent): string {
  if (token_id !== "") return say`with an access token of ${actorOf({ actor, actor_name })}`;
  return client_address === "" ? "beyond those in this list" : "from one address";
}

/** In the place of an avatar: a lock. */
export function Lock() {
  return (
    <span class="avatar event-lock" aria-hidden="true">
      <svg width="14" height="14" viewBox="0 0 14 14" fill="none" stroke="currentColor">
        <rect x="2.5" y="6" width="9" height="6" rx="1.5" />
        <path d="M4.5 6V4.5a2.5 2.5 0 0 1 5 0V6" />
      </svg>
    </span>
  );
}

/** Each sign-in that stands under one. */
export function EachRefused({ event: { others = [], ...event } }: { event: GroupedEvent }) {
  if (others.length === 0) return null;
  return (
    <>
      <h3 class="group-title">Each of them</h3>
      <ul class="event-each">
        {[event, ...others].map((one) => (
          <li key={one.id}>
            {exactTime(one.at)} <code>{one.object_id}</code>
          </li>
        ))}
      </ul>
    </>
  );
}
