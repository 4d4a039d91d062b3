import type { Actor } from "../../changes/audit.ts";
import { requireRevision } from "../../kernel/entity-tag.ts";
import { Failure } from "../../kernel/failure.ts";
import type { Tx } from "../../storage/storage.ts";
import { findUserName } from "../people/people.store.ts";
import { type MoveName, refusalOf } from "./key-request.ts";
import { lockedRevision } from "./locked-revision.transactions.ts";
import { lockForDecision } from "./v1.store.ts";
import { requireWithin } from "./within-scope.ts";

/** The common input of decisions. */
export interface Decision {
  actor: Actor;
  id: string;
  /** The revisions that the caller has seen; null: any will do. */
  ifMatch: string[] | null;
}

/**
 * The request, held, where it is within the actor's scope, this move can be made, and it is what
 * the caller has seen. That a person decided comes before that something changed: it says more, and
 * RFC 9110, 13.2.1 wants it so.
 */
export async function lockFor(tx: Tx, move: MoveName, input: Decision) {
  const row = await lockForDecision(tx, { org_id: input.actor.org_id, id: input.id });
  if (!row) throw new Failure("not_found");
  await requireWithin(tx, input.actor, row);
  const refused = refusalOf(move, row.state);
  if (refused === "already_decided") throw await decidedBy(tx, input.actor.org_id, row);
  if (refused !== undefined) throw new Failure(refused);
  const { ifMatch } = input;
  if (ifMatch !== null) requireRevision(ifMatch, await lockedRevision(tx, input.actor.org_id, row));
  return row;
}

/** The person who has decided, and when. */
async function decidedBy(
  tx: Tx,
  org_id: string,
  row: NonNullable<Awaited<ReturnType<typeof lockForDecision>>>,
): Promise<Failure> {
  const what = row.state === "issued" ? "approved" : "declined";
  const by = row.decided_by ?? row.issued_by ?? "";
  const at = row.decided_at ?? row.issued_at;
  const name = await findUserName(tx, { org_id, id: by }) ?? by;
  const message = `This key request was ${what}${name && ` by ${name}`}${at ? ` at ${at}` : ""}.`;
  return new Failure("already_decided", { message });
}
