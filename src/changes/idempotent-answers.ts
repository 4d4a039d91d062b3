import { toTimestamp } from "../kernel/clock.ts";
import { Failure } from "../kernel/failure.ts";
import { statement } from "../storage/statement.ts";
import type { Tx } from "../storage/storage.ts";

/** How long the first answer is given again, in milliseconds. */
const KEPT_MS = 24 * 60 * 60 * 1000;

/** A call that carries an `Idempotency-Key`. */
export interface IdempotentCall {
  org_id: string;
  token_id: string;
  /** The header's value. */
  key: string;
  /** Hash of method, path and body: what a repeat must have in common with the first call. */
  fingerprint: string;
  now: number;
}

type Place = { org_id: string; scope: string };

const forgetSql = statement<Place & { now: string }>()((db, p) =>
  db.deleteFrom("idempotent_answers").where("org_id", "=", p.org_id)
    .where("scope", "=", p.scope).where("expires_at", "<=", p.now)
);

const claimSql = statement<Place & { fingerprint: string; expires_at: string }>()((db, p) =>
  db.insertInto("idempotent_answers").values({
    org_id: p.org_id,
    scope: p.scope,
    fingerprint: p.fingerprint,
    answer: null,
    expires_at: p.expires_at,
  }).onConflict((conflict) => conflict.doNothing())
);

const findSql = statement<Place>()((db, p) =>
  db.selectFrom("idempotent_answers").select(["fingerprint", "answer"])
    .where("org_id", "=", p.org_id).where("scope", "=", p.scope)
);

const keepSql = statement<Place & { answer: string }>()((db, p) =>
  db.updateTable("idempotent_answers").set({ answer: p.answer })
    .where("org_id", "=", p.org_id).where("scope", "=", p.scope)
);

/**
 * Runs `work` at most once for a call's key and gives later calls its first answer. The claim is a row of the
 * same transaction: a twin that runs at the same time waits for it, and a failure takes it back, so that only
 * successes are kept. Throws `idempotency_key_reused` when path or body differ from the first call's.
 */
export async function once<T>(
  tx: Tx,
  call: IdempotentCall | null,
  work: () => Promise<T>,
): Promise<T> {
  if (!call) return await work();
  // Neither the key nor the answer can be read from the store: the row's name is a keyed hash, the answer is
  // sealed under a key that needs the header's value.
  const secret = `${call.token_id}\0${call.key}`;
  const place = { org_id: call.org_id, scope: tx.sealer.blindIndex(secret) };
  const sealedPlace = {
    table: "idempotent_answers",
    org_id: call.org_id,
    id: place.scope,
    column: "answer",
  };
  // This one alone: others that are over go by retention, and would have calls wait for each other.
  await tx.send(forgetSql, { ...place, now: toTimestamp(call.now) });
  const expires_at = toTimestamp(call.now + KEPT_MS);
  if (await tx.change(claimSql, { ...place, fingerprint: call.fingerprint, expires_at }) === 1) {
    const answer = await work();
    await tx.send(keepSql, {
      ...place,
      answer: tx.sealer.sealWith(secret, sealedPlace, JSON.stringify(answer)),
    });
    return answer;
  }
  const first = await tx.row(findSql, place);
  // Another node may have found it expired at this very moment; then the caller may simply ask again.
  if (!first || first.answer === null) throw new Failure("unavailable");
  if (first.fingerprint !== call.fingerprint) throw new Failure("idempotency_key_reused");
  // as: an earlier call's `work`, in this very transaction's code, returned it.
  return JSON.parse(tx.sealer.openWith(secret, sealedPlace, first.answer)) as T;
}
