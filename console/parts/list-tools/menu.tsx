import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

/**
 * A button, and what opens below it: the browser's own popover, so that it lies above all and Esc
 * closes it.
 */
export function Menu({ label, text, isSet, name, children }: {
  /** The menu's name for screen readers. */
  label: string;
  text: ComponentChildren;
  isSet?: boolean;
  /** The button's own class, where it needs one. */
  name?: string;
  children: (close: () => void) => ComponentChildren;
}) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const place = () => {
    if (!button.current || !box.current) return;
    const { bottom, right } = button.current.getBoundingClientRect();
    const { style, offsetWidth, offsetHeight } = box.current;
    // In a low window it lies over its button.
    style.top = `${Math.max(8, Math.min(bottom + 4, innerHeight - offsetHeight - 8))}px`;
    style.left = `${Math.max(8, Math.min(right, innerWidth - 14) - offsetWidth)}px`;
  };
  useEffect(() => {
    // It may grow while it is open: text is given more space, a list is longer.
    const observer = new ResizeObserver(place);
    if (box.current) observer.observe(box.current);
    addEventListener("resize", place);
    return () => {
      observer.disconnect();
      removeEventListener("resize", place);
    };
  }, []);
  return (
    <>
      <button
        ref={button}
        type="button"
        class={["button is-quiet menu-button", isSet && "is-set", name].filter(Boolean).join(" ")}
        popovertarget={id}
      >
        {text}
      </button>
      <div
        ref={box}
        id={id}
        class="menu"
        role="group"
        aria-label={label}
        popover="auto"
        onToggle={place}
        onKeyDown={(event) => {
          // Escape closes this alone, and letters are no shortcuts of the page.
          event.stopPropagation();
        }}
      >
        {children(() => box.current?.hidePopover())}
      </div>
    </>
  );
}
