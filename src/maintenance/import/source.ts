/** The kinds of what moves in, in the order in which it comes: what others name comes first. */
export const kinds = [
  "plan",
  "configuration",
  "catalogue",
  "documentation",
  "certificate",
  "developer",
  "client",
  "key",
  "request",
  // Objects that Keydesk alone knows, out of an export of its own.
  "rest",
] as const;

/** One of them. */
export type Kind = typeof kinds[number];

/** An object as JSON has it. */
export type Members = Record<string, unknown>;

/**
 * One object of a source: its members, or why they can't be read, or that it exists and this source
 * does not give it: then `missing` has the details. `place` finds it again for people. `isOwn`: an
 * export of Keydesk has it, so its member `keydesk` counts.
 */
export type SourceDocument =
  & {
    readonly place: string;
    /** The source's name, where several are read together. */
    readonly from?: string;
    /** A finding of the source as a whole; one document carries it. */
    readonly ofSource?: "quotas_unknown";
  }
  & (
    | { readonly members: Members; readonly isOwn?: boolean }
    | { readonly problem: string }
    | { readonly id: string; readonly missing: string }
  );

/** The used quotas, by the names of keys. */
export type UsedQuotas = ReadonlyMap<string, { used?: number }>;

/**
 * The types of sources: export files, the gateway's Redis, or a dashboard's or gateway's interface.
 */
export type SourceType = "files" | "redis" | "dashboard" | "gateway";

/**
 * A source of an import. It is read and never written to. The name of a key may be the plain key:
 * it is in members alone, never in a place or a problem.
 */
export interface Source {
  /** For people; holds no secret. */
  readonly name: string;
  readonly type: SourceType;
  /** The kinds that it can hold. */
  readonly kinds: ReadonlySet<Kind>;
  /** Kinds of which several sources may know the same object: the one that comes first counts. */
  readonly several?: ReadonlySet<Kind>;
  /**
   * About how many documents it has of a kind, for those who wait; undefined: no one knows before
   * they are read.
   */
  expected(kind: Kind): Promise<number | undefined>;
  /** Every object of a kind, with the source's own memory bounded. */
  documents(kind: Kind): AsyncIterable<SourceDocument>;
  /** The used quotas in a dump, which may belong to keys in another dump. */
  quotas?(): Promise<UsedQuotas>;
  close(): Promise<void>;
}

/** Thrown where a source can't be read at all; the message says what to do and holds no secret. */
export class SourceUnusable extends Error {}
