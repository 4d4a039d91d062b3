/**
 * What jobs do: over what, what each kind is told, and by what it is undone. A new kind has its row
 * here.
 */
import { keyFilters } from "../../contract/key-filters.ts";
import type { Permission } from "../../contract/permissions.ts";
import type { FailureCode } from "../../kernel/failure-codes.ts";
import type { StoredRow } from "../../storage/schema.ts";
import type { KeyMoveName } from "../keys/key.ts";

/** What a job does. */
export type JobKind = StoredRow<"jobs">["kind"];

/** What becomes of keys with their developer, in a job: it ends none, so that it can be undone. */
export type KeysOfDevelopers = "keep" | "suspend" | "resume";

/** A kind that says by itself over what it is. */
export type OwnKind = Exclude<JobKind, "undo">;

/** What a job is over. */
export type JobOf = "key_requests" | "keys" | "certificates" | "developers";

/** What a job of some kinds is told, by the names that the wire has for it. */
type Told =
  | ("reason" | "message" | "conditions" | "expires_at" | "deliver" | "assignee")
  | ("plans" | "tags" | "overlap_seconds" | "keys")
  | ("owner" | "until");

interface Kind {
  readonly of: JobOf;
  /** What whoever starts it may do, and still may at each row's turn. */
  readonly needs: Permission;
  /** What becomes of a row, in one word. */
  readonly done: string;
  /** What it needs to be told, and what it may be told besides. */
  readonly needed: readonly Told[];
  readonly taken: readonly Told[];
  /** The kind of job that takes it back, given its id as `of_job`; null: nothing does. */
  readonly undoneBy: "reopen" | "undo" | null;
  /** Of keys: what is done to each; null: what any key may have done to it. */
  readonly move?: KeyMoveName | null;
  /** What a row fails with of which the wanted is true already: it is left alone. */
  readonly isSo?: FailureCode;
}

const requests = { of: "key_requests", needs: "approve" } as const;
const keys = { of: "keys", needs: "approve", taken: [] } as const;
const certificates = {
  of: "certificates",
  needs: "certs:write",
  done: "changed",
  taken: [],
  undoneBy: "undo",
} as const;
const developers = { of: "developers", needs: "portal:write", undoneBy: "undo" } as const;

/** Every kind but `undo`, which does what the kind asks for that it takes back. */
export const jobKinds: Readonly<Record<OwnKind, Kind>> = {
  approve: {
    ...requests,
    done: "approved",
    needed: [],
    taken: ["reason", "message", "conditions", "expires_at", "deliver"],
    undoneBy: null,
  },
  decline: { ...requests, done: "declined", needed: [], taken: ["reason"], undoneBy: "reopen" },
  reopen: { ...requests, done: "reopened", needed: [], taken: ["reason"], undoneBy: null },
  assign: { ...requests, done: "assigned", needed: ["assignee"], taken: [], undoneBy: null },
  suspend_keys: {
    ...keys,
    done: "suspended",
    needed: ["reason"],
    undoneBy: "undo",
    move: "suspend",
    isSo: "key_suspended",
  },
  resume_keys: {
    ...keys,
    done: "resumed",
    needed: ["reason"],
    undoneBy: "undo",
    move: "resume",
    isSo: "key_not_suspended",
  },
  revoke_keys: {
    ...keys,
    done: "revoked",
    needed: ["reason"],
    undoneBy: null,
    move: "revoke",
    isSo: "key_revoked",
  },
  rotate_keys: {
    ...keys,
    done: "rotated",
    needed: ["overlap_seconds"],
    taken: ["deliver"],
    undoneBy: null,
    move: "rotate",
    isSo: "key_rotated",
  },
  set_key_plans: {
    ...keys,
    done: "changed",
    needed: ["plans"],
    undoneBy: "undo",
    move: "setPlans",
  },
  add_key_plans: {
    ...keys,
    done: "changed",
    needed: ["plans"],
    undoneBy: "undo",
    move: "setPlans",
  },
  set_key_end: {
    ...keys,
    done: "changed",
    needed: ["expires_at"],
    undoneBy: "undo",
    move: "setExpiry",
  },
  clear_key_end: { ...keys, done: "changed", needed: [], undoneBy: "undo", move: "clearExpiry" },
  follow_plan_life: {
    ...keys,
    done: "changed",
    needed: [],
    undoneBy: "undo",
    move: "setExpiry",
    isSo: "key_end_unchanged",
  },
  tag_keys: { ...keys, done: "tagged", needed: ["tags"], undoneBy: "undo", move: null },
  untag_keys: { ...keys, done: "untagged", needed: ["tags"], undoneBy: "undo", move: null },
  set_certificate_owner: { ...certificates, needed: ["owner"] },
  clear_certificate_owner: { ...certificates, needed: [] },
  mute_certificates: { ...certificates, done: "muted", needed: ["until", "reason"] },
  unmute_certificates: { ...certificates, done: "unmuted", needed: [] },
  deactivate_developers: {
    ...developers,
    done: "deactivated",
    needed: ["keys"],
    taken: ["reason"],
  },
  reactivate_developers: {
    ...developers,
    done: "reactivated",
    needed: [],
    taken: ["keys", "reason"],
  },
  tag_developers: { ...developers, done: "tagged", needed: ["tags"], taken: [] },
  untag_developers: { ...developers, done: "untagged", needed: ["tags"], taken: [] },
};

/**
 * What whoever starts a job may do, and still may at each row's turn, as the single changes have
 * it. Keys that follow their developers take `approve`: `revoke` alone suspends so many an hour.
 */
export function neededFor(kind: OwnKind, keys: KeysOfDevelopers | undefined): Permission[] {
  const { needs } = jobKinds[kind];
  return keys === undefined || keys === "keep" ? [needs] : [needs, "approve"];
}

/** Whether nobody with a scope does it, as none does the single change. */
export function isOutsideScopes(of: JobOf): boolean {
  return of === "certificates" || of === "developers";
}

/** What the kinds over each thing may be narrowed by, besides `asked_before`. */
export const narrowedBy = {
  key_requests: ["plan", "api", "developer", "assignee", "waits_for", "q", "asked_after"],
  keys: Object.keys(keyFilters),
  certificates: [
    "status",
    "is_ca",
    "has_private",
    "expires_before",
    "expires_after",
    "expires_within",
    "owner",
    "tag",
    "q",
  ],
  developers: ["state", "tag", "q"],
} as const satisfies Record<JobOf, readonly string[]>;

const NAMES: readonly Told[] = [
  "assignee",
  "reason",
  "deliver",
  "expires_at",
  "message",
  "conditions",
  "plans",
  "tags",
  "overlap_seconds",
  "owner",
  "until",
  "keys",
];

/** What is wrong with what a job of a kind is told; undefined: nothing. */
export function toldWrongly(
  kind: OwnKind,
  input: Readonly<Partial<Record<Told, unknown>>>,
): string | undefined {
  for (const name of NAMES) {
    const isTold = input[name] !== undefined && input[name] !== "";
    const { needed, taken } = jobKinds[kind];
    if (isTold && !needed.includes(name) && !taken.includes(name)) {
      const own = Object.entries(jobKinds).filter(([, one]) =>
        one.needed.includes(name) || one.taken.includes(name)
      );
      return `${name}: goes with ${own.map(([kind]) => kind).join(", ")} alone`;
    }
    if (!isTold && needed.includes(name)) return `${name}: needed by the kind ${kind}`;
  }
  return undefined;
}
