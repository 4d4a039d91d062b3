import type { KeySecret } from "../../changes/provisioning.ts";
import type { Plan } from "../plans/plan.ts";
import type { Closing } from "./closing.ts";
import type { KnownPlan } from "./wanted-key.ts";
import type { Finding, Wanted } from "./gateway.ts";

/** A key as a kind of gateway needs to know it. */
export interface KeyThere {
  readonly key_id: string;
  readonly kind: "token" | "basic" | "oauth";
  readonly developer_id: string;
  /** Its name for people; "": none. */
  readonly name: string;
  /** How the gateway calls it; "": it is not known. */
  readonly remote_id: string;
  /** Its SHA-256 at a gateway that hashes; "": only its text would tell. */
  readonly hash: string;
  /** Its secret there; undefined: it is not kept any more. */
  readonly secret: KeySecret | undefined;
}

/** The result of syncing a key. */
export interface Brought {
  /** The gateway's name of it; absent: that of nameOf. */
  readonly name?: string;
  /** Whether its calls are counted there, so that they write back what they took along. */
  readonly hasQuota?: boolean;
}

/** A gateway's first answer. */
export interface Opened {
  /** The key by which a 404 is believed, as the gateway calls it. */
  readonly canary: string;
  /** The time of its clock, in milliseconds since 1970, to the second; NaN: none. */
  readonly date: number;
}

/** The result of a check. */
export interface Checked {
  readonly findings: readonly Finding[];
  /** How late it shuts; absent of a kind that is believed at once. */
  readonly closing?: Closing;
}

/** A key of Keydesk's own, by which a gateway is tested. */
export interface Trial {
  /** The gateway's name of it, or each name that it may have, with a blank between them. */
  readonly name: string;
  /** Whether an API behind it is called with the key, or the key is read back alone. */
  readonly how: "called" | "read";
  /** Whether its calls are counted there. */
  readonly hasQuota: boolean;
  make(): Promise<void>;
  /** Whether it opens now. */
  opens(): Promise<boolean>;
  /** Ends it, whatever became of it. */
  end(): Promise<void>;
}

/**
 * A kind of gateway. All that it does may be repeated: what is there already stays as it is. Each
 * function throws GatewayAway where nothing that the gateway says can be believed.
 */
export interface Kind {
  /** So many keys are brought there at the same time. */
  readonly atOnce: number;
  /** Makes sure that the gateway can be believed. Makes a canary where it has none. */
  open(canary: string): Promise<Opened>;
  /** The gateway's name of a key, present or future; "": unknown. */
  nameOf(key: KeyThere): Promise<string>;
  /**
   * Brings a key to what is wanted and reads it back. Throws Stuck where only a person can help,
   * and Undone where it stood for a moment alone.
   */
  bring(key: KeyThere, wanted: Wanted): Promise<Brought>;
  /**
   * The difference of a key from its desired state, for people to read; "": none. It begins with
   * OPENS_MORE if the key is valid for something there that it is not valid for in Keydesk.
   */
  compare(key: KeyThere, wanted: Wanted): Promise<string>;
  /** The name of a key, of which the row is known, in its list. */
  nameIn(row: { readonly key_id: string; readonly remote_id: string }): string;
  /** The names of all its keys; undefined: it does not list them. */
  names(): Promise<ReadonlySet<string> | undefined>;
  /**
   * Makes the policies of these plans, and changes those that differ; others stay. Gives the names
   * of plans that have none as they should afterwards, with the reason.
   */
  writePlans(plans: readonly Plan[]): Promise<string[]>;
  /**
   * Looks for what makes it unreliable, and for plans that differ. `probe_url`: an API behind it
   * that may be called for that; "": none.
   */
  check(plans: readonly KnownPlan[], probe_url: string): Promise<Checked>;
  /**
   * A key to try it by, which opens for ten minutes at the most; `probe_url` as above. With `name`
   * that of an earlier one, which can be ended alone. Undefined: no one could see when it opens.
   */
  trial(probe_url: string, name?: string): Promise<Trial | undefined>;
  /** Ends a turn. Throws GatewayAway where something that was brought has not reached all of it. */
  finish(): Promise<void>;
}

/** Thrown where a gateway does not answer, or what it answers can't be believed now. */
export class GatewayAway extends Error {}

/** Thrown where a key can't be brought there until a person does something about it. */
export class Stuck extends Error {
  /** `isMissing`: the gateway has no such key now. */
  constructor(message: string, readonly isMissing = false) {
    super(message);
  }
}

/** Thrown where the gateway took a change and shows another state. */
export class Undone extends Error {}
