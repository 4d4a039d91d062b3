import { isPredictable } from "../../../kernel/passwords/predictable.ts";
import type { z } from "zod";
import { actorOf, type Idempotency } from "../../../calls/principal.ts";
import { Failure } from "../../../kernel/failure.ts";
import { isUniqueViolation } from "../../../storage/unique-violation.ts";
import { nobodysId } from "../../developers/nobodys-id.ts";
import { isWeak } from "../../keys/chosen-keys.ts";
import { checkKeyForm } from "../../keys/key-form.ts";
import { findKey } from "../../keys/key-list.store.ts";
import { mintOf } from "../../keys/keys.service.ts";
import { issueKey, type Replacement } from "../../keys/mint-key.transactions.ts";
import { namesOf } from "../../keys/named-keys.service.ts";
import { ANY_API } from "../../plans/every-plan.store.ts";
import type { VerificationContext } from "../verifier.ts";
import { changeByData } from "./change-by-data.transactions.ts";
import { KeyData, type NamedKeyData } from "./key-data.service.ts";
import type { client, clientOfApiInput, session } from "./make-keys.contract.ts";

/** A session, and an order of an OAuth client, as they are sent. */
type Session = z.output<typeof session>;
type ClientOrder = z.output<typeof clientOfApiInput>;

/**
 * Issues a key by a session. `own`: the text that its caller wants for it, which is refused. Throws
 * `invalid_input`, `unknown_developer` and what issueKey throws.
 */
export async function makeKey(
  ctx: VerificationContext,
  session: Session,
  own: string | undefined,
  idempotency: Idempotency,
): Promise<NamedKeyData> {
  if (own !== undefined) {
    throw refused("key: a new key's text is ours; POST /api/keys without one, PUT changes a key");
  }
  const issued = await issueBy(ctx, session, { kind: "token" }, idempotency);
  return { ...await readKeyData(ctx, issued.key_id), key_id: issued.RawKey };
}

/** Issues a key of this user name. Throws as makeKey does. */
export async function makeBasicKey(
  ctx: VerificationContext,
  name: string,
  session: Session,
  idempotency: Idempotency,
): Promise<NamedKeyData> {
  const password = session.basic_auth_data?.password ?? "";
  const problem = nameProblem(name) ?? passwordProblem(password);
  if (problem !== undefined) throw refused(problem);
  const { ids, formerIds } = await namesOf(ctx, name);
  const user = { name, password, ids: [...new Set([...ids, ...formerIds])] };
  const { key_id } = await issueBy(ctx, session, { kind: "basic", user }, idempotency);
  return { ...await readKeyData(ctx, key_id), key_id: name };
}

/**
 * Changes the key that `named` is the id of, or is, to what the session says of it. Throws
 * `key_not_found`, `invalid_input`, `key_rotated` and what replacing its plans throws.
 */
export async function changeKey(
  ctx: VerificationContext,
  named: string,
  session: Session,
): Promise<NamedKeyData> {
  const { principal, clock, storage } = ctx;
  if (session.basic_auth_data?.password) {
    throw refused("basic_auth_data.password: a key's password can't be changed; issue another key");
  }
  const { alias, tags, expires, is_inactive } = session;
  const key_id = await storage.commit(changeByData, {
    actor: actorOf(principal, clock.now()),
    names: await namesOf(ctx, named),
    owner: session.meta_data?.tyk_developer_id || null,
    ...session.apply_policies || session.policy_id ? { plans: plansOf(session) } : {},
    labels: { name: alias, tags },
    ...expires === undefined ? {} : { expires_at: expires > 0 ? endOf(expires) : null },
    is_inactive,
  });
  return await readKeyData(ctx, key_id);
}

/** Issues an OAuth client for no one. Throws `invalid_input` and what issueKey throws. */
export async function makeClient(
  ctx: VerificationContext,
  order: ClientOrder,
  idempotency: Idempotency,
): Promise<z.output<typeof client>> {
  for (const member of ["client_id", "secret"] as const) {
    if (order[member]) throw refused(`${member}: it is ours; leave it out`);
  }
  const redirect_uri = order.redirect_uri ?? "";
  const terms = { redirect_uri, app_description: "", use_case: "" };
  const issued = await issueBy(ctx, order, { client: terms }, idempotency);
  const { RawKey: client_id, Password: secret, policy_id = "" } = issued;
  return { client_id, secret, redirect_uri, policy_id };
}

async function issueBy(
  ctx: VerificationContext,
  session: Session,
  order: Pick<Parameters<typeof issueKey.run>[1], "kind" | "user" | "client">,
  idempotency: Idempotency,
): Promise<Replacement> {
  const { alias, tags, expires = 0, is_inactive, meta_data } = session;
  if (is_inactive) throw refused("is_inactive: a new key is active; suspend it by PUT");
  const owner = meta_data?.tyk_developer_id ?? "";
  const call = {
    ...mintOf(ctx, "answer", idempotency),
    developer_id: owner || nobodysId(ctx.principal.org_id),
    registers: owner === "",
    plans: plansOf(session),
    references: "known" as const,
    labels: { name: alias, tags },
    expires_at: expires > 0 ? endOf(expires) : null,
    ...order,
  };
  const issue = () => ctx.storage.commit(issueKey, call);
  try {
    // Another developer's key took the name in this moment: the second time it is seen.
    return await issue().catch((error) => {
      if (order.user && isUniqueViolation(error)) return issue();
      throw error;
    });
  } catch (error) {
    const isUnknown = error instanceof Failure && error.code === "not_found";
    throw isUnknown ? new Failure("unknown_developer") : error;
  }
}

/** The key as reads show it. */
async function readKeyData(ctx: VerificationContext, key_id: string): Promise<NamedKeyData> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const row = await findKey(reader, { org_id, key_id });
  const data = row && await new KeyData(ctx).one(row, ANY_API);
  if (!data) throw new Failure("key_not_found");
  return data;
}

function plansOf({ apply_policies = [], policy_id = "" }: Session | ClientOrder): string[] {
  const plans = policy_id === "" ? apply_policies : [...apply_policies, policy_id];
  if (plans.length === 0) throw refused("apply_policies: expected at least 1, or a policy_id");
  return [...new Set(plans)];
}

function nameProblem(name: string): string | undefined {
  // Basic presents a name up to its first colon, and without control characters (RFC 7617).
  if (!/^[^:\p{Cc}]{1,255}$/u.test(name) || !name.isWellFormed()) {
    return "user: expected 1 to 255 characters without colons and control characters";
  }
  if (checkKeyForm(name) !== "other") return "user: begins like a key of ours";
  return undefined;
}

function passwordProblem(password: string): string | undefined {
  if (isWeak(password) || !password.isWellFormed()) {
    return "basic_auth_data.password: expected 20 characters or more";
  }
  return isPredictable(password)
    ? "basic_auth_data.password: must not be made of repeated or sequential characters"
    : undefined;
}

/** Seconds since 1970 as a time. Throws `invalid_input` for what is none. */
function endOf(expires: number): string {
  const at = new Date(expires * 1000);
  if (Number.isNaN(at.valueOf()) || at.getUTCFullYear() > 9999) {
    throw refused("expires: expected seconds since 1970, up to the year 9999");
  }
  return at.toISOString();
}

function refused(message: string): Failure {
  return new Failure("invalid_input", { message, details: [message] });
}
