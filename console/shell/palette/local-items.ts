import { reachable } from "../../api/connection.ts";
import { may } from "../../api/session.ts";
import { singleKeys } from "../../api/preferences.ts";
import type { Permission } from "../../../src/contract/permissions.ts";
import { namedScreens } from "../side-bar.tsx";
import { fitOf, type Item } from "./order.ts";

interface Action {
  readonly title: string;
  readonly href: string;
  readonly act?: string;
  readonly needs: readonly Permission[];
  readonly words?: string;
}

const actions: readonly Action[] = [
  {
    title: "Decide the oldest requests",
    href: "/key-requests?sort=oldest",
    needs: ["portal:read", "approve"],
    words: "approve decline pending",
  },
  {
    title: "Issue a key",
    href: "/keys",
    act: "issue",
    needs: ["portal:read", "approve"],
    words: "new create add",
  },
  {
    title: "Add certificates",
    href: "/certificates",
    act: "add",
    needs: ["certs:write"],
    words: "upload new pem",
  },
  {
    title: "Register a developer",
    href: "/developers",
    act: "add",
    needs: ["portal:write"],
    words: "add new create person",
  },
  {
    title: "Add a plan",
    href: "/plans",
    act: "add",
    needs: ["plans", "portal:read"],
    words: "new create",
  },
  {
    title: "Add an API",
    href: "/catalogue",
    act: "add",
    needs: ["plans", "portal:read"],
    words: "new create",
  },
  {
    title: "Add a person",
    href: "/settings?show=people",
    act: "add",
    needs: ["admin"],
    words: "new create colleague invite administrator",
  },
];

/**
 * Parts of screens, found by their words alone: whoever has typed nothing yet is shown the screens.
 */
const parts: readonly { of: string; title: string; show: string; words: string }[] = [
  { of: "/leaks", title: "Leaks that are open", show: "?state=open", words: "leaked found public" },
  {
    of: "/migration",
    title: "Keys never seen",
    show: "?show=never",
    words: "migration unused proof moving",
  },
  {
    of: "/migration",
    title: "Differences of the old gateway",
    show: "?show=differences",
    words: "migration observe compare",
  },
  { of: "/keys", title: "Expired keys", show: "?state=expired", words: "ended" },
  {
    of: "/certificates",
    title: "Certificates that expire within 30 days",
    show: "?ends=30&ca=no",
    words: "expire expiring soon",
  },
  {
    of: "/settings",
    title: "Deliveries",
    show: "?show=deliveries",
    words: "messages sent",
  },
  {
    of: "/settings",
    title: "Failed deliveries",
    show: "?show=deliveries&state=dead",
    words: "dead letters given up",
  },
  {
    of: "/settings",
    title: "Channels",
    show: "?show=channels",
    words: "notification targets webhooks mail smtp slack teams discord add",
  },
  { of: "/settings", title: "Alerts", show: "?show=alerts", words: "rules days before end" },
  {
    of: "/settings",
    title: "Branding",
    show: "?show=brand",
    words: "organisation logo colour name support",
  },
  { of: "/settings", title: "Developer pages", show: "?show=pages", words: "portal sign-up" },
  { of: "/settings", title: "People", show: "?show=people", words: "access administrators team" },
  { of: "/settings", title: "Roles", show: "?show=roles", words: "access permissions" },
  {
    of: "/settings",
    title: "Access tokens",
    show: "?show=access-tokens",
    words: "credentials scripts rotate",
  },
  {
    of: "/settings",
    title: "Temporary access",
    show: "?show=temporary-access",
    words: "elevation incident break glass",
  },
  {
    of: "/settings",
    title: "Sign-in",
    show: "?show=sign-in",
    words: "passkeys providers sso openid second factor",
  },
  {
    of: "/settings",
    title: "Your choices and sessions",
    show: "?show=you",
    words: "you density times shortcuts delivery sign out preferences",
  },
  { of: "/settings", title: "Server", show: "?show=server", words: "version nodes store backup" },
];

/** What screens are found by besides their names: what they were called before, too. */
const screenWords: Readonly<Record<string, string>> = {
  "/migration": "moving in import old gateway",
  "/gateways": "doors proxies",
  "/logs": "door refusals denied calls",
  "/audit-log": "activity trail history",
};

/**
 * Screens and actions that this person may open; with a text those of which a word begins so.
 * Offline, screens alone.
 */
export function localItems(text: string): Item[] {
  const screens = namedScreens().map(({ path, name, key }): Item => ({
    kind: "screen",
    id: path,
    title: name,
    href: path,
    words: screenWords[path],
    ...key !== undefined && singleKeys.value === "on" ? { keys: `G ${key}` } : {},
  }));
  const within = text === "" ? [] : parts.flatMap(({ of, title, show, words }): Item[] => {
    const screen = screens.find(({ href }) => href === of);
    const href = `${of}${show}`;
    // Of the settings everybody sees their own alone.
    const isSeen = screen && (of !== "/settings" || show === "?show=you" || may("admin:read"));
    return isSeen ? [{ kind: "screen", id: href, title, detail: screen.title, href, words }] : [];
  });
  const done = reachable.value ? actions.filter(({ needs }) => needs.every(may)) : [];
  const all = [
    ...screens,
    ...within,
    ...done.map(({ needs: _, ...one }): Item => ({ kind: "action", id: one.title, ...one })),
  ];
  return text === "" ? all : all.filter((item) => fitOf(item, text) > 1)
    .sort((a, b) => fitOf(b, text) - fitOf(a, text));
}
