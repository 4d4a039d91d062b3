import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { Link } from "wouter-preact";
import { say } from "../said.ts";
import { CloseButton } from "./button.tsx";
import { cover } from "./cover.ts";
import { useOpenedTitle } from "./page-title.ts";
import { Tag } from "./pill.tsx";
import { Unread } from "./states.tsx";

/**
 * One thing of a list in full, beside it. The focus goes to its title each time another thing is
 * shown (`of`), so that it is read out; closing gives it back to the row. On a narrow screen it
 * covers the list, which is inert meanwhile. `footer` holds the buttons: nothing ever lies over
 * them.
 */
export function Drawer({ of, title, lead, footer, onClose, children }: {
  /** The id of what is shown. */
  of: string;
  title: string;
  /** Before the title: an avatar. */
  lead?: ComponentChildren;
  footer?: ComponentChildren;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    box.current?.querySelector(".drawer-body")?.scrollTo(0, 0);
  }, [of]);
  useLayoutEffect(() => cover("drawer"), []);
  useOpenedTitle(title);
  return (
    <aside ref={box} class="drawer" aria-label="Details">
      <header class="drawer-head">
        {lead}
        <h2 ref={heading} tabIndex={-1} class="drawer-title">{title}</h2>
        <CloseButton label="Close details" onClick={onClose} />
      </header>
      <div class="drawer-body" tabIndex={0} role="region" aria-label={say`Details of ${title}`}>
        {children}
      </div>
      {footer && <footer class="drawer-foot">{footer}</footer>}
    </aside>
  );
}

/** The drawer of what is not read yet, can't be read, or is not there: `gone` says it then. */
export function UnreadDrawer({ title, read, gone, ...drawer }: {
  of: string;
  /** The noun of such a thing. */
  title: string;
  lead?: ComponentChildren;
  read: Parameters<typeof Unread>[0]["of"];
  gone?: readonly [title: string, why: string];
  onClose: () => void;
}) {
  gone ??= [say`There is no such ${title.toLowerCase()}`, "It was deleted, or the link is wrong."];
  return (
    <Drawer title={title} {...drawer}>
      <Unread of={read} gone={gone} />
    </Drawer>
  );
}

/** Facts in two columns. `title` stands over them. */
export function Facts({ title, children }: { title?: string; children: ComponentChildren }) {
  return (
    <>
      {title !== undefined && <h3 class="group-title">{title}</h3>}
      <dl class="facts">{children}</dl>
    </>
  );
}

/** One of them, `of` one value or of what stands in it; nothing at all where there is none. */
export function Fact({ name, children, of = children }: {
  name: string;
  of?: ComponentChildren;
  children?: ComponentChildren;
}) {
  if (of === undefined || of === null || of === false || of === "") return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>{of}</dd>
    </div>
  );
}

/** Tags, each of which leads to the list of what has it; left out where there is none. */
export function TagsFact({ tags, to }: { tags: readonly string[]; to: (tag: string) => string }) {
  return (
    <Fact name="Tags">
      {tags.length > 0 && (
        <span class="kinds">
          {tags.map((tag) => (
            <Link key={tag} href={to(tag)}>
              <Tag>{tag}</Tag>
            </Link>
          ))}
        </span>
      )}
    </Fact>
  );
}
