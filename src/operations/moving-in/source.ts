/** The kinds of what moves in, in the order in which it comes: what others name comes before them. */
export const kinds = [
  ...["plan", "configuration", "catalogue", "documentation", "certificate"] as const,
  ...["developer", "client", "key", "request"] as const,
] as const;

/** One of them. */
export type Kind = typeof kinds[number];

/** An object as JSON has it. */
export type Members = Record<string, unknown>;

/** What a source holds of one object: its members, or why they can't be read. `place` finds it again for people. */
export type SourceDocument =
  | { readonly place: string; readonly members: Members }
  | { readonly place: string; readonly trouble: string };

/**
 * Where something moves in from. It is read and never written to. The name of a key may be the plain key: it stands in
 * members alone, never in a place or a trouble.
 */
export interface Source {
  /** For people; holds no secret. */
  readonly name: string;
  /** The kinds that it can hold. */
  readonly kinds: ReadonlySet<Kind>;
  /** Every object of a kind, with the source's own memory bounded. */
  documents(kind: Kind): AsyncIterable<SourceDocument>;
  close(): Promise<void>;
}

/** Thrown where a source can't be read at all; the message says what to do and holds no secret. */
export class SourceUnusable extends Error {}
