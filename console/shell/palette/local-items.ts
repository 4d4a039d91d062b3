import { reachable } from "../../api/connection.ts";
import { known, may } from "../../api/session.ts";
import { singleKeys } from "../../api/preferences.ts";
import type { Permission } from "../../../src/contract/permissions.ts";
import { seenScreens } from "../side-bar.tsx";
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
    href: "/requests?sort=oldest",
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
    href: "/apis",
    act: "add-plan",
    needs: ["plans", "portal:read"],
    words: "new create",
  },
  {
    title: "Add an API",
    href: "/apis",
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

/** A part of a screen: found by its words alone. */
interface Part {
  /** The screen that it is a part of; who does not see that does not see it. */
  readonly of: string;
  readonly title: string;
  readonly href: string;
  readonly words: string;
  /** The additional permission to see it; absent: none. */
  readonly needs?: Permission;
  /** True: it is there while the organisation moves away from an old gateway. */
  readonly isOfMove?: true;
}

/** Without a typed text the screens are shown without their parts. */
const parts: readonly Part[] = [
  {
    of: "/keys",
    title: "Leaks",
    href: "/keys?leaked=reports",
    words: "leaked found public reports",
  },
  {
    of: "/keys",
    title: "Leaks that are open",
    href: "/keys?leaked=reports&state=open",
    words: "leaked found public",
  },
  { of: "/keys", title: "Expired keys", href: "/keys?state=expired", words: "ended" },
  {
    of: "/apis",
    title: "Plans",
    href: "/apis?state=active",
    words: "limits quotas rates catalogue",
  },
  {
    of: "/apis",
    title: "Default approval",
    href: "/apis?show=policy",
    words: "policy who must approve plans",
    needs: "plans",
  },
  {
    of: "/certificates",
    title: "Certificates that expire within 30 days",
    href: "/certificates?status=expiring&ca=no",
    words: "expire expiring soon",
  },
  {
    of: "/gateways",
    title: "Migration",
    href: "/gateways/migration",
    words: "moving in import old gateway shadow mode report",
    needs: "portal:read",
    isOfMove: true,
  },
  {
    of: "/gateways",
    title: "Keys never seen",
    href: "/gateways/migration?show=never",
    words: "migration unused proof moving",
    needs: "portal:read",
    isOfMove: true,
  },
  {
    of: "/gateways",
    title: "Differences of the old gateway",
    href: "/gateways/migration?show=differences",
    words: "migration observe compare",
    needs: "portal:read",
    isOfMove: true,
  },
  {
    of: "/settings",
    title: "Channels",
    href: "/settings?show=channels",
    words: "notification targets webhooks mail smtp slack teams discord add",
    needs: "admin:read",
  },
  {
    of: "/settings",
    title: "Deliveries",
    href: "/settings?show=deliveries",
    words: "dead letters messages",
    needs: "admin:read",
  },
  {
    of: "/settings",
    title: "Failed deliveries",
    href: "/settings?show=deliveries&state=dead",
    words: "dead letters given up",
    needs: "admin:read",
  },
  {
    of: "/settings",
    title: "Alerts",
    href: "/settings?show=alerts",
    words: "rules days before end",
    needs: "admin:read",
  },
  {
    of: "/settings",
    title: "Branding",
    href: "/settings?show=brand",
    words: "organisation logo colour name support",
    needs: "admin:read",
  },
  {
    of: "/settings",
    title: "People",
    href: "/settings?show=people",
    words: "access administrators team",
    needs: "admin:read",
  },
  {
    of: "/settings",
    title: "Access tokens",
    href: "/settings?show=access-tokens",
    words: "credentials scripts rotate",
    needs: "admin:read",
  },
  {
    of: "/settings",
    title: "Roles",
    href: "/settings?show=roles",
    words: "permissions scope people",
    needs: "admin:read",
  },
  {
    of: "/settings",
    title: "Temporary access",
    href: "/settings?show=temporary-access",
    words: "elevation elevations break glass",
    needs: "admin:read",
  },
  {
    of: "/settings",
    title: "Developer pages",
    href: "/settings?show=pages",
    words: "portal sign-up",
    needs: "admin:read",
  },
  {
    of: "/settings",
    title: "Configuration files",
    href: "/settings?show=config",
    words: "organisation as code yaml git drift managed reviews",
    needs: "config",
  },
  {
    of: "/settings",
    title: "Sign-in",
    href: "/settings?show=sign-in",
    words: "single sign-on sso oidc saml passkeys identity provider company",
    needs: "admin:read",
  },
  {
    of: "/settings",
    title: "Your choices and sessions",
    href: "/settings?show=you",
    words: "you density times shortcuts delivery sign out preferences",
  },
  {
    of: "/settings",
    title: "Server",
    href: "/settings?show=server",
    words: "version nodes store backup",
    needs: "admin:read",
  },
];

/** The words that find a screen besides its name: its former names, too. */
const screenWords: Readonly<Record<string, string>> = {
  "/home": "start problems troubles",
  "/requests": "key requests approvals inbox",
  "/keys": "credentials leaks",
  "/apis": "catalogue plans",
  "/developers": "accounts applications",
  "/certificates": "tls",
  "/logs": "door refusals denied calls",
  "/gateways": "doors proxies migration moving in",
  "/audit-log": "activity trail history",
  "/settings": "people access tokens credentials",
};

/**
 * Screens and actions that this person may open; with a text those of which a word begins so.
 * Offline, screens alone.
 */
export function localItems(text: string): Item[] {
  const screens = seenScreens().map(({ path, name, key }): Item => ({
    kind: "screen",
    id: path,
    title: name,
    href: path,
    words: screenWords[path],
    ...key !== undefined && singleKeys.value === "on" ? { keys: `G ${key}` } : {},
  }));
  const isMoving = known()?.moving === true;
  const within = text === "" ? [] : parts.flatMap((part): Item[] => {
    const { of, title, href, words, needs, isOfMove } = part;
    const screen = screens.find((one) => one.href === of);
    const isSeen = screen && (needs === undefined || may(needs)) && (!isOfMove || isMoving);
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
