/** A row of the audit log, as a stream has to have it. */
export interface OutletRow {
  readonly org_id: string;
  readonly id: string;
  readonly at: string;
  readonly action: string;
  /** The content of the row's hash: one line, without anything personal. */
  readonly content: string;
}

/**
 * Whether anyone who asked for a change waits until the stream has its rows; `gently`: it is
 * answered as done even where the place does not take them.
 */
type OutletWait = "always" | "gently" | "never";

/** The rows that one committed transaction leaves for the stream. */
export interface ForOutlet {
  readonly rows: readonly OutletRow[];
  readonly waits: OutletWait;
}

/** A stream that has to have each row of the audit log; see maintenance/audit-stream. */
export interface AuditLogOutlet {
  /** False: it takes nothing now, so that deeds are refused before they are done. */
  readonly takes: boolean;
  /**
   * Called with what was committed, in the order of the commits. Throws `audit_stream_behind` if
   * the stream has to be waited for and did not accept it in time. The rest is sent later.
   */
  take(committed: ForOutlet): Promise<void>;
}

/** A transaction's access to the stream. */
export interface TxOutlet {
  /** True: deeds are refused. */
  readonly refuses: boolean;
  /** Adds a row that was written; `isAction`: a person called for what it tells of. */
  add(row: OutletRow, isAction: boolean): void;
  /** Marks an acknowledged change as repeated: the answer waits until the stream has it. */
  repeats(): void;
}

/** The outlet with the added rows. */
interface GatheringOutlet extends TxOutlet {
  /** Undefined: nothing. */
  gathered(): ForOutlet | undefined;
}

/**
 * For one run of a transaction; `isUrgent`: it is done though the place takes nothing, as what ends
 * access is.
 */
export function gatherForOutlet(takes: boolean, isUrgent: boolean): GatheringOutlet {
  const rows: OutletRow[] = [];
  let hasAction = false;
  return {
    refuses: !takes && !isUrgent,
    add: (row, isAction) => {
      rows.push(row);
      hasAction ||= isAction;
    },
    repeats: () => {
      hasAction = true;
    },
    gathered: () => {
      if (rows.length === 0 && !hasAction) return undefined;
      return { rows, waits: !hasAction ? "never" : isUrgent ? "gently" : "always" };
    },
  };
}
