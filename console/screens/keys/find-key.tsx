import { useRef, useState } from "preact/hooks";
import { api, codeOf, wordsOf } from "../../api/client.ts";
import { findKey, getKey, listDevelopers, listKeys } from "../../api/endpoints.ts";
import { announce } from "../../parts/announcer.tsx";
import { Key } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { useShortcuts } from "../../parts/shortcuts.ts";
import { toast } from "../../parts/toasts.tsx";
import { say } from "../../said.ts";

const SHOWN = 20;

/** A developer whom the words found. */
interface Found {
  id: string;
  email: string;
}

/**
 * Finds a key by itself, by its hash, by whose it is, or by its name and what is shown of it. A key
 * is sent in a body at Enter, and forgotten at once: it stands in no address and in no cache.
 */
export function FindKey({ onFound, onDeveloper, onSearch }: {
  onFound: (id: string) => void;
  onDeveloper: (id: string) => void;
  /** Shows the keys that the words find. */
  onSearch: (q: string) => void;
}) {
  const box = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  const [choice, setChoice] = useState<readonly Found[]>();
  const find = async () => {
    const asked = text.trim();
    if (asked === "") return;
    try {
      const id = await keyIdOf(asked);
      if (id !== undefined) {
        setText("");
        return onFound(id);
      }
      const developers = asked.length > 100 ? [] : await developersOf(asked);
      const [one] = developers;
      if (!one) {
        const keys = asked.length > 100 ? [] : await keysOf(asked);
        if (keys.length === 0) {
          return toast({ text: "No key, name, hash or developer matches.", kind: "bad" });
        }
        setText("");
        announce(say`Keys found by ${asked}`);
        if (keys[0] && keys.length === 1) onFound(keys[0].key_id);
        else onSearch(asked);
      } else if (developers.length === 1) {
        setText("");
        announce(say`Keys of ${one.email || one.id}`);
        onDeveloper(one.id);
      } else setChoice(developers);
    } catch (error) {
      toast({ text: wordsOf(error), kind: "bad" });
    }
  };
  useShortcuts("Search", [{ keys: ["/"], label: "Find a key", run: () => box.current?.select() }]);
  return (
    <form
      class="search find-key"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        void find();
      }}
    >
      <input
        ref={box}
        class="input"
        aria-label="Find by key, name, hash or developer"
        placeholder="Find key, name or developer"
        value={text}
        maxLength={4096}
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
      <Key name={text === "" ? "/" : "↵"} />
      {choice && (
        <Dialog title="Whose keys?" onClose={() => setChoice(undefined)}>
          <ul class="choice-list">
            {choice.map(({ id, email }) => (
              <li key={id}>
                <button
                  type="button"
                  class="choice"
                  onClick={() => {
                    setChoice(undefined);
                    setText("");
                    onDeveloper(id);
                  }}
                >
                  <span class="line-1">{email || id}</span>
                  <span class="line-2">{id}</span>
                </button>
              </li>
            ))}
          </ul>
        </Dialog>
      )}
    </form>
  );
}

/**
 * The id of what is a key or a key's hash. First as a key, in a body: only what is none goes into
 * an address.
 */
async function keyIdOf(asked: string): Promise<string | undefined> {
  const found = await unlessAbsent(() => api.call(findKey, { body: { key: asked } }));
  if (found || !/^[0-9a-f]{32,64}$/i.test(asked)) return found?.key_id;
  const params = { key_id: asked.toLowerCase() };
  return (await unlessAbsent(() => api.call(getKey, { params })))?.key_id;
}

async function unlessAbsent<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (codeOf(error) === "not_found") return undefined;
    throw error;
  }
}

/** The first keys that these words find by name, id or mask. */
async function keysOf(q: string): Promise<readonly { key_id: string }[]> {
  return (await api.call(listKeys, { query: { q, limit: 2 } })).data;
}

/** Developers whom these words find. */
export async function developersOf(q: string): Promise<readonly Found[]> {
  return (await api.call(listDevelopers, { query: { q, limit: SHOWN } })).data;
}
