import type { ComponentChildren } from "preact";

/**
 * A button. `busy`: it waits, and can't be pressed again; it keeps its focus. `shortcut` is shown
 * in it.
 */
export function Button(
  {
    kind = "plain",
    type = "button",
    busy,
    disabled,
    shortcut,
    autoFocus,
    onClick,
    children,
    label,
  }: {
    kind?: "plain" | "primary" | "danger" | "quiet";
    type?: "button" | "submit";
    busy?: boolean | undefined;
    disabled?: boolean | undefined;
    shortcut?: string | undefined;
    autoFocus?: boolean | undefined;
    onClick?: ((event: MouseEvent) => void) | undefined;
    children: ComponentChildren;
    /** The text for screen readers if the text alone is not enough. */
    label?: string | undefined;
  },
) {
  return (
    <button
      type={type}
      class={`button is-${kind}`}
      disabled={disabled}
      aria-disabled={busy ? "true" : undefined}
      aria-label={label}
      aria-keyshortcuts={shortcut}
      autofocus={autoFocus}
      onClick={(event) => {
        if (busy) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {children}
      {shortcut !== undefined && <Key name={shortcut} />}
    </button>
  );
}

/** A button that looks like a link; `class` says where. */
export function LinkButton({ class: more = "", ...rest }: {
  class?: "" | "is-small" | "is-plain" | "key-change" | "message-again" | "log-fix";
  "aria-label"?: string | undefined;
  disabled?: boolean | undefined;
  onClick: () => void;
  children: ComponentChildren;
}) {
  return <button type="button" class={`link-button ${more}`} {...rest} />;
}

/** A key of the keyboard. */
export function Key({ name }: { name: string }) {
  return <kbd class="key" aria-hidden="true">{name}</kbd>;
}

/** The cross that closes something. */
export function CloseButton({ onClick, label = "Close" }: { onClick: () => void; label?: string }) {
  return (
    <button type="button" class="icon-button" aria-label={label} onClick={onClick}>
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <path
          d="M4 4l8 8m0-8l-8 8"
          stroke="currentColor"
          stroke-width="1.5"
          stroke-linecap="round"
        />
      </svg>
    </button>
  );
}
