import { deriveOnThread } from "./derivation-queue.ts";
import { deriveNow, type KeyDerivation, nanosecondsOf } from "./key-derivation.ts";
import { CertificateRefused } from "./refusal.ts";

/** The rounds of key derivation that the files of one upload may ask for in all. */
export const MOST_ROUNDS = 2_000_000;

/** The key derivations that one upload may still cost. */
export interface DerivationBudget {
  rounds: number;
  /** Time left for derivations on the calling thread, which serves other requests too. */
  nanosecondsHere: number;
  /** Ends a derivation that is under way. */
  readonly signal: AbortSignal | undefined;
}

/** The budget of an upload: at most 15 ms of it are spent on the calling thread. */
export function newBudget(signal?: AbortSignal, rounds = MOST_ROUNDS): DerivationBudget {
  return { rounds, nanosecondsHere: 15_000_000, signal };
}

/** A derivation that costs more than its budget: it was not begun. */
export class OverBudget extends CertificateRefused {
  constructor(rounds: number) {
    super(
      "unsupported",
      `The file uses a key derivation of ${rounds} rounds, which is not supported: ` +
        `one upload may ask for ${MOST_ROUNDS} rounds in all.`,
    );
  }
}

/**
 * Pays for `rounds` before anything is derived; `share`: what one of them counts. Throws
 * OverBudget.
 */
export function spend(budget: DerivationBudget, rounds: number, share = 1): void {
  if (rounds < 1) throw new Error("expected an iteration count above 0");
  if (rounds * share > budget.rounds) throw new OverBudget(rounds);
  budget.rounds -= rounds * share;
}

/** A round of PKCS#12's own derivation is one digest, and one of PBKDF2 two. */
export const OWN_SHARE = 0.5;

/**
 * The bytes of a derivation that is paid for. It runs on another thread where it would hold this
 * one for more than a few milliseconds. Throws `Unavailable` when too many are under way.
 */
export async function derive(
  derivation: KeyDerivation,
  budget: DerivationBudget,
): Promise<Uint8Array> {
  const nanoseconds = nanosecondsOf(derivation);
  if (nanoseconds > budget.nanosecondsHere) {
    return await deriveOnThread(derivation, budget.signal);
  }
  budget.nanosecondsHere -= nanoseconds;
  return deriveNow(derivation);
}
