/**
 * The kinds of jobs. A kind of job is a row here: its list, permission, inputs, filters, its
 * undoing, and its words. Its effect on one row is in a table of `features/jobs/turn-of-*`, which
 * does not compile without it. The wire, the store, the command line and the console read this.
 */
import type { Permission } from "./permissions.ts";
import type { jobLists } from "./list-filters.ts";
import type { FailureCode } from "../kernel/failure-codes.ts";

/** The action on keys of a job's developers: none is final, so that it can be undone. */
export type KeysOfDevelopers = "keep" | "suspend" | "resume";

/** The list that a job works on. */
export type JobOf = keyof typeof jobLists;

/** The inputs of some kinds of jobs, by their names on the wire; `seen` names rows. */
type Input =
  | ("reason" | "message" | "conditions" | "expires_at" | "deliver" | "assignee")
  | ("plans" | "tags" | "overlap_seconds" | "keys")
  | ("owner" | "until" | "seen");

interface Kind {
  readonly of: JobOf;
  /** The permission that its starter needs, also at each row's turn. */
  readonly needs: Permission;
  /** Its action, and its result for a row, in words. */
  readonly doing: string;
  readonly done: string;
  /** The required inputs, and the optional ones. */
  readonly needed: readonly Input[];
  readonly taken: readonly Input[];
  /** The possible actions on keys of its developers. */
  readonly keys?: readonly KeysOfDevelopers[];
  /** The kind of job that takes it back, given its id as `of_job`; null: nothing does. */
  readonly undoneBy: "reopen" | "undo" | null;
  /** Whether nothing at all brings back what was: a person confirms how many they mean. */
  readonly isForGood?: true;
  /** Whether a small job does it for what a person holds by temporary access. */
  readonly inTemporaryAccess?: boolean;
  /** In which state a filter finds them; of certificates, of which it finds those that have one. */
  readonly only?: "pending" | "declined" | "active" | "inactive" | "owner" | "mute";
  /** Of keys: what is done to each, where a filter finds only those to which it can be done. */
  readonly move?:
    | ("suspend" | "resume" | "revoke" | "rotate")
    | ("setPlans" | "setExpiry" | "clearExpiry");
  /** The error of a row that is already in the desired state: it is left alone. */
  readonly isSo?: FailureCode;
}

const request = {
  of: "key_requests",
  needs: "approve",
  needed: [],
  taken: ["reason", "seen"],
  undoneBy: null,
  only: "pending",
  inTemporaryAccess: true,
} as const;
const key = {
  of: "keys",
  needs: "approve",
  done: "changed",
  needed: [],
  taken: [],
  undoneBy: "undo",
} as const;
const certificate = { ...key, of: "certificates", needs: "certs:write" } as const;
const developer = { ...key, of: "developers", needs: "portal:write" } as const;

const rows = {
  approve: {
    ...request,
    doing: "Approving requests",
    done: "approved",
    taken: ["reason", "message", "conditions", "expires_at", "deliver", "seen"],
    isForGood: true,
  },
  decline: { ...request, doing: "Declining requests", done: "declined", undoneBy: "reopen" },
  reopen: { ...request, doing: "Reopening requests", done: "reopened", only: "declined" },
  assign: {
    ...request,
    doing: "Assigning requests",
    done: "assigned",
    needed: ["assignee"],
    taken: [],
    inTemporaryAccess: false,
  },
  suspend_keys: {
    ...key,
    doing: "Suspending keys",
    done: "suspended",
    needed: ["reason"],
    move: "suspend",
    isSo: "key_suspended",
  },
  resume_keys: {
    ...key,
    doing: "Resuming keys",
    done: "resumed",
    needed: ["reason"],
    move: "resume",
    isSo: "key_not_suspended",
  },
  revoke_keys: {
    ...key,
    doing: "Revoking keys",
    done: "revoked",
    needed: ["reason"],
    undoneBy: null,
    isForGood: true,
    move: "revoke",
    isSo: "key_revoked",
  },
  rotate_keys: {
    ...key,
    doing: "Rotating keys",
    done: "rotated",
    needed: ["overlap_seconds"],
    taken: ["deliver"],
    undoneBy: null,
    isForGood: true,
    move: "rotate",
    isSo: "key_rotated",
  },
  set_key_plans: {
    ...key,
    doing: "Changing plans of keys",
    needed: ["plans"],
    move: "setPlans",
  },
  add_key_plans: { ...key, doing: "Adding plans to keys", needed: ["plans"], move: "setPlans" },
  set_key_end: {
    ...key,
    doing: "Setting when keys end",
    needed: ["expires_at"],
    move: "setExpiry",
  },
  clear_key_end: { ...key, doing: "Taking ends of keys away", move: "clearExpiry" },
  follow_plan_life: {
    ...key,
    doing: "Setting ends of keys as their plans say",
    move: "setExpiry",
    isSo: "key_end_unchanged",
  },
  tag_keys: { ...key, doing: "Tagging keys", done: "tagged", needed: ["tags"] },
  untag_keys: { ...key, doing: "Taking tags of keys away", done: "untagged", needed: ["tags"] },
  set_certificate_owner: {
    ...certificate,
    doing: "Setting who cares for certificates",
    needed: ["owner"],
  },
  clear_certificate_owner: {
    ...certificate,
    doing: "Taking owners of certificates away",
    only: "owner",
  },
  mute_certificates: {
    ...certificate,
    doing: "Muting certificates",
    done: "muted",
    needed: ["until", "reason"],
  },
  unmute_certificates: {
    ...certificate,
    doing: "Unmuting certificates",
    done: "unmuted",
    only: "mute",
  },
  deactivate_developers: {
    ...developer,
    doing: "Deactivating developers",
    done: "deactivated",
    needed: ["keys"],
    taken: ["reason"],
    keys: ["keep", "suspend"],
    only: "active",
  },
  reactivate_developers: {
    ...developer,
    doing: "Reactivating developers",
    done: "reactivated",
    taken: ["keys", "reason"],
    keys: ["keep", "resume"],
    only: "inactive",
  },
  tag_developers: { ...developer, doing: "Tagging developers", done: "tagged", needed: ["tags"] },
  untag_developers: {
    ...developer,
    doing: "Taking tags of developers away",
    done: "untagged",
    needed: ["tags"],
  },
} as const satisfies Record<string, Kind>;

/** A kind that says by itself over what it is. */
export type OwnKind = keyof typeof rows;

/** A kind over these. */
export type KindOf<Of extends JobOf> = {
  [Name in OwnKind]: (typeof rows)[Name]["of"] extends Of ? Name : never;
}[OwnKind];

/** The kinds of jobs. */
export type JobKind = OwnKind | "undo";

/** Every kind but `undo`, which does what the kind asks for that it takes back. */
export const jobKinds: Readonly<Record<OwnKind, Kind>> = rows;

/** Their names, in the order of the interface. */
// as: of an object's own keys the language says no more than that they are texts.
export const ownKinds = Object.keys(rows) as [OwnKind, ...OwnKind[]];
