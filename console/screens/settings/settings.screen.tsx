import type { ComponentType } from "preact";
import { Redirect, useLocation } from "wouter-preact";
import { session } from "../../api/session.ts";
import { useFilters } from "../../parts/filters.ts";
import { lazily } from "../../parts/lazily.tsx";
import { Page } from "../../parts/page.tsx";
import { readStyles } from "../../parts/read-styles.ts";
import People from "./people.tsx";
import { type Section, SettingsPage, useSection } from "./sections.tsx";
import { ServerFacts } from "./server-facts.tsx";
import styles from "./settings.css?url";

/** Its styles, on their way. */
export const styled = readStyles(styles);

/** Sections with a head, a list and a drawer of their own. */
const pages: Readonly<Partial<Record<Section, ComponentType>>> = {
  people: People,
  organisations: lazily(() => import("./organisations.tsx")),
  roles: lazily(() => import("./roles.tsx")),
  "access-tokens": lazily(() => import("./access-tokens.tsx")),
  "temporary-access": lazily(() => import("./temporary-access.tsx")),
  channels: lazily(() => import("./channels.tsx")),
  deliveries: lazily(async () => {
    const deliveries = await import("./deliveries/deliveries.tsx");
    await deliveries.styled;
    return deliveries;
  }),
};

/** Sections that are a page of settings and facts. */
const plain: Readonly<Partial<Record<Section, ComponentType>>> = {
  you: lazily(() => import("./your-facts.tsx")),
  brand: lazily(() => import("./brand-facts.tsx")),
  pages: lazily(() => import("./pages-facts.tsx")),
  config: lazily(() => import("./config.tsx")),
  "sign-in": lazily(() => import("./sign-in-facts.tsx")),
  alerts: lazily(() => import("./alert-rules.tsx")),
  server: ServerFacts,
  "mail-server": lazily(() => import("./mail-server-facts.tsx")),
};

/** One's own settings; with `admin:read` those of the organisation and of the server, too. */
export default function SettingsScreen() {
  const section = useSection();
  const [path] = useLocation();
  const [{ show }] = useFilters(["show"]);
  // Permissions decide how high the head is.
  if (session.value === "unknown") return <Page title="Settings">{null}</Page>;
  // An id alone was the address of a person.
  if (section === "people" && show === "") return <Redirect to={`${path}?show=people`} replace />;
  const Own = pages[section];
  if (Own) return <Own key={section} />;
  const Plain = plain[section];
  return <SettingsPage>{Plain && <Plain key={section} />}</SettingsPage>;
}
