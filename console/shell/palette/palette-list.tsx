import { useLayoutEffect, useRef } from "preact/hooks";
import { Avatar } from "../../parts/avatar.tsx";
import { keyName } from "../../parts/shortcuts.ts";
import { screens } from "../../screens.ts";
import { GLASS, Icon } from "../side-bar.tsx";
import type { Group, Item, Kind } from "./order.ts";

/** The rows below the field, in groups; the focus stays in the field. */
export function PaletteList({ id, groups, chosen, text, onChoose }: {
  id: string;
  groups: readonly Group[];
  chosen: Item | undefined;
  /** The marked text in the rows. */
  text: string;
  onChoose: (item: Item, inNewTab: boolean) => void;
}) {
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    list.current?.querySelector(".is-chosen")?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  let at = -1;
  return (
    <div ref={list} id={id} role="listbox" aria-label="Results" hidden={groups.length === 0}>
      {groups.map(({ title, items }) => (
        <div key={title} role="group" aria-label={title}>
          <p class="palette-group" aria-hidden="true">{title}</p>
          {items.map((item) => {
            at++;
            return (
              <div
                key={`${item.kind} ${item.id}`}
                id={`palette-${at}`}
                class={`palette-row${item === chosen ? " is-chosen" : ""}${
                  item.isBad ? " is-bad" : ""
                }`}
                role="option"
                aria-selected={item === chosen}
                // The focus stays where it is.
                onMouseDown={(event) => event.preventDefault()}
                onClick={(event) => onChoose(item, event.ctrlKey || event.metaKey)}
              >
                <Row item={item} text={text} isChosen={item === chosen} />
              </div>
            );
          })}
        </div>
      ))}
    </div>
  );
}

function Row({ item, text, isChosen }: { item: Item; text: string; isChosen: boolean }) {
  const { kind, id, title, detail, keys } = item;
  return (
    <>
      {kind === "developer" || kind === "person"
        ? <Avatar name={title} id={id} size="small" />
        : <Icon path={iconOf(item)} />}
      <span class={item.isMask ? "palette-title is-code" : "palette-title"}>
        <Marked text={title} part={text} />
      </span>
      {detail !== undefined && detail !== "" && (
        <span class="palette-detail">
          <Marked text={detail} part={text} />
        </span>
      )}
      <span class="palette-end">
        {NAMES[kind]}
        {keys !== undefined && !isChosen &&
          keys.split(" ").map((key) => (
            <kbd key={key} class="key" aria-hidden="true">{keyName(key)}</kbd>
          ))}
        {isChosen && <kbd class="key" aria-hidden="true">Enter</kbd>}
      </span>
    </>
  );
}

/** A text, with what was looked for in it marked. */
function Marked({ text, part }: { text: string; part: string }) {
  const at = part === "" ? -1 : text.toLowerCase().indexOf(part.toLowerCase());
  if (at < 0) return <>{text}</>;
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + part.length)}</mark>
      {text.slice(at + part.length)}
    </>
  );
}

/** The kind of a row, at its end. */
const NAMES: Readonly<Record<Kind, string>> = {
  screen: "",
  action: "",
  view: "View",
  more: "",
  developer: "Developer",
  key: "Key",
  request: "Request",
  api: "API",
  plan: "Plan",
  certificate: "Certificate",
  person: "Person",
};

const PLUS = "M8 3.5v9M3.5 8h9";
const ACTS: Readonly<Record<string, string>> = {
  add: PLUS,
  "add-plan": PLUS,
  issue: PLUS,
  rotate: "M2.5 5.5h11l-3-3m3 8h-11l3 3",
  suspend: "M6 3.5v9m4-9v9",
  resume: "M5 3.5v9L12.5 8z",
  revoke: "M8 2.2a5.8 5.8 0 1 1 0 11.6A5.8 5.8 0 0 1 8 2.2zM3.9 3.9l8.2 8.2",
};
const SLASHES = "M5.5 4.5L2 8l3.5 3.5m5-7L14 8l-3.5 3.5";

/** The icon of the screen that it leads to. */
function iconOf({ kind, href, act }: Item): string {
  const own = act === undefined ? undefined : ACTS[act];
  if (own !== undefined) return own;
  if (kind === "api") return SLASHES;
  return screens.find(({ path }) => href.startsWith(path))?.icon ?? GLASS;
}
