import type { PagedList } from "../api/paged-list.ts";
import { focusRow } from "./list-table.tsx";
import { type Shortcut, useShortcuts } from "./shortcuts.ts";

/**
 * Moving through a list by J, K and the arrows, opening by Enter, closing by Esc. `current` is the
 * row that the keyboard is on, `isOpen` whether it is shown in full; `onMove` is called with the
 * next one.
 */
export function useListKeys<Row>(
  { title, list, current, isOpen, onMove, onOpen, onClose }: {
    /** The heading of these keys in the dialog of shortcuts. */
    title: string;
    list: PagedList<Row>;
    current: string | undefined;
    isOpen?: boolean;
    onMove: (id: string) => void;
    onOpen: (id: string) => void;
    /** Absent: nothing is ever open. */
    onClose?: () => void;
  },
): void {
  const move = (by: number) => {
    const index = current === undefined ? -1 : list.indexOf(current);
    const row = list.at(index < 0 ? 0 : index + by);
    if (row === undefined) return;
    onMove(list.keyOf(row));
    // While something is open, the focus stands on its title.
    if (!isOpen) focusRow(list.keyOf(row));
  };
  const shortcuts: Shortcut[] = [
    { keys: ["j", "ArrowDown"], label: "Next", run: () => move(1) },
    { keys: ["k", "ArrowUp"], label: "Previous", run: () => move(-1) },
    {
      keys: ["Enter"],
      label: "Open",
      run: () => current !== undefined && onOpen(current),
      when: () => current !== undefined && !isOpen,
    },
    {
      keys: ["Escape"],
      label: "Close details",
      run: () => onClose?.(),
      when: () => isOpen === true,
    },
  ];
  useShortcuts(title, shortcuts);
}
