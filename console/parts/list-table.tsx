import { Component, type ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { useRouter } from "wouter-preact";
import { navigate } from "wouter-preact/use-browser-location";
import type { PagedList } from "../api/paged-list.ts";
import { rowHeight as heightOfRows } from "../api/preferences.ts";
import { say } from "../said.ts";
import { Problem } from "./states.tsx";

/**
 * One column. The first one's cell becomes the row's link, which is stretched over the whole row.
 */
export interface Column<Row> {
  readonly title: string;
  /** Its width and place: `col-…` in the screen's style sheet. */
  readonly class: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** How the list is sorted by it; undefined: it is not. */
  readonly sorted?: "ascending" | "descending" | undefined;
  /** The content of its head instead of its title. */
  readonly head?: ComponentChildren;
}

/** A cell of two lines, the second one paler. */
export function lines(first: ComponentChildren, second: ComponentChildren): ComponentChildren {
  return (
    <>
      <span class="line-1">{first}</span>
      <span class="line-2">{second}</span>
    </>
  );
}

/** Rows that are chosen for something that is done to several. */
export interface Selection {
  readonly ids: ReadonlySet<string>;
  /** `isRange`: with all up to the one that was chosen before. */
  readonly toggle: (id: string, isRange: boolean) => void;
}

/** The list of a table, and the position in it. */
export interface TableProps<Row> {
  list: PagedList<Row>;
  hrefOf: (row: Row) => string;
  /** The row that stands out, because it is open or the keyboard is on it. Scrolled into view. */
  current?: string | undefined;
  selection?: Selection | undefined;
  /** The columns as changed by the tools of lists. */
  look?: { readonly dress: <One>(columns: readonly Column<One>[]) => readonly Column<One>[] };
}

/** Rows above and below what is seen that are in the document, so that scrolling shows no gap. */
const OVERSCAN = 6;

/**
 * A list of any length: a real table of which only the rows near the view are in the document.
 * Every row is `rowHeight` pixels high. The next pages are read once the user works in the list;
 * reading never moves visible rows.
 */
export function ListTable<Row>(
  { label, list, columns: all, look, hrefOf, nameOf, lead, current, selection, empty }:
    & TableProps<Row>
    & {
      label: string;
      columns: readonly Column<Row>[];
      /** A row's name for screen readers. */
      nameOf: (row: Row) => string;
      /** Before the link in the first cell: an avatar. */
      lead?: (row: Row) => ComponentChildren;
      empty: ComponentChildren;
    },
) {
  const rowHeight = heightOfRows();
  const box = useRef<HTMLDivElement>(null);
  /** The scrolled element and its offset; known once the browser has laid the page out. */
  const place = useRef<Place>(undefined);
  const [view, setView] = useState({ top: 0, height: 900 });
  const columns = useMemo(() => look?.dress(all) ?? all, [look, all]);
  const measure = () => {
    if (!box.current) return;
    place.current = scrollerOf(box.current);
    // By whole rows: scrolling within one shows nothing new.
    const top = Math.floor(Math.max(0, topOf(place.current)) / rowHeight) * rowHeight;
    const height = place.current.scroller.clientHeight;
    setView((old) => old.top === top && old.height === height ? old : { top, height });
  };
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    // Another list begins at its beginning, and one that was left where it was.
    if (place.current || list.top > 0) {
      const { scroller, before } = place.current ??= scrollerOf(element);
      scroller.scrollTop = list.top > 0 ? before + list.top : Math.min(scroller.scrollTop, before);
    }
    return () => {
      if (place.current) list.top = Math.max(0, topOf(place.current));
    };
  }, [list]);
  useLayoutEffect(() => {
    // The observer looks first, once the browser has laid the page out anyway.
    const page = pageOf(box.current);
    const observer = new ResizeObserver(measure);
    for (const one of [box.current, page]) if (one) observer.observe(one);
    page?.addEventListener("scroll", measure);
    return () => {
      observer.disconnect();
      page?.removeEventListener("scroll", measure);
    };
  }, []);

  useEffect(() => {
    const use = () => list.use();
    const options = { once: true, passive: true, capture: true };
    addEventListener("keydown", use, options);
    const element = box.current;
    const pointed = ["pointermove", "pointerdown", "wheel"];
    for (const event of pointed) element?.addEventListener(event, use, options);
    return () => {
      removeEventListener("keydown", use, options);
      for (const event of pointed) element?.removeEventListener(event, use, options);
    };
  }, [list]);

  // One function for every rendering, so that rows stay.
  const chosen = useRef(selection);
  chosen.current = selection;
  const toggle = useRef<Selection["toggle"]>((id, isRange) => chosen.current?.toggle(id, isRange));

  list.version.value;
  const { length } = list;
  const seenFirst = Math.floor(view.top / rowHeight);
  const seenLast = seenFirst + Math.ceil(view.height / rowHeight);
  const first = Math.max(0, seenFirst - OVERSCAN);
  const last = Math.min(length, seenLast + OVERSCAN);
  useEffect(() => list.need(seenFirst, seenLast), [list, seenFirst, seenLast, length]);

  const index = current === undefined ? -1 : list.indexOf(current);
  useLayoutEffect(() => {
    if (index >= 0) reveal(box.current, index * rowHeight, rowHeight);
  }, [current]);

  if (list.isFirst && list.error !== undefined) {
    return <Problem error={list.error} onRetry={() => list.retry()} />;
  }
  if (length === 0 && list.atEnd) return <>{empty}</>;
  const rows = [];
  for (let at = first; at < last; at++) {
    const row = list.at(at);
    rows.push(
      row === undefined
        ? <Bones key={`bones-${at}`} columns={columns} height={rowHeight} />
        : (
          <KeptRow
            key={list.keyOf(row)}
            row={row}
            columns={columns}
            lead={lead}
            id={list.keyOf(row)}
            href={hrefOf(row)}
            name={nameOf(row)}
            place={at + 2}
            isCurrent={list.keyOf(row) === current}
            isSelected={selection?.ids.has(list.keyOf(row)) ?? false}
            toggle={selection && toggle.current}
          />
        ),
    );
  }
  const waiting = !list.atEnd && list.error === undefined;
  return (
    <div
      ref={box}
      class="list"
      style={{ "--row": `${rowHeight}px` }}
      onScroll={measure}
      aria-busy={list.isFirst}
    >
      <table class="list-table" aria-label={label} aria-rowcount={list.atEnd ? length + 1 : -1}>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((column) => (
              <th key={column.title} scope="col" class={column.class} aria-sort={column.sorted}>
                {column.head ?? <span>{column.title}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Gap height={first * rowHeight} />
          {rows}
          <Gap height={(length - last) * rowHeight} />
          {waiting && last === length &&
            Array.from(
              { length: list.isFirst ? 8 : 3 },
              (_, at) => (
                <Bones key={`waiting-${length}-${at}`} columns={columns} height={rowHeight} />
              ),
            )}
        </tbody>
      </table>
      {list.error !== undefined && <Problem error={list.error} onRetry={() => list.retry()} />}
    </div>
  );
}

interface RowProps<Row> {
  readonly row: Row;
  readonly id: string;
  readonly place: number;
  readonly columns: readonly Column<Row>[];
  readonly href: string;
  readonly name: string;
  readonly lead: ((row: Row) => ComponentChildren) | undefined;
  readonly isCurrent: boolean;
  readonly isSelected: boolean;
  readonly toggle: Selection["toggle"] | undefined;
}

/**
 * A row that is rendered anew when what it shows has changed, and not at each move of the keyboard.
 * Columns with the same cells as before show the same, whatever their heads say; `lead` looks at
 * the row alone.
 */
class KeptRow<Row> extends Component<RowProps<Row>> {
  override shouldComponentUpdate(next: RowProps<Row>): boolean {
    const now = this.props;
    // as: the names of its own members.
    return (Object.keys(next) as (keyof RowProps<Row>)[]).some((name) =>
      name === "columns"
        ? next.columns.some((column, at) =>
          column.cell !== now.columns[at]?.cell || column.class !== now.columns[at]?.class
        )
        : name !== "lead" && next[name] !== now[name]
    );
  }

  override render(props: RowProps<Row>) {
    return <ListRow {...props} />;
  }
}

function ListRow<Row>(
  { row, id, place, columns, href, name, lead, isCurrent, isSelected, toggle }: RowProps<Row>,
) {
  const [main, ...others] = columns;
  return (
    <tr
      class={`row${isCurrent ? " is-current" : ""}${isSelected ? " is-selected" : ""}`}
      aria-rowindex={place}
      data-row={id}
    >
      <td class={main?.class}>
        <div class="row-main">
          {toggle
            ? (
              <label class="row-pick" onMouseDown={noteShift}>
                <input
                  type="checkbox"
                  aria-label={say`Select ${name}`}
                  checked={isSelected}
                  onClick={(event) => {
                    toggle(id, event.shiftKey || isShift);
                    isShift = false;
                  }}
                />
                {lead?.(row)}
              </label>
            )
            : lead?.(row)}
          <RowLink href={href} isCurrent={isCurrent}>{main?.cell(row)}</RowLink>
        </div>
      </td>
      {others.map((column) => <td key={column.title} class={column.class}>{column.cell(row)}</td>)}
    </tr>
  );
}

/** Whether Shift was held on a label: the click that it passes on to its box does not say so. */
let isShift = false;

function noteShift(event: MouseEvent): void {
  isShift = event.shiftKey;
  // A click that selects text is none of the label.
  if (isShift) event.preventDefault();
}

/**
 * A link within the console. Not the router's own: that keeps what it was first rendered with,
 * which keeps the page of that moment, whose rows keep theirs: a list would never let go of a row.
 * It does not listen to the address either: opening one row would render the links of all.
 */
function RowLink({ href, isCurrent, children }: {
  href: string;
  isCurrent: boolean;
  children: ComponentChildren;
}) {
  const { base } = useRouter();
  return (
    <a
      class="row-link"
      href={base + href}
      aria-current={isCurrent ? "true" : undefined}
      onClick={(event) => {
        const { button, ctrlKey, metaKey, altKey, shiftKey } = event;
        // Another tab or window is the browser's own affair.
        if (button !== 0 || ctrlKey || metaKey || altKey || shiftKey) return;
        event.preventDefault();
        navigate(base + href);
      }}
    >
      {children}
    </a>
  );
}

/**
 * The height of rows that are not in the document. One cell: a span over columns that a narrow
 * screen hides would add empty ones.
 */
function Gap({ height }: { height: number }) {
  if (height <= 0) return null;
  return (
    <tr class="list-gap" aria-hidden="true" style={{ height: `${height}px` }}>
      <td />
    </tr>
  );
}

/** A row that is still on its way. */
function Bones<Row>({ columns, height }: { columns: readonly Column<Row>[]; height: number }) {
  return (
    <tr class="row is-waiting" aria-hidden="true" style={{ height: `${height}px` }}>
      {columns.map((column) => (
        <td key={column.title} class={column.class}>
          <span class="bone" />
        </td>
      ))}
    </tr>
  );
}

/** Scrolls no further than needed, so that the list stays calm. */
function reveal(box: HTMLDivElement | null, top: number, height: number): void {
  if (!box) return;
  const { scroller, before } = scrollerOf(box);
  const head = box.querySelector("thead")?.offsetHeight ?? 0;
  const above = before + top - scroller.scrollTop;
  const below = before + top + height + head - (scroller.scrollTop + scroller.clientHeight);
  if (above < 0) scroller.scrollTop = before + top;
  else if (below > 0) scroller.scrollTop += below;
}

/** The page around a list, which scrolls in its place where a window is low. */
function pageOf(box: HTMLElement | null): HTMLElement | null {
  return box?.closest<HTMLElement>(".page-main") ?? null;
}

/** The scrolled element of a list, and its offset when the list's first row is at its top. */
interface Place {
  readonly scroller: HTMLElement;
  readonly before: number;
}

function topOf({ scroller, before }: Place): number {
  return scroller.scrollTop - before;
}

function scrollerOf(box: HTMLElement): Place {
  const page = pageOf(box);
  if (!page || getComputedStyle(box).overflowY !== "visible") return { scroller: box, before: 0 };
  const before = box.getBoundingClientRect().top - page.getBoundingClientRect().top +
    page.scrollTop;
  return { scroller: page, before };
}

/** Brings the focus to a row's link: at once, or when it is in the document. */
export function focusRow(id: string): void {
  if (!focusNow(id)) requestAnimationFrame(() => focusNow(id));
}

function focusNow(id: string): boolean {
  const link = document.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"] .row-link`);
  // While a drawer covers the list its rows take no focus.
  if (link?.closest("[inert]")) return false;
  link?.focus({ preventScroll: true });
  return link !== null;
}
