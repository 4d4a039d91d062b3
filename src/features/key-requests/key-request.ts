/**
 * A key request: a developer asks for a key to plans, and a person decides.
 *
 *     create ──► pending ──approve──► issued
 *                 │    ▲
 *         decline ▼    │ reopen
 *                declined
 *
 * A request that is issued stays so, and its terms are fixed: a credential was made for them. The
 * older interface does not know `declined`; there such a request is absent. The decider, the time
 * and the reason are kept with the request.
 */
import type { Permission } from "../../contract/permissions.ts";
import type { FailureCode } from "../../kernel/failure-codes.ts";
import { Failure } from "../../kernel/failure.ts";

/** The states of a request. The wire's `approved` is true when it is issued, else as sent. */
export const states = ["pending", "issued", "declined"] as const;

/** One of them. */
export type RequestState = typeof states[number];

/** A possible change of a request. */
export interface Move {
  /**
   * The permission that it needs. `approve` by the older interface also takes `portal:write`, for
   * automatic plans alone.
   */
  readonly needs: Permission;
  /** The state afterwards; `same`: as it was. */
  readonly to: RequestState | "same" | "gone";
  /** The error in a state without this change. */
  readonly refused: Readonly<Partial<Record<RequestState, FailureCode>>>;
}

/** Every move. A test does each of them in each state. */
export const moves = {
  /** Specification 4.5. Of an issued request all but its terms may change. */
  update: { needs: "portal:write", to: "same", refused: { declined: "not_found" } },
  /** Specification 4.6. A credential that was issued lives on. */
  remove: { needs: "portal:write", to: "gone", refused: {} },
  /** Specification 4.7: the credential, exactly once. */
  approve: {
    needs: "approve",
    to: "issued",
    refused: { issued: "already_processed", declined: "not_found" },
  },
  /** The approval under /v1, which knows who decided. */
  approveV1: {
    needs: "approve",
    to: "issued",
    refused: { issued: "already_decided", declined: "already_decided" },
  },
  /** Offers something else, or takes that back: the request is pending as before. */
  offer: {
    needs: "approve",
    to: "same",
    refused: { issued: "already_decided", declined: "already_decided" },
  },
  /** Says who of the team looks after it. */
  assign: {
    needs: "approve",
    to: "same",
    refused: { issued: "already_decided", declined: "already_decided" },
  },
  decline: {
    needs: "approve",
    to: "declined",
    refused: { issued: "already_decided", declined: "already_decided" },
  },
  reopen: {
    needs: "approve",
    to: "pending",
    refused: { pending: "not_declined", issued: "not_declined" },
  },
  /** Says why a request was declined. */
  setReason: {
    needs: "approve",
    to: "same",
    refused: { pending: "not_declined", issued: "not_declined" },
  },
  /** Mints the key of an issued request anew. */
  reissue: {
    needs: "approve",
    to: "same",
    refused: { pending: "not_issued", declined: "not_found" },
  },
} as const satisfies Readonly<Record<string, Move>>;

/** The name of a move. */
export type MoveName = keyof typeof moves;

/** The error of a change that is impossible in this state; undefined: it is possible. */
export function refusalOf(name: MoveName, state: RequestState): FailureCode | undefined {
  const { refused }: Move = moves[name];
  return refused[state];
}

/** Throws what a move throws in this state, unless it can be made. */
export function requireState(name: MoveName, state: RequestState): void {
  const code = refusalOf(name, state);
  if (code !== undefined) throw new Failure(code);
}

/** The terms of a request: all that a key is made from. */
export interface KeyRequestTerms {
  key: string;
  by_user: string;
  plans: string[];
  remove_policies: string[];
  oauth: boolean;
  redirect_uri: string;
  app_description: string;
  use_case: string;
}

/** Throws `already_issued` where the terms of an issued request would change, and names them. */
export function refuseChangedTerms(
  before: Pick<KeyRequestTerms, "by_user" | "plans" | "key">,
  after: { by_user: string; plans: readonly string[]; key: string },
): void {
  const changed = [
    before.by_user !== after.by_user && "by_user",
    !samePlans(before.plans, after.plans) && "for_plan and apply_policies",
    before.key !== after.key && "key",
  ].filter((name) => name !== false);
  if (changed.length === 0) return;
  throw new Failure("already_issued", {
    details: changed.map((name) => `${name}: a credential was issued, so it can no longer change`),
  });
}

/** Whether the plans are equal, and the first is the same one: that is for_plan. */
export function samePlans(a: readonly string[], b: readonly string[]): boolean {
  return a[0] === b[0] && [...a].sort().join("\n") === [...b].sort().join("\n");
}

/**
 * The list in which a request is counted: by what the interface can filter, and by state. The rows
 * of one list are never split further.
 */
export function listOf(state: RequestState, approved: number): string {
  return `key_requests/${state}/${approved}`;
}
