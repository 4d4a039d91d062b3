import { useEffect, useRef, useState } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import { useCounts } from "../api/counts.ts";
import { useDeadLetters } from "../api/deliveries.ts";
import { useExpiries } from "../api/expiries.ts";
import { hasScope, known, leave, may, session } from "../api/session.ts";
import { Key, LinkButton } from "../parts/button.tsx";
import JobSide from "../parts/job-side.tsx";
import { Mark } from "../parts/mark.tsx";
import { PALETTE_KEYS } from "../parts/shortcuts.ts";
import { shortNumber } from "../parts/tabs.tsx";
import { toastFailure } from "../parts/toasts.tsx";
import { type Screen, screens } from "../screens.ts";
import { choose, theme, themes } from "./theme.ts";

/** The screens that this person may see. */
export function seenScreens(): readonly Screen[] {
  return screens.filter(({ needs, isOfAll }) =>
    session.value === "unknown" ||
    ((needs.length === 0 || needs.some(may)) && !(isOfAll && hasScope()))
  );
}

/** The navigation: beside the page, or on a narrow screen below it. */
export function SideBar({ onSearch, onShortcuts }: {
  onSearch: () => void;
  onShortcuts: () => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const [here] = useLocation();
  const bar = useRef<HTMLElement>(null);
  useEffect(() => setOpen(false), [here]);
  useEffect(() => {
    if (!isOpen) return;
    // It may fill a low window: what has the focus is not behind it.
    const left = ({ target }: FocusEvent) => {
      if (target instanceof Node && !bar.current?.contains(target)) setOpen(false);
    };
    document.addEventListener("focusin", left);
    return () => document.removeEventListener("focusin", left);
  }, [isOpen]);
  return (
    <nav ref={bar} class={isOpen ? "side is-open" : "side"} aria-label="Screens" data-behind-drawer>
      <Link href="/" class="brand">
        <Mark />
        Keydesk
      </Link>
      <ul class="side-list">
        <li class="is-more">
          <button type="button" class="side-link side-search" onClick={onSearch}>
            <Icon path={GLASS} />
            Search… <Key name={PALETTE_KEYS} />
          </button>
        </li>
        {seenScreens().map((screen) => (
          <li key={screen.path} class={screen.isMain ? undefined : "is-more"}>
            <SideLink
              screen={screen}
              onGo={() =>
                setOpen(false)}
            />
          </li>
        ))}
        <li class="is-more">
          <a class="side-link" href="/reference">
            <Icon path="M3.5 2.5h6.8l2.2 2.2v8.8h-9zM6 6.5h4.5M6 9h4.5M6 11.3h2.5" />
            API reference
          </a>
        </li>
        <li class="side-more">
          <button
            type="button"
            class="side-link"
            aria-expanded={isOpen}
            onClick={() =>
              setOpen(!isOpen)}
          >
            <Icon path="M3 8h.1M8 8h.1M13 8h.1" />
            More
          </button>
        </li>
      </ul>
      <div class="side-foot">
        {known() && (may("approve") || may("certs:write") || may("portal:write")) && <JobSide />}
        <ThemeSwitch />
        <button type="button" class="side-link is-foot" onClick={onShortcuts}>
          Shortcuts <Key name="?" />
        </button>
        <Who />
      </div>
    </nav>
  );
}

function SideLink({ screen: { path, name, icon }, onGo }: { screen: Screen; onGo: () => void }) {
  const [here] = useLocation();
  const isHere = here === path || here.startsWith(`${path}/`);
  return (
    <Link
      href={path}
      class={isHere ? "side-link is-here" : "side-link"}
      aria-current={isHere ? "page" : undefined}
      onClick={onGo}
    >
      <Icon path={icon} />
      <span class="side-name">{name}</span>
      {path === "/requests" && <Waiting />}
      {path === "/keys" && <Leaked />}
      {path === "/certificates" && <ToRenew />}
      {path === "/settings" && <DeadLetters />}
    </Link>
  );
}

/** How many requests wait for a decision. */
function Waiting() {
  const counts = useCounts();
  if (!counts || counts.pending === 0) return null;
  return (
    <span class="side-count">
      {shortNumber(counts.pending)}
      <span class="unseen">pending</span>
    </span>
  );
}

/** How many keys were found in public and still open something: those of Home. */
function Leaked() {
  const count = useExpiries(60_000, may("portal:read")).data?.keys?.leaked.count ?? 0;
  if (count === 0) return null;
  return (
    <span class="side-count is-bad">
      {shortNumber(count)}
      <span class="unseen">leaked</span>
    </span>
  );
}

/** How many certificates expire within 30 days or have expired: those of Home, no authorities. */
function ToRenew() {
  const due = useExpiries(60_000, may("certs:read")).data?.certificates?.due;
  const sum = due ? due.ended + due.expired + due.within_30_days : 0;
  if (sum === 0) return null;
  return (
    <span class="side-count">
      {shortNumber(sum)}
      <span class="unseen">to renew within 30 days</span>
    </span>
  );
}

/** How many messages were given up. */
function DeadLetters() {
  const dead = useDeadLetters()?.dead ?? 0;
  if (dead === 0) return null;
  return (
    <span class="side-count is-bad">
      {shortNumber(dead)}
      <span class="unseen">{dead === 1 ? "failed delivery" : "failed deliveries"}</span>
    </span>
  );
}

function ThemeSwitch() {
  const names = { system: "As the system", light: "Light", dark: "Dark" };
  return (
    <fieldset class="themes">
      <legend class="unseen">Theme</legend>
      {themes.map((one) => (
        <label key={one} class="theme" title={names[one]}>
          <input
            type="radio"
            class="unseen"
            name="theme"
            aria-label={names[one]}
            checked={theme.value === one}
            onChange={() => choose(one)}
          />
          <Icon path={THEME_ICONS[one]} />
        </label>
      ))}
    </fieldset>
  );
}

const THEME_ICONS = {
  system: "M2.5 3.5h11v7h-11zM6 13h4",
  light:
    "M8 5.2a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6zM8 1.5v1.2m0 10.6v1.2M1.5 8h1.2m10.6 0h1.2M3.4 3.4l.9.9m7.4 7.4l.9.9m0-9.2l-.9.9m-7.4 7.4l-.9.9",
  dark: "M13 9.6A5.6 5.6 0 0 1 6.4 3a5.6 5.6 0 1 0 6.6 6.6z",
};

/** The signed-in person, and the way out. */
function Who() {
  const signed = session.value;
  if (signed === null) return null;
  // Nothing moves when it is known.
  if (signed === "unknown") return <div class="who" />;
  return (
    <div class="who">
      <span class="who-names">
        <span class="who-name">{signed.person.name}</span>
        <span class="who-desk">{signed.organisation.name}</span>
      </span>
      <LinkButton onClick={() => leave().catch(toastFailure)}>Sign out</LinkButton>
    </div>
  );
}

/** A magnifying glass. */
export const GLASS = "M7 11.5a4.5 4.5 0 1 1 0-9 4.5 4.5 0 0 1 0 9zm3.2-1.3l3.3 3.3";

/** Lines of one colour, as the text beside them. */
export function Icon({ path }: { path: string }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}
