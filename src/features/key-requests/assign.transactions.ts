import type { Actor } from "../../changes/audit.ts";
import { addToOutbox } from "../../changes/outbox.ts";
import { recordAlone } from "../../changes/record-change.ts";
import { Failure } from "../../kernel/failure.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { findPerson, findUserName, lockPerson } from "../people/people.store.ts";
import { setAssignee } from "./key-requests.store.ts";
import { lockFor } from "./lock-for.transactions.ts";
import { findDecider, isOwn } from "./own-request.ts";
import { namesOfRequest } from "./request-names.store.ts";
import { teamAmong, type TeamOf } from "./team.ts";

/** Whom a request is assigned to. */
interface Assignment {
  actor: Actor;
  id: string;
  /** The person's id; null: no one. */
  assignee: string | null;
  /** The assignee that the caller has seen; undefined: any. */
  insteadOf?: string | null | undefined;
}

/** Assigns a request. Throws what assignSeen throws. */
export const assignRequest = defineTransaction(
  "key-requests.assign",
  (tx, input: Assignment): Promise<null> => assignSeen(tx, input),
);

/**
 * Assigns a request that waits, with its row in the audit log and the message for the assignee.
 * Does nothing where it is theirs already. Throws `not_found`, `already_decided`, `own_request`,
 * `assigned_meanwhile`, `invalid_input` for a person who may approve nothing, and
 * `assignee_may_not_decide`.
 */
export async function assignSeen(tx: Tx, input: Assignment): Promise<null> {
  const { actor, id, assignee, insteadOf } = input;
  const { org_id } = actor;
  // Before the request: anyone who leaves is held before what is theirs, too.
  if (assignee !== null) await lockPerson(tx, { org_id, id: assignee });
  const row = await lockFor(tx, "assign", { actor, id, ifMatch: null });
  const caller = await findDecider(tx, { org_id, id, user_id: actor.user_id });
  if (caller && isOwn(caller)) throw new Failure("own_request");
  if (insteadOf !== undefined && insteadOf !== row.assignee) {
    throw await assignedMeanwhile(tx, org_id, row.assignee);
  }
  const name = assignee === null
    ? undefined
    : await nameOfFit(tx, assignee, { org_id, id, head: row.head, policy: row.policy });
  if (assignee === row.assignee) return null;
  if (!await setAssignee(tx, { org_id, id, assignee })) throw new Failure("already_decided");
  const topic = assignee === null ? "key_request.unassigned" : "key_request.assigned";
  await recordAlone(tx, actor, {
    action: topic,
    object_id: id,
    detail: { before: { assignee: row.assignee }, after: { assignee } },
    personal: name === undefined ? undefined : { "/name": name },
    names: await namesOfRequest(tx, org_id, row),
  });
  await addToOutbox(tx, actor, {
    topic,
    object_id: id,
    ...assignee === null ? {} : { detail: { assignee } },
  });
  return null;
}

async function assignedMeanwhile(
  tx: Tx,
  org_id: string,
  assignee: string | null,
): Promise<Failure> {
  const message = assignee === null
    ? "This key request is no longer assigned."
    : `This key request is assigned to ${
      await findUserName(tx, { org_id, id: assignee }) ?? "another person"
    } by now.`;
  return new Failure("assigned_meanwhile", { message });
}

/** The name of a person who may decide this request, as far as is known before they do. */
async function nameOfFit(tx: Tx, user_id: string, of: TeamOf): Promise<string> {
  const person = await findPerson(tx, { org_id: of.org_id, id: user_id });
  const [fit] = person ? await teamAmong(tx, of, [person]) : [];
  if (!fit) {
    const message = `assignee: no person who may decide this key request has the id ${user_id}`;
    throw new Failure("invalid_input", { message, details: [message] });
  }
  if (fit.may_decide) return fit.name;
  const message = `By its policy ${fit.name} may not decide this key request.`;
  throw new Failure("assignee_may_not_decide", { message });
}
