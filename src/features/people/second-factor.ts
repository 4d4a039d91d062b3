import { Failure } from "../../kernel/failure.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import type { Connection, Tx } from "../../storage/storage.ts";
import type { Sealer } from "../../kernel/sealing/sealer.ts";
import {
  isAppCode,
  openedSecret,
  type PersonRef,
  plainCode,
  recoveryHash,
  stepOfCode,
} from "./one-time-code.ts";
import {
  burnRecoveryCode,
  findOneTimeSecret,
  hasRecoveryCode,
  takeStep,
} from "./one-time-codes.store.ts";

/** The proof of a person beside an access token or an invitation. */
export type SecondFactor =
  | { by: "one_time_code"; step: number }
  | { by: "recovery_code"; hash: string };

/**
 * The proof by a code; undefined: the person has set none up, and it is not checked. Changes
 * nothing. Throws `one_time_code_required` if none was given, `one_time_code_refused`.
 */
export async function proveSecondFactor(
  db: Connection,
  sealer: Sealer,
  owner: PersonRef,
  { code, now }: { code: string | null; now: number },
): Promise<SecondFactor | undefined> {
  const row = await findOneTimeSecret(db, owner);
  if (!row) return undefined;
  if (code === null) throw new Failure("one_time_code_required");
  const plain = plainCode(code);
  if (!isAppCode(plain)) {
    const hash = recoveryHash(owner, plain);
    if (await hasRecoveryCode(db, { ...owner, hash })) return { by: "recovery_code", hash };
    throw new Failure("one_time_code_refused");
  }
  // One that can't be opened has no codes: recovery codes, or an administrator, let in.
  const secret = openedSecret(sealer, row);
  const step = secret === undefined ? undefined : stepOfCode(secret, plain, now);
  if (step === undefined || step <= row.last_step) throw new Failure("one_time_code_refused");
  return { by: "one_time_code", step };
}

/**
 * Takes what a code proves, so that nothing else is done by it: of two at once one wins. Throws
 * what proveSecondFactor throws.
 */
export async function takeSecondFactor(
  tx: Tx,
  owner: PersonRef,
  given: { code: string | null; now: number },
): Promise<SecondFactor | undefined> {
  const proved = await proveSecondFactor(tx, tx.sealer, owner, given);
  if (!proved) return undefined;
  const isFirst = proved.by === "one_time_code"
    ? await takeStep(tx, { ...owner, step: proved.step, at: toTimestamp(given.now) })
    : await burnRecoveryCode(tx, { ...owner, hash: proved.hash });
  if (!isFirst) throw new Failure("one_time_code_refused");
  return proved;
}
