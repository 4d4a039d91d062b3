import { draft } from "../../features/key-requests/draft-key-request.ts";
import { keyRequestInput } from "../../features/key-requests/key-requests.contract.ts";
import { digestOf } from "./digests.ts";
import { isObject } from "./extended-json.ts";
import type { Reading } from "./items.ts";
import { namedKey } from "./key-names.ts";
import {
  droppedOf,
  emptyReading,
  idOf,
  madeAt,
  parsed,
  type ReadBy,
  withTimes,
} from "./read-common.ts";
import type { Members } from "./source.ts";

/** A key request in the state it had: what was approved is decided. Throws Refused, Failure. */
export function readRequest(members: Members, { org_id, now }: ReadBy): Reading {
  const id = idOf(members);
  const there = digestOf(members);
  const { portal_developer, key, ...rest } = members;
  // Hashed before anything looks at it; a murmur hash stays what it is until its key is used.
  const key_id = typeof key === "string" && key !== "" ? namedKey(key, org_id).id : "";
  const sent = withTimes({
    ...rest,
    ...key_id === "" ? {} : { key: key_id },
    ...isObject(portal_developer) ? { portal_developer: withoutKeys(portal_developer) } : {},
  }, ["date_created"]);
  const input = parsed(keyRequestInput, sent);
  const date_created = madeAt(members.date_created, id, now);
  const { columns, secrets } = draft(
    { ...input, date_created },
    { org_id, id, key_id },
    { date_created, version: "v2" },
  );
  const decided = input.approved === true;
  return {
    ...emptyReading(),
    items: [{ kind: "request", id, there, columns, secrets, decided }],
    dropped: droppedOf(members, keyRequestInput.shape, ["_id", "id", "org_id"]),
  };
}

/**
 * The developer that was sent with a request, without their maps: the live developer is shown
 * instead wherever there is one, and a plain key in a map must stand nowhere.
 */
function withoutKeys({ keys: _, subscriptions: _1, _id, id, ...rest }: Members): Members {
  const times = withTimes(rest, ["date_created", "password_updated", "last_login_date"]);
  return { ...times, id: id ?? _id };
}
