import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

/** A slider over bars: arrows or the pointer choose one, whose figures are read out. */
export function BarSlider({ label, count, height, textOf, ends, children }: {
  label: string;
  /** How many bars there are. */
  count: number;
  height: number;
  textOf: (index: number) => string;
  /** The text below the bars while none is chosen. */
  ends: ComponentChildren;
  /** The bars. */
  children: (chosen: number | undefined) => ComponentChildren;
}) {
  const last = count - 1;
  const [chosen, choose] = useState<number>();
  const shown = Math.min(chosen ?? last, last);
  const move: Readonly<Record<string, number>> = {
    ArrowLeft: shown - 1,
    ArrowRight: shown + 1,
    ArrowDown: shown - 1,
    ArrowUp: shown + 1,
    Home: 0,
    End: last,
  };
  const to = (index: number) => choose(Math.min(Math.max(index, 0), last));
  return (
    <>
      <div
        class="usage-bars"
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={shown}
        aria-valuetext={textOf(shown)}
        onKeyDown={(event) => {
          const next = move[event.key];
          if (next === undefined) return;
          event.preventDefault();
          event.stopPropagation();
          to(next);
        }}
        onPointerMove={(event) => {
          const { left, width } = event.currentTarget.getBoundingClientRect();
          to(Math.floor((event.clientX - left) / width * count));
        }}
        onPointerLeave={() => choose(undefined)}
        onBlur={() => choose(undefined)}
      >
        <svg width="100%" height={height} aria-hidden="true">{children(chosen)}</svg>
      </div>
      <p class="usage-axis" aria-hidden="true">
        {chosen === undefined ? ends : <span>{textOf(shown)}</span>}
      </p>
    </>
  );
}

/** Bars as a table, for whoever does not see them, or wants to know it exactly. */
export function Figures({ heads, rows }: {
  heads: readonly ComponentChildren[];
  /** The head of each and its cells, in the order of `heads`. */
  rows: readonly (readonly [head: string, ...cells: ComponentChildren[]])[];
}) {
  return (
    <details class="usage-figures">
      <summary>Numbers</summary>
      <table>
        <thead>
          <tr>{heads.map((head, at) => <th key={at} scope="col">{head}</th>)}</tr>
        </thead>
        <tbody>
          {rows.map(([head, ...cells], index) => (
            <tr key={index}>
              <th scope="row">{head}</th>
              {cells.map((cell, at) => <td key={at}>{cell}</td>)}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
