import { useEffect, useRef } from "preact/hooks";
import { singleKeys } from "../api/preferences.ts";
import { signal } from "../signal.ts";

/**
 * The action of a key. Keys as in `KeyboardEvent.key`, letters small; `g k` is one after the other.
 */
export interface Shortcut {
  keys: readonly string[];
  /** The action's text for the dialog of shortcuts; "": it is not listed. */
  label: string;
  run: (event: KeyboardEvent) => void;
  /** False: it does nothing now, and the key does what it does without us. */
  when?: () => boolean;
}

/** Shortcuts of one part of the page, under their title. */
export interface ShortcutGroup {
  title: string;
  shortcuts: readonly Shortcut[];
}

/** All groups that stand now, the newest last. */
export const groups = signal<readonly ShortcutGroup[]>([]);

/**
 * Registers a group while the component is shown. Later groups come first. No key counts while the
 * user types, or with Ctrl, Alt or Meta, or while a dialog is open; Enter and Space belong to the
 * focused element. If a person turned keys of a single character off, only the others count.
 *
 *     useShortcuts("Keys", [{ keys: ["r"], label: "Revoke", run: revoke }]);
 */
export function useShortcuts(title: string, shortcuts: readonly Shortcut[]): void {
  const newest = useRef(shortcuts);
  newest.current = shortcuts;
  useEffect(() => {
    // Looks up the newest functions when a key comes, and registers once.
    const group: ShortcutGroup = {
      title,
      get shortcuts() {
        return newest.current;
      },
    };
    groups.value = [...groups.value, group];
    // Once all that stands now has registered.
    if (missed.length > 0) queueMicrotask(catchUp);
    return () => groups.value = groups.value.filter((one) => one !== group);
  }, [title]);
}

/** The keys that open the palette, as they are written. */
export const PALETTE_KEYS = /Mac|iP/.test(navigator.platform) ? "⌘ K" : "Ctrl K";

const SEQUENCE_MS = 1200;
let first = "";
let firstAt = 0;

/** Listens for good. Called once. */
export function listenForShortcuts(): void {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
    if (document.querySelector("dialog[open]")) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (isTyping(event.target, key)) return;
    if (key.length === 1 && singleKeys.value === "off") return;
    if (!take(event, key) && !isKnown(key)) {
      missed = [...missed.slice(1 - MOST_MISSED), { event, key, path: location.pathname }];
    }
  });
}

/** Does what a key does now. False: nothing. */
function take(event: KeyboardEvent, key: string): boolean {
  const sequence = first !== "" && event.timeStamp - firstAt < SEQUENCE_MS
    ? `${first} ${key}`
    : key;
  const shortcut = find(sequence) ?? find(key);
  first = "";
  if (shortcut) {
    event.preventDefault();
    shortcut.run(event);
  } else if (starts(key)) {
    [first, firstAt] = [key, event.timeStamp];
  } else return false;
  return true;
}

/**
 * A screen that is drawn registers its keys a moment later. For so long what was pressed before
 * waits for it.
 */
const WAITS_MS = 1000;
const MOST_MISSED = 8;
/** Keys that nothing knew when they came, with the address where they were pressed. */
let missed: readonly Missed[] = [];
interface Missed {
  readonly event: KeyboardEvent;
  readonly key: string;
  readonly path: string;
}

/** Does what was pressed at this address just before its keys were known. */
function catchUp(): void {
  const fresh = missed.filter(({ event, path }) =>
    performance.now() - event.timeStamp < WAITS_MS && path === location.pathname
  );
  missed = [];
  for (const one of fresh) {
    // A dialog or a field that took the focus meanwhile gets later keys.
    if (document.querySelector("dialog[open]") || isTyping(document.activeElement, one.key)) return;
    if (!take(one.event, one.key)) missed = [...missed, one];
  }
}

function isKnown(key: string): boolean {
  return groups.value.some(({ shortcuts }) => shortcuts.some(({ keys }) => keys.includes(key)));
}

function find(keys: string): Shortcut | undefined {
  for (const { shortcuts } of groups.value.toReversed()) {
    const found = shortcuts.find((one) => one.keys.includes(keys) && (one.when?.() ?? true));
    if (found) return found;
  }
  return undefined;
}

function starts(key: string): boolean {
  return groups.value.some(({ shortcuts }) =>
    shortcuts.some((one) => one.keys.some((keys) => keys.startsWith(`${key} `)))
  );
}

/** Whether the key belongs to the element that has the focus. */
function isTyping(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement && ["radio", "checkbox"].includes(target.type)) {
    return key === " " || (target.type === "radio" && key.startsWith("Arrow"));
  }
  if (target.matches("input, textarea, select, [contenteditable]")) return key !== "Escape";
  return (key === "Enter" || key === " ") && target.matches("a, button, summary, label");
}

/** How a key is written on the screen. */
export function keyName(keys: string): string {
  const names: Record<string, string> = { ArrowDown: "↓", ArrowUp: "↑", Enter: "↵", Escape: "Esc" };
  return keys.split(" ").map((key) => names[key] ?? key.toUpperCase()).join(" ");
}
