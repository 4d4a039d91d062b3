import { useEffect, useRef, useState } from "preact/hooks";
import { serverAddress, session, token } from "./caller.ts";
import { say } from "../said.ts";
import { addressOf, type Document, type Group, matches, namedBy } from "./document.ts";
import { OperationLine } from "./operation.tsx";

/** The whole page below its head. */
export function ReferencePage({ document, groups }: {
  document: Document;
  groups: readonly Group[];
}) {
  const [search, setSearch] = useState("");
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set(named(groups)));
  const shown = groups.map(({ name, operations }) => ({
    name,
    operations: operations.filter((one) => matches(one, search.trim())),
  })).filter(({ operations }) => operations.length > 0);
  const isWhole = useIsWhole();
  const count = shown.reduce((sum, { operations }) => sum + operations.length, 0);

  useEffect(() => {
    const follow = () => {
      const ids = named(groups);
      if (ids.length > 0) setSearch("");
      setOpen((before) => new Set([...before, ...ids]));
      // Once it is drawn.
      requestAnimationFrame(() => bringToView());
    };
    follow();
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, [groups]);

  // The first chapters that fill a window, until that stands.
  let before = 0;
  const drawn = isWhole || search !== ""
    ? shown
    : shown.filter(({ operations }) => (before += operations.length) <= FIRST);

  return (
    <div class="reference">
      <aside>
        <Caller />
        <SearchField value={search} onChange={setSearch} />
        <p class="muted" role="status">{count === 1 ? "1 operation" : `${count} operations`}</p>
        <Chapters groups={shown} />
      </aside>
      <main>
        {drawn.map(({ name, operations }) => (
          <section key={name} aria-labelledby={addressOf({ tag: name })}>
            <h2 id={addressOf({ tag: name })} tabIndex={-1}>{name}</h2>
            {operations.map((one) => (
              <OperationLine
                key={one.operationId}
                document={document}
                operation={one}
                isOpen={open.has(one.operationId)}
                onToggle={() => {
                  const next = new Set(open);
                  if (!next.delete(one.operationId)) {
                    next.add(one.operationId);
                    history.replaceState(null, "", addressOf(one));
                  }
                  setOpen(next);
                }}
              />
            ))}
          </section>
        ))}
        {count === 0 && <p>No operation has all these words.</p>}
      </main>
    </div>
  );
}

/** So many operations are more than a window shows. */
const FIRST = 40;

/** Whether all is drawn: what is below the window comes after the first picture. */
function useIsWhole(): boolean {
  const [isWhole, setWhole] = useState(location.hash !== "");
  useEffect(() => {
    requestAnimationFrame(() => setTimeout(() => setWhole(true)));
  }, []);
  return isWhole;
}

/** The operation that the address names, where there is one. */
function named(groups: readonly Group[]): string[] {
  const { operationId } = namedBy(location.hash);
  const known = groups.some(({ operations }) =>
    operations.some((one) => one.operationId === operationId)
  );
  return operationId !== undefined && known ? [operationId] : [];
}

function bringToView(): void {
  const { tag, operationId } = namedBy(location.hash);
  if (tag === undefined) return;
  const element = document.getElementById(operationId ?? addressOf({ tag }));
  element?.scrollIntoView({ block: "start" });
  element?.focus({ preventScroll: true });
}

function Chapters({ groups }: { groups: readonly Group[] }) {
  const [isWide] = useState(() => matchMedia("(min-width: 861px)").matches);
  return (
    <details class="chapters" open={isWide}>
      <summary>Chapters</summary>
      <nav aria-label="Chapters">
        <ul>
          {groups.map(({ name }) => (
            <li key={name}>
              <a href={addressOf({ tag: name })}>{name}</a>
            </li>
          ))}
        </ul>
      </nav>
    </details>
  );
}

/** Also reached by a slash, as at the console. */
function SearchField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLElement &&
        event.target.closest("input, textarea, select") !== null;
      if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      field.current?.focus();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  return (
    <search>
      <label class="field">
        <span class="field-label">
          Search <kbd class="key">/</kbd>
        </span>
        <input
          ref={field}
          class="input"
          type="search"
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      </label>
    </search>
  );
}

/** As whom calls are sent, and the field for an access token. */
function Caller() {
  const who = session.value;
  return (
    <section class="caller" aria-label="Your calls are signed in as">
      <p role="status">
        {token.value !== ""
          ? "Calls are sent with the access token that was typed in."
          : who
          ? say`Signed in as ${who.person.name} (${who.organisation.name}).`
          : who === null
          ? "No one is signed in."
          : ""}
        {token.value === "" && who === null && (
          <>
            {" "}
            <a class="text-link" href={`${serverAddress()}/console`}>Sign in to the console</a>
          </>
        )}
      </p>
      <label class="field">
        <span class="field-label">Access token, kept in this page's memory alone</span>
        <input
          class="input"
          type="password"
          autocomplete="off"
          value={token.value}
          onInput={(event) => {
            token.value = event.currentTarget.value.trim();
          }}
        />
      </label>
    </section>
  );
}
