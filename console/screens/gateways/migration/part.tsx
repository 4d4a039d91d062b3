import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

/** A part of the page in its frame. */
export function Part({ title, note, children }: {
  title: string;
  note?: ComponentChildren;
  children: ComponentChildren;
}) {
  const id = useId();
  return (
    <section class="moving-part" aria-labelledby={id}>
      <header class="moving-head">
        <h2 id={id} class="moving-title">{title}</h2>
        {note && <span class="moving-note">{note}</span>}
      </header>
      {children}
    </section>
  );
}
