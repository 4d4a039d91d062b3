import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { Loading } from "../../parts/states.tsx";
import { Button } from "../../parts/button.tsx";

/** The content of a panel: an answer, or the reason why there is none. */
export interface Read<T> {
  readonly data: T | undefined;
  readonly error: unknown;
  readonly refetch: () => Promise<void>;
}

/** How often what a panel shows is read again, in milliseconds. */
export const EVERY_MS = 30_000;

/** A part of the page that loads, fails and is read again by itself; it keeps its frame. */
export function Panel<T>({ title, note, name, read, children }: {
  title: string;
  /** Stands beside the title. */
  note?: ComponentChildren;
  /** Names its styles. */
  name: string;
  read: Read<T>;
  children: (data: T) => ComponentChildren;
}) {
  const id = useId();
  const { data, error, refetch } = read;
  return (
    <section class={`home-panel is-${name}`} aria-labelledby={id}>
      <header class="home-head">
        <h2 id={id} class="home-title">{title}</h2>
        {note && <span class="home-note">{note}</span>}
      </header>
      {data !== undefined ? children(data) : error
        ? (
          <div class="home-failed" role="alert">
            Could not be read. <Button onClick={() => void refetch()}>Try again</Button>
          </div>
        )
        : <Loading lines={5} />}
    </section>
  );
}
