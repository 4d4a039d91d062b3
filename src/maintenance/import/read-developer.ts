import { isOfPlainForm } from "../../features/keys/key-form.ts";
import { emptyDeveloper } from "../../features/developers/developer.ts";
import { developer as contract } from "../../features/developers/developers.contract.ts";
import { foreignCost, MOST_COST } from "../../kernel/passwords/foreign-hash.ts";
import { sha256 } from "../../kernel/sha256.ts";
import { digestOf } from "./digests.ts";
import { isObject } from "./extended-json.ts";
import type { Finding } from "./findings.ts";
import type { Reading } from "./items.ts";
import { namedKey } from "./key-names.ts";
import type { Owners } from "./owners.ts";
import {
  droppedOf,
  emptyReading,
  idOf,
  madeAt,
  parsed,
  type ReadBy,
  withTimes,
} from "./read-common.ts";
import { clientItem, keyItem, newUserName, refusedKey } from "./read-key.ts";
import type { Members } from "./source.ts";

const TIMES = ["date_created", "password_updated", "last_login_date"] as const;

/**
 * A developer, with their keys and OAuth clients as far as the maps alone tell of these. A plain
 * key among them is hashed before anything looks at it. Throws Refused.
 */
export function readDeveloper(members: Members, by: ReadBy, owners: Owners): Reading {
  const id = idOf(members);
  const reading = emptyReading();
  const report = (code: Finding["code"], detail = "", kind: Finding["kind"] = "developer") =>
    reading.findings.push({ kind, id, code, detail });
  const there = digestOf(members);
  const { password, PWHistory: _, ...rest } = members;
  const hashed = withHashedMaps(rest, by.org_id);
  if (hashed.plain > 0) report("plain_key", `${hashed.plain} of them`);
  const given = parsed(contract.input, withTimes(hashed.members, TIMES));
  const { org_id } = by;
  const date_created = madeAt(members.date_created, id, by.now);
  const developer = { ...emptyDeveloper(id), ...given, id, org_id, date_created, PWHistory: [] };
  const cost = typeof password === "string" ? foreignCost(password) : undefined;
  const password_hash = typeof password === "string" && cost !== undefined && cost <= MOST_COST
    ? password
    : null;
  if (password_hash === null) {
    const detail = cost === undefined ? "" : `its cost is ${cost}`;
    report(
      typeof password === "string" && password !== "" ? "password_form" : "no_password",
      detail,
    );
  }
  const unknown = (["sso_key", "nonce"] as const).filter((name) => !Object.hasOwn(members, name));
  reading.items.push({ kind: "developer", id, there, developer, password_hash, unknown });
  reading.dropped = droppedOf(members, developer, ["_id", "password", "PWHistory"]);
  for (const [name, plans] of Object.entries(developer.keys)) {
    if (by.hasSessions) owners.note(name, { developer_id: id, plans });
    else addKey(reading, { name, plans, developer_id: id }, by);
  }
  for (const client of clientsOf(developer.oauth_clients)) {
    const { client_id, secret, plans } = client;
    const key_id = sha256(client_id);
    if (secret === "") {
      owners.note(key_id, { developer_id: id, plans, isClient: true });
      continue;
    }
    owners.noteClient(key_id);
    reading.items.push(clientItem(key_id, client, id, by));
  }
  return reading;
}

/** A key of which only a developer's map is known. */
function addKey(
  reading: Reading,
  { name, plans, developer_id }: { name: string; plans: string[]; developer_id: string },
  by: ReadBy,
): void {
  const named = namedKey(name, by.org_id);
  const refused = refusedKey(named, plans, by);
  const kind = "key";
  if (refused) return void reading.findings.push({ kind, id: named.id, code: refused, detail: "" });
  if (plans.some((plan) => by.authTypes.get(plan) === "basic")) {
    const detail = newUserName(undefined, developer_id, plans);
    return void reading.findings.push({ kind, id: named.id, code: "basic_password", detail });
  }
  reading.findings.push({ kind, id: named.id, code: "key_without_session", detail: "" });
  const there = digestOf([name, plans]);
  const item = keyItem(named, { developer_id, plans, there }, by);
  reading.items.push({ ...item, isOnlyNamed: true });
}

type Client = ReturnType<typeof contract.input.parse>["oauth_clients"][string][number];

/** Each client once, with the plans under which it stands. */
function clientsOf(map: Record<string, Client[]>): (Client & { plans: string[] })[] {
  const found = new Map<string, Client & { plans: string[] }>();
  for (const [plan, clients] of Object.entries(map)) {
    for (const client of clients) {
      if (client.client_id === "") continue;
      const known = found.get(client.client_id);
      if (known) known.plans.push(plan);
      else found.set(client.client_id, { ...client, plans: [plan] });
    }
  }
  return [...found.values()];
}

/** The members with hashes for the keys that the maps name, and how many of them were plain. */
function withHashedMaps(members: Members, org_id: string): { members: Members; plain: number } {
  let plain = 0;
  const idOfKey = (name: string) => {
    const { id, wasPlain } = namedKey(name, org_id);
    if (wasPlain || isOfPlainForm(name)) plain++;
    return id;
  };
  const { keys, subscriptions } = members;
  const changed: Members = {};
  if (isObject(keys)) {
    changed.keys = Object.fromEntries(
      Object.entries(keys).map(([name, plans]) => [idOfKey(name), plans]),
    );
  }
  const counted = plain;
  if (isObject(subscriptions)) {
    changed.subscriptions = Object.fromEntries(
      Object.entries(subscriptions).filter(([, name]) => name !== "")
        .map(([plan, name]) => [plan, typeof name === "string" ? idOfKey(name) : name]),
    );
  }
  // The subscriptions name the same keys once more.
  return { members: { ...members, ...changed }, plain: isObject(keys) ? counted : plain };
}
