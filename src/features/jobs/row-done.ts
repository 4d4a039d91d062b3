import type { NewOneTimeLink } from "../keys/one-time-links/one-time-link.ts";
import type { Attempt } from "../keys/key-kinds.ts";
import type { References } from "../plans/plan.ts";

/** The random input of a row's turn, made before its transaction. */
export interface Minted {
  attempt: Attempt;
  oneTimeLink: NewOneTimeLink;
  references: References;
  now: number;
}

/** A row that has its turn. */
export interface Turned {
  request_id: string;
  revision: string;
  was: string | null;
}

/** The result of a row's turn. */
export interface RowDone {
  /** More than that it is done; else "". */
  code: string;
  /** The key that was issued, or took over; "": none was. */
  key_id: string;
  /** The one-time link that hands it over, where there is one. */
  handed: NewOneTimeLink | null;
  /** JSON text of WhatItWas; null: it can't be undone. */
  was: string | null;
  /** Whether a key request was approved. */
  approved: boolean;
}

/** Of a turn that says nothing else. */
export const NO_CHANGE: RowDone = {
  code: "",
  key_id: "",
  handed: null,
  was: null,
  approved: false,
};
