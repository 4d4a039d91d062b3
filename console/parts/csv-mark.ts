import { keep, kept } from "../api/kept.ts";

const NAME = "keydesk.csv-mark";

/** Whether CSV files are for spreadsheets, as it was last chosen in this browser. */
export const isForSpreadsheets = (): boolean => kept(NAME) === "true";

/** Keeps the choice. */
export const chooseSpreadsheets = (chosen: boolean): void => keep(NAME, String(chosen));

/** A CSV text as it was last chosen: with a byte-order mark before it, or without. */
export const asChosen = (csv: string): string => isForSpreadsheets() ? `\ufeff${csv}` : csv;
