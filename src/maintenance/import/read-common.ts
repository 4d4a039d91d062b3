import type { z } from "zod";
import { Failure } from "../../kernel/failure.ts";
import { isId } from "../../kernel/ids.ts";
import { parseTimestamp, timeGiven } from "../../kernel/timestamps.ts";
import { type Difference } from "./findings.ts";
import type { Reading } from "./items.ts";
import type { Kind, Members } from "./source.ts";

/** How documents are read. */
export interface ReadBy {
  org_id: string;
  /** Milliseconds. */
  now: number;
  /**
   * From this instant on a key that is known by its murmur hash alone opens nothing; null: none is
   * taken.
   */
  murmurUntil: string | null;
  /** Opens the private keys of certificates. */
  passphrase: string | undefined;
  /** False: no source holds sessions of keys, a developer's maps are all that is known. */
  hasSessions: boolean;
  /** The auth types of plans, which the original keeps in its catalogue alone. */
  authTypes: ReadonlyMap<string, string>;
}

/** Thrown where a document can't come: which difference that is, and what of it. */
export class Refused extends Error {
  constructor(readonly code: Difference, detail = "") {
    super(detail);
  }
}

/** A reading that holds nothing yet. */
export function emptyReading(): Reading {
  return { items: [], findings: [], dropped: [] };
}

/** The id of an object. Throws Refused. */
export function idOf({ id, _id }: Members): string {
  const own = typeof id === "string" && id !== "" ? id : _id;
  if (typeof own === "string" && isId(own)) return own;
  throw new Refused("no_id");
}

/** Parses members by a schema. Throws Refused, naming members and never their values. */
export function parsed<S extends z.ZodType>(schema: S, members: Members): z.output<S> {
  const result = schema.safeParse(members);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new Refused(
    "invalid",
    issue ? `${issue.path.join(".")}: ${issue.message.replace("Invalid input: ", "")}` : "",
  );
}

/**
 * Members with the times among `names` as RFC 3339 texts; one that is none is left out, as if it
 * were not known.
 */
export function withTimes(members: Members, names: readonly string[]): Members {
  const changed: Members = {};
  for (const name of names) {
    const value = members[name];
    if (value === undefined) continue;
    changed[name] = typeof value === "string" && parseTimestamp(value) ? value : undefined;
  }
  return { ...members, ...changed };
}

/** When something was made: as it says, else as its id says where it has our form, else now. */
export function madeAt(date: unknown, id: string, now: number): string {
  const given = typeof date === "string" ? timeGiven(date) : undefined;
  if (given !== undefined && parseTimestamp(given)) return given;
  const second = /^[0-9a-f]{24}$/.test(id) ? parseInt(id.slice(0, 8), 16) * 1000 : now;
  return new Date(Math.min(second, now)).toISOString();
}

/** The names of members that are not among those that are kept. */
export function droppedOf(members: Members, kept: object, also: readonly string[]): string[] {
  return Object.keys(members).filter((name) => !Object.hasOwn(kept, name) && !also.includes(name));
}

/** A refusal as a finding of its own; other errors are thrown on. */
export function refusal(kind: Kind, id: string, error: unknown): Reading {
  if (error instanceof Refused) {
    const finding = { kind, id, code: error.code, detail: error.message };
    return { ...emptyReading(), findings: [finding] };
  }
  // A refusal by a rule of the interface names members alone.
  if (error instanceof Failure && error.code !== "internal" && error.code !== "unavailable") {
    const finding = { kind, id, code: "invalid" as const, detail: error.message };
    return { ...emptyReading(), findings: [finding] };
  }
  throw error;
}
