import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { wordsOf } from "../../api/client.ts";
import { reachable } from "../../api/connection.ts";
import { may } from "../../api/session.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { stateView } from "../../parts/keys/key.ts";
import { Loading } from "../../parts/states.tsx";
import { want } from "../../parts/wanted.ts";
import { say } from "../../said.ts";
import { GLASS, Icon } from "../side-bar.tsx";
import { AS_ID, type AskedKey, INSTEAD, keyGroups, saidOf } from "./asked-key.ts";
import { KeyCard } from "./key-card.tsx";
import { maskOf, mayBeId, shapeOf } from "./key-shape.ts";
import { localItems } from "./local-items.ts";
import { arrange, type Group, type Item } from "./order.ts";
import { PaletteList } from "./palette-list.tsx";
import { keyOf, search } from "./search.ts";
import { useKeyGuard } from "./use-key-guard.ts";

const PAUSE_MS = 120;
const LIST = "palette-list";

/** The server's results, and their text. */
interface Answer {
  readonly text: string;
  readonly items: readonly Item[];
  readonly why?: string;
}

/**
 * Items that were opened in the palette since the page was loaded, the newest first. Pasted keys
 * are not among them.
 */
let opened: readonly Item[] = [];

/**
 * One field over people, keys, plans, certificates, ids, screens and actions; a pasted key finds
 * its owner.
 */
export default function Palette({ onClose }: { onClose: () => void }) {
  const [, navigate] = useLocation();
  const box = useRef<HTMLInputElement>(null);
  /** The text in the field: of a key its mask. */
  const [text, setText] = useState("");
  const [asked, setAsked] = useState<AskedKey>();
  const [answer, setAnswer] = useState<Answer>();
  const [chosenId, setChosenId] = useState<string>();
  /** A pasted text that was no key, until the field changes. */
  const plain = useRef("");
  /** Ends the search for a key's owner. */
  const stopFinding = useRef(new AbortController());
  /** Enter came before the answer that it is about. */
  const enters = useRef(false);

  const words = asked ? "" : text.trim();
  const isOffline = !reachable.value;
  const isAnswered = words === "" || isOffline || answer?.text === words;
  const groups = asked ? keyGroups(asked, plain.current) : groupsOf(words, answer, isOffline);
  const items = groups.flatMap((group) => group.items);
  // A row that would show a secret is never chosen by itself.
  const chosen = items.find((item) => idOf(item) === chosenId) ??
    items.find(({ id }) => id !== AS_ID);

  useEffect(() => {
    if (words === "" || isOffline) return setAnswer(undefined);
    const controller = new AbortController();
    const { signal } = controller;
    const timer = setTimeout(() => {
      search(words, signal).then(
        (items) => signal.aborted || setAnswer({ text: words, items }),
        (error) => signal.aborted || setAnswer({ text: words, items: [], why: wordsOf(error) }),
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [words, isOffline]);
  useEffect(() => () => stopFinding.current.abort(), []);

  const write = (next: string) => {
    plain.current = "";
    enters.current = false;
    setAsked(undefined);
    setChosenId(undefined);
    setText(next);
    stopFinding.current.abort();
  };
  const findOwner = async (key: string) => {
    write(maskOf(key));
    if (shapeOf(key) === "half") return setAsked({ state: "half" });
    if (isOffline) return setAsked({ state: "failed", why: OFFLINE_KEY });
    const { signal } = stopFinding.current = new AbortController();
    setAsked({ state: "looking" });
    try {
      const found = await keyOf(key, signal);
      if (signal.aborted) return;
      if (!found && mayBeId(key)) plain.current = key;
      setAsked(found ? { state: "found", found } : { state: "absent" });
    } catch (error) {
      if (!signal.aborted) setAsked({ state: "failed", why: wordsOf(error) });
    }
  };
  useKeyGuard(box, asked !== undefined, (key) => void findOwner(key), write);

  const run = (item: Item | undefined, inNewTab = false) => {
    if (!item) return;
    if (item.id === AS_ID) {
      const id = plain.current;
      setAsked(undefined);
      return setText(id);
    }
    if (inNewTab && item.act === undefined) {
      open(`/console${item.href}`, "_blank", "noopener");
      return;
    }
    if (!asked && item.kind !== "screen" && item.kind !== "action" && item.kind !== "more") {
      opened = [item, ...opened.filter((one) => idOf(one) !== idOf(item))].slice(0, 3);
    }
    onClose();
    navigate(item.href);
    if (item.act) want(item.href.split("/", 2).join("/"), item.act, item.about);
  };
  const enter = (inNewTab: boolean) => {
    const isSure = chosenId !== undefined || chosen?.kind === "screen" || chosen?.kind === "action";
    // The present results may be about the text before.
    if (asked ? asked.state === "looking" : !isAnswered && !isSure) enters.current = true;
    else run(chosen, inNewTab);
  };
  useEffect(() => {
    if (!enters.current || asked?.state === "looking" || !isAnswered) return;
    enters.current = false;
    // Text that is no key is searched as something else only if the person chooses that.
    if (!asked || asked.state === "found") run(chosen);
  });
  const move = (by: number) => {
    const at = chosen ? items.indexOf(chosen) + by : 0;
    const next = items.at(at % items.length);
    if (next) setChosenId(idOf(next));
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (event.key === "ArrowDown") move(1);
    else if (event.key === "ArrowUp") move(-1);
    else if (event.key === "Enter") enter(event.ctrlKey || event.metaKey);
    else if (event.key === "Escape" && text !== "") write("");
    else if (event.key === "Escape") onClose();
    else return;
    event.preventDefault();
  };
  const isNothing = words !== "" && isAnswered && groups.every(({ title }) => title === INSTEAD);
  const isEmpty = !asked && items.length === 0 && !isAnswered;
  const said = asked
    ? saidOf(asked)
    : isNothing && answer?.why === undefined
    ? { title: say`Nothing called “${words}”`, text: isOffline ? "" : LOOKED }
    : undefined;
  return (
    <Dialog title="Search" palette onClose={onClose}>
      <div class="palette-head">
        <Icon path={GLASS} />
        <input
          ref={box}
          class={asked ? "palette-text is-key" : "palette-text"}
          type="text"
          role="combobox"
          aria-label="Search, do, or paste a key"
          placeholder="Search, do, or paste a key"
          value={text}
          autofocus
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          enterkeyhint="go"
          aria-autocomplete="list"
          aria-expanded={items.length > 0}
          aria-controls={LIST}
          aria-activedescendant={chosen && `palette-${items.indexOf(chosen)}`}
          onInput={(event) => write(event.currentTarget.value)}
          onKeyDown={onKey}
        />
        <button
          type="button"
          class="palette-close"
          aria-label="Esc: close the search"
          onClick={onClose}
        >
          <kbd class="key" aria-hidden="true">Esc</kbd>
        </button>
      </div>
      <div class="palette-body" tabIndex={0} role="region" aria-label="What is found">
        {isOffline && <p class="notice is-warning">{OFFLINE}</p>}
        {asked?.state === "found" && <KeyCard of={asked.found} />}
        {said && <Said {...said} />}
        {!asked && answer?.why !== undefined && <p class="notice is-bad">{answer.why}</p>}
        {isEmpty && <Loading lines={3} />}
        <PaletteList id={LIST} groups={groups} chosen={chosen} text={words} onChoose={run} />
      </div>
      <p class="palette-foot" aria-hidden="true">
        <span>
          <kbd class="key">↑</kbd> <kbd class="key">↓</kbd> move
        </span>
        <span>
          <kbd class="key">Enter</kbd> {asked ? "do" : "open"}
        </span>
        {!asked && (
          <span>
            <kbd class="key">Ctrl</kbd> <kbd class="key">Enter</kbd> in a new tab
          </span>
        )}
        <span class="palette-tip">
          {asked ? "Changes ask once more" : "Paste a whole key to find its owner"}
        </span>
      </p>
      <p class="unseen" role="status">
        {asked?.state === "found"
          ? say`This key belongs to ${asked.found.owner}, ${
            stateView(asked.found.key).text.toLowerCase()
          }`
          : said
          ? say`${said.title}. ${said.text}`
          : words !== "" && isAnswered && countOf(items)}
      </p>
    </Dialog>
  );
}

const OFFLINE = "The server does not answer. Until it does, only screens are found.";
const OFFLINE_KEY = "The server does not answer. Paste the key again once it does.";
const LOOKED =
  "Looked through what you may see: by the beginnings of words, and ids. A key is found only whole.";

function countOf({ length }: readonly Item[]): string {
  return length === 1 ? "1 result" : `${length} results`;
}

/** A text in the place of rows. */
function Said({ title, text }: { title: string; text: string }) {
  return (
    <div class="palette-said">
      <p class="state-title">{title}</p>
      {text !== "" && <p class="state-text">{text}</p>}
    </div>
  );
}

function groupsOf(words: string, answer: Answer | undefined, isOffline: boolean): Group[] {
  if (words === "") {
    const local = localItems("");
    const of = (kind: Item["kind"]) => local.filter((item) => item.kind === kind);
    return [
      { title: "Last opened", items: isOffline ? [] : opened },
      { title: "Do", items: of("action").slice(0, 4) },
      { title: "Go to", items: of("screen") },
    ].filter(({ items }) => items.length > 0);
  }
  const found = isOffline ? [] : answer?.items ?? [];
  const groups = arrange([...localItems(words), ...found], words);
  if (groups.length > 0 || isOffline || answer?.text !== words || !may("audit")) return groups;
  if (!/^\S{16,}$/.test(words)) return groups;
  return [{
    title: INSTEAD,
    items: [{
      kind: "action",
      id: "audit-log",
      title: say`Search the audit log for “${words}”`,
      detail: "deleted items are still listed",
      href: `/audit-log?object_id=${encodeURIComponent(words)}`,
    }],
  }];
}

const idOf = ({ kind, id }: Item) => `${kind} ${id}`;
