import type { Client } from "../client/keydesk-client.ts";

/** A desk, through whichever door it was reached. */
export interface Desk {
  /** Every operation of the interface. */
  readonly client: Client;
  /** What a link to this desk begins with, where the desk itself does not know. */
  readonly address: string;
}
