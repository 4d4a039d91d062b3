import { type EventNames, together } from "../../changes/event-names.ts";
import type { Connection } from "../../storage/storage.ts";
import { certificateNames } from "../certificates/certificate-title.ts";
import { calledKey } from "../keys/key-labels.ts";
import { namesOfActors, namesOfDevelopers } from "../developers/developer-names.store.ts";
import { namesOfEveryPlan } from "../plans/plan-counts.store.ts";
import type { EventRow } from "./audit-log.store.ts";
import * as store from "./live-names.store.ts";
import { eventDetailOf } from "./event-detail.ts";

/** The ids of an event's things that can be looked up. */
interface About {
  request?: string | undefined;
  key?: string | undefined;
  certificate?: string | undefined;
  developer?: string | undefined;
  plan?: string | undefined;
  person?: string | undefined;
  token?: string | undefined;
  channel?: string | undefined;
}

/** The current names. */
export interface LiveNames extends EventNames {
  /** The developer who acted. */
  actor?: string | undefined;
}

/**
 * The current names of these events' things, for those that kept no name, and of the developers who
 * acted; at most ten queries, however many events there are.
 */
export async function liveNames(
  db: Connection,
  org_id: string,
  rows: readonly EventRow[],
): Promise<(row: EventRow) => LiveNames> {
  const abouts = new Map(rows.map((row) => [row, aboutOf(row, org_id)]));
  const all = [...abouts.values()];
  const ids = (name: keyof About) =>
    [...new Set(all.flatMap((about) => about[name] ?? []))].filter((id) => id !== "");
  const [requests, keys, certificates, people, tokens, channels] = await Promise.all([
    store.requests(db, org_id, ids("request")),
    store.keys(db, org_id, ids("key")),
    store.certificates(db, org_id, ids("certificate")),
    store.people(db, org_id, ids("person")),
    store.accessTokens(db, org_id, ids("token")),
    store.channels(db, org_id, ids("channel")),
  ]);
  const owners = [...requests.values()].map(({ by_user }) => by_user);
  const holders = [...keys.values()].map(({ developer_id }) => developer_id);
  const [developers, plans] = await Promise.all([
    namesOfDevelopers(db, org_id, [...new Set([...ids("developer"), ...owners, ...holders])]),
    namesOfEveryPlan(db, org_id, [
      ...new Set([...ids("plan"), ...[...requests.values()].map(({ for_plan }) => for_plan)]),
    ]),
  ]);
  const actors = await namesOfActors(db, org_id, [...new Set(rows.map(({ actor }) => actor))]);
  return (row) => {
    const about = abouts.get(row) ?? {};
    const request = requests.get(about.request ?? "");
    const key = keys.get(about.key ?? "");
    const certificate = certificates.get(about.certificate ?? "");
    const developer = about.developer ?? request?.by_user ?? key?.developer_id ?? "";
    const named = [people.get(about.person ?? ""), tokens.get(about.token ?? "")];
    const thing = [...named, channels.get(about.channel ?? "")].find((one) => one !== undefined);
    const { object } = certificate ? certificateNames(certificate) : { object: undefined };
    return present({
      // Erased names must not come back.
      actor: row.erased === "{}" ? actors.get(row.actor) : undefined,
      ...developers.get(developer),
      object: object ?? (key && calledKey(key)) ?? thing?.name ?? plans.get(about.plan ?? ""),
      plan: together([request && plans.get(request.for_plan)]),
    });
  };
}

/** Nothing, where the event kept names or some of them were erased. */
function aboutOf(row: EventRow, org_id: string): About {
  const { detail, names } = eventDetailOf(row);
  if (row.erased !== "{}") return {};
  const { object, object_id } = row;
  const text = (name: string) => {
    const value = detail[name];
    return typeof value === "string" ? value : undefined;
  };
  if (object === "key_request" && names.developer === undefined && names.email === undefined) {
    return { request: object_id, developer: text("by_user") };
  }
  if (object === "claim") {
    // Rows of earlier releases call it by the other name.
    return { request: text("key_request_id") ?? text("request_id"), key: text("key_id") };
  }
  if (names.object !== undefined) return {};
  if (object === "credential") return { key: object_id };
  if (object === "certificate") return { certificate: object_id.slice(org_id.length) };
  if (object === "developer") return { developer: object_id };
  if (object === "plan") return { plan: object_id };
  if (object === "person") return { person: object_id };
  if (object === "access_token") return { token: object_id };
  return object === "target" ? { channel: object_id } : {};
}

function present(names: LiveNames): LiveNames {
  return Object.fromEntries(Object.entries(names).filter(([, name]) => name));
}
