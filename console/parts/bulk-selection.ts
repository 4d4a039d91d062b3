import { useEffect, useState } from "preact/hooks";
import type { JobFilter } from "../api/jobs.ts";
import type { PagedList } from "../api/paged-list.ts";
import type { Selection } from "./list-table.tsx";
import { toast } from "./toasts.tsx";

/** All that filters let through at a moment, whether it is loaded or not. */
export interface Matching {
  total: number;
  /** False: there may be more. */
  complete: boolean;
  filter: JobFilter;
  mails_links: boolean;
}

/** What of a list is selected for a job. */
export interface BulkSelection<Row> extends Selection {
  readonly rows: readonly Row[];
  /** Set where all that match are selected; `rows` are then the loaded ones. */
  readonly matching: Matching | undefined;
  /** Rows that can be selected and are loaded, and whether there may be more. */
  readonly loaded: number;
  readonly isMore: boolean;
  selectLoaded(): void;
  selectMatching(matching: Matching): void;
  clear(): void;
}

/** What is selected of a list; another list, by its name, starts with none. */
export function useBulkSelection<Row>(list: PagedList<Row>, name: string, {
  keyOf,
  isFit = () => true,
  refused = "",
}: {
  keyOf: (row: Row) => string;
  /** Whether a row can be selected. */
  isFit?: (row: Row) => boolean;
  /** What is said of one that can't. */
  refused?: string;
}): BulkSelection<Row> {
  const [rows, setRows] = useState<readonly Row[]>([]);
  const [matching, setMatching] = useState<Matching>();
  const [last, setLast] = useState<string>();
  const between = (from: number, to: number) => {
    const found: Row[] = [];
    for (let at = from; at <= to; at++) {
      const row = list.at(at);
      if (row !== undefined && isFit(row)) found.push(row);
    }
    return found;
  };
  const choose = (some: readonly Row[], all?: Matching) => {
    setRows(some);
    setMatching(all);
  };
  useEffect(() => choose([]), [name]);
  const allLoaded = () => between(0, list.length - 1);
  const fit = rows.length > 0 ? allLoaded() : [];
  return {
    rows,
    matching,
    ids: new Set((matching ? fit : rows).map(keyOf)),
    loaded: fit.length,
    isMore: !list.atEnd,
    clear: () => choose([]),
    selectLoaded: () => choose(fit),
    selectMatching: (all) => choose(allLoaded(), all),
    toggle: (id, isRange) => {
      const at = list.indexOf(id);
      const row = list.at(at);
      if (row === undefined) return;
      const from = last === undefined ? -1 : list.indexOf(last);
      const own = matching ? fit : rows;
      setLast(id);
      if (isRange && from >= 0) {
        const more = between(Math.min(from, at), Math.max(from, at));
        choose([...new Map([...own, ...more].map((one) => [keyOf(one), one])).values()]);
      } else if (own.some((one) => keyOf(one) === id)) {
        choose(own.filter((one) => keyOf(one) !== id));
      } else if (!isFit(row)) {
        toast({ text: refused });
      } else choose([...own, row]);
    },
  };
}
