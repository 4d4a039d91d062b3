import type { Networks } from "../kernel/networks.ts";
import type { ActingCall, Actor } from "../changes/audit.ts";
import { callFingerprint } from "../changes/call-fingerprint.ts";
import type { IdempotentCall } from "../changes/idempotent-answers.ts";
import { readScope, type Scope } from "../contract/scope.ts";
import { allows, type Permission, readPermissions } from "../contract/permissions.ts";
import { DEVELOPER_ACTOR } from "../contract/actor-types.ts";
import type { CertsAnswer } from "../contract/certs-answer.ts";
import type { Origin } from "./origin.ts";

/** The caller, their organisation and their permissions. */
export interface Principal {
  readonly org_id: string;
  readonly user_id: string;
  readonly token_id: string;
  readonly permissions: readonly Permission[];
  /** Of what alone they see and decide; absent: everything. */
  readonly covers?: Scope;
  /** The networks in which alone the access token is valid; undefined: everywhere. */
  readonly addresses?: Networks;
  /** How lists of certificates read to the access token; absent: as the setting says. */
  readonly certsAnswer?: CertsAnswer;
  /** The person's temporary access in this session. */
  readonly temporaryAccess?: PrincipalTemporaryAccess;
  /** The browser's session, if it is used instead of an access token. */
  readonly session?: PrincipalSession;
  /** A developer who calls for themselves; they hold no permission. */
  readonly developer?: CallingDeveloper;
  /** The call itself, as anyone who serves it adds it; absent where no one calls. */
  readonly origin?: Origin;
}

/** A person's temporary access, at endpoints that say so. */
export interface PrincipalTemporaryAccess {
  readonly id: string;
  /** The person's own and those of the temporary access. */
  readonly permissions: readonly Permission[];
  readonly expires_at: string;
}

/** The session of a call. */
export interface PrincipalSession {
  readonly id: string;
  /** The token that a state-changing call must carry beside the cookie. */
  readonly csrf_token: string;
  readonly expires_at: string;
  /** Whether a credential was presented for it within the last five minutes. */
  readonly isFresh: boolean;
  /** The way of its sign-in; absent of a developer's. */
  readonly opened_by?: "token" | "code" | "invitation" | "passkey" | "provider";
}

/** A developer by their own session or token. */
interface CallingDeveloper {
  readonly id: string;
  readonly by: "session" | "token";
  /** A token that only looks changes nothing, nor does a person who sees what they do. */
  readonly mayChange: boolean;
  /** Whether it opens what hands keys out and ends them. */
  readonly opensAll: boolean;
  /** Whether the session is the developer's own, and began within the last minutes. */
  readonly isFreshOwn: boolean;
}

/** How the audit log calls a developer who does something themselves. */
export function developerActor(id: string): string {
  return `${DEVELOPER_ACTOR}${id}`;
}

/** The developer who calls. Only where the endpoint's rule is `developer` is there one. */
export function callingDeveloper({ developer }: Principal): CallingDeveloper {
  if (!developer) throw new Error("no developer calls");
  return developer;
}

/** The caller of an endpoint that is open to everybody, and every unauthenticated caller. */
export const ANONYMOUS: Principal = { org_id: "", user_id: "", token_id: "", permissions: [] };

/** True when the principal holds this permission. */
export function may(principal: Principal, permission: Permission): boolean {
  return allows(principal.permissions, permission);
}

/**
 * The principal as the one who acts now. No one else makes an actor out of a caller, so the audit
 * log names every call.
 */
export function actorOf(principal: Principal, nowMs: number): Actor {
  return {
    org_id: principal.org_id,
    user_id: principal.user_id,
    token_id: principal.token_id,
    now: nowMs,
    call: actingCall(principal),
  };
}

/** The caller's call, as the audit log names it; undefined where no one calls. */
export function actingCall(
  { session, temporaryAccess, origin }: Principal,
): ActingCall | undefined {
  if (!origin) return undefined;
  const { request_id, caller_request_id, client_address } = origin;
  const call = { session: session?.id ?? "", request_id, caller_request_id, client_address };
  return temporaryAccess ? { ...call, temporaryAccess: temporaryAccess.id } : call;
}

/**
 * Permissions as they are stored: words separated by blanks. Words that this code does not know
 * grant nothing.
 */
export function parsePermissions(text: string): Permission[] {
  return readPermissions(text.split(" "));
}

/** The permissions of an access token: those of its person, limited to its scope if it has one. */
export function effectivePermissions(permissions: string, scope: string | null): Permission[] {
  const person = parsePermissions(permissions);
  if (scope === null) return person;
  // Also `portal:read` within the person's `portal:write`.
  return parsePermissions(scope).filter((one) => allows(person, one));
}

/** The scope of a person as stored, as their principal has it. */
export function scopeOf({ covers }: { covers: string | null }): Pick<Principal, "covers"> {
  const read = readScope(covers);
  return read === null ? {} : { covers: read };
}

/** The permissions of `wanted` that `granted` does not hold. */
export function missing(
  granted: readonly Permission[],
  wanted: readonly Permission[],
): Permission[] {
  return wanted.filter((one) => !allows(granted, one));
}

/** A call's `Idempotency-Key`, or null without one. */
export type Idempotency = Pick<IdempotentCall, "key" | "fingerprint"> | null;

/**
 * The call, compared by this too: what a service parsed out of a body that came as bytes, as JSON
 * can carry it.
 */
export function comparedBy(call: Idempotency, parsed: unknown): Idempotency {
  return call && { ...call, fingerprint: callFingerprint([call.fingerprint, parsed]) };
}

/** The call as a transaction claims it. */
export function idempotentCall(
  principal: Principal,
  now: number,
  call: Idempotency,
): IdempotentCall | null {
  const { org_id } = principal;
  // Sessions of developers have no token, and none gets another's answer.
  const token_id = principal.developer ? principal.user_id : principal.token_id;
  return call && { ...call, org_id, token_id, now };
}
