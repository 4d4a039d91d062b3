import type { ComponentType } from "preact";
import type { Permission } from "../src/contract/permissions.ts";

/** A screen of the console, as the side bar, the router and the keys know it. */
export interface Screen {
  /** Below `/console`. */
  readonly path: string;
  readonly name: string;
  /** The permissions, one of which is needed to see it; none: every signed-in person sees it. */
  readonly needs: readonly Permission[];
  /** True: it is for people without a scope alone. */
  readonly isOfAll?: true;
  /** The letter after G. */
  readonly key?: string;
  /** Its pixels, on a 16 × 16 grid. */
  readonly icon: string;
  /** False: on a narrow screen it stands behind "More". */
  readonly isMain: boolean;
  /** Read when it is opened for the first time. */
  readonly load: () => Promise<{ default: ComponentType }>;
}

/** Requests, expiry and usage; on a new server the way to the first key. */
export const HOME = "/home";

/** All screens, in the order of the menu. */
export const screens: readonly Screen[] = [
  {
    path: HOME,
    name: "Home",
    needs: ["portal:read", "certs:read", "admin:read"],
    key: "h",
    icon: "M2.5 7.5L8 2.8l5.5 4.7v6h-3.8V9.8H6.3v3.7H2.5z",
    isMain: true,
    load: async () => await withStyles(await import("./screens/home/home.screen.tsx")),
  },
  {
    path: "/requests",
    name: "Requests",
    needs: ["portal:read"],
    key: "r",
    icon: "M2.5 9.5l2-6h7l2 6v3h-11zm0 0h3.2l.8 1.5h3l.8-1.5h3.2",
    isMain: true,
    load: () => import("./screens/requests/requests.screen.tsx"),
  },
  {
    path: "/keys",
    name: "Keys",
    needs: ["portal:read"],
    key: "k",
    icon: "M7.2 8.8l6.3-6.3m-2.6 2.6l1.8 1.8M5.2 13.5a2.8 2.8 0 1 1 0-5.6 2.8 2.8 0 0 1 0 5.6z",
    isMain: true,
    load: () => import("./screens/keys/keys.screen.tsx"),
  },
  {
    path: "/apis",
    name: "APIs",
    needs: ["portal:read"],
    key: "p",
    icon: "M8 2l6 3-6 3-6-3zM2 8l6 3 6-3M2 11l6 3 6-3",
    isMain: false,
    load: async () => await withStyles(await import("./screens/apis/apis.screen.tsx")),
  },
  {
    path: "/developers",
    name: "Developers",
    needs: ["portal:read"],
    key: "d",
    icon:
      "M8 7.8a2.7 2.7 0 1 0 0-5.4 2.7 2.7 0 0 0 0 5.4zM2.8 13.7c.4-2.6 2.5-4 5.2-4s4.8 1.4 5.2 4",
    isMain: false,
    load: () => import("./screens/developers/developers.screen.tsx"),
  },
  {
    path: "/certificates",
    name: "Certificates",
    needs: ["certs:read"],
    key: "c",
    icon: "M8 1.8l5 2v4c0 3-2.2 5.3-5 6.4-2.8-1.1-5-3.4-5-6.4v-4zM5.8 8l1.6 1.6 2.9-3.2",
    isMain: true,
    load: async () =>
      await withStyles(await import("./screens/certificates/certificates.screen.tsx")),
  },
  {
    path: "/logs",
    name: "Logs",
    needs: ["portal:read"],
    isOfAll: true,
    key: "l",
    icon: "M4 13.5v-11h8v11M2.5 13.5h11M9.8 8v.1",
    isMain: false,
    load: async () => await withStyles(await import("./screens/logs/logs.screen.tsx")),
  },
  {
    path: "/gateways",
    name: "Gateways",
    needs: ["admin:read", "portal:read"],
    isOfAll: true,
    key: "g",
    icon: "M2.5 3.5h11v3.5h-11zM2.5 9h11v3.5h-11zM5 5.2h.1M5 10.7h.1M8 5.2h3M8 10.7h3",
    isMain: false,
    load: async () => await withStyles(await import("./screens/gateways/gateways.screen.tsx")),
  },
  {
    path: "/audit-log",
    name: "Audit log",
    needs: ["audit"],
    key: "a",
    icon: "M1.5 8.5h3l2-5.5 3 10 2-4.5h3",
    isMain: false,
    load: async () => await withStyles(await import("./screens/audit-log/audit-log.screen.tsx")),
  },
  {
    path: "/settings",
    name: "Settings",
    needs: [],
    key: "s",
    icon: "M2.5 4.5h6m3 0h2m-3-1.8v3.6M2.5 11.5h2m3 0h6m-6-1.8v3.6",
    isMain: false,
    load: async () => await withStyles(await import("./screens/settings/settings.screen.tsx")),
  },
];

/** A screen once its own styles are there: nothing is drawn without them, so that nothing jumps. */
async function withStyles<S extends { styled: Promise<void> }>(screen: S): Promise<S> {
  await screen.styled;
  return screen;
}
