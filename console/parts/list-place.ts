import { useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import type { PagedList } from "../api/paged-list.ts";
import { useListKeys } from "./list-keys.ts";
import { focusRow } from "./list-table.tsx";
import { useOpenId } from "./open-id.ts";

/** The position in a list: its open and its marked row. */
export interface ListPlace<Row> {
  /** The id in the drawer. */
  readonly openId: string | undefined;
  /** The row that stands out. */
  readonly current: string | undefined;
  readonly open: (id: string | undefined) => void;
  /** Closes the drawer; the focus goes back to the row. */
  readonly close: () => void;
  readonly hrefOf: (row: Row) => string;
  /** Puts the keyboard on a row, without opening it. */
  readonly point: (id: string | undefined) => void;
}

/** The place in a list: `base` and the open one in the address, moved by mouse and keys. */
export function useListPlace<Row>(
  title: string,
  base: string,
  list: PagedList<Row>,
): ListPlace<Row> {
  const [openId, open, hrefOf] = useOpenId(base);
  const [cursorId, setCursorId] = useState<string>();
  const current = openId ?? cursorId;
  const close = () => {
    setCursorId(openId);
    open(undefined);
    if (openId !== undefined) focusRow(openId);
  };
  useListKeys({
    title,
    list,
    current,
    isOpen: openId !== undefined,
    onMove: (id) => openId === undefined ? setCursorId(id) : open(id),
    onOpen: open,
    onClose: close,
  });
  return {
    openId,
    current,
    open,
    close,
    hrefOf: (row) => hrefOf(list.keyOf(row)),
    point: setCursorId,
  };
}

/** The row that the keyboard is on, in a list whose rows lead to other screens. */
export function usePointedRow<Row>(
  title: string,
  list: PagedList<Row>,
  hrefOf: (row: Row) => string,
): string | undefined {
  const [, navigate] = useLocation();
  const [current, setCurrent] = useState<string>();
  useListKeys({
    title,
    list,
    current,
    onMove: setCurrent,
    onOpen: (id) => {
      const row = list.at(list.indexOf(id));
      if (row) navigate(hrefOf(row));
    },
  });
  return current;
}

/** The id of a row. */
export const idOf = ({ id }: { id: string }): string => id;

/** Puts what was just read in the place of its row, where that says something else. */
export function keepRow<Row extends { id: string }>(list: PagedList<Row>, row: Row): void {
  const known = list.at(list.indexOf(row.id));
  if (known && JSON.stringify(known) !== JSON.stringify(row)) list.replace(row);
}
