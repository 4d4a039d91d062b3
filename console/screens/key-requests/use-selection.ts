import { useEffect, useState } from "preact/hooks";
import type { JobFilter } from "../../api/jobs.ts";
import type { PagedList } from "../../api/paged-list.ts";
import type { Selection } from "../../parts/list-table.tsx";
import { toast } from "../../parts/toasts.tsx";
import type { RequestRow } from "./request.ts";

/** All pending requests that filters let through at a moment, whether they are loaded or not. */
export interface Matching {
  total: number;
  /** False: there may be more. */
  complete: boolean;
  filter: JobFilter;
  mails_links: boolean;
}

/** The pending requests that are selected. */
export interface PendingSelection extends Selection {
  readonly rows: readonly RequestRow[];
  /** Set where all that match are selected; `rows` are then the loaded ones. */
  readonly matching: Matching | undefined;
  /** Pending requests that are loaded, and whether there may be more. */
  readonly loaded: number;
  readonly isMore: boolean;
  selectLoaded(): void;
  selectMatching(matching: Matching): void;
  clear(): void;
}

/** What is selected of a list; another list starts with none. */
export function useSelection(list: PagedList<RequestRow>, name: string): PendingSelection {
  const [rows, setRows] = useState<readonly RequestRow[]>([]);
  const [matching, setMatching] = useState<Matching>();
  const [last, setLast] = useState<string>();
  const between = (from: number, to: number) => {
    const found: RequestRow[] = [];
    for (let at = from; at <= to; at++) {
      const row = list.at(at);
      if (row?.state === "pending") found.push(row);
    }
    return found;
  };
  const choose = (some: readonly RequestRow[], all?: Matching) => {
    setRows(some);
    setMatching(all);
  };
  useEffect(() => choose([]), [name]);
  const allLoaded = () => between(0, list.length - 1);
  const pending = rows.length > 0 ? allLoaded() : [];
  return {
    rows,
    matching,
    ids: new Set((matching ? pending : rows).map(({ id }) => id)),
    loaded: pending.length,
    isMore: !list.atEnd,
    clear: () => choose([]),
    selectLoaded: () => choose(pending),
    selectMatching: (all) => choose(allLoaded(), all),
    toggle: (id, isRange) => {
      const at = list.indexOf(id);
      const row = list.at(at);
      if (!row) return;
      const from = last === undefined ? -1 : list.indexOf(last);
      const own = matching ? pending : rows;
      setLast(id);
      if (isRange && from >= 0) {
        const more = between(Math.min(from, at), Math.max(from, at));
        choose([...new Map([...own, ...more].map((one) => [one.id, one])).values()]);
      } else if (own.some((one) => one.id === id)) {
        choose(own.filter((one) => one.id !== id));
      } else if (row.state !== "pending") {
        toast({ text: "Only pending requests can be selected." });
      } else choose([...own, row]);
    },
  };
}
