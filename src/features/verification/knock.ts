/** Where a question comes from, as far as it says. No verdict goes by it. */
export interface Knock {
  /** The door, as it names itself; "" where it does not. */
  readonly door: string;
  /** The network of the visitor's address; "" where nobody knows it. Asked for refusals alone. */
  network(): string;
}

/** From somewhere. */
export const SOMEWHERE: Knock = { door: "", network: () => "" };
