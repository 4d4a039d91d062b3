import { useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import type { PagedList } from "../../api/paged-list.ts";
import { useListKeys } from "../../parts/list-keys.ts";
import { focusRow } from "../../parts/list-table.tsx";
import { keyOfRow, type Opened, openedBy, type Row, shows } from "./api-rows.ts";

/** The position among APIs and plans: the address has the open one. */
export function useApiPlace(list: PagedList<Row>) {
  const [path, navigate] = useLocation();
  const [cursor, setCursor] = useState<string>();
  const opened = openedAt(path);
  const current = opened === undefined ? cursor : keyOf(list, opened, cursor);
  const open = (one: Opened | undefined) =>
    navigate(`${pathOf(one)}${location.search}`, { replace: opened !== undefined });
  const openRow = (key: string) => {
    const row = list.at(list.indexOf(key));
    setCursor(key);
    if (row) open(openedBy(row));
  };
  const close = () => {
    setCursor(current);
    open(undefined);
    if (current !== undefined) focusRow(current);
  };
  useListKeys({
    title: "APIs",
    list,
    current,
    isOpen: opened !== undefined,
    onMove: opened === undefined ? setCursor : openRow,
    onOpen: openRow,
    onClose: close,
  });
  const hrefOf = (row: Row) => `${pathOf(openedBy(row))}${location.search}`;
  return { opened, current, open, close, hrefOf };
}

/** The row of what is open: the one that the keyboard is on, or the first that shows it. */
function keyOf(list: PagedList<Row>, opened: Opened, cursor = ""): string | undefined {
  const row = list.at(list.indexOf(cursor));
  if (row && shows(row, opened)) return cursor;
  for (let at = 0; at < list.length; at++) {
    const one = list.at(at);
    if (one && shows(one, opened)) return keyOfRow(one);
  }
  return undefined;
}

const BASE = "/apis";
const PLANS = `${BASE}/plans/`;

function pathOf(one: Opened | undefined): string {
  if (!one) return BASE;
  return `${one.of === "plan" ? PLANS : `${BASE}/`}${encodeURIComponent(one.id)}`;
}

function openedAt(path: string): Opened | undefined {
  const of = path.startsWith(PLANS) ? "plan" : "api";
  const id = path.slice(of === "plan" ? PLANS.length : BASE.length + 1);
  return id === "" ? undefined : { of, id: decodeURIComponent(id) };
}
