import { useEffect, useRef, useState } from "preact/hooks";
import type { PagedList } from "../api/paged-list.ts";
import { Key } from "./button.tsx";
import { useShortcuts } from "./shortcuts.ts";

const PAUSE_MS = 200;

/**
 * Searches while one types, a moment after the last letter. `/` brings the focus here, Esc empties
 * it and goes; Enter opens the only row that is found, as soon as it is known that there is no
 * other.
 */
export function SearchBox<Row>({ label, value, list, onSearch, onOpen }: {
  label: string;
  value: string;
  /** The list that the search `value` narrows. */
  list: PagedList<Row>;
  onSearch: (text: string) => void;
  onOpen: (id: string) => void;
}) {
  const box = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(value);
  const reported = useRef(value);
  useEffect(() => {
    // Changed from elsewhere: back, or a link.
    if (value !== reported.current) setText(reported.current = value);
  }, [value]);
  const search = () => {
    if (text.trim() !== reported.current) onSearch(reported.current = text.trim());
  };
  useEffect(() => {
    const timer = setTimeout(search, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const wants = useRef(false);
  const take = () => {
    if (!wants.current || value !== text.trim() || list.isFirst) return;
    wants.current = false;
    if (value !== "" && list.only !== undefined) onOpen(list.only);
  };
  list.version.value;
  useEffect(take);
  useShortcuts("Search", [{ keys: ["/"], label: "Search", run: () => box.current?.select() }]);
  return (
    <label class="search">
      <span class="unseen">{label}</span>
      <input
        ref={box}
        type="search"
        class="input"
        placeholder={label}
        value={text}
        maxLength={100}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => {
          wants.current = false;
          setText(event.currentTarget.value);
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") {
            wants.current = true;
            search();
            take();
          }
          if (event.key !== "Escape") return;
          event.preventDefault();
          setText("");
          event.currentTarget.blur();
        }}
      />
      <Key name="/" />
    </label>
  );
}
