import { useEffect, useState } from "preact/hooks";
import type { PagedList } from "../../api/paged-list.ts";
import type { Selection } from "../../parts/list-table.tsx";
import { toast } from "../../parts/toasts.tsx";
import type { RequestRow } from "./request.ts";

/** As many as one call decides. */
const MOST = 100;

/** The pending requests that are selected; another list starts with none. */
export function useSelection(
  list: PagedList<RequestRow>,
  name: string,
): Selection & { rows: readonly RequestRow[]; clear: () => void } {
  const [rows, setRows] = useState<readonly RequestRow[]>([]);
  useEffect(() => setRows([]), [name]);
  return {
    rows,
    ids: new Set(rows.map(({ id }) => id)),
    clear: () => setRows([]),
    toggle: (id) => {
      const row = list.at(list.indexOf(id));
      if (!row) return;
      if (rows.some((one) => one.id === id)) return setRows(rows.filter((one) => one.id !== id));
      if (row.state !== "pending") {
        toast({ text: "Only pending requests can be selected." });
      } else if (rows.length === MOST) {
        toast({ text: `${MOST} at a time are enough: decide these first.` });
      } else {
        setRows([...rows, row]);
      }
    },
  };
}
