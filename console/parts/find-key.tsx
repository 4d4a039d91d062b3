import { useRef, useState } from "preact/hooks";
import { api, codeOf } from "../api/client.ts";
import { findKey, getKey, listDevelopers, listKeys } from "../api/endpoints.ts";
import { announce } from "./announcer.tsx";
import { Key } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { useShortcuts } from "./shortcuts.ts";
import { toast, toastFailure } from "./toasts.tsx";
import { say } from "../said.ts";

const SHOWN = 20;

/** A developer whom the words found. */
interface Found {
  id: string;
  email: string;
}

/** One of those that the words found. */
interface Choice {
  title: string;
  of: readonly { id: string; text: string; hint: string }[];
  take: (id: string) => void;
}

/**
 * Finds a key by itself, by its hash, by whose it is, or by its name and what is shown of it. A key
 * is sent in a body at Enter, and forgotten at once: it stands in no address and in no cache.
 */
export function FindKey({ onFound, onDeveloper, onSearch }: {
  onFound: (id: string) => void;
  onDeveloper: (id: string) => void;
  /** Shows the keys that the words find; absent: one of them is chosen. */
  onSearch?: (q: string) => void;
}) {
  const box = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  const [choice, setChoice] = useState<Choice>();
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
        else if (onSearch) onSearch(asked);
        else {
          setChoice({
            title: "Which key?",
            of: keys.map(({ key_id, name, mask, developer_email }) => ({
              id: key_id,
              text: name || mask || `…${key_id.slice(-12)}`,
              hint: developer_email,
            })),
            take: onFound,
          });
        }
      } else if (developers.length === 1) {
        setText("");
        announce(say`Keys of ${one.email || one.id}`);
        onDeveloper(one.id);
      } else {
        setChoice({
          title: "Whose keys?",
          of: developers.map(({ id, email }) => ({ id, text: email || id, hint: id })),
          take: onDeveloper,
        });
      }
    } catch (error) {
      toastFailure(error);
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
        <Dialog title={choice.title} onClose={() => setChoice(undefined)}>
          <ul class="choice-list">
            {choice.of.map(({ id, text, hint }) => (
              <li key={id}>
                <button
                  type="button"
                  class="choice"
                  onClick={() => {
                    setChoice(undefined);
                    setText("");
                    choice.take(id);
                  }}
                >
                  <span class="line-1">{text}</span>
                  <span class="line-2">{hint}</span>
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
async function keysOf(q: string) {
  return (await api.call(listKeys, { query: { q, limit: SHOWN } })).data;
}

/** Developers whom these words find. */
export async function developersOf(q: string): Promise<readonly Found[]> {
  return (await api.call(listDevelopers, { query: { q, limit: SHOWN } })).data;
}
