/** A kind of things that the audit log tells of. */
export interface Kind {
  /** For the filter: all of them. */
  readonly plural: string;
  readonly one: string;
  /**
   * The noun for one in sentences, if it is not `one` in small letters; `of`: it is named by its
   * owner.
   */
  readonly noun?: string;
  readonly isOf?: true;
  /** The label of the event's `object_id` if it is no id of such a thing. */
  readonly idLabel?: string;
  /** The part of the action behind the dot, and its words behind a person's name. */
  readonly did: Readonly<Record<string, string>>;
  /** Further actions on such a thing: whole actions, whose words are below. */
  readonly also?: readonly string[];
  /** The screen that shows one, by the event. */
  readonly place?: (id: string, detail: Detail) => string | undefined;
}

/** The details that the server stored with an event. */
export type Detail = Readonly<Record<string, unknown>>;
