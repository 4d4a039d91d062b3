import assert from "node:assert/strict";
import { createHash } from "node:crypto";

/** What an update keeps of the request that it replaces. */
export interface Before {
  date_created: string;
  version: string;
  issued: boolean;
}

/**
 * The simple members of a key request as `docs` promise them, worked out without any of the
 * product's code.
 */
export type Simple = Record<string, unknown>;

type Members = Record<string, unknown>;

/**
 * The simple members that an accepted body must read back as. Fails where no such body may be
 * accepted.
 */
export function normalised(text: string, before: Before | undefined): Simple {
  const sent = members(withoutNulls(JSON.parse(text)));
  const developer = members(sent.portal_developer ?? {});
  const entry = members(sent.catalogue_entry ?? {});
  const applied = list(sent.apply_policies);
  const for_plan = string(sent.for_plan) || applied[0] || string(entry.policy_id);
  const fields = members(sent.fields ?? {});
  for (const value of Object.values(fields)) string(value);
  const by_user = string(sent.by_user) || string(developer.id);
  assert.notEqual(by_user, "", "accepted although nobody asks");
  assert.notEqual(for_plan, "", "accepted although no plan is named");
  const simple: Simple = {
    key: storedKey(string(sent.key)),
    for_api: string(sent.for_api),
    for_plan,
    apply_policies: applied.length > 0 ? applied : [for_plan],
    remove_policies: list(sent.remove_policies),
    by_user,
    fields,
    approved: boolean(sent.approved) || (before?.issued ?? false),
    version: string(sent.version ?? before?.version ?? "v2"),
    jwt_secret: string(sent.jwt_secret),
    certificate: string(sent.certificate),
    entry: sent.catalogue_entry === undefined ? undefined : string(entry.name),
    catalogues: items(sent.catalogues).map((one) => string(members(one).name)),
  };
  if (sent.oauth_info !== undefined) {
    simple.oauth_info = { redirect_uri: string(members(sent.oauth_info).redirect_uri) };
  }
  const date = sent.date_created === undefined ? before?.date_created : utc(sent.date_created);
  if (date !== undefined) simple.date_created = date;
  return simple;
}

/** The same members of a request as it was read. */
export function simpleMembersOf(read: Members, expected: Simple): Simple {
  const simple: Simple = {};
  for (const name of Object.keys(expected)) {
    if (name === "entry") {
      const entry = members(read.catalogue_entry);
      simple.entry = expected.entry === undefined ? undefined : entry.name;
    } else if (name === "catalogues") {
      simple.catalogues = items(read.catalogues).map((one) => members(one).name);
    } else simple[name] = read[name];
  }
  if ("oauth_info" in read) simple.oauth_info = read.oauth_info;
  return simple;
}

/** `null` counts as absent, and names that reach into a prototype never arrive. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, member]) =>
        member !== null && !["__proto__", "constructor", "prototype"].includes(name)
      )
      .map(([name, member]) => [name, withoutNulls(member)]),
  );
}

/** A key id stays, everything else is kept as its hash. */
function storedKey(key: string): string {
  if (key === "" || /^[0-9a-f]{64}$/.test(key)) return key;
  return createHash("sha256").update(key, "utf8").digest("hex");
}

/** As sent with Z, else moved to UTC with its fraction kept. */
function utc(sent: unknown): string {
  const text = string(sent);
  if (text.endsWith("Z")) return text;
  const fraction = /\.\d+/.exec(text)?.[0] ?? "";
  const whole = new Date(text.replace(fraction, "")).toISOString();
  return whole.replace(".000Z", `${fraction}Z`);
}

function members(value: unknown): Members {
  assert.ok(typeof value === "object" && value !== null && !Array.isArray(value), "an object");
  // as: an object that is no array.
  return value as Members;
}

function items(value: unknown): unknown[] {
  assert.ok(value === undefined || Array.isArray(value), "an array");
  return value ?? [];
}

function list(value: unknown): string[] {
  return items(value).map(string);
}

function string(value: unknown): string {
  assert.ok(value === undefined || typeof value === "string", "a string");
  return value ?? "";
}

function boolean(value: unknown): boolean {
  assert.ok(value === undefined || typeof value === "boolean", "true or false");
  return value ?? false;
}
