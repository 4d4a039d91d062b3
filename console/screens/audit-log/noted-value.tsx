import { Link } from "wouter-preact";
import { getKey, getPerson } from "../../api/endpoints.ts";
import { usePlans } from "../../api/plans.ts";
import { useCall } from "../../api/queries.ts";
import { may } from "../../api/session.ts";
import { exactTime } from "../../parts/time.tsx";
import type { GroupedEvent as Event } from "./grouped.ts";
import { memberText, signInBy } from "./words.ts";

/** The kind of object that members with ids name; the others have no ids. */
const named: Readonly<Record<string, Kind>> = {
  plans: "plan",
  plan: "plan",
  plan_id: "plan",
  for_plan: "plan",
  by_user: "developer",
  developer_id: "developer",
  key_id: "key",
  replaced_by: "key",
  replaces: "key",
  key_request_id: "request",
  person_id: "person",
  issued_by: "person",
};

type Kind = "plan" | "developer" | "key" | "request" | "person";

const paths: Readonly<Record<Kind, string>> = {
  plan: "/apis/plans",
  developer: "/developers",
  key: "/keys",
  request: "/requests",
  person: "/settings",
};

/**
 * A value that was noted with an event, or of something before or after it: names in the place of
 * ids, which lead to what they name, and times as they are read.
 */
export function NotedValue({ name, value, event }: { name: string; value: unknown; event: Event }) {
  if (name === "access_token_id" && value === event.token_id) return <>{event.token_name}</>;
  if (event.object === "session" && name === "by") {
    return <>{signInBy[`${value}`]?.slice("with ".length) ?? value}</>;
  }
  if (name === "signed") return <>by a passkey, as an export shows</>;
  if (value === "operator") return <>the server administrator</>;
  // An access token is replaced by one, too.
  const kind = event.object === "access_token" && name === "replaced_by" ? undefined : named[name];
  if (kind === undefined) return <>{isTime(value) ? exactTime(value) : memberText(value)}</>;
  const ids = [value].flat().filter((id): id is string => typeof id === "string" && id !== "");
  if (ids.length === 0) return <>{memberText(value)}</>;
  return (
    <>
      {ids.map((id, index) => (
        <>
          {index > 0 && ", "}
          <Named key={id} kind={kind} id={id} event={event} />
        </>
      ))}
    </>
  );
}

function Named({ kind, id, event }: { kind: Kind; id: string; event: Event }) {
  const plan = usePlans().get(id)?.name;
  const key = useCall(["keys", id], getKey, { params: { key_id: id } }, {
    enabled: kind === "key" && may("portal:read"),
  }).data;
  const person = useCall(["people", id], getPerson, { params: { id } }, {
    enabled: kind === "person" && may("admin:read"),
  }).data;
  const text = {
    plan,
    key: key && (key.name || key.mask),
    person: person?.name,
    developer: event.developer_name,
    request: "Show the request",
  }[kind];
  return (
    <Link class="text-link" href={`${paths[kind]}/${encodeURIComponent(id)}`}>{text || id}</Link>
  );
}

function isTime(value: unknown): value is string {
  return typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*Z$/.test(value);
}
