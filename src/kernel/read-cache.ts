/** Texts and names kept in all, in characters; beyond it the oldest go. */
const KEPT_LENGTH = 4 * 1024 * 1024;
/** Of these, those of this length and more keep half at the most, to leave room for others. */
const LONG = 64 * 1024;
/** So many names are remembered that were asked for once, each by a number. */
const NAMES = 4096;
/** Answers that are being made and that others may wait for. */
const MAKING = 256;
/** So often a person waits for another's answer that has changed by its end. */
const WAITS = 3;

/** A text, or one with something known about it; what can't be kept has an infinite length. */
type Kept = { readonly length: number };

/** The cached value, and the parts of the store that it was made of, all of them. */
interface Made<T extends Kept> {
  readonly answer: T;
  readonly parts: readonly string[];
}

/** A state of the store, to anyone who gave it. */
export interface Mark {
  /** How many changes were known. */
  readonly changes: number;
  /** The engine's version of the state; undefined if it is not known. */
  readonly version: number | string | undefined;
}

/** Tells what has changed in the store since a mark; see `Changes` in storage/storage.ts. */
interface Marks {
  mark(): Mark;
  holds(mark: Mark, parts: readonly string[]): boolean | Promise<boolean>;
}

/** An answer that is being made. */
interface Making {
  readonly name: string;
  readonly mark: Mark;
  readonly moment: string;
  readonly made: Promise<Made<Kept>>;
  /** Another person waits for it, too. */
  isShared: boolean;
}

interface Entry extends Made<Kept> {
  readonly mark: Mark;
  readonly moment: string;
  readonly length: number;
}

/**
 * Keeps answers that were put together from the store, each with the parts of the store that it was
 * made of. An answer is given again only while none of them has changed since before it was read.
 * It is kept from the second time on that it is asked for, so that what is asked for once costs no
 * memory. Concurrent callers wait for the one that is being made, and take it by the same
 * condition.
 */
export class ReadCache {
  readonly #kept = new Map<string, Entry>();
  /** By its last digits the number of the last name that was asked for and not kept. */
  readonly #asked = new Uint32Array(NAMES);
  /** By the last digits of their numbers; an array, since a map that changes so often is dear. */
  readonly #making = new Array<Making | undefined>(MAKING).fill(undefined);
  #length = 0;
  /** How often an answer was there, and how often it had to be made. */
  hits = 0;
  misses = 0;
  /** Of these, what long ones keep. */
  #long = 0;

  /**
   * The answer under this name, at once where it is kept, else made by `make`. `changes` undefined:
   * nothing is kept. `moment`: what else the answer depends on, such as the time; kept is what was
   * made at the same one. All callers with one name make the same kind of value under it every
   * time, and for the same eyes: text of a caller is behind a word that no other name begins with.
   */
  get<T extends Kept>(
    name: string,
    changes: Marks | undefined,
    make: () => Promise<Made<T>>,
    moment = "",
  ): T | Promise<T> {
    if (changes === undefined) return make().then(({ answer }) => answer);
    const kept = this.#kept.get(name);
    const holds = kept?.moment === moment && changes.holds(kept.mark, kept.parts);
    const given = () => {
      this.hits++;
      // as: what is kept under a name is what its only user made.
      return kept?.answer as T;
    };
    const madeNow = () => this.#joined(name, moment, changes, make);
    if (holds === true) return given();
    return holds === false ? madeNow() : holds.then((isValid) => isValid ? given() : madeNow());
  }

  /**
   * The value that a concurrent call makes, if none of its parts has changed by its end; else a new
   * one.
   */
  async #joined<T extends Kept>(
    name: string,
    moment: string,
    changes: Marks,
    make: () => Promise<Made<T>>,
  ): Promise<T> {
    const number = numberOf(name);
    for (let waits = 0; waits < WAITS; waits++) {
      const making = this.#making[number % MAKING];
      if (making?.name !== name || making.moment !== moment) break;
      making.isShared = true;
      // The caller who began it gets its error; those who waited try for themselves.
      const made = await making.made.catch(() => undefined);
      if (made && await changes.holds(making.mark, made.parts)) {
        this.hits++;
        // as: what is made under a name is what its only user makes.
        return made.answer as T;
      }
    }
    return await this.#make(number, { name, moment, mark: changes.mark() }, make);
  }

  async #make<T extends Kept>(
    number: number,
    seen: { name: string; moment: string; mark: Mark },
    make: () => Promise<Made<T>>,
  ): Promise<T> {
    this.misses++;
    const made = make();
    const making: Making = { ...seen, made, isShared: false };
    const place = number % MAKING;
    this.#making[place] = making;
    try {
      const { answer, parts } = await made;
      const { name, moment, mark } = seen;
      if (this.#isWanted(name, number) || making.isShared) {
        const length = parts.reduce((sum, part) => sum + part.length, name.length + answer.length);
        this.#keep(name, { mark, moment, answer, parts, length });
      }
      return answer;
    } finally {
      if (this.#making[place] === making) this.#making[place] = undefined;
    }
  }

  /**
   * Whether this is not the first time that it was asked for, as far as that is remembered. Two
   * names of one number are taken for one: then an answer is kept that need not be.
   */
  #isWanted(name: string, number: number): boolean {
    if (this.#kept.has(name)) return true;
    const place = number % NAMES;
    if (this.#asked[place] === number) return true;
    this.#asked[place] = number;
    return false;
  }

  #keep(name: string, entry: Entry): void {
    this.#drop(name);
    if (entry.length > KEPT_LENGTH / 2) return;
    this.#kept.set(name, entry);
    this.#count(entry, 1);
    for (const [oldest, { length }] of this.#kept) {
      const isTooMuch = this.#length > KEPT_LENGTH || this.#long > KEPT_LENGTH / 2;
      if (!isTooMuch) break;
      if (length >= LONG || this.#long <= KEPT_LENGTH / 2) this.#drop(oldest);
    }
  }

  #drop(name: string): void {
    const kept = this.#kept.get(name);
    if (!kept) return;
    this.#count(kept, -1);
    this.#kept.delete(name);
  }

  #count({ length }: Entry, by: 1 | -1): void {
    this.#length += by * length;
    if (length >= LONG) this.#long += by * length;
  }
}

/** A number from 1 on for a name, mostly another one for another name (FNV-1a). */
function numberOf(name: string): number {
  let number = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) {
    number = Math.imul(number ^ name.charCodeAt(i), 0x01000193);
  }
  return (number >>> 0) || 1;
}
