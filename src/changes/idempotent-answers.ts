import { toTimestamp } from "../kernel/clock.ts";
import { Failure } from "../kernel/failure.ts";
import type { Sealer } from "../kernel/sealing/sealer.ts";
import { rowOf } from "../storage/rows.ts";
import { statement } from "../storage/statement.ts";
import type { Storage, Tx } from "../storage/storage.ts";
import { requireRepeatable, waitForOutlet } from "./unsent.store.ts";

/** How long the first answer is given again, in milliseconds. */
const KEPT_MS = 24 * 60 * 60 * 1000;

/** A call that carries an `Idempotency-Key`. */
export interface IdempotentCall {
  org_id: string;
  token_id: string;
  /** The header's value. */
  key: string;
  /**
   * Hash of what was asked for, by `callFingerprint`: what a repeat must have in common with the
   * first call.
   */
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
    ...rowOf("idempotent_answers", p, "answer"),
    answer: null,
  }).onConflict((conflict) => conflict.doNothing())
);

const findSql = statement<Place>()((db, p) =>
  db.selectFrom("idempotent_answers").select(["fingerprint", "answer", "expires_at"])
    .where("org_id", "=", p.org_id).where("scope", "=", p.scope)
);

const keepSql = statement<Place & { answer: string }>()((db, p) =>
  db.updateTable("idempotent_answers").set({ answer: p.answer })
    .where("org_id", "=", p.org_id).where("scope", "=", p.scope)
);

/**
 * Runs `work` at most once for a call's key and gives later calls its first answer. The claim is a
 * row of the same transaction: a twin that runs at the same time waits for it, and a failure takes
 * it back, so that only successes are kept. Throws `idempotency_key_reused` when the call asks for
 * something else than the first did. `stillSeen` throws where the first answer may not be given
 * again, since its caller sees no more what it tells of.
 */
export async function once<T>(
  tx: Tx,
  call: IdempotentCall | null,
  work: () => Promise<T>,
  stillSeen?: (first: T) => Promise<void>,
): Promise<T> {
  if (!call) return await work();
  const names = namesOf(tx.sealer, call);
  const { place, fingerprint } = names;
  // This one alone: others that are over go by retention, and would have calls wait for each other.
  await tx.send(forgetSql, { ...place, now: toTimestamp(call.now) });
  const expires_at = toTimestamp(call.now + KEPT_MS);
  if (await tx.change(claimSql, { ...place, fingerprint, expires_at }) === 1) {
    const answer = await work();
    await tx.send(keepSql, {
      ...place,
      answer: tx.sealer.sealWith(names.secret, names.sealed, JSON.stringify(answer)),
    });
    return answer;
  }
  // A repeat acknowledges nothing that the audit log stream does not have yet.
  requireRepeatable(tx);
  const first = await tx.row(findSql, place);
  // Another node may have found it expired at this very moment; then the caller may simply ask
  // again.
  if (!first || first.answer === null) throw new Failure("unavailable");
  const answer = opened<T>(tx.sealer, names, { ...first, answer: first.answer });
  await stillSeen?.(answer);
  return answer;
}

/**
 * The stored answer of `once` to this call; undefined: none yet. For a service whose own check of
 * the call may come out differently the second time. Throws `idempotency_key_reused`, and the error
 * of `once` if the audit log stream may not have it yet.
 */
export async function keptAnswer<T>(
  { reader, outlet }: Pick<Storage, "reader" | "outlet">,
  sealer: Sealer,
  call: IdempotentCall | null,
): Promise<T | undefined> {
  if (!call) return undefined;
  const names = namesOf(sealer, call);
  const first = await reader.row(findSql, names.place);
  const isKept = first && first.answer !== null && first.expires_at > toTimestamp(call.now);
  if (!isKept) return undefined;
  await waitForOutlet(outlet);
  return opened(sealer, names, { ...first, answer: first.answer ?? "" });
}

/**
 * By what a call is found and sealed. Neither its key, nor what it asked for, nor the answer can be
 * read from the store: names are keyed hashes, and the answer is sealed under a key that needs the
 * header's value.
 */
function namesOf(sealer: Sealer, call: IdempotentCall) {
  const { org_id } = call;
  const secret = `${call.token_id}\0${call.key}`;
  const scope = sealer.blindIndex(secret);
  return {
    secret,
    place: { org_id, scope },
    sealed: { table: "idempotent_answers", org_id, id: scope, column: "answer" },
    fingerprint: sealer.blindIndex(`${secret}\0${call.fingerprint}`),
  };
}

function opened<T>(
  sealer: Sealer,
  { secret, sealed, fingerprint }: ReturnType<typeof namesOf>,
  first: { fingerprint: string; answer: string },
): T {
  if (first.fingerprint !== fingerprint) throw new Failure("idempotency_key_reused");
  // as: an earlier call's `work`, in this very transaction's code, returned it.
  return JSON.parse(sealer.openWith(secret, sealed, first.answer)) as T;
}
