/** Where a question comes from, as far as it says. No verdict goes by its door and network. */
export interface Knock {
  /**
   * The visitor's address, as plainAddress gives it; undefined: nobody who is believed said it.
   * Asked for of keys that open for some addresses alone.
   */
  address(): string | undefined;
  /** The door, as it names itself; "" where it does not. */
  readonly door: string;
  /** The network of the visitor's address; "" where nobody knows it. Asked for refusals alone. */
  network(): string;
}

/** From somewhere. */
export const SOMEWHERE: Knock = { door: "", network: () => "", address: () => undefined };
