import { SetDigest } from "./digests.ts";
import type { Kind } from "./source.ts";

/** A kind on both sides. */
export interface Comparison {
  kind: Kind;
  /** Objects that can come, and a digest of them all; of those here, as they came, likewise. */
  there: number;
  here: number;
  there_sha256: string;
  here_sha256: string;
  /** Not here, and no one said why. */
  missing: number;
  changed_there: number;
  /** Changed or deleted here since it came, or here before; what is there does not count. */
  changed_here: number;
  /** Documents and objects that can't come; the report names each. */
  refused: number;
  /** Keys that open something here and are gone there. */
  gone_there: number;
  /** Keys here that are user names there, and open by the name alone. */
  open_by_name: string[];
}

/** Both sides of a kind while they are compared. */
export class Sides {
  readonly #there = new SetDigest();
  readonly #here = new SetDigest();
  readonly #counts = { missing: 0, changed_there: 0, changed_here: 0 };
  refused = 0;
  gone = 0;
  readonly openByName: string[] = [];

  constructor(readonly kind: Kind) {}

  /** `isLeftOut`: the newest run named why it does not come. */
  add(
    id: string,
    there: string,
    known: { there: string; here: string } | undefined,
    here: string | undefined,
    isLeftOut: boolean,
  ): void {
    this.#there.add(id, there);
    if (!known && here === undefined) {
      if (isLeftOut) this.refused++;
      else this.#counts.missing++;
    } else if (!known || here === undefined) this.#counts.changed_here++;
    else if (known.there !== there) {
      this.#counts[isLeftOut ? "changed_here" : "changed_there"]++;
    } else if (known.here !== here) this.#counts.changed_here++;
    else this.#here.add(id, known.there);
  }

  comparison(): Comparison {
    return {
      kind: this.kind,
      there: this.#there.count,
      here: this.#here.count,
      there_sha256: this.#there.sha256,
      here_sha256: this.#here.sha256,
      ...this.#counts,
      refused: this.refused,
      gone_there: this.gone,
      open_by_name: this.openByName,
    };
  }
}
