import type { ComponentChildren } from "preact";
import { Link, useLocation } from "wouter-preact";
import { useDeadLetters } from "../../api/deliveries.ts";
import { may } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { useFilters } from "../../parts/filters.ts";
import { Page } from "../../parts/page.tsx";
import { useShortcuts } from "../../parts/shortcuts.ts";
import { tabKeys, Tabs } from "../../parts/tabs.tsx";

/** Settings in five groups; each section has an address of its own. */
const groups = [
  { value: "you", text: "You", sections: [{ show: "you", name: "You" }] },
  {
    value: "organisation",
    text: "Organisation",
    sections: [
      { show: "brand", name: "Branding" },
      { show: "pages", name: "Developer pages" },
      { show: "config", name: "Configuration files" },
    ],
  },
  {
    value: "access",
    text: "Access",
    sections: [
      { show: "people", name: "People" },
      { show: "roles", name: "Roles" },
      { show: "access-tokens", name: "Access tokens" },
      { show: "temporary-access", name: "Temporary access" },
      { show: "sign-in", name: "Sign-in" },
    ],
  },
  {
    value: "notifications",
    text: "Notifications",
    sections: [
      { show: "channels", name: "Channels" },
      { show: "deliveries", name: "Deliveries" },
      { show: "alerts", name: "Alerts" },
    ],
  },
  {
    value: "server",
    text: "Server",
    sections: [
      { show: "server", name: "This server" },
      { show: "mail-server", name: "Mail server" },
      { show: "organisations", name: "Organisations" },
    ],
  },
] as const;

/** A section's name in the address. */
export type Section = typeof groups[number]["sections"][number]["show"];

/**
 * The section of the address. Without one it is You; below `/settings/config` it is that of
 * configuration files; with an id alone, as addresses of people were before, it is People.
 */
export function useSection(): Section {
  const [{ show }] = useFilters(["show"]);
  const [path] = useLocation();
  if (!may("admin:read")) return "you";
  const all: readonly { show: Section }[] = groups.flatMap(({ sections }) => [...sections]);
  const wanted = /^\/settings\/config(\/|$)/.test(path) ? "config" : show;
  const known = all.find((one) => one.show === wanted && isSeen(one.show));
  return known?.show ?? (path === "/settings" ? "you" : "people");
}

function isSeen(show: Section): boolean {
  if (show === "config") return may("config");
  return (show !== "organisations" && show !== "mail-server") || may("operator");
}

/** A section's page: the groups above it, and the sections of its group. */
export function SettingsPage({ children, ...parts }: {
  tools?: ComponentChildren;
  filters?: ComponentChildren;
  bar?: ComponentChildren;
  drawer?: ComponentChildren;
  children: ComponentChildren;
}) {
  const here = useSection();
  const [, navigate] = useLocation();
  const group = groups.find(({ sections }) => sections.some(({ show }) => show === here));
  const go = (value: string) => {
    const first = groups.find((one) => one.value === value)?.sections[0];
    if (first) navigate(`/settings?show=${first.show}`);
  };
  // Deliveries have tabs of their own for the keys 1 to 5.
  useShortcuts("Settings", may("admin:read") && here !== "deliveries" ? tabKeys(groups, go) : []);
  const sections = group?.sections.filter(({ show }) => isSeen(show)) ?? [];
  return (
    <Page
      title="Settings"
      tabs={may("admin:read") && (
        <Tabs label="Group" value={group?.value ?? ""} tabs={groups} onChange={go} />
      )}
      sections={sections.length > 1 && (
        <nav class="page-sections" aria-label={group?.text}>
          {sections.map(({ show, name }) => (
            <Link
              key={show}
              href={`/settings?show=${show}`}
              class="page-section"
              aria-current={show === here ? "page" : undefined}
            >
              {name}
              {show === "deliveries" && <Failed />}
            </Link>
          ))}
        </nav>
      )}
      {...parts}
    >
      {children}
    </Page>
  );
}

/** A section of cards, with what adds one. */
export function SectionOfCards({ name, add, onAdd, children }: {
  name: string;
  /** The button's words. */
  add: string;
  onAdd: () => void;
  children: ComponentChildren;
}) {
  useShortcuts(name, [{ keys: ["n"], label: add, run: onAdd, when: () => may("admin") }]);
  return (
    <SettingsPage
      tools={may("admin") && <Button kind="primary" shortcut="N" onClick={onAdd}>{add}</Button>}
    >
      <div class="page-scroll settings-facts" tabIndex={0} role="region" aria-label={name}>
        <h2 class="group-title">{name}</h2>
        {children}
      </div>
    </SettingsPage>
  );
}

/** How many deliveries failed. */
function Failed() {
  const dead = useDeadLetters()?.dead ?? 0;
  if (dead === 0) return null;
  return (
    <span class="side-count is-bad">
      {dead}
      <span class="unseen">failed</span>
    </span>
  );
}
