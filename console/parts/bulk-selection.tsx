import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { JobFilter } from "../api/jobs.ts";
import type { PagedList } from "../api/paged-list.ts";
import { useFilters } from "./filters.ts";
import { lazily } from "./lazily.tsx";
import type { Selection } from "./list-table.tsx";
import type { Shortcut } from "./shortcuts.ts";
import { toast } from "./toasts.tsx";

const JobDrawer = lazily(() => import("./job-drawer.tsx"));

/** All that filters let through at a moment, whether it is loaded or not. */
export interface Matching {
  total: number;
  /** False: there may be more. */
  complete: boolean;
  filter: JobFilter;
  mails_links: boolean;
}

/** The rows of a list that are selected for a job. */
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

/** The selection of a list; another list, by its name, starts with none. */
export function useBulkSelection<Row>(
  list: PagedList<Row>,
  name: string,
  { isFit = () => true, refused = "" }: {
    /** Whether a row can be selected. */
    isFit?: (row: Row) => boolean;
    /** The message about a row that can't be selected. */
    refused?: string;
  } = {},
): BulkSelection<Row> {
  const { keyOf } = list;
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

/** The keys that select: the row that one is on, all that match, and none. */
export function selectionKeys<Row>(selection: BulkSelection<Row>, {
  current,
  may,
  mayAll,
  selectMatching,
}: {
  current: string | undefined;
  may: boolean;
  /** Whether all that match can be selected now. */
  mayAll: boolean;
  selectMatching: () => Promise<unknown>;
}): Shortcut[] {
  return [
    {
      keys: ["x"],
      label: "Select; with Shift up to the one before",
      run: ({ shiftKey }) => current !== undefined && selection.toggle(current, shiftKey),
      when: () => may && current !== undefined,
    },
    {
      keys: ["m"],
      label: "Select all that match",
      // If the code can't be read, nothing is selected.
      run: () => void selectMatching().catch(() => {}),
      when: () => may && mayAll && !selection.matching,
    },
    { keys: ["Escape"], label: "", run: selection.clear, when: () => selection.ids.size > 0 },
  ];
}

/**
 * The job in the address, and the dialog that begins one over what is selected. `onEnded`: its rows
 * are other ones now.
 */
export function useJobs<Act, Row>(selection: BulkSelection<Row>, onEnded: () => void): {
  /** The job's drawer, while it is open. */
  drawer: ComponentChildren;
  /** Shows the dialog of this act. */
  ask: (act: Act) => void;
  /** The input of that dialog; undefined: it is not shown. */
  asked: {
    act: Act;
    selection: BulkSelection<Row>;
    onStarted: (id: string) => void;
    onClose: () => void;
  } | undefined;
  started: (id: string) => void;
} {
  const [{ job }, setPlace] = useFilters(["job"]);
  const [act, setAct] = useState<Act>();
  const show = (id: string) => {
    setPlace({ job: id });
    // A small one is done already.
    onEnded();
  };
  const onClose = () => setAct(undefined);
  const started = (id: string) => {
    onClose();
    selection.clear();
    show(id);
  };
  return {
    drawer: job && (
      <JobDrawer
        id={job}
        onOpen={show}
        onEnded={onEnded}
        onClose={() => setPlace({ job: "" }, true)}
      />
    ),
    ask: (next) => setAct(() => next),
    asked: act === undefined ? undefined : { act, selection, onStarted: started, onClose },
    started,
  };
}

/**
 * The row that comes after some that go: the next one below them, else the one above; undefined
 * where none is left.
 */
export function rowAfter<Row>(
  list: PagedList<Row>,
  going: readonly string[],
): string | undefined {
  const places = going.map((id) => list.indexOf(id)).filter((index) => index >= 0);
  if (places.length === 0) return undefined;
  const next = list.at(Math.max(...places) + 1) ?? list.at(Math.min(...places) - 1);
  return next === undefined ? undefined : list.keyOf(next);
}
