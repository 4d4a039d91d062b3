import { Abandoned } from "./hash-chain.ts";
import { deriveNow, type KeyDerivation } from "./key-derivation.ts";

/**
 * A derivation for the thread; `abandoned` is shared, and 1 when its result is not needed any more.
 */
export interface DerivationJob {
  derivation: KeyDerivation;
  abandoned: Int32Array;
}

/** The derived bytes; null where it was abandoned. */
export type DerivationOutcome = Uint8Array | null;

/** The global scope of a dedicated worker (HTML 10.2). */
declare const self: {
  onmessage: (event: MessageEvent<DerivationJob>) => void;
  postMessage(outcome: DerivationOutcome): void;
};

/** The thread on which long derivations run: one message, one answer. */
self.onmessage = ({ data: { derivation, abandoned } }: MessageEvent<DerivationJob>) => {
  try {
    self.postMessage(deriveNow(derivation, () => Atomics.load(abandoned, 0) === 0));
  } catch (error) {
    if (!(error instanceof Abandoned)) throw error;
    self.postMessage(null);
  }
};
