import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { usePageTitle } from "./page-title.ts";

/**
 * A screen: its title, what stands beside it (tabs), what stands at the end of the line (search,
 * buttons), a line of filters below, the content, and a drawer beside all that. Sets the title of
 * the browser's tab.
 */
export function Page({ title, tabs, tools, sections, filters, bar, drawer, children }: {
  title: string;
  tabs?: ComponentChildren;
  tools?: ComponentChildren;
  /** Links to the parts of what the tab shows, in a line of their own. */
  sections?: ComponentChildren;
  /** In a low window they are behind a button. */
  filters?: ComponentChildren;
  /** The bar that replaces the filters while rows are selected. */
  bar?: ComponentChildren;
  drawer?: ComponentChildren;
  children: ComponentChildren;
}) {
  const [isUnfolded, setUnfolded] = useState(false);
  // Effects run behind the frame.
  const [hasRoom, setHasRoom] = useState(Boolean(drawer));
  useEffect(() => setHasRoom(Boolean(drawer)), [Boolean(drawer)]);
  usePageTitle(title);
  return (
    <div class={hasRoom ? "page has-drawer" : "page"}>
      <main class="page-main" data-behind-drawer>
        <header class="page-head">
          <h1 class="page-title">{title}</h1>
          {tabs}
          {tools && <div class="page-tools">{tools}</div>}
          {sections}
        </header>
        {bar ? <div class="page-filters is-open">{bar}</div> : filters && (
          <>
            <button
              type="button"
              class="page-fold"
              aria-expanded={isUnfolded}
              onClick={() => setUnfolded(!isUnfolded)}
            >
              Filters
            </button>
            <div class={isUnfolded ? "page-filters is-open" : "page-filters"}>{filters}</div>
          </>
        )}
        <div class="page-body">{children}</div>
      </main>
      {drawer}
    </div>
  );
}
