import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useLocation, useRouter } from "wouter-preact";
import type { PagedList } from "../api/paged-list.ts";
import { Problem } from "./states.tsx";

/** One column. The first one's cell becomes the row's link, which is stretched over the whole row. */
export interface Column<Row> {
  readonly title: string;
  /** Its width and place: `col-…` in the screen's style sheet. */
  readonly class: string;
  readonly cell: (row: Row) => ComponentChildren;
}

/** Rows that are chosen for something that is done to several. */
export interface Selection {
  readonly ids: ReadonlySet<string>;
  readonly toggle: (id: string) => void;
}

/** Rows above and below what is seen that are in the document, so that scrolling shows no gap. */
const OVERSCAN = 12;

/**
 * A list of any length: a real table of which the rows near the view alone are in the document. Every row is
 * `rowHeight` pixels high. The next pages are read while one scrolls; what is read never moves what is seen.
 */
export function ListTable<Row>(
  { label, list, columns, keyOf, hrefOf, nameOf, lead, current, selection, empty, rowHeight = 58 }:
    {
      label: string;
      list: PagedList<Row>;
      columns: readonly Column<Row>[];
      keyOf: (row: Row) => string;
      hrefOf: (row: Row) => string;
      /** What a screen reader calls the row. */
      nameOf: (row: Row) => string;
      /** Before the link in the first cell: an avatar. */
      lead?: (row: Row) => ComponentChildren;
      /** The row that stands out, because it is open or the keyboard is on it. Scrolled into view. */
      current?: string | undefined;
      selection?: Selection | undefined;
      empty: ComponentChildren;
      rowHeight?: number;
    },
) {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 900 });
  const look = () => {
    if (!box.current) return;
    const { scroller, before } = scrollerOf(box.current);
    // By whole rows: scrolling within one shows nothing new.
    const top = Math.floor(Math.max(0, scroller.scrollTop - before) / rowHeight) * rowHeight;
    const height = scroller.clientHeight;
    setView((old) => old.top === top && old.height === height ? old : { top, height });
  };
  useLayoutEffect(() => {
    look();
    const page = pageOf(box.current);
    const observer = new ResizeObserver(look);
    for (const one of [box.current, page]) if (one) observer.observe(one);
    page?.addEventListener("scroll", look);
    return () => {
      observer.disconnect();
      page?.removeEventListener("scroll", look);
    };
  }, []);
  useLayoutEffect(() => {
    // Another list begins at its beginning.
    if (!box.current) return;
    const { scroller, before } = scrollerOf(box.current);
    scroller.scrollTop = Math.min(scroller.scrollTop, before);
  }, [list]);

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
          <ListRow
            key={keyOf(row)}
            {...{ row, columns, hrefOf, nameOf, lead, selection }}
            id={keyOf(row)}
            place={at + 2}
            isCurrent={keyOf(row) === current}
          />
        ),
    );
  }
  const waiting = !list.atEnd && list.error === undefined;
  return (
    <div ref={box} class="list" onScroll={look} aria-busy={list.isFirst}>
      <table class="list-table" aria-label={label} aria-rowcount={list.atEnd ? length + 1 : -1}>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((column) => (
              <th key={column.title} scope="col" class={column.class}>
                <span>{column.title}</span>
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
              (_, at) => <Bones key={`waiting-${at}`} columns={columns} height={rowHeight} />,
            )}
        </tbody>
      </table>
      {list.error !== undefined && <Problem error={list.error} onRetry={() => list.retry()} />}
    </div>
  );
}

function ListRow<Row>({ row, id, place, columns, hrefOf, nameOf, lead, isCurrent, selection }: {
  row: Row;
  id: string;
  place: number;
  columns: readonly Column<Row>[];
  hrefOf: (row: Row) => string;
  nameOf: (row: Row) => string;
  lead: ((row: Row) => ComponentChildren) | undefined;
  isCurrent: boolean;
  selection: Selection | undefined;
}) {
  const [main, ...others] = columns;
  const isSelected = selection?.ids.has(id) ?? false;
  return (
    <tr
      class={`row${isCurrent ? " is-current" : ""}${isSelected ? " is-selected" : ""}`}
      aria-rowindex={place}
      data-row={id}
    >
      <td class={main?.class}>
        <div class="row-main">
          {selection
            ? (
              <label class="row-pick">
                <input
                  type="checkbox"
                  aria-label={`Select ${nameOf(row)}`}
                  checked={isSelected}
                  onChange={() => selection.toggle(id)}
                />
                {lead?.(row)}
              </label>
            )
            : lead?.(row)}
          <RowLink href={hrefOf(row)} isCurrent={isCurrent}>{main?.cell(row)}</RowLink>
        </div>
      </td>
      {others.map((column) => <td key={column.title} class={column.class}>{column.cell(row)}</td>)}
    </tr>
  );
}

/**
 * A link within the console. Not the router's own: that keeps what it was first rendered with, which keeps the page of
 * that moment, whose rows keep theirs: a list would never let go of a row.
 */
function RowLink({ href, isCurrent, children }: {
  href: string;
  isCurrent: boolean;
  children: ComponentChildren;
}) {
  const [, navigate] = useLocation();
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
        navigate(href);
      }}
    >
      {children}
    </a>
  );
}

/**
 * The height of rows that are not in the document. One cell: a span over columns that a narrow screen hides would add
 * empty ones.
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

/** What scrolls a list, and how far it scrolls before the list's first row is at its top. */
function scrollerOf(box: HTMLElement): { scroller: HTMLElement; before: number } {
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
