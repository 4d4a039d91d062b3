/** A kind of things that the audit log tells of. */
export interface Kind {
  /** For the filter: all of them. */
  readonly plural: string;
  readonly one: string;
  /**
   * What its words call one, where that is not `one` in small letters; `of`: it is named by whose
   * it is.
   */
  readonly noun?: string;
  readonly isOf?: true;
  /** What the event's `object_id` says, where it is no id of such a thing. */
  readonly told?: string;
  /** The part of the action behind the dot, and what it says behind somebody's name. */
  readonly did: Readonly<Record<string, string>>;
  /** What else happens to such a thing: whole actions, whose words are below. */
  readonly also?: readonly string[];
  /** The screen that shows one, by the event. */
  readonly place?: (id: string, detail: Detail) => string | undefined;
}

/** What the server noted of an event. */
export type Detail = Readonly<Record<string, unknown>>;
