import { type Kind, kinds, type Source } from "../maintenance/import/source.ts";
import { terminal } from "./terminal.ts";

/** The output of progress. */
interface ProgressOutput {
  /** True: one line that is drawn again and again; else lines. */
  isTerminal: boolean;
  write(text: string): void;
  /** Milliseconds that never go back. */
  now(): number;
}

const DRAWN_EACH_MS = 200;
const LINE_EACH_MS = 10_000;
/** A rate is that of the last five to ten seconds. */
const MARK_EACH_MS = 5000;

/** Standard error, as a place for progress. */
export function progressOnErr(): ProgressOutput {
  const { isErrTerminal, draw } = terminal();
  return { isTerminal: isErrTerminal, write: draw, now: () => performance.now() };
}

/** Asks a source how much it has, about, and shows from then on how far it is. */
export async function startProgress(source: Source, output: ProgressOutput): Promise<Progress> {
  const expected = new Map<Kind, number>();
  for (const kind of kinds) {
    const count = source.kinds.has(kind) ? await source.expected(kind) : undefined;
    if (count !== undefined) expected.set(kind, count);
  }
  return new Progress(expected, output);
}

/** How far reading is, how fast, and about how long it takes from here. */
export class Progress {
  readonly #read = new Map<Kind, number>();
  #documents = 0;
  #kind: Kind | undefined;
  #drawn: number;
  #marks: readonly [older: Mark, newer: Mark];

  constructor(readonly expected: ReadonlyMap<Kind, number>, readonly output: ProgressOutput) {
    const mark = { at: output.now(), documents: 0 };
    this.#drawn = mark.at;
    this.#marks = [mark, mark];
  }

  /** So many more documents of a kind were read. */
  read(kind: Kind, documents: number): void {
    const { isTerminal, now } = this.output;
    const isNew = kind !== this.#kind;
    // Of the kind that has ended.
    if (isNew && this.#kind !== undefined && !isTerminal) this.#draw(now());
    this.#kind = kind;
    this.#documents += documents;
    this.#read.set(kind, (this.#read.get(kind) ?? 0) + documents);
    const at = now();
    if (at - this.#marks[1].at >= MARK_EACH_MS) {
      this.#marks = [this.#marks[1], { at, documents: this.#documents }];
    }
    if (at - this.#drawn >= (isTerminal ? DRAWN_EACH_MS : LINE_EACH_MS)) this.#draw(at);
  }

  /** Takes the line away, or says the last one. */
  end(): void {
    if (this.output.isTerminal) this.output.write(CLEARED);
    else if (this.#kind !== undefined) this.#draw(this.output.now());
  }

  #draw(at: number): void {
    this.#drawn = at;
    const text = this.#text(at);
    this.output.write(this.output.isTerminal ? `${CLEARED}${text}` : `${text}\n`);
  }

  #text(at: number): string {
    const left = this.#left();
    const [{ at: since, documents }] = this.#marks;
    const rate = (this.#documents - documents) * 1000 / Math.max(1, at - since);
    const total = this.#documents + left;
    const known = this.expected.size > 0;
    return [
      `${counted(this.#documents)}${known ? ` of about ${counted(total)}` : ""} read`,
      `${counted(rate)} a second`,
      ...known && rate > 0 ? [`${lasting(left / rate)} left`] : [],
      `now ${this.#kind}`,
    ].join(", ");
  }

  /** About how many documents are still to be read: of this kind and of those behind it. */
  #left(): number {
    const from = this.#kind === undefined ? 0 : kinds.indexOf(this.#kind);
    return kinds.slice(from).reduce((sum, kind) => {
      const left = (this.expected.get(kind) ?? 0) - (this.#read.get(kind) ?? 0);
      return sum + Math.max(0, left);
    }, 0);
  }
}

interface Mark {
  at: number;
  documents: number;
}

const CLEARED = "\r\x1b[K";

function counted(n: number): string {
  return Math.round(n).toLocaleString("en");
}

function lasting(seconds: number): string {
  if (seconds < 1) return "less than a second";
  if (seconds < 90) return `about ${Math.round(seconds)} s`;
  if (seconds < 90 * 60) return `about ${Math.round(seconds / 60)} min`;
  return `about ${Math.round(seconds / 3600)} h`;
}
