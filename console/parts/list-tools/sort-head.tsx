import { say } from "../../said.ts";
import type { Order } from "./facts.ts";

/** The head of a column that sorts: by its first order, then the other way round. */
export function SortHead({ title, orders, now, onSort }: {
  title: string;
  orders: readonly Order[];
  now: Order | undefined;
  onSort: (order: Order) => void;
}) {
  const at = orders.findIndex((one) => one.word === now?.word);
  const next = orders[(at + 1) % orders.length];
  return (
    <>
      <button
        type="button"
        class="sort-head"
        title={next && say`Sort: ${next.text}`}
        onClick={() => next && onSort(next)}
      >
        {title}
        <span class="sort-arrow" aria-hidden="true">
          {at < 0 ? "↕" : orders[at]?.way === "ascending" ? "↑" : "↓"}
        </span>
      </button>
      <span class="sort-name">{title}</span>
    </>
  );
}
