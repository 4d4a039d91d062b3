import { useEffect, useRef, useState } from "preact/hooks";
import { Redirect, Route, Router, Switch, useLocation } from "wouter-preact";
import { queries } from "../api/queries.ts";
import { known, may } from "../api/session.ts";
import { isMineFirst, keepFirst } from "../api/turn.ts";
import { Announcer } from "../parts/announcer.tsx";
import { Asked } from "../parts/asked.ts";
import { forgetLists } from "../parts/kept-lists.ts";
import { lazily } from "../parts/lazily.tsx";
import { OfflineBanner } from "../parts/offline-banner.tsx";
import { Page } from "../parts/page.tsx";
import { readStyles } from "../parts/read-styles.ts";
import { listenForShortcuts, PALETTE_KEYS, useShortcuts } from "../parts/shortcuts.ts";
import { Empty } from "../parts/states.tsx";
import { toast, Toasts } from "../parts/toasts.tsx";
import { say } from "../said.ts";
import styles from "../styles/console.css?url";
import { type Screen, screens } from "../screens.ts";
import { presentAddress } from "./former-addresses.ts";
import { LazyScreen, readWhenIdle } from "./lazy-screen.tsx";
import { seenScreens, SideBar } from "./side-bar.tsx";

const ShortcutsDialog = lazily<{ onClose: () => void }>(
  () => import("./palette/shortcuts-dialog.tsx"),
  ({ onClose }) => onClose(),
);

const TemporaryAccessLine = lazily(() => import("./temporary-access-line.tsx"));
const Nothing = lazily(() => import("./nothing.tsx"));

/** Resolves when the styles of everything behind the sign-in are there. */
export const styled = readStyles(styles);

listenForShortcuts();
leaveFormerAddress();

/** Everything around a screen, and its router. */
export default function Shell() {
  // Once the screens are gone, too, which keep what they leave.
  useEffect(() => () => queueMicrotask(forget), []);
  return (
    <Router base="/console">
      <Frame />
    </Router>
  );
}

/** A link or a bookmark may have the address that a screen had before. */
function leaveFormerAddress(): void {
  const { pathname, search, hash } = location;
  const present = presentAddress(pathname.slice("/console".length) + search);
  if (present !== undefined) history.replaceState(null, "", `/console${present}${hash}`);
}

/** Forgets all that was read, before another person uses the page. */
function forget(): void {
  queries.clear();
  forgetLists();
}

function Frame() {
  const [, navigate] = useLocation();
  const [showsShortcuts, setShowsShortcuts] = useState(false);
  const { open: search, palette } = usePalette();
  const seen = seenScreens();
  useShortcuts("Everywhere", [
    { keys: [PALETTE_KEYS], label: "Search, do, find a key’s owner", run: search },
    { keys: ["?"], label: "These shortcuts", run: () => setShowsShortcuts(true) },
    ...seen.filter(({ key }) => key !== undefined).map(({ key, name, path }) => ({
      keys: [`g ${key}`],
      label: say`Go to ${name}`,
      run: () => navigate(path),
    })),
    ...may("admin:read")
      ? [{
        keys: ["g e"],
        label: "Go to Deliveries",
        run: () => navigate("/settings?show=deliveries"),
      }]
      : [],
  ]);
  const isMine = known() && isMineFirst();
  useEffect(() => {
    if (isMine !== undefined) keepFirst(isMine);
  }, [isMine]);
  const isKnown = known() !== undefined;
  useEffect(() => {
    if (isKnown) readWhenIdle(seen.filter(({ isMain }) => isMain));
  }, [isKnown]);
  return (
    <div class="shell">
      <Skip to="#content">Skip to content</Skip>
      <Skip to=".row-link">Skip to the list</Skip>
      <Asked />
      <SideBar onSearch={search} onShortcuts={() => setShowsShortcuts(true)} />
      <div class="content" id="content" tabIndex={-1}>
        <OfflineBanner />
        {known()?.temporary_access && <TemporaryAccessLine />}
        <Switch>
          {seen.map((screen) => (
            <Route key={screen.path} path={`${screen.path}/*?`}>
              <LazyScreen screen={screen} />
            </Route>
          ))}
          <Route path="/">
            <Start seen={seen} />
          </Route>
          {screens.filter((screen) => !seen.includes(screen)).map((screen) => (
            <Route key={screen.path} path={`${screen.path}/*?`}>
              <NotAllowed screen={screen} seen={seen} />
            </Route>
          ))}
          <Route>
            <Page title="Not found">
              <Empty title="There is nothing here">The address is wrong.</Empty>
            </Page>
          </Route>
        </Switch>
      </div>
      <Toasts />
      <Announcer />
      {palette}
      {showsShortcuts && <ShortcutsDialog onClose={() => setShowsShortcuts(false)} />}
    </div>
  );
}

/**
 * Leads past what stands before something; the address stays as it is: a fragment means something
 * else here.
 */
function Skip({ to, children }: { to: string; children: string }) {
  return (
    <a
      class="skip"
      href="#content"
      onClick={(event) => {
        event.preventDefault();
        document.querySelector<HTMLElement>(to)?.focus();
      }}
    >
      {children}
    </a>
  );
}

/** Leads to what one comes for. */
function Start({ seen }: { seen: readonly Screen[] }) {
  // The first screen depends on the permissions.
  if (!known()) return null;
  const first = firstOf(seen);
  return first ? <Redirect to={first.path} replace /> : <Nothing first={first} />;
}

/** Home for whoever has more than one list; else that list. What everybody sees is none. */
function firstOf(seen: readonly Screen[]): Screen | undefined {
  const [home, ...lists] = seen.filter(({ needs }) => needs.length > 0);
  return lists.length === 1 ? lists[0] : home;
}

/**
 * A screen that the access token does not show: its bare address leads on, a link into it says so.
 */
function NotAllowed({ screen, seen }: { screen: Screen; seen: readonly Screen[] }) {
  const [here] = useLocation();
  const first = firstOf(seen);
  if (first && here === screen.path) return <Redirect to={first.path} replace />;
  return <Nothing screen={screen} first={first} />;
}

const load = () => import("./palette/palette.tsx");

const Palette = lazily(load, ({ onClose }: { onClose: () => void }) => {
  toast({ text: "The search could not be loaded. Reload the page.", kind: "bad" });
  onClose();
});

/**
 * Ctrl K or Cmd K opens the palette, also in a field, and also for whoever turned single keys off:
 * these are more than one. Not over a dialog: to go elsewhere would lose what stands there, a key
 * that is shown once among it.
 */
function usePalette() {
  const [isOpen, setOpen] = useState(false);
  const place = useRef(isOpen);
  place.current = isOpen;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      // A text that is pasted at once after Ctrl K finds the field ready.
      if (event.key === "Control" || event.key === "Meta") void load().catch(() => {});
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || !isK(event)) {
        return;
      }
      event.preventDefault();
      const dialog = document.querySelector("dialog[open]");
      if (!dialog) setOpen(true);
      else if (place.current) dialog.querySelector("input")?.select();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  return {
    open: () => setOpen(true),
    palette: isOpen && <Palette onClose={() => setOpen(false)} />,
  };
}

/** By its letter; where the layout has none of Latin, by its place. */
function isK({ key, code }: KeyboardEvent): boolean {
  return key.toLowerCase() === "k" || (code === "KeyK" && !/^[a-z]$/i.test(key));
}
