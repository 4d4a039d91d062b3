import type { OutletRow } from "../../storage/outlet.ts";

/** A stream of the audit log, as rows are put there. */
export interface Destination {
  /**
   * Resolves when the place has taken the rows as far as it can tell at once; with no rows, when it
   * would take some. Throws what is in the way; then they are to be written again. One call at a
   * time.
   */
  write(rows: readonly OutletRow[]): Promise<void>;
  /** Gives up the present write, which takes too long: it need not succeed any more. */
  giveUp(): void;
  /** Resolves when nothing more becomes known of rows that were written. */
  close(): Promise<void>;
}

/** The fate of rows that were written. */
export interface Fate {
  /** They stand there. */
  kept(rows: readonly OutletRow[]): void;
  /** No one knows: they are to be written again. */
  doubtful(rows: readonly OutletRow[]): void;
}
