import { useEffect, useRef, useState } from "preact/hooks";
import { Key } from "./button.tsx";
import { useShortcuts } from "./shortcuts.ts";

const PAUSE_MS = 200;

/** Searches while one types, a moment after the last letter. `/` brings the focus here, Esc empties it and goes. */
export function SearchBox({ label, value, onSearch }: {
  label: string;
  value: string;
  onSearch: (text: string) => void;
}) {
  const box = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(value);
  const told = useRef(value);
  useEffect(() => {
    // Changed from elsewhere: back, or a link.
    if (value !== told.current) setText(told.current = value);
  }, [value]);
  useEffect(() => {
    if (text.trim() === told.current) return;
    const timer = setTimeout(() => onSearch(told.current = text.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
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
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
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
