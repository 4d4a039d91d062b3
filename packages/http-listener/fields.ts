import type { ReceivedHeaders } from "./request.ts";

/** The header fields of one request, in their order, names in lower case. */
export class Fields implements ReceivedHeaders {
  readonly #names: readonly string[];
  readonly #values: readonly string[];

  constructor(names: readonly string[], values: readonly string[]) {
    this.#names = names;
    this.#values = values;
  }

  /** The value; several of one name joined by ", ", cookies by "; "; null where there is none. */
  get(name: string): string | null {
    const wanted = name.toLowerCase();
    const names = this.#names;
    let at = names.indexOf(wanted);
    if (at === -1) return null;
    let value = this.#values[at] ?? "";
    while ((at = names.indexOf(wanted, at + 1)) !== -1) {
      value += (wanted === "cookie" ? "; " : ", ") + this.#values[at];
    }
    return value;
  }

  has(name: string): boolean {
    return this.#names.includes(name.toLowerCase());
  }
}
