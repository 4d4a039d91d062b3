import type { RequestContext } from "../../calls/context.ts";
import { Failure } from "../../kernel/failure.ts";
import { isAppCode, type PersonRef, plainCode } from "./one-time-code.ts";
import { findOneTimeSecret } from "./one-time-codes.store.ts";
import { proveSecondFactor } from "./second-factor.ts";

/**
 * Runs a sign-in whose first factor is right, beside the code that was given with it. Codes are
 * looked at before, so that guessing writes nothing, and each counts as wrong until it was right,
 * by person and by address. A recovery code can't be guessed, so it never has to wait. Throws
 * `one_time_code_required`, `one_time_code_refused`, `too_many_requests`, and what `work` throws.
 */
export async function besideCode<T>(
  ctx: RequestContext,
  owner: PersonRef,
  { code, address }: { code: string | null; address: string | undefined },
  work: () => Promise<T>,
): Promise<T> {
  const { storage: { reader }, sealer, clock, attempts } = ctx;
  if (!await findOneTimeSecret(reader, owner)) return await work();
  const isGuess = code !== null && isAppCode(plainCode(code));
  const name = `${owner.org_id} ${owner.user_id}`;
  const attempt = isGuess ? attempts.begin({ address, name }, "one_time_code") : undefined;
  try {
    await proveSecondFactor(reader, sealer, owner, { code, now: clock.now() });
    const done = await work();
    attempt?.succeeded();
    return done;
  } catch (error) {
    const isWrong = error instanceof Failure && error.code === "one_time_code_refused";
    if (!isWrong) attempt?.withdrawn();
    else if (attempt) attempt.failed();
    else throw attempts.failed("access", { address }) ?? error;
    throw error;
  }
}
