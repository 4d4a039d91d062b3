import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";

/**
 * A screen: its title, what stands beside it (tabs), what stands at the end of the line (search, buttons), a line of
 * filters below, the content, and a drawer beside all that. Sets the page's title, which never holds a secret.
 */
export function Page({ title, tabs, tools, filters, drawer, children }: {
  title: string;
  tabs?: ComponentChildren;
  tools?: ComponentChildren;
  filters?: ComponentChildren;
  drawer?: ComponentChildren;
  children: ComponentChildren;
}) {
  useEffect(() => {
    document.title = `${title} · Keydesk`;
  }, [title]);
  return (
    <div class={drawer ? "page has-drawer" : "page"}>
      <main class="page-main" data-behind-drawer>
        <header class="page-head">
          <h1 class="page-title">{title}</h1>
          {tabs}
          {tools && <div class="page-tools">{tools}</div>}
        </header>
        {filters && <div class="page-filters">{filters}</div>}
        <div class="page-body">{children}</div>
      </main>
      {drawer}
    </div>
  );
}
